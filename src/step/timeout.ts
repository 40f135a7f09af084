import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import type { Failure } from "../run/failure.ts"
import { commit, emit } from "../run/run.ts"
import { around, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { collecting, handingUp } from "./runtime/unfinished.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import { following } from "./attempts.ts"
import { longerThanZero } from "../arguments/durations.ts"
import { TimeoutError } from "./TimeoutError.ts"

/**
 * Runs a step for no longer than a duration.
 *
 * When the time is up the step is interrupted, model calls included, and leaves no note, no message and no thought. It
 * fails with `TimeoutError` then; the `PipelineError` has the attempts that had failed within that time before it. An
 * interruption from outside stays one. It waits for what a step does when it is interrupted, and for what cannot be; a
 * defect in what it does when the time is up is not seen.
 *
 * Around a retry it limits all attempts and waits together, inside one each attempt. Nothing that the step writes is
 * stored before it is done as a whole. Throws when the duration is not longer than zero, or infinite.
 *
 * **Example** (A step that takes too long)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const slow = Step.make("slow", { schema: Schema.Finite, run: Effect.delay(Effect.succeed(1), "1 minute") })
 * const limited = Pipeline.timeout("limited", { step: slow, duration: "10 millis" })
 *
 * const program = Effect.gen(function*() {
 *   const error = yield* Effect.flip(Pipeline.run(limited, yield* Thought.make("count")))
 *   assert.equal(error.cause._tag, "TimeoutError")
 *   assert.deepEqual(error.path, ["limited"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const timeout = taking("Pipeline.timeout", { options: 1, known: ["step", "duration"], steps: ["step"] })(<
  S extends Step.Any
>(
  name: string,
  options: { readonly step: S; readonly duration: Duration.Input }
): Wrapped<S, Step.Err<S> | TimeoutError, Step.Req<S>> => {
  const { step } = options
  const duration = longerThanZero(name, "duration", options.duration)
  const limitMillis = Duration.toMillis(duration)
  const node = around(step.node, name, kind, { duration: Duration.format(duration) })
  return wrap(step, node, (thought) =>
    Effect.suspend(() => {
      const before: Array<Failure> = []
      return attempt<Step.Err<S>, Step.Req<S>>(thought, step).pipe(
        collecting(before),
        Effect.timeoutOrElse({
          duration,
          orElse: () =>
            Effect.andThen(
              emit(thought, { _tag: "TimedOut", limitMillis }),
              Effect.fail(new TimeoutError({ step: name, limitMillis }))
            )
        }),
        handingUp(before),
        (self) => following(self, before),
        Effect.flatMap((outcome): Effect.Effect<Thought<any>, Step.Err<S>> =>
          outcome._tag === "Success" ? commit(outcome.thought) : Effect.failCause(Cause.fromReasons([outcome.reason]))
        )
      )
    })
  )
})

const kind = "timeout"

/**
 * `Pipeline.timeout` around the step that it is piped onto, under the name `timeout(<name of the step>)`.
 *
 * **Example** (At most ten seconds)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.timeout("10 seconds"))
 *
 * assert.equal(spam.name, "timeout(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const limited: {
  (duration: Duration.Input): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S> | TimeoutError, Step.Req<S>>
  <S extends Step.Any>(self: S, duration: Duration.Input): Wrapped<S, Step.Err<S> | TimeoutError, Step.Req<S>>
} = piped("Step.timeout", (self: Step.Any, duration: Duration.Input) =>
  timeout(pipedName(kind, self), { step: self, duration })
)
