/** A step that is tried several times, or several in turn: what is kept of the attempts that failed. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { attempt } from "./branch.ts"
import { failing, type Failure, located, tagOf, withOthers } from "../../run/failure.ts"
import { Kept } from "./kept.ts"
import { emit, finish, isNextKnown, Run } from "../../run/run.ts"
import { handingUp } from "./unfinished.ts"
import type * as Step from "./model.ts"
import type { Thought } from "../../thought/model.ts"

/**
 * Runs a step on the same thought until it succeeds, after each failure as long as `waits` gives a wait before the next
 * attempt. When it gives none, fails as the last attempt did, with the first and the last of those before it.
 */
export const repeat = <E, R, E2 = never, R2 = never>(
  thought: Thought<any>,
  step: Step.Step<any, any, E, R>,
  waits: (error: E, attempt: number) => Effect.Effect<Duration.Duration | undefined, E2, R2>
): Effect.Effect<Thought<any>, E | E2, R | R2> =>
  Effect.flatMap(Run, ({ path }) => {
    const before = new Kept(path)
    return Effect.gen(function* () {
      for (;;) {
        const outcome = yield* attempt<E, R>(thought, step)
        if (outcome._tag === "Success") return yield* finish(outcome.thought)
        const { failure, reason } = outcome
        const wait = yield* following(waits(failure.cause, before.count + 1), before.and(failure))
        if (wait === undefined) return yield* Effect.failCause(withOthers(reason, { before: [...before] }))
        before.add(failure)
        yield* passedOver(thought, before.count, tagOf(failure.cause), Duration.toMillis(wait))
        if (!Duration.isZero(wait) && !(yield* isNextKnown(step.name))) yield* Effect.sleep(wait)
      }
    }).pipe(handingUp(before))
  })

/** Tells listeners that an attempt or an alternative did not do, and something else is tried. */
export const passedOver = (
  thought: Thought<any>,
  attempt: number,
  error: string,
  waitMillis: number
): Effect.Effect<void> => emit(thought, { _tag: "AttemptFailed", attempt, error, waitMillis })

/** What is no step, and so fails where the running step is; with what failed before it. */
export const following = <A, E, R>(self: Effect.Effect<A, E, R>, before: Iterable<Failure>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { path } = yield* Run
    const start = yield* Clock.currentTimeMillis
    return yield* Effect.catchCause(self, (cause) =>
      Effect.flatMap(Clock.currentTimeMillis, (end) => {
        const reason = failing(located(cause, path, end - start))
        return Effect.failCause(reason === undefined ? cause : withOthers(reason, { before: [...before] }))
      })
    )
  })
