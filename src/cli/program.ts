/** The program `cogito` apart from its process: it runs commands and reports how they ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LogToStderr } from "effect/References"
import * as Schema from "effect/Schema"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { EmbedderError } from "../Embedder.ts"
import { SchemaNotCurrent } from "../memory/model/schemaState.ts"
import { MemoryError } from "../Memory.ts"
import { showOnScreen } from "../text/invisible.ts"
import { codes } from "./console/codes.ts"
import { cogito } from "./command.ts"
import { CommandError, EndedByPerson, FoundProblems, UsageError, WaitsForAnswer } from "./console/failure.ts"
import { say } from "./console/output.ts"
import { platform } from "./console/platform.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const manifest = Effect.tryPromise(() =>
  readFile(createRequire(import.meta.url).resolve("cogito/package.json"), "utf8")
).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Manifest)))

/** Runs the command that the arguments name. */
export const run = (args: ReadonlyArray<string>) =>
  manifest.pipe(
    Effect.flatMap(({ version }) => Command.runWith(cogito, { version })(args)),
    Effect.provide(platform),
    // the standard output is for results alone, also where the code of a module logs
    Effect.provideService(LogToStderr, true)
  )

const lineOf = (error: unknown): string | undefined => {
  const own = [CommandError, EndedByPerson, FoundProblems, UsageError, WaitsForAnswer]
  const expected = [...own, EmbedderError, MemoryError, SchemaNotCurrent]
  return error instanceof Error && expected.some((kind) => error instanceof kind) ? error.message : undefined
}

const kinds = [
  [UsageError, codes.usage],
  [FoundProblems, codes.problems],
  [WaitsForAnswer, codes.waiting],
  [EndedByPerson, codes.SIGINT]
] as const

/** Writes the message of a failure and returns its exit code. */
const codeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const error = Cause.squash(cause)
  // the presenter has already shown the message or the help
  if (CliError.isCliError(error)) return Effect.succeed(codes.usage)
  const code = kinds.find(([kind]) => error instanceof kind)?.[1] ?? codes.failed
  // a message may hold text of the program's modules
  return Effect.as(say(showOnScreen(`cogito: ${lineOf(error) ?? Cause.pretty(cause)}`)), code)
}

/** Writes why the command failed, if it did, and returns the exit code. `stopped` is the code after an interruption. */
export const exitCode = (exit: Exit.Exit<unknown, unknown>, stopped: number | undefined): Effect.Effect<number> => {
  if (Exit.isSuccess(exit)) return Effect.succeed(codes.done)
  return Cause.hasInterruptsOnly(exit.cause) ? Effect.succeed(stopped ?? codes.failed) : codeOf(exit.cause)
}
