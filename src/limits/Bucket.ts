import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { taking } from "../arguments/taking.ts"
import { now } from "./now.ts"
import { Turns } from "./turns.ts"

/**
 * How often something may happen.
 *
 * @category models
 */
export interface RateLimitOptions {
  /** How many in the time `per`, from 0. `Infinity` never waits; 0 lets nothing pass, not even what has been saved up. */
  readonly limit: number
  /** The time for that many. More than nothing, and finite. */
  readonly per: Duration.Input
  /** How many at once, when there was a pause: from 1. Default: as many as `limit`, and at least 1. */
  readonly burst?: number
}

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
 * import { Pipeline, Primitive } from "cogito"
 *
 * const limiter = Pipeline.makeRateLimiter({ limit: 60, per: "1 minute", burst: 5 })
 * const spam = Pipeline.rateLimit("limited spam", {
 *   step: Primitive.decide("spam", { question: "Is this spam?" }),
 *   limiter
 * })
 * const urgent = Pipeline.rateLimit("limited urgent", {
 *   step: Primitive.decide("urgent", { question: "Is this urgent?" }),
 *   limiter
 * })
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

interface Rate {
  readonly limit: number
  readonly per: number
  readonly burst: number | undefined
}

/**
 * Tokens. What is in it is counted in tokens times the milliseconds of `per`, so that whole numbers stay whole; undefined
 * before the first use. It may owe some.
 */
export class Bucket {
  readonly #owner: string
  #rate: Rate
  #content: { amount: number; at: number } | undefined

  constructor(owner: string, options: RateLimitOptions) {
    this.#owner = owner
    this.#rate = checked(owner, options)
  }

  /** What it was told, with the defaults. */
  get settings(): { readonly limit: number; readonly per: number; readonly burst: number } {
    const { limit, per } = this.#rate
    return { limit, per, burst: this.#rate.burst ?? Math.max(1, limit) }
  }

  get tokens(): number {
    return (this.#content?.amount ?? 0) / this.#rate.per
  }

  /** Puts in what has come since it was last looked at. */
  fill(at: number): void {
    const { burst, limit, per } = this.settings
    const full = burst * per
    const { amount, at: before } = this.#content ?? { amount: full, at }
    // an endless limit times no time is not a number
    this.#content = { amount: limit === Infinity ? full : Math.min(full, amount + (at - before) * limit), at }
  }

  configure(at: number, changes: Partial<RateLimitOptions>): void {
    const { limit, per } = this.#rate
    const burst = changes.burst ?? this.#rate.burst
    const next = checked(this.#owner, { limit, per, ...changes, ...(burst === undefined ? {} : { burst }) })
    if (this.#content === undefined) {
      this.#rate = next
      return
    }
    this.fill(at)
    const amount = this.#content.amount * (next.per / per)
    this.#rate = next
    this.#content = { amount, at }
    this.fill(at)
  }

  /** How long it takes until so many tokens are there. Whole milliseconds. */
  waitMillis(count: number): number {
    const { limit, per } = this.#rate
    if (limit === 0) return Infinity
    const missing = count * per - (this.#content?.amount ?? 0)
    return missing <= 0 ? 0 : Math.ceil(missing / limit)
  }

  /** As many as must be there for one that wants so many: a full bucket will do for more, and then owes the rest. */
  enough(count: number): number {
    return Math.min(count, this.settings.burst)
  }

  has(count: number): boolean {
    const { limit, per } = this.#rate
    return this.#content !== undefined && limit !== 0 && this.#content.amount >= this.enough(count) * per
  }

  /** Puts tokens in; takes them out when the count is below 0. */
  give(count: number): void {
    const { limit, per } = this.#rate
    if (this.#content !== undefined && limit !== Infinity) this.#content.amount += count * per
  }
}

const checked = (owner: string, options: RateLimitOptions): Rate => {
  const { burst, limit } = options
  const per = Option.match(Duration.fromInput(options.per), { onNone: () => NaN, onSome: Duration.toMillis })
  const refuse = (what: string, option: string, value?: number): never => {
    throw new Error(`${owner} needs ${what} as ${option}${value === undefined ? "" : `, not ${value}`}.`)
  }
  if (!(limit >= 0)) refuse("a number from 0", "limit", limit)
  if (!(per > 0 && per < Infinity)) refuse('a finite time above 0, such as "1 second"', "per")
  if (burst !== undefined && !(burst >= 1)) refuse("a number from 1", "burst", burst)
  return { limit, per, burst }
}
