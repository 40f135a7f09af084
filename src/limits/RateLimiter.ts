/** Rate limits for runs of steps, and for the calls and tokens of providers. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { number } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import { now } from "./now.ts"
import { Turns } from "./turns.ts"
import { Bucket, checkRate, type RateLimitOptions } from "./Bucket.ts"

/**
 * How many runs, or how many requests and tokens, may begin in a period of time.
 *
 * @category models
 */
export interface RateLimiterOptions extends Partial<RateLimitOptions> {
  /** The period: positive and finite. */
  readonly per: Duration.Input
  /**
   * The number of tokens per period, of requests and answers together: positive. Only provider layers use it. Default: no
   * limit.
   */
  readonly tokens?: number
}

/**
 * A rate limit that several steps, or several provider layers, share.
 *
 * @category models
 */
export interface RateLimiter {
  /** For the library only. */
  readonly [LimiterId]: Limiter
  /** How many runs or requests, and how many tokens, could start now; `Infinity` without a limit. */
  readonly left: Effect.Effect<{ readonly limit: number; readonly tokens: number }>
  /**
   * Changes some or all options while the limiter is in use.
   *
   * Saved-up tokens stay, up to the new burst, and the new rate applies from now on. Waiting runs keep their places.
   * Invalid options are a defect and change nothing.
   */
  readonly configure: (options: Partial<RateLimiterOptions>) => Effect.Effect<void>
}

export const LimiterId = "~cogito/RateLimiter"

/**
 * A step with a rate limit was run too often, and its settings do not let it wait.
 *
 * **Details**
 *
 * `step` is the name of the step. `retryAfter` is the shortest useful wait; it is infinite if the limit is 0.
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
 * Makes a rate limiter that steps or provider layers can share, and that can be inspected and configured.
 *
 * **Details**
 *
 * Pass it as `limiter` to `Step.rateLimit` or `Provider.rateLimit`. It is a bucket that starts full with `burst` tokens
 * and gains `limit` tokens evenly in the time `per`. Each run or request takes one. With `tokens` there is a second
 * bucket, for the tokens of provider calls. Throws if an option is out of range.
 *
 * **Example** (Two steps that share one limit)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, RateLimiter, Step } from "cogito"
 *
 * const limiter = RateLimiter.make({ limit: 60, per: "1 minute", burst: 5 })
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.rateLimit({ limiter }))
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.rateLimit({ limiter }))
 * const both = Pipeline.sequence("both", [spam, urgent])
 *
 * assert.deepEqual(both.node.writes, ["spam", "urgent"])
 * assert.equal((await Effect.runPromise(limiter.left)).limit, 5)
 * ```
 *
 * @category constructors
 */
export const make = taking("RateLimiter.make", { options: 0, known: ["limit", "per", "burst", "tokens"] })(
  (options: RateLimiterOptions): RateLimiter => limiterOf("A rate limiter", options)
)

/** Makes a rate limiter. `owner` is the step or value named in messages. */
export const limiterOf = (owner: string, options: RateLimiterOptions): RateLimiter => {
  const limiter = new Limiter(owner, options)
  return { [LimiterId]: limiter, left: limiter.left, configure: (changes) => limiter.configure(changes) }
}

/** A bucket for runs or requests, and a bucket for tokens. */
class Limiter {
  readonly #owner: string
  #options: Parts
  readonly #runs: Bucket
  readonly #tokens: Bucket
  readonly turns: Turns

  constructor(owner: string, options: RateLimiterOptions) {
    this.#owner = owner
    this.#options = parts(owner, options)
    this.#runs = new Bucket(owner, this.#options.runs)
    this.#tokens = new Bucket(owner, this.#options.tokens)
    this.turns = new Turns([this.#runs, this.#tokens])
  }

  /** The options for runs, with defaults applied. */
  get settings(): Bucket["settings"] {
    return this.#runs.settings
  }

  /** The largest number of tokens for one call. */
  get mostTokens(): number {
    return this.#tokens.settings.burst
  }

  readonly left = Effect.map(now, (at) => {
    this.#runs.fill(at)
    this.#tokens.fill(at)
    return { limit: this.#runs.tokens, tokens: this.#tokens.tokens }
  })

  configure(changes: Partial<RateLimiterOptions>): Effect.Effect<void> {
    return Effect.flatMap(now, (at) => {
      const { runs, tokens } = this.#options
      const next = parts(this.#owner, { ...runs, tokens: tokens.limit, ...changes })
      this.#runs.configure(at, next.runs)
      this.#tokens.configure(at, next.tokens)
      this.#options = next
      return this.turns.serve(at)
    })
  }

  /** Lowers the limits to the given ones, which are per minute; never raises them above the options. */
  lower(limits: { readonly runs: number | undefined; readonly tokens: number | undefined }): Effect.Effect<void> {
    return Effect.flatMap(now, (at) => {
      for (const [bucket, of] of [[this.#runs, "runs"] as const, [this.#tokens, "tokens"] as const]) {
        const perMinute = limits[of]
        if (perMinute === undefined || !(perMinute > 0)) continue
        const limit = Math.min(this.#options[of].limit, (perMinute * bucket.settings.per) / minute)
        if (limit !== bucket.settings.limit) bucket.configure(at, { limit })
      }
      return this.turns.serve(at)
    })
  }
}

const minute = 60_000

interface Parts {
  readonly runs: RateLimitOptions
  readonly tokens: RateLimitOptions
}

/** The options of the two buckets. Throws if one is out of range. */
const parts = (owner: string, { burst, limit = Infinity, per, tokens = Infinity }: RateLimiterOptions): Parts => {
  number(owner, "tokens", 0, tokens)
  const runs = { limit, per, ...(burst === undefined ? {} : { burst }) }
  // check both before anything changes
  checkRate(owner, runs)
  return { runs, tokens: { limit: tokens, per } }
}
