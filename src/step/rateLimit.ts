import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import { taking } from "../arguments/taking.ts"
import { emit } from "../run/run.ts"
import { around, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import { now } from "../limits/now.ts"
import { LimiterId, limiterOf, RateLimited, type RateLimiter } from "../limits/RateLimiter.ts"
import type { RateLimitOptions } from "../limits/Bucket.ts"
import type { Turns } from "../limits/turns.ts"

/**
 * What a run does that comes too early.
 *
 * @category models
 */
export type OnExceeded = "wait" | "fail"

/** How a step fails that comes too early. */
type Exceeded<X> = X extends "fail" ? RateLimited : never

/** A limit of its own, or a shared one. */
type Limit =
  | (RateLimitOptions & { readonly limiter?: never })
  | { readonly limiter: RateLimiter; readonly limit?: never; readonly per?: never; readonly burst?: never }

/**
 * Runs a step no more often than so many times in a time.
 *
 * The limit is a bucket that starts full with `burst` tokens and is filled evenly with `limit` of them in the time `per`;
 * each run takes one when it begins, whatever becomes of it. A run that finds none waits for its turn, first come first
 * served, which a `Throttled` signal tells; one that is interrupted while it waits gives its turn back. With
 * `onExceeded: "fail"` it fails instead, at once, as `RateLimited`, with the time after which to try again.
 *
 * All runs of the step share its limit, which lasts as long as the step value. To share it with other steps, or to change
 * it later, make it with `Pipeline.makeRateLimiter` and pass it as `limiter`. Throws when an option is out of its range.
 *
 * **Example** (Refusing the second call within a second)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Duration, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const limited = Pipeline.rateLimit("limited", {
 *   step: Step.make("answer", { schema: Schema.Finite, run: () => 42 }),
 *   limit: 1,
 *   per: "1 minute",
 *   onExceeded: "fail"
 * })
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(limited, yield* Thought.make("first"))
 *   const error = yield* Effect.flip(Pipeline.run(limited, yield* Thought.make("second")))
 *   assert.ok(error.cause instanceof Pipeline.RateLimited)
 *   assert.ok(Duration.toSeconds(error.cause.retryAfter) > 59)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const rateLimit = taking("Pipeline.rateLimit", {
  options: 1,
  known: ["step", "limiter", "onExceeded", "limit", "per", "burst"],
  steps: ["step"]
})(<S extends Step.Any, const X extends OnExceeded = "wait">(
  name: string,
  options: Limit & {
    readonly step: S
    /** Default: `"wait"`. */
    readonly onExceeded?: X
  }
): Wrapped<S, Step.Err<S> | Exceeded<X>, Step.Req<S>> => {
  const { step } = options
  const onExceeded: OnExceeded = options.onExceeded ?? "wait"
  const shared = options.limiter !== undefined
  const limiter = options.limiter ?? limiterOf(`The step ${quoted(name)}`, options)
  const { turns } = limiter[LimiterId]
  const run = step[TypeId].run as Run<Step.Err<S>, Step.Req<S>>
  return wrap(step, around(step.node, name, kind, settingsOf(limiter, onExceeded, shared)), (thought) => {
    const turn =
      onExceeded === "fail"
        ? refusing<Exceeded<X>>(name, turns)
        : turns.acquire([1], (waitMillis) => emit(thought, { _tag: "Throttled", waitMillis }))
    return Effect.flatMap(turn, () => run(thought))
  })
})

/** Takes a token, or fails with the time until there is one. */
const refusing = <E>(step: string, turns: Turns): Effect.Effect<void, E> =>
  Effect.flatMap(now, (at) => {
    const millis = turns.take(at, [1])
    if (millis === undefined) return Effect.void
    // only asked for when that is how the step fails
    return Effect.fail(new RateLimited({ step, retryAfter: Duration.millis(millis) }) as E)
  })

type Run<E, R> = (thought: Thought<any>) => Effect.Effect<Thought<any>, E, R>

const kind = "rateLimit"

const settingsOf = (limiter: RateLimiter, onExceeded: OnExceeded, shared: boolean): Step.Node["settings"] => {
  const { burst, limit, per } = limiter[LimiterId].bucket.settings
  return {
    limit: countText(limit),
    per: Duration.format(Duration.millis(per)),
    burst: countText(burst),
    onExceeded,
    ...(shared ? { shared } : {})
  }
}

/** An endless number is no number in JSON. */
const countText = (count: number): number | string => (count === Infinity ? "unlimited" : count)

/**
 * `Pipeline.rateLimit` around the step that it is piped onto, under the name `rateLimit(<name of the step>)`.
 *
 * **Example** (At most ten in a second)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.rateLimit({ limit: 10, per: "1 second" }))
 *
 * assert.equal(spam.name, "rateLimit(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const rateLimiting: {
  <const X extends OnExceeded = "wait">(
    options: Limit & { readonly onExceeded?: X }
  ): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S> | Exceeded<X>, Step.Req<S>>
  <S extends Step.Any, const X extends OnExceeded = "wait">(
    self: S,
    options: Limit & { readonly onExceeded?: X }
  ): Wrapped<S, Step.Err<S> | Exceeded<X>, Step.Req<S>>
} = piped("Step.rateLimit", (self: Step.Any, options: Limit & { readonly onExceeded?: OnExceeded }) =>
  rateLimit(pipedName(kind, self), { ...options, step: self })
)
