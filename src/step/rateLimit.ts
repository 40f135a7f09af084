import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { emit, limited } from "../run/run.ts"
import { around, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import { now } from "../limits/now.ts"
import { LimiterId, limiterOf, RateLimited, type RateLimiter } from "../limits/RateLimiter.ts"
import type { RateLimitOptions } from "../limits/Bucket.ts"
import type { Turns } from "../limits/turns.ts"

const kind = "rateLimit"

/** The error of a run that may not wait. */
type Exceeded<X> = X extends "fail" ? RateLimited : never

/** Options of the step's own limit, or a shared limiter. */
type Limit<X> = (
  | (RateLimitOptions & { readonly limiter?: never })
  | { readonly limiter: RateLimiter; readonly limit?: never; readonly per?: never; readonly burst?: never }
) &
  NameOption & {
    /** What a run does if it finds no token. Default: `"wait"`. */
    readonly onExceeded?: X
  }

/**
 * Limits how often a step runs in a period of time.
 *
 * **Details**
 *
 * The limit is a bucket that starts full with `burst` tokens and gains `limit` tokens evenly in the time `per`. Each
 * run takes one token at its start, whatever its outcome. A run that finds none waits, first come, first served, and
 * emits a `Throttled` signal; if it is interrupted, it gives up its place. With `onExceeded: "fail"` it fails at once
 * as `RateLimited`, with the time until it may try again.
 *
 * All runs of the step value share its limit. To share a limit between steps, or to change it later, make it with
 * `RateLimiter.make` and pass it as `limiter`. Throws if an option is out of range.
 *
 * **Example** (Refusing the second call within a minute)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Duration, Effect, Schema } from "effect"
 * import { Pipeline, RateLimiter, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const limited = Step.make("answer", { schema: Schema.Finite, run: () => 42 }).pipe(
 *   Step.rateLimit({ limit: 1, per: "1 minute", onExceeded: "fail" })
 * )
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(limited, yield* Thought.make("first"))
 *   const error = yield* Effect.flip(Pipeline.run(limited, yield* Thought.make("second")))
 *   assert.ok(error.cause instanceof RateLimiter.RateLimited)
 *   assert.ok(Duration.toSeconds(error.cause.retryAfter) > 59)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const rateLimit: {
  <const X extends "wait" | "fail" = "wait">(
    options: Limit<X>
  ): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S> | Exceeded<X>, Step.Req<S>>
  <S extends Step.Any, const X extends "wait" | "fail" = "wait">(
    self: S,
    options: Limit<X>
  ): Wrapped<S, Step.Err<S> | Exceeded<X>, Step.Req<S>>
} = piped(
  taking("Step.rateLimit", {
    args: [kinds.step],
    options: 1,
    known: {
      name: forms.naming,
      limiter: forms.inCode,
      limit: forms.maybe("How often.", forms.above0),
      per: forms.maybe("In which time.", forms.duration),
      burst: forms.maybe(
        "How many may begin together after a pause. Without it, as many as the limit.",
        forms.number(1)
      ),
      onExceeded: forms.maybe("What becomes of a run that is too early.", forms.oneOf("wait", "fail"), "wait")
    }
  })((self: Step.Any, options: Limit<"wait" | "fail">) => {
    const { onExceeded = "wait" } = options
    const name = nameOf(kind, self, options)
    const shared = options.limiter !== undefined
    const limiter = options.limiter ?? limiterOf(`The step ${quoted(name)}`, options)
    const { turns } = limiter[LimiterId]
    const node = around(self.node, name, kind, settingsOf(limiter, onExceeded, shared))
    return wrap(self, node, (thought) => {
      const turn: Effect.Effect<unknown, RateLimited> =
        onExceeded === "fail"
          ? refusing(name, turns)
          : turns.acquire([1], (waitMillis) => emit(thought, { _tag: "Throttled", waitMillis }))
      return Effect.flatMap(limited(turn), () => self[TypeId].run(thought))
    })
  })
)

/** Takes a token, or fails with the time until one is free. */
const refusing = (step: string, turns: Turns): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(now, (at) => {
    const millis = turns.take(at, [1])
    return millis === undefined
      ? Effect.void
      : Effect.fail(new RateLimited({ step, retryAfter: Duration.millis(millis) }))
  })

const settingsOf = (limiter: RateLimiter, onExceeded: "wait" | "fail", shared: boolean): Step.Node["settings"] => {
  const { burst, limit, per } = limiter[LimiterId].settings
  return {
    limit: countText(limit),
    per: Duration.format(Duration.millis(per)),
    burst: countText(burst),
    onExceeded,
    ...(shared ? { shared } : {})
  }
}

/** JSON has no `Infinity`. */
const countText = (count: number): number | string => (count === Infinity ? "unlimited" : count)
