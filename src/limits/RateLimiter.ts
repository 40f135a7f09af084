import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { taking } from "../arguments/taking.ts"
import { now } from "./now.ts"
import { Turns } from "./turns.ts"
import { Bucket, type RateLimitOptions } from "./Bucket.ts"

/**
 * A limit that several steps and runs share: of one bucket, each takes a token.
 *
 * @category models
 */
export interface RateLimiter {
  /** For the library only. */
  readonly [LimiterId]: { readonly bucket: Bucket; readonly turns: Turns }
  /** How many could pass at once, now; a fraction is one that is not there yet. */
  readonly tokens: Effect.Effect<number>
  /**
   * Changes the limit, in part or as a whole, while it is in use.
   *
   * What was saved up until now stays, as far as the new burst allows; from now on the new rate counts. Who waits keeps its
   * place and goes as soon as the new rate has a token for it. Bad options are a defect and change nothing.
   */
  readonly configure: (options: Partial<RateLimitOptions>) => Effect.Effect<void>
}

export const LimiterId = "~cogito/RateLimiter"

/**
 * A step with a rate limit was called too often, and told not to wait.
 *
 * `step` is its name, `retryAfter` how long to wait at least; infinite when the limit is 0.
 *
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  step: Schema.String,
  retryAfter: Schema.Duration
}) {
  override get message(): string {
    const after = Duration.isFinite(this.retryAfter)
      ? `Try again in ${Duration.format(this.retryAfter)}, or let it wait.`
      : "Its limit is 0: raise it."
    return `${this.step}: the rate limit is used up. ${after}`
  }
  get isRetryable(): boolean {
    return true
  }
}

/**
 * Makes a rate limit to share between steps, as `limiter`, or to change later with `configure`.
 *
 * It is a bucket of tokens. It starts full with `burst` tokens and is filled evenly with `limit` of them in the time
 * `per`; each run takes one. Its time begins at its first use. Throws when an option is out of its range.
 *
 * **Example** (Two steps that share one limit)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Step } from "cogito"
 *
 * const limiter = Pipeline.makeRateLimiter({ limit: 60, per: "1 minute", burst: 5 })
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.rateLimit({ limiter }))
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.rateLimit({ limiter }))
 * const both = Pipeline.sequence("both", [spam, urgent])
 *
 * assert.deepEqual(both.node.writes, ["spam", "urgent"])
 * assert.equal(await Effect.runPromise(limiter.tokens), 5)
 * ```
 *
 * @category constructors
 */
export const makeRateLimiter = taking("Pipeline.makeRateLimiter", { options: 0, known: ["limit", "per", "burst"] })(
  (options: RateLimitOptions): RateLimiter => limiterOf("A rate limiter", options)
)

/** A rate limit of the step or value that is named in messages. */
export const limiterOf = (owner: string, options: RateLimitOptions): RateLimiter => {
  const bucket = new Bucket(owner, options)
  const turns = new Turns([bucket])
  return {
    [LimiterId]: { bucket, turns },
    tokens: Effect.map(now, (at) => {
      bucket.fill(at)
      return bucket.tokens
    }),
    configure: (changes) =>
      Effect.flatMap(now, (at) => {
        bucket.configure(at, changes)
        return turns.serve(at)
      })
  }
}
