/** The tokens of a rate limiter. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

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
