import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { type Failure, failing, failureOf, tagOf } from "../run/failure.ts"
import { emit, foreign } from "../run/run.ts"
import { quoted } from "../text/legible.ts"
import { around, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"

const kind = "handle"

/** What a handler has returned, which the compiler has not checked in a program in JavaScript or a document. */
const called = <E, R>(name: string, made: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R> =>
  Effect.isEffect(made)
    ? made
    : Effect.die(
        new Error(`The handler of the step ${quoted(name)} has to return an effect, not ${kinds.kindOf(made)}.`)
      )

/**
 * Observes a failed step: it receives the failure, and the thought that the step started from.
 *
 * @category models
 */
export type Handler<S, R> = (
  failure: Failure<Step.Err<S>>,
  thought: Thought<Step.In<S>>
) => Effect.Effect<unknown, any, R>

/**
 * Runs an effect when a step fails, for reports, alarms and compensations; the step still fails with its error.
 *
 * **Details**
 *
 * The failure has a path, a cause, and the failures before and beside it. The handler does not run on success,
 * interruption or a defect, and cannot change the error; `recover` can. If the handler itself fails, that failure is
 * ignored with a `FailureIgnored` signal; a defect in it stays a defect. Inside a retry the handler runs for every
 * failed attempt.
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
 * const watched = Step.make("pay", { run: Effect.fail(new Unpaid()) }).pipe(
 *   Step.handle(({ cause, path }) => Effect.sync(() => failures.push(`${path.join("/")}: ${cause._tag}`)))
 * )
 *
 * const program = Effect.gen(function*() {
 *   const error = yield* Effect.flip(Pipeline.run(watched, yield* Thought.make("pay")))
 *   assert.equal(error.cause._tag, "Unpaid")
 *   assert.deepEqual(failures, ["handle(pay)/pay: Unpaid"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const handle: {
  <S extends Step.Any = never, R = never>(
    handler: Handler<S, R>,
    options?: NameOption
  ): (self: S) => Wrapped<S, Step.Err<S>, Step.Req<S> | R>
  <S extends Step.Any, R = never>(
    self: S,
    handler: Handler<S, R>,
    options?: NameOption
  ): Wrapped<S, Step.Err<S>, Step.Req<S> | R>
} = piped(
  taking("Step.handle", {
    args: [kinds.step, kinds.callable],
    options: 2,
    optional: true,
    known: { name: forms.naming }
  })((self: Step.Any, handler: Handler<any, any>, options: NameOption = {}) => {
    const name = nameOf(kind, self, options)
    return wrap(self, around(self.node, name, kind), (thought) =>
      Effect.catchCause(self[TypeId].run(thought), (cause) => {
        const reason = failing(cause)
        if (reason === undefined) return Effect.failCause(cause)
        return foreign(Effect.suspend(() => called(name, handler(failureOf(reason, [name]), thought)))).pipe(
          Effect.catchCause((own) => {
            const ignored = failing(own)
            if (ignored !== undefined) {
              return emit(thought, { _tag: "FailureIgnored", step: name, error: tagOf(ignored.error) })
            }
            // a defect in the handler must not hide the failure of the step
            return Effect.failCause(Cause.hasDies(own) ? Cause.combine(cause, own) : own)
          }),
          Effect.andThen(Effect.failCause(cause))
        )
      })
    )
  })
)
