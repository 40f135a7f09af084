#!/usr/bin/env node
/** The process of the program `cogito`: its signals and its exit. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { codes } from "./console/codes.ts"
import { say } from "./console/output.ts"
import { exitCode, run } from "./program.ts"

/** What was begun is ended in order, but not for longer than this. */
const grace = "3 seconds"

const stopping = "cogito: Stopping. What is already stored is kept. Press Ctrl-C again to exit at once."

const exitWith = (code: number) => Effect.sync(() => process.exit(code))

let stopped: number | undefined
const fiber = Effect.runFork(run(process.argv.slice(2)))
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
// all that was written has been taken; a standard input that is still open is waited for no longer
await Effect.runPromise(Effect.flatMap(exitCode(exit, stopped), exitWith))
