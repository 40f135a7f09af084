import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { now } from "./now.ts"

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
  readonly [LimiterId]: Bucket
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
export const makeRateLimiter = (options: RateLimitOptions): RateLimiter => limiterOf("A rate limiter", options)

/** A rate limit of the step or value that is named in messages. */
export const limiterOf = (owner: string, options: RateLimitOptions): RateLimiter => {
  const bucket = new Bucket(owner, options)
  return {
    [LimiterId]: bucket,
    tokens: Effect.map(now, (at) => {
      bucket.fill(at)
      return bucket.tokens
    }),
    configure: (changes) =>
      Effect.flatMap(now, (at) => {
        bucket.configure(at, changes)
        return bucket.serve(at)
      })
  }
}

/** One that waits for tokens; nudged when it has got them, or when it is its business to see to the next. */
interface Waiter {
  readonly count: number
  readonly patience: number
  nudged: Deferred.Deferred<void>
  served: boolean
}

/** What one takes of a bucket. */
interface Taking {
  /** How many tokens. Default: 1. When it is more than ever are there, a full bucket will do, and owes the rest. */
  readonly count?: number
  /** How long it lets itself be held back, in milliseconds. Default: for ever. */
  readonly patience?: number
  /** In whose region it waits. Default: that of the caller. */
  readonly restore?: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Rate {
  readonly limit: number
  readonly per: number
  readonly burst: number | undefined
}

/**
 * Tokens, and who waits for them. What is in it is counted in tokens times the milliseconds of `per`, so that whole numbers
 * stay whole; undefined before the first use.
 */
export class Bucket {
  readonly #owner: string
  #rate: Rate
  #content: { amount: number; at: number } | undefined
  #heldUntil = 0
  readonly #waiters = new Set<Waiter>()
  /** How many tokens those who wait want together. */
  #wanted = 0

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

  /** How long it takes until so many tokens are there and may be taken. Whole milliseconds. */
  waitMillis(count: number): number {
    const { limit, per } = this.#rate
    if (limit === 0) return Infinity
    const missing = count * per - (this.#content?.amount ?? 0)
    return Math.max(this.#held, missing <= 0 ? 0 : Math.ceil(missing / limit))
  }

  /** How long nothing is given out. */
  get #held(): number {
    return Math.max(0, this.#heldUntil - (this.#content?.at ?? 0))
  }

  /** Takes tokens, unless there are too few or somebody else waits for some: how long it would take is given then. */
  take(at: number, count = 1): number | undefined {
    this.fill(at)
    if (this.#waiters.size === 0 && this.#spend(count)) return undefined
    return this.waitMillis(this.#wanted + count)
  }

  /**
   * Takes tokens; waits for them behind those that came before. Gives how long it would be held back when that is longer
   * than it lets itself be, and then takes none.
   */
  acquire<E, R>(
    throttled: (waitMillis: number | undefined) => Effect.Effect<void, E, R>,
    { count = 1, patience = Infinity, restore }: Taking = {}
  ): Effect.Effect<number | undefined, E, R> {
    return Effect.uninterruptibleMask((own) =>
      Effect.flatMap(now, (at) => {
        const millis = this.take(at, count)
        if (millis === undefined) return Effect.undefined
        if (this.#held > patience) return Effect.succeed(this.#held)
        const waiter: Waiter = { count, patience, nudged: Deferred.makeUnsafe(), served: false }
        this.#waiters.add(waiter)
        this.#wanted += count
        return throttled(Number.isFinite(millis) ? millis : undefined).pipe(
          Effect.andThen(this.#wait(waiter)),
          restore ?? own,
          Effect.onError(() => this.#leave(waiter))
        )
      })
    )
  }

  /** Gives out nothing before that time. Those who wait see whether they will. */
  hold(until: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (until <= this.#heldUntil) return Effect.void
      this.#heldUntil = until
      return Effect.forEach([...this.#waiters], ({ nudged }) => Deferred.succeed(nudged, undefined), { discard: true })
    })
  }

  /** Puts tokens back that were not needed; takes more of them, as a debt, when the count is below 0. */
  give(count: number): Effect.Effect<void> {
    return Effect.flatMap(now, (at) => {
      this.fill(at)
      if (this.#content !== undefined && count !== 0) this.#content.amount += count * this.#rate.per
      return this.serve(at)
    })
  }

  /** Gives tokens to those who wait, in their order, and tells who is the first now. */
  serve(at: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.fill(at)
      const nudged: Array<Waiter> = []
      for (const waiter of this.#waiters) {
        if (!this.#spend(waiter.count)) {
          nudged.push(waiter)
          break
        }
        this.#drop(waiter)
        waiter.served = true
        nudged.push(waiter)
      }
      return Effect.forEach(nudged, (waiter) => Deferred.succeed(waiter.nudged, undefined), { discard: true })
    })
  }

  /** The first of those who wait looks at the clock; the others wait until they are told. */
  #wait(waiter: Waiter): Effect.Effect<number | undefined> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const at = yield* now
        if (waiter.served) return undefined
        this.fill(at)
        const held = this.#held
        if (held > waiter.patience) {
          yield* this.#leave(waiter)
          return held
        }
        const [first] = this.#waiters
        const millis = first === waiter ? this.waitMillis(this.#enough(waiter.count)) : Infinity
        if (millis === 0) yield* this.serve(at)
        else {
          waiter.nudged = Deferred.makeUnsafe()
          const told = Deferred.await(waiter.nudged)
          yield* millis === Infinity ? told : Effect.timeoutOption(told, millis)
        }
      }
    })
  }

  /** Gives back what it has got, or its place, so that those behind move up. */
  #leave(waiter: Waiter): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#drop(waiter)
      return this.give(waiter.served ? waiter.count : 0)
    })
  }

  #drop(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.#wanted -= waiter.count
  }

  /** As many as must be there for one that wants so many. */
  #enough(count: number): number {
    return Math.min(count, this.settings.burst)
  }

  #spend(count: number): boolean {
    const { limit, per } = this.#rate
    if (this.#content === undefined || limit === 0 || this.#held > 0) return false
    if (this.#content.amount < this.#enough(count) * per) return false
    if (limit !== Infinity) this.#content.amount -= count * per
    return true
  }
}

const checked = (owner: string, options: RateLimitOptions): Rate => {
  const { burst, limit } = options
  const per = Option.match(Duration.fromInput(options.per), { onNone: () => NaN, onSome: Duration.toMillis })
  const refuse = (what: string, option: string, value?: number): never => {
    throw new Error(`${owner} needs ${what} as ${option}${value === undefined ? "" : `: ${value} is none`}.`)
  }
  if (!(limit >= 0)) refuse("a number from 0", "limit", limit)
  if (!(per > 0 && per < Infinity)) refuse('a finite time above 0, such as "1 second"', "per")
  if (burst !== undefined && !(burst >= 1)) refuse("a number from 1", "burst", burst)
  return { limit, per, burst }
}
