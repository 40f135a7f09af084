/** `cogito runs list`: the durable runs of a scope, the newest first. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Memory } from "../../Memory.ts"
import { runs } from "../../Pipeline.ts"
import type { Note } from "../../Note.ts"
import { cut } from "../../text/legible.ts"
import { described } from "../console/described.ts"
import { counted, fold, plain, print, printJson, say } from "../console/output.ts"
import { scopedFlags } from "../memory/place.ts"
import { openMemory } from "./ledger.ts"
import { answerLine, answersJson } from "./answers.ts"
import { type Listed, listedOf } from "./listed.ts"
import { iso, questionJson } from "./questions.ts"
import { runJson, thoughtOf } from "./run.ts"

const statuses = ["pending", "running", "waiting", "interrupted", "failed", "completed"] as const

/** The highest number of runs that can be listed. */
const mostRuns = 500

/** Most answers that are listed of one run. */
const mostAnswers = 5

const answersLine = (answers: ReadonlyArray<Note>): ReadonlyArray<string> => {
  if (answers.length === 0) return []
  const [last, more] = [answers.slice(-mostAnswers), answers.length - mostAnswers]
  return [`    ${more > 0 ? `${more} more; ` : ""}${last.map((note) => cut(answerLine(note), 80)).join("; ")}`]
}

const lines = ({ answers, held, questions, run }: Listed): string => {
  const head = [run.id, run.status, run.pipeline, iso(run.createdMillis)].map(plain).join("  ")
  const open = questions.map(({ key }) => plain(key)).join(", ")
  const isAnswered = run.status === "waiting" && questions.length === 0
  const waits =
    open === ""
      ? isAnswered
        ? ["answered: resume it to go on"]
        : []
      : [`${counted(questions.length, "open question")}: ${open}`]
  const failed = run.error === undefined ? [] : [`failed with ${plain(run.error)}`]
  const details = [`thought ${thoughtOf(run)}`, ...failed, ...held, ...waits]
  return [head, `    ${details.join("; ")}`, ...answersLine(answers)].map((line) => fold(line)).join("\n")
}

export const listCommand = Command.make(
  "list",
  {
    ...scopedFlags,
    status: Flag.Literals("status", statuses).pipe(
      Flag.withMetavar("status"),
      Flag.withDescription("Only runs of this status"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("count"),
      Flag.withDescription(`Most runs to print, from 1 to ${mostRuns} (default: 20)`),
      Flag.filter(
        (limit) => limit >= 1 && limit <= mostRuns,
        () => `The limit must be a whole number from 1 to ${mostRuns}.`
      ),
      Flag.withDefault(20)
    )
  },
  Effect.fnUntraced(function* ({ limit, status, ...place }) {
    const memory = yield* openMemory(place)
    const { hasMore, listed } = yield* Effect.gen(function* () {
      const found = yield* runs({ limit: limit + 1, ...(Option.isSome(status) ? { status: status.value } : {}) })
      const listed = yield* listedOf(memory, found.slice(0, limit))
      return { listed, hasMore: found.length > limit }
    }).pipe(Effect.provideService(Memory, memory))
    if (place.json) {
      yield* printJson({
        runs: listed.map(({ answers, questions, run }) => ({
          ...runJson(run),
          questions: questions.map(questionJson),
          answers: answersJson(answers)
        }))
      })
      return
    }
    for (const one of listed) yield* print(lines(one))
    if (listed.length === 0) yield* say(Option.isSome(status) ? `No run is ${status.value}.` : "There are no runs.")
    if (hasMore) yield* say(`Only the newest ${limit} are shown${limit < mostRuns ? ": --limit shows more" : ""}.`)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("List durable runs, the newest first, with their answers and what they wait for"),
  Command.withDescription(
    described(
      "List durable runs, the newest first, with their answers in short and what they wait for.",
      "It only reads. A run is running while a process has it, and also if that process was killed, until it is resumed.",
      "show prints the questions of a run, and how to answer them."
    )
  ),
  Command.withExamples([
    {
      command: "npx cogito runs list --status waiting --data-dir .cogito/memory",
      description: "What waits for people"
    },
    { command: "npx cogito runs list --scope acme --limit 100 --json", description: "For a program" }
  ])
)
