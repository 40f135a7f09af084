import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { stepNamed, whole } from "../arguments/checked.ts"
import { around, type Known, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { isRetryable } from "../run/failure.ts"
import type * as Step from "./runtime/model.ts"
import { repeat } from "./runtime/attempts.ts"

const kind = "retry"

/**
 * When a failed step is tried again.
 *
 * @category models
 */
export interface RetryOptions<in E> extends NameOption {
  /** How many more attempts there are after the first one. Default: 2. */
  readonly times?: number
  /** Which errors are worth another attempt. Default: all except those with `isRetryable: false`. */
  readonly while?: (error: E) => boolean
}

/**
 * Runs a step again at once when it fails.
 *
 * **Details**
 *
 * Every attempt starts from the thought as it was before the first one. A failed attempt leaves no note, no message and
 * no thought behind, so the model gets the same bytes again. A fork made in an attempt is a new one each time.
 *
 * After the last attempt the step fails with the last error, and the `PipelineError` lists the earlier ones.
 * Interruption and defects are never retried. Nothing is stored before an attempt has succeeded as a whole. Throws if
 * `times` is not a whole number from 0.
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
 * const patient = stock.pipe(Step.retry({ times: 3 }))
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(patient, yield* Thought.make("count"))
 *   assert.equal(done.get("stock"), 12)
 *   assert.equal(calls, 2)
 * })
 *
 * assert.equal(patient.name, "retry(stock)")
 * assert.equal(patient.pipe(Step.retry({ name: "very patient" })).name, "very patient")
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const retry: {
  <S extends Step.Any = never>(
    options: RetryOptions<Step.Err<S>> & { readonly while: (error: Step.Err<S>) => boolean },
    ...known: Known<S>
  ): (self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <E = any>(
    options?: RetryOptions<E>
  ): <S extends Step.Step<any, any, E, any>>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options?: RetryOptions<Step.Err<S>>): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped(
  taking("Step.retry", {
    args: [kinds.step],
    options: 1,
    optional: true,
    known: {
      name: forms.naming,
      times: forms.maybe("How often it is tried again.", forms.count(0), 2),
      while: forms.maybe("A function of the error: whether another attempt is worth it.", forms.callable)
    }
  })((self: Step.Any, options: RetryOptions<any> = {}) => {
    const { times = 2, while: again = isRetryable } = options
    const name = nameOf(kind, self, options)
    whole(stepNamed(name), "times", 0, times)
    return wrap(self, around(self.node, name, kind, { times }), (thought) =>
      repeat(thought, self, (error, attempt) =>
        Effect.succeed(attempt <= times && again(error) ? Duration.zero : undefined)
      )
    )
  })
)
