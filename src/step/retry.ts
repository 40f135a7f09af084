import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import { wholeFrom } from "../arguments/wholeFrom.ts"
import { around, type Known, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { isRetryable } from "../run/tags.ts"
import type * as Step from "./runtime/model.ts"
import { repeat } from "./attempts.ts"

/**
 * When a failed step is tried again.
 *
 * @category models
 */
export interface RetryOptions<in E> {
  /** How often it is tried again after the first attempt. Default: 2. */
  readonly times?: number
  /** Which errors are worth another attempt. Default: all but those that say of themselves `isRetryable: false`. */
  readonly while?: (error: E) => boolean
}

/**
 * Runs a step again when it fails, at once and on the thought as it was before the first attempt.
 *
 * A failed attempt leaves no note, no message and no thought behind, so the model is asked with the same bytes again. A
 * fork that it makes is another one each time. When no attempt is left, it fails as the last one did; the
 * `PipelineError` has those before it. Interruption and defects are never retried. Nothing that the step writes is
 * stored before it has succeeded as a whole. Throws when `times` is no whole number from 0.
 *
 * **Example** (A step that succeeds at the second attempt)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Busy extends Data.TaggedError("Busy") {}
 *
 * let calls = 0
 * const stock = Step.make("stock", {
 *   schema: Schema.Finite,
 *   run: Effect.suspend(() => (++calls < 2 ? Effect.fail(new Busy()) : Effect.succeed(12)))
 * })
 * const patient = Pipeline.retry("patient", { step: stock, times: 3 })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(patient, yield* Thought.make("count"))
 *   assert.equal(done.get("stock"), 12)
 *   assert.equal(calls, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const retry = taking("Pipeline.retry", { options: 1, known: ["step", "times", "while"], steps: ["step"] })(<
  S extends Step.Any
>(
  name: string,
  options: RetryOptions<Step.Err<S>> & { readonly step: S }
): Wrapped<S, Step.Err<S>, Step.Req<S>> => {
  const { step, times = 2 } = options
  const again = options.while ?? isRetryable
  wholeFrom(0, name, "times", times)
  return wrap(step, around(step.node, name, kind, { times }), (thought) =>
    repeat<Step.Err<S>, Step.Req<S>>(thought, step, (error, attempt) =>
      Effect.succeed(attempt <= times && again(error) ? Duration.zero : undefined)
    )
  )
})

const kind = "retry"

/**
 * `Pipeline.retry` around the step that it is piped onto, under the name `retry(<name of the step>)`.
 *
 * **Example** (Two more attempts)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.retry({ times: 2 }))
 *
 * assert.equal(spam.name, "retry(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const retrying: {
  <S extends Step.Any = never>(
    options: RetryOptions<Step.Err<S>> & { readonly while: (error: Step.Err<S>) => boolean },
    ...known: Known<S>
  ): (self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <E = any>(
    options?: RetryOptions<E>
  ): <S extends Step.Step<any, any, E, any>>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options?: RetryOptions<Step.Err<S>>): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped("Step.retry", (self: Step.Any, options: RetryOptions<any> = {}) =>
  retry(pipedName(kind, self), { ...options, step: self })
)
