/** Programs as promises. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Used } from "../../limits/budget/meter.ts"
import { onUsage as metered } from "../../limits/budget/onUsage.ts"
import { listen } from "../../signal/listeners.ts"
import type { Signal } from "../../signal/Signal.ts"

/**
 * Options of programs that run as promises.
 *
 * - `signal`: aborting it interrupts the program, and the promise rejects with the signal's reason
 * - `onSignal`: is called for every signal of the program
 * - `onUsage`: is called once, before the promise settles, with what the model calls have used
 *
 * @category models
 */
export interface PromiseOptions {
  readonly signal?: AbortSignal
  readonly onSignal?: (signal: Signal) => void
  readonly onUsage?: (used: Used) => void
}

/** Adds the listeners of the options to a program. */
const heard = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  { onSignal, onUsage }: PromiseOptions
): Effect.Effect<A, E, R> => {
  const listened = onSignal === undefined ? program : listen(onSignal)(program)
  return onUsage === undefined ? listened : metered(onUsage)(listened)
}

/** Runs a program as a promise that rejects with the error itself, or with the reason of the signal. */
export const promised = async <A, R>(
  program: Effect.Effect<A, unknown, R>,
  run: (
    program: Effect.Effect<A, unknown, R>,
    options?: { readonly signal: AbortSignal }
  ) => Promise<Exit.Exit<A, unknown>>,
  options: PromiseOptions
): Promise<A> => {
  const { signal } = options
  // a program without a wait would end before the signal is checked
  const watched = Effect.suspend(() => (signal?.aborted === true ? Effect.interrupt : heard(program, options)))
  const ended = await run(watched, signal === undefined ? undefined : { signal })
  if (Exit.isSuccess(ended)) return ended.value
  throw signal?.aborted === true && Cause.hasInterruptsOnly(ended.cause) ? signal.reason : Cause.squash(ended.cause)
}
