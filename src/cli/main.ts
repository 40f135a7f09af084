#!/usr/bin/env node
/** The program `cogito`: exit code 0 when it did what it was asked, 1 when that failed, 2 when it was asked wrongly. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { readFile } from "node:fs/promises"
import { EmbedderError } from "../Embedder.ts"
import { MemoryError } from "../Memory.ts"
import { cogito } from "./command.ts"
import { CommandError, UsageError } from "./failure.ts"
import { say } from "./output.ts"
import { platform } from "./platform.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const manifest = Effect.tryPromise(() => readFile(new URL("../../package.json", import.meta.url), "utf8")).pipe(
  Effect.flatMap(Schema.decodeUnknownEffect(Manifest))
)

const program = Effect.flatMap(manifest, ({ version }) => Command.run(cogito, { version }))

const expected = (error: unknown): error is Error =>
  error instanceof MemoryError || error instanceof EmbedderError || error instanceof CommandError

/** What is written and the code, for how the program ended. */
const codeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(130)
  const error = Cause.squash(cause)
  // Effect has shown what was wrong, or the help that was asked for
  if (CliError.isCliError(error)) return Effect.succeed(error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2)
  if (error instanceof UsageError) return Effect.as(say(`cogito: ${error.message}`), 2)
  return Effect.as(say(`cogito: ${expected(error) ? error.message : Cause.pretty(cause)}`), 1)
}

const fiber = Effect.runFork(Effect.provide(program, platform))
const interrupt = () => fiber.interruptUnsafe()
process.once("SIGINT", interrupt)
process.once("SIGTERM", interrupt)
// who read the results has gone away
process.stdout.once("error", interrupt)

const exit = await Effect.runPromise(Fiber.await(fiber))
process.exitCode = Exit.isSuccess(exit) ? 0 : await Effect.runPromise(codeOf(exit.cause))
