/** Waits for what is due without delay, and says what has not happened where the runner could only say that time is up. */
import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"

/** Far longer than anything takes that a test waits for, and shorter than the runner's own limit. */
const patience = 30_000

/**
 * The effect. If it has not ended after `millis` of real time, whatever a test's clock says, it is interrupted, and
 * the defect says `not yet: what`.
 */
export const soon =
  (what: string, millis = patience) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      effect,
      Effect.callback<never>((resume) => {
        const timer = setTimeout(() => resume(Effect.die(new Error(`not yet, after ${millis} ms: ${what}`))), millis)
        return Effect.sync(() => clearTimeout(timer))
      })
    )

/** The same for a promise. */
export const soonPromise = <A>(what: string, promise: Promise<A>, millis = patience): Promise<A> =>
  Effect.runPromise(soon(what, millis)(Effect.promise(() => promise)))

/** Waits until the condition holds. */
export const met = (what: string, condition: () => boolean): Effect.Effect<void> =>
  soon(what)(
    Effect.promise(async () => {
      while (!condition()) await setImmediate()
    })
  )
