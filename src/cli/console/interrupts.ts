/** Ctrl-C while a command handles it itself, instead of ending. */
import * as Effect from "effect/Effect"

let current: (() => void) | undefined

/** Handles Ctrl-C with a function while work goes on. */
export const handlingInterrupts =
  (press: () => void) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const before = current
        current = press
        return before
      }),
      () => work,
      (before) =>
        Effect.sync(() => {
          current = before
        })
    )

/** Passes Ctrl-C to whoever handles it. False if nobody does. */
export const pressed = (): boolean => {
  // the press may end the work that handles it
  const press = current
  press?.()
  return press !== undefined
}
