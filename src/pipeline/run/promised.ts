/** Programs as promises. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Used } from "../../limits/budget/meter.ts"
import { onUsage as metered } from "../../limits/budget/onUsage.ts"
import * as kinds from "../../arguments/kinds.ts"
import { need } from "../../arguments/taking.ts"
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

/** The listeners of a program. */
export type Listeners = Pick<PromiseOptions, "onSignal" | "onUsage">

/** Adds listeners to a program. Each is isolated from the others, and called in their order. */
const heard = <A, E, R>(program: Effect.Effect<A, E, R>, all: ReadonlyArray<Listeners>): Effect.Effect<A, E, R> => {
  // the outermost listener receives a signal first, and the innermost one receives the usage first
  const listened = all.reduceRight(
    (inner, { onSignal }) => (onSignal === undefined ? inner : listen(onSignal)(inner)),
    program
  )
  return all.reduce((inner, { onUsage }) => (onUsage === undefined ? inner : metered(onUsage)(inner)), listened)
}

/** Runs a program as a promise that rejects with the error itself, or with the reason of the signal. `earlier` listens before the options. */
export const promised = async <A, R>(
  program: Effect.Effect<A, unknown, R>,
  run: (
    program: Effect.Effect<A, unknown, R>,
    options?: { readonly signal: AbortSignal }
  ) => Promise<Exit.Exit<A, unknown>>,
  options: PromiseOptions,
  earlier: Listeners = {}
): Promise<A> => {
  const { signal } = options
  need("The option signal", kinds.signal, signal)
  // a program without a wait would end before the signal is checked, and one that never began would report no usage
  const wasAborted = signal?.aborted === true
  const heardProgram = heard(wasAborted ? Effect.interrupt : program, [earlier, options])
  const ended = await run(heardProgram, signal === undefined || wasAborted ? undefined : { signal })
  if (Exit.isSuccess(ended)) return ended.value
  throw signal?.aborted === true && Cause.hasInterruptsOnly(ended.cause) ? signal.reason : Cause.squash(ended.cause)
}
