#!/usr/bin/env node
/** The program `cogito`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { readFile } from "node:fs/promises"
import { EmbedderError } from "../Embedder.ts"
import { SchemaNotCurrent } from "../internal/memorySchemaState.ts"
import { MemoryError } from "../Memory.ts"
import { codes } from "./codes.ts"
import { cogito } from "./command.ts"
import { CommandError, FoundProblems, UsageError } from "./failure.ts"
import { say } from "./output.ts"
import { platform } from "./platform.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const manifest = Effect.tryPromise(() => readFile(new URL("../../package.json", import.meta.url), "utf8")).pipe(
  Effect.flatMap(Schema.decodeUnknownEffect(Manifest))
)

const program = Effect.flatMap(manifest, ({ version }) => Command.run(cogito, { version }))

const lineOf = (error: unknown): string | undefined => {
  const expected = [CommandError, EmbedderError, FoundProblems, MemoryError, SchemaNotCurrent, UsageError]
  return error instanceof Error && expected.some((kind) => error instanceof kind) ? error.message : undefined
}

/** What is written and the code, for how the program ended by itself. */
const codeOf = (cause: Cause.Cause<unknown>): Effect.Effect<number> => {
  const error = Cause.squash(cause)
  // what was wrong has been said, or the help that was asked for has been shown
  if (CliError.isCliError(error)) return Effect.succeed(codes.usage)
  const code =
    error instanceof UsageError ? codes.usage : error instanceof FoundProblems ? codes.problems : codes.failed
  return Effect.as(say(`cogito: ${lineOf(error) ?? Cause.pretty(cause)}`), code)
}

/** What was begun is ended in order, but not for longer than this. */
const grace = "3 seconds"

const stopping = "cogito: Stopping. What is already stored is kept. Press Ctrl-C again to exit at once."

const exitWith = (code: number) => Effect.sync(() => process.exit(code))

let stopped: number | undefined
const fiber = Effect.runFork(Effect.provide(program, platform))
const stop = (code: number) => () => {
  // who asks again does not want to wait
  if (stopped !== undefined && code !== codes.readerGone) process.exit(stopped)
  stopped ??= code
  // before anything that the command itself says about its end
  if (code !== codes.readerGone) Effect.runFork(say(stopping))
  fiber.interruptUnsafe()
  Effect.runFork(Effect.andThen(Effect.sleep(grace), exitWith(code)))
}
process.on("SIGINT", stop(codes.SIGINT))
process.on("SIGTERM", stop(codes.SIGTERM))
process.stdout.on("error", stop(codes.readerGone))

const exit = await Effect.runPromise(Fiber.await(fiber))
const ended = Effect.suspend(() => {
  if (Exit.isSuccess(exit)) return Effect.succeed(codes.done)
  return Cause.hasInterruptsOnly(exit.cause) ? Effect.succeed(stopped ?? codes.failed) : codeOf(exit.cause)
})
// all that was written has been taken; a standard input that is still open is waited for no longer
await Effect.runPromise(Effect.flatMap(ended, exitWith))
