/** Progress of long work: shown on a terminal, and not with `--json`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { pass, passed } from "./output.ts"

const silent = (json: boolean): boolean => json || !process.stderr.isTTY

/** The count between two lines of progress. */
const every = 50

/** Shows a count from time to time while work goes on. */
export const counting = (json: boolean, text: (count: number) => string): ((count: number) => Effect.Effect<void>) => {
  const quiet = silent(json)
  return (count) => (quiet || count % every !== 0 ? Effect.void : pass(text(count)))
}

/** Shows what the program does, and for how long, until the work is done. */
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
