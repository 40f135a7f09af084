import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import type { Failure } from "../run/failure.ts"
import type { Entry } from "../run/journal.ts"
import { emit, finish, recorded } from "../run/run.ts"
import { around, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { collecting, handingUp } from "./runtime/unfinished.ts"
import type * as Step from "./runtime/model.ts"
import { TimeoutError } from "./runtime/TimeoutError.ts"
import { cuttable, refuseWaiting } from "./runtime/waiting.ts"
import { following } from "./runtime/attempts.ts"
import { stepNamed, time } from "../arguments/checked.ts"

const kind = "timeout"

/** A step that was late once is late again when its run is resumed. */
const late: Entry<any, TimeoutError> = {
  kind: "decision",
  onlyFailures: true,
  failure: {
    encode: ({ limitMillis, step }) => ({ step, limitMillis }),
    decode: (json) => new TimeoutError(json as { readonly step: string; readonly limitMillis: number })
  }
}

/**
 * Interrupts a step that takes longer than a duration; the step then fails with `TimeoutError`.
 *
 * **Details**
 *
 * The interruption reaches model calls too. The step leaves no note, no message and no thought behind; the
 * `PipelineError` lists the attempts that failed before. The timeout waits for finalizers and for uninterruptible
 * effects. An interruption from outside stays an interruption.
 *
 * Around a retry it limits all attempts and waits together; inside a retry, each attempt. Nothing is stored before the
 * step is done as a whole. Throws if the duration is zero, negative or infinite.
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
 * const limited = slow.pipe(Step.timeout("10 millis", { name: "limited" }))
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
export const timeout: {
  (
    duration: Duration.Input,
    options?: NameOption
  ): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S> | TimeoutError, Step.Req<S>>
  <S extends Step.Any>(
    self: S,
    duration: Duration.Input,
    options?: NameOption
  ): Wrapped<S, Step.Err<S> | TimeoutError, Step.Req<S>>
} = piped(
  taking("Step.timeout", { args: [kinds.step], options: 2, optional: true, known: { name: forms.naming } })(
    (self: Step.Any, input: Duration.Input, options: NameOption = {}) => {
      const name = nameOf(kind, self, options)
      const limitMillis = time(stepNamed(name), "duration", input)
      refuseWaiting(kind, name, self.node)
      const node = around(self.node, name, kind, { duration: Duration.format(Duration.millis(limitMillis)) })
      return wrap(self, node, (thought) =>
        Effect.suspend(() => {
          const before: Array<Failure> = []
          return cuttable({ kind, name }, attempt(thought, self)).pipe(
            collecting(before),
            Effect.timeoutOrElse({
              duration: limitMillis,
              orElse: () =>
                Effect.andThen(
                  emit(thought, { _tag: "TimedOut", limitMillis }),
                  Effect.fail(new TimeoutError({ step: name, limitMillis }))
                )
            }),
            (timed) => recorded(() => late, timed),
            handingUp(before),
            (running) => following(running, before),
            Effect.flatMap((outcome) =>
              outcome._tag === "Success"
                ? finish(outcome.thought)
                : Effect.failCause(Cause.fromReasons([outcome.reason]))
            )
          )
        })
      )
    }
  )
)
