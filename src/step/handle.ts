import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import { type Failure, failing, failureOf } from "../run/failure.ts"
import { emit } from "../run/run.ts"
import { around, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import { tagOf } from "../run/tags.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"

/**
 * Looks at a failed step: the failure, and the thought that the step was given.
 *
 * @category models
 */
export type Handler<S, R> = (
  failure: Failure<Step.Err<S>>,
  thought: Thought<Step.In<S>>
) => Effect.Effect<unknown, any, R>

/**
 * Runs an effect when a step fails, and then fails as the step did: for reports, alarms and compensations.
 *
 * The `handler` is given the failure, with its path, its cause and what failed before and beside it, and the thought that
 * the step was given. It is not called on success, interruption or a defect, and cannot change what the step fails with:
 * `Pipeline.recover` can. When the handler fails, that is ignored, and told to listeners as `FailureIgnored`; a defect of
 * it is a defect. Inside a retry it is called for every attempt that fails.
 *
 * **Example** (Counting failures)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Unpaid extends Data.TaggedError("Unpaid") {}
 *
 * const failures: Array<string> = []
 * const watched = Pipeline.handle("watched", {
 *   step: Step.make("pay", { run: Effect.fail(new Unpaid()) }),
 *   handler: ({ cause, path }) => Effect.sync(() => failures.push(`${path.join("/")}: ${cause._tag}`))
 * })
 *
 * const program = Effect.gen(function*() {
 *   const error = yield* Effect.flip(Pipeline.run(watched, yield* Thought.make("pay")))
 *   assert.equal(error.cause._tag, "Unpaid")
 *   assert.deepEqual(failures, ["watched/pay: Unpaid"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const handle = taking("Pipeline.handle", { options: 1, known: ["step", "handler"], steps: ["step"] })(<
  S extends Step.Any,
  R = never
>(
  name: string,
  options: { readonly step: S; readonly handler: Handler<S, R> }
): Wrapped<S, Step.Err<S>, Step.Req<S> | R> => {
  const { handler, step } = options
  return wrap(step, around(step.node, name, kind), (thought: Thought<Step.In<S>>) => {
    const run = step[TypeId].run(thought) as Effect.Effect<Thought<any>, Step.Err<S>, Step.Req<S>>
    return Effect.catchCause(run, (cause) => {
      const reason = failing(cause)
      if (reason === undefined) return Effect.failCause(cause)
      return Effect.suspend(() => handler(failureOf(reason, [name]), thought)).pipe(
        Effect.catchCause((own) => {
          const ignored = failing(own)
          if (ignored !== undefined) {
            return emit(thought, { _tag: "FailureIgnored", step: name, error: tagOf(ignored.error) })
          }
          // a bug in the handler must not hide what the step failed with
          return Effect.failCause(Cause.hasDies(own) ? Cause.combine(cause, own) : own)
        }),
        Effect.andThen(Effect.failCause(cause))
      )
    })
  })
})

const kind = "handle"

/**
 * `Pipeline.handle` around the step that it is piped onto, under the name `handle(<name of the step>)`.
 *
 * **Example** (Telling of a failure)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
 *   Step.handle(({ cause, path }) => Effect.logWarning(`${path.join("/")} failed: ${cause._tag}`))
 * )
 *
 * assert.equal(spam.name, "handle(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const handling: {
  <S extends Step.Any = never, R = never>(handler: Handler<S, R>): (self: S) => Wrapped<S, Step.Err<S>, Step.Req<S> | R>
  <S extends Step.Any, R = never>(self: S, handler: Handler<S, R>): Wrapped<S, Step.Err<S>, Step.Req<S> | R>
} = piped("Step.handle", (self: Step.Any, handler: Handler<any, any>) =>
  handle(pipedName(kind, self), { step: self, handler })
)
