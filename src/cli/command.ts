/** The commands of the program, each in a file of its own. */
import * as Command from "effect/cli/Command"
import { exportCommand } from "./memory/export.ts"
import { importCommand } from "./memory/import.ts"
import { migrateCommand } from "./memory/migrate.ts"
import { searchCommand } from "./memory/search.ts"
import { showCommand } from "./memory/show.ts"
import { verifyCommand } from "./memory/verify.ts"

const memory = Command.make("memory").pipe(
  Command.withDescription("Look after a memory: on a Postgres server, or in a directory (PGlite)"),
  Command.withSubcommands([migrateCommand, searchCommand, showCommand, exportCommand, importCommand, verifyCommand])
)

export const cogito = Command.make("cogito").pipe(
  Command.withDescription("Typed reasoning pipelines with a memory"),
  Command.withSubcommands([memory])
)
