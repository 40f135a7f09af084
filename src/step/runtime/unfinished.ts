/** What has failed in attempts that are cut short, for the limit that ends them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Failure } from "../../run/failure.ts"

/** Where attempts that were cut short leave what has failed until then, for the limit that ended them. */
const Unfinished = Context.Reference<Array<Failure> | undefined>("cogito/Unfinished", {
  defaultValue: () => undefined
})

/** Hands up what has failed so far when the effect is interrupted, before what was handed up from within it. */
export const handingUp =
  (failures: Iterable<Failure>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Unfinished, (unfinished) =>
      unfinished === undefined
        ? self
        : Effect.onInterrupt(self, () =>
            Effect.sync(() => {
              const within = unfinished.splice(0)
              for (const failure of failures) unfinished.push(failure)
              for (const failure of within) unfinished.push(failure)
            })
          )
    )

/** Collects what has failed in the effect when it is interrupted. */
export const collecting =
  (failures: Array<Failure>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, Unfinished, failures)

/**
 * Runs branches, each with a place of its own for what it hands up. It is handed on when all of them are interrupted; of
 * those that another branch has made superfluous it is not.
 */
export const apart = <A, E, R, B, E2, R2>(
  runs: ReadonlyArray<Effect.Effect<A, E, R>>,
  together: (runs: ReadonlyArray<Effect.Effect<A, E, R>>) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E2, R2> =>
  Effect.suspend(() => {
    const places = runs.map((): Array<Failure> => [])
    const all: Array<Failure> = []
    return together(runs.map((run, i) => collecting(places[i] ?? [])(run))).pipe(
      Effect.onInterrupt(() => Effect.sync(() => places.flat().forEach((failure) => all.push(failure)))),
      handingUp(all)
    )
  })
