import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { quoted } from "../text/legible.ts"
import { taking } from "../arguments/taking.ts"
import { CommitFailed } from "../run/CommitFailed.ts"
import { failing } from "../run/failure.ts"
import { emit } from "../run/run.ts"
import { around, type Known, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import { isRetryable } from "../run/tags.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import {
  BreakerId,
  breakerOf,
  type CircuitBreaker,
  CircuitOpen,
  type CircuitOptions,
  type CircuitState,
  type Verdict
} from "../limits/Circuit.ts"
import { now } from "../limits/now.ts"

/** A circuit of its own, or a shared one; which errors count. */
type Guard<E> = (
  | (CircuitOptions & { readonly breaker?: never })
  | { readonly breaker: CircuitBreaker; readonly failures?: never; readonly reset?: never; readonly successes?: never }
) & {
  /** Which errors count as failures of the step. Default: all but those that say of themselves `isRetryable: false`. */
  readonly counts?: (error: E) => boolean
}

/**
 * Runs a step, and stops running it for a while when it fails again and again.
 *
 * While the circuit is closed, every run passes. After `failures` failures in a row it opens: for the time `reset` every
 * run fails at once as `CircuitOpen`, without calling the step. Then it is half-open: one run at a time tries the step,
 * and the others fail as before. After `successes` such tries the circuit closes; one that fails opens it again. Every
 * change is told by a `CircuitChanged` signal.
 *
 * An error that says of itself `isRetryable: false`, such as that of a wrong key, is no sign of an outage: it counts
 * neither as a failure nor as a success, unless `counts` says otherwise. An answer that does not have the form asked for
 * counts. A defect counts, and stays a defect. Interruption counts neither way: put a timeout inside the circuit, not
 * around it, when being slow is a failure. How a run ends that began before the state changed is ignored.
 *
 * All runs of the step share its circuit, which lasts as long as the step value. To share it with other steps, to look at
 * it, or to change it later, make it with `Pipeline.makeCircuitBreaker` and pass it as `breaker`. Throws when an option is
 * out of its range.
 *
 * **Example** (Not asking a service that is down)
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
 * const guarded = Pipeline.circuitBreaker("guarded", { step: stock, failures: 2 })
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
export const circuitBreaker = taking("Pipeline.circuitBreaker", {
  options: 1,
  known: ["step", "breaker", "counts", "failures", "reset", "successes"],
  steps: ["step"]
})(<S extends Step.Any>(
  name: string,
  options: Guard<Step.Err<S>> & { readonly step: S }
): Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>> => {
  const { counts = isRetryable, step } = options
  const shared = options.breaker !== undefined
  const breaker = options.breaker ?? breakerOf(`The step ${quoted(name)}`, options)
  const circuit = breaker[BreakerId]
  const run = step[TypeId].run as (thought: Thought<any>) => Effect.Effect<Thought<any>, Step.Err<S>, Step.Req<S>>
  return wrap(step, around(step.node, name, kind, settingsOf(breaker, shared)), (thought) => {
    const tell = (state: CircuitState) => emit(thought, { _tag: "CircuitChanged", state })
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const entered = circuit.enter(yield* now)
        if (!("ticket" in entered)) {
          const { left } = entered
          return yield* new CircuitOpen({
            step: name,
            ...(left === undefined ? {} : { retryAfter: Duration.millis(left) })
          })
        }
        const { changed, ticket } = entered
        let verdict: Verdict = "neither"
        const body = changed ? Effect.andThen(tell("half-open"), run(thought)) : run(thought)
        return yield* restore(body).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              verdict = verdictOf(exit, counts)
            })
          ),
          // whatever becomes of `counts`, the place is free again
          Effect.ensuring(
            Effect.flatMap(now, (at) => {
              const state = circuit.leave(ticket, verdict, at)
              return state === undefined ? Effect.void : tell(state)
            })
          )
        )
      })
    )
  })
})

const kind = "circuitBreaker"

/** What the end of a run says of the step. A defect outweighs a failure beside it; a failing store says nothing of it. */
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

/**
 * `Pipeline.circuitBreaker` around the step that it is piped onto, under the name `circuitBreaker(<name of the step>)`.
 *
 * **Example** (Giving up for half a minute after three failures)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
 *   Step.circuitBreaker({ failures: 3, reset: "30 seconds" })
 * )
 *
 * assert.equal(spam.name, "circuitBreaker(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const circuitBreaking: {
  <S extends Step.Any = never>(
    options: Guard<Step.Err<S>> & { readonly counts: (error: Step.Err<S>) => boolean },
    ...known: Known<S>
  ): (self: S) => Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
  <E = any>(
    options?: Guard<E>
  ): <S extends Step.Step<any, any, E, any>>(self: S) => Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
  <S extends Step.Any>(self: S, options?: Guard<Step.Err<S>>): Wrapped<S, Step.Err<S> | CircuitOpen, Step.Req<S>>
} = piped("Step.circuitBreaker", (self: Step.Any, options: Guard<any> = {}) =>
  circuitBreaker(pipedName(kind, self), { ...options, step: self })
)
