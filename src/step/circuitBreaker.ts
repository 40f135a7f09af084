import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { CommitFailed, failing, isRetryable } from "../run/failure.ts"
import { emit, limited } from "../run/run.ts"
import { around, type Known, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import {
  BreakerId,
  breakerOf,
  type CircuitBreaker,
  CircuitOpen,
  type CircuitOptions,
  enter,
  type Verdict
} from "../limits/CircuitBreaker.ts"

const kind = "circuitBreaker"

/** Options of the step's own circuit, or a shared circuit; and which errors count. */
type Guard<E> = (
  | (CircuitOptions & { readonly breaker?: never })
  | { readonly breaker: CircuitBreaker; readonly failures?: never; readonly reset?: never; readonly successes?: never }
) &
  NameOption & {
    /** Which errors count as failures of the step. Default: all except those with `isRetryable: false`. */
    readonly counts?: (error: E) => boolean
  }

/**
 * Stops running a step for a while if it fails again and again.
 *
 * **Details**
 *
 * A closed circuit lets every run pass. After `failures` failures in a row it opens: for the time `reset` every run
 * fails at once as `CircuitOpen`. Then it is half-open: one run at a time tests the step, the others still fail. After
 * `successes` successful tests the circuit closes; one failure opens it again. Every change emits a `CircuitChanged`
 * signal.
 *
 * An error with `isRetryable: false` does not count, unless `counts` overrides this. A defect is a failure. An
 * interruption does not count, so put a timeout inside the circuit.
 *
 * All runs of the step value share its circuit; `breaker` accepts one of `CircuitBreaker.make`. Throws if an option is
 * out of range.
 *
 * **Example** (Not calling a service that is down)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Down extends Data.TaggedError("Down") {}
 *
 * let calls = 0
 * const stock = Step.make("stock", {
 *   schema: Schema.Finite,
 *   run: Effect.suspend(() => {
 *     calls++
 *     return Effect.fail(new Down())
 *   })
 * })
 * const guarded = stock.pipe(Step.circuitBreaker({ failures: 2, reset: "30 seconds" }))
 *
 * const program = Effect.gen(function*() {
 *   const tags: Array<string> = []
 *   for (let i = 0; i < 3; i++) {
 *     const error = yield* Effect.flip(Pipeline.run(guarded, yield* Thought.make("count")))
 *     tags.push(error.cause._tag)
 *   }
 *   assert.deepEqual(tags, ["Down", "Down", "CircuitOpen"])
 *   assert.equal(calls, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const circuitBreaker: {
  <S extends Step.Any = never>(
    options: Guard<Step.Err<S>> & { readonly counts: (error: Step.Err<S>) => boolean },
    ...known: Known<S>
  ): (self: S) => Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
  <E = any>(
    options?: Guard<E>
  ): <S extends Step.Step<any, any, E, any>>(self: S) => Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
  <S extends Step.Any>(self: S, options?: Guard<Step.Err<S>>): Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
} = piped(
  taking("Step.circuitBreaker", {
    args: [kinds.step],
    options: 1,
    optional: true,
    known: {
      name: forms.naming,
      breaker: forms.inCode,
      failures: forms.maybe("After how many failures in a row it opens.", forms.count(1), 5),
      reset: forms.maybe("How long it stays open.", forms.duration, "1 minute"),
      successes: forms.maybe("After how many successes in a row it closes.", forms.count(1), 1),
      counts: forms.maybe("A function of the error: whether it counts as a failure.", forms.callable)
    }
  })((self: Step.Any, options: Guard<any> = {}) => {
    const { counts = isRetryable } = options
    const name = nameOf(kind, self, options)
    const shared = options.breaker !== undefined
    const breaker = options.breaker ?? breakerOf(`The step ${quoted(name)}`, options)
    return wrap(self, around(self.node, name, kind, settingsOf(breaker, shared)), (thought) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const entered = yield* limited(
            Effect.gen(function* () {
              const turn = yield* enter(breaker, (state) => emit(thought, { _tag: "CircuitChanged", state }))
              return "retryAfter" in turn ? yield* refusal(name, turn.retryAfter) : turn
            })
          )
          if (entered === undefined) return yield* restore(self[TypeId].run(thought))
          return yield* restore(Effect.andThen(entered.begun, self[TypeId].run(thought))).pipe(
            Effect.onExit((exit) => entered.end(() => verdictOf(exit, counts)))
          )
        })
      )
    )
  })
)

const refusal = (step: string, retryAfter: Duration.Duration | undefined) =>
  new CircuitOpen({ step, ...(retryAfter === undefined ? {} : { retryAfter }) })

/** The verdict on the step. A defect outweighs a failure beside it; a failed commit does not count. */
const verdictOf = <E>(exit: Exit.Exit<unknown, E>, counts: (error: E) => boolean): Verdict => {
  if (Exit.isSuccess(exit)) return "success"
  if (exit.cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof CommitFailed))
    return "neither"
  if (Cause.hasDies(exit.cause)) return "failure"
  const reason = failing(exit.cause)
  return reason !== undefined && counts(reason.error) ? "failure" : "neither"
}

const settingsOf = (breaker: CircuitBreaker, shared: boolean): Step.Node["settings"] => {
  const { failures, reset, successes } = breaker[BreakerId].settings
  return {
    failures,
    reset: Duration.format(Duration.millis(reset)),
    successes,
    ...(shared ? { shared } : {})
  }
}
