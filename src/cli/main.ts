#!/usr/bin/env node
/** The process of the program `cogito`: its signals and its exit. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { codes } from "./console/codes.ts"
import { pressed } from "./console/interrupts.ts"
import { endWaiting } from "./console/nothingLeft.ts"
import { say } from "./console/output.ts"
import { exitCode, run } from "./program.ts"

/** The longest time that the program may take to shut down after a signal. */
const grace = "3 seconds"

const stopping = "cogito: Stopping. What is already stored is kept. Press Ctrl-C again to exit immediately."

const unwritten = (code = "unknown error") =>
  `cogito: The output cannot be written (${code}), so it is not complete: check the space of its disk.`

const unending = "cogito: The command waits for something that cannot happen any more, so it has ended."

const exitWith = (code: number) => Effect.sync(() => process.exit(code))

let stopped: number | undefined
const fiber = Effect.runFork(run(process.argv.slice(2)))
const stop = (code: number, line?: string) => {
  stopped ??= code
  // before any message of the command about its end
  if (line !== undefined) Effect.runFork(say(line))
  fiber.interruptUnsafe()
  Effect.runFork(Effect.andThen(Effect.sleep(grace), exitWith(code)))
}
const onSignal = (code: number) => () => {
  // a second signal exits at once
  if (stopped !== undefined) process.exit(stopped)
  stop(code, stopping)
}
process.on("SIGINT", () => {
  if (!pressed()) onSignal(codes.SIGINT)()
})
process.on("SIGTERM", onSignal(codes.SIGTERM))
process.on("SIGHUP", () => {
  // the shell of a terminal that is closed may send it once more
  if (stopped === undefined) stop(codes.SIGHUP, stopping)
})
// such as that of a closed terminal: what cannot be shown there is left out
process.stderr.on("error", () => {})
process.on("beforeExit", () => {
  if (!endWaiting()) stop(codes.failed, unending)
})
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") stop(codes.readerGone)
  else if (stopped === undefined) stop(codes.failed, unwritten(code))
})

const exit = await Effect.runPromise(Fiber.await(fiber))
// all output has been written; the program does not wait for a standard input that is still open
await Effect.runPromise(Effect.flatMap(exitCode(exit, stopped), exitWith))
