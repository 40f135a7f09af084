/** How far long work is: on a terminal, and not beside JSON. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { pass, passed } from "./output.ts"

const silent = (json: boolean): boolean => json || !process.stderr.isTTY

/** How often work that is counted says so: after so many. */
const every = 50

/** Says a count, now and then, as work goes on. */
export const counting = (json: boolean, text: (count: number) => string): ((count: number) => Effect.Effect<void>) => {
  const quiet = silent(json)
  return (count) => (quiet || count % every !== 0 ? Effect.void : pass(text(count)))
}

/** Says what is going on, and for how long it has, until it is over. */
export const during =
  (json: boolean, text: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (silent(json)) return work
    const seconds = Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      while (true) {
        yield* Effect.sleep("1 second")
        yield* pass(`${text} … ${Math.round(((yield* Clock.currentTimeMillis) - start) / 1000)} s`)
      }
    })
    return Effect.acquireUseRelease(
      Effect.andThen(pass(`${text} …`), Effect.forkChild(Effect.interruptible(seconds))),
      () => work,
      (fiber) => Effect.andThen(Fiber.interrupt(fiber), passed)
    )
  }
