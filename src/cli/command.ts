/** The commands of the program, each in a file of its own. */
import * as Command from "effect/cli/Command"
import { agentCommand } from "./agent/agent.ts"
import { described } from "./console/described.ts"
import { exportCommand } from "./memory/export.ts"
import { importCommand } from "./memory/import.ts"
import { migrateCommand } from "./memory/migrate.ts"
import { optimizeCommand } from "./memory/optimize.ts"
import { searchCommand } from "./memory/search.ts"
import { showCommand } from "./memory/show.ts"
import { verifyCommand } from "./memory/verify.ts"
import { reportCommand } from "./report/report.ts"
import { replayCommand } from "./replay/replay.ts"
import { answerCommand } from "./runs/answer.ts"
import { checkCommand } from "./runs/check.ts"
import { listCommand } from "./runs/list.ts"
import { removeCommand } from "./runs/remove.ts"
import { rerunCommand } from "./runs/rerun.ts"
import { resumeCommand } from "./runs/resume.ts"
import { showCommand as showRunCommand } from "./runs/show.ts"
import { startCommand } from "./runs/start.ts"
import { studioCommand } from "./studio/studio.ts"
import { watchCommand } from "./watch/watch.ts"

const memory = Command.make("memory").pipe(
  Command.withShortDescription("Look after a memory: on a Postgres server, or in a folder (PGlite)"),
  Command.withDescription(
    described(
      "Look after a memory: on a Postgres server, or in a folder (PGlite).",
      "Only migrate and import change the schema of a memory; the others say when it is not that of this version.",
      "verify, show, export and, without --embedder, search only read.",
      "A folder is open in one process at a time."
    )
  ),
  Command.withSubcommands([
    migrateCommand,
    searchCommand,
    showCommand,
    exportCommand,
    importCommand,
    optimizeCommand,
    verifyCommand
  ]),
  Command.withExamples([
    { command: "npx cogito memory migrate --data-dir .cogito/memory", description: "Make a memory in a folder" },
    {
      command: "DATABASE_URL=postgres://app@localhost/app npx cogito memory verify --scope acme",
      description: "On a server"
    }
  ])
)

const runs = Command.make("runs").pipe(
  Command.withShortDescription("Look after durable runs: begin, list, answer, resume, repeat and remove them"),
  Command.withDescription(
    described(
      "Look after durable runs: begin, list, answer, resume, repeat and remove them.",
      "The memory is named as for cogito memory. list and show only read.",
      "start, resume and rerun run the pipeline in this process, so they need its code: --steps or --spec."
    )
  ),
  Command.withSubcommands([
    listCommand,
    showRunCommand,
    checkCommand,
    startCommand,
    answerCommand,
    resumeCommand,
    rerunCommand,
    removeCommand
  ]),
  Command.withExamples([
    {
      command: "npx cogito runs list --status waiting --data-dir .cogito/memory",
      description: "What waits for people"
    },
    { command: "npx cogito runs answer refund-17 ok yes --by jane --scope acme", description: "On a server" }
  ])
)

export const cogito = Command.make("cogito").pipe(
  Command.withDescription("Typed reasoning pipelines with a memory"),
  Command.withSubcommands([agentCommand, memory, runs, reportCommand, watchCommand, studioCommand, replayCommand])
)
