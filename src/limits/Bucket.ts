/** A token bucket that is refilled evenly. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { quoted } from "../text/legible.ts"

/**
 * How many runs may begin in a period of time.
 *
 * @category models
 */
export interface RateLimitOptions {
  /**
   * How many runs in the time `per`: at least 0. `Infinity` never waits; 0 lets nothing pass, not even saved-up tokens.
   */
  readonly limit: number
  /** The period: positive and finite. */
  readonly per: Duration.Input
  /** How many runs may begin at once after a pause: at least 1. Default: `limit`, but at least 1. */
  readonly burst?: number
}

interface Rate {
  readonly limit: number
  readonly per: number
  readonly burst: number | undefined
}

/**
 * A token bucket. It stores tokens times the milliseconds of `per`, so that whole numbers stay whole. The content is
 * undefined before the first use, and negative for a debt.
 */
export class Bucket {
  readonly #owner: string
  #rate: Rate
  #content: { amount: number; at: number } | undefined

  constructor(owner: string, options: RateLimitOptions) {
    this.#owner = owner
    this.#rate = checkRate(owner, options)
  }

  /** The options with defaults applied. */
  get settings(): { readonly limit: number; readonly per: number; readonly burst: number } {
    const { limit, per } = this.#rate
    return { limit, per, burst: this.#rate.burst ?? Math.max(1, limit) }
  }

  /** How many may be taken now; negative for a debt. */
  get tokens(): number {
    const { limit, per } = this.#rate
    const saved = (this.#content?.amount ?? 0) / per
    return limit === 0 ? Math.min(0, saved) : saved
  }

  /** Adds the tokens gained since the last call. */
  fill(at: number): void {
    const { burst, limit, per } = this.settings
    const full = burst * per
    const { amount, at: before } = this.#content ?? { amount: full, at }
    // `Infinity * 0` is not a number
    this.#content = { amount: limit === Infinity ? full : Math.min(full, amount + (at - before) * limit), at }
  }

  configure(at: number, changes: Partial<RateLimitOptions>): void {
    const { limit, per } = this.#rate
    const burst = changes.burst ?? this.#rate.burst
    const next = checkRate(this.#owner, { limit, per, ...changes, ...(burst === undefined ? {} : { burst }) })
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

  /** The time until the bucket has that many tokens, in whole milliseconds. */
  waitMillis(count: number): number {
    const { limit, per } = this.#rate
    if (limit === 0) return Infinity
    const missing = count * per - (this.#content?.amount ?? 0)
    return missing <= 0 ? 0 : Math.ceil(missing / limit)
  }

  /**
   * How many tokens it must hold to give out `count`. For more than it can hold, a full bucket is enough and owes the
   * rest.
   */
  enough(count: number): number {
    return Math.min(count, this.settings.burst)
  }

  has(count: number): boolean {
    const { limit, per } = this.#rate
    return this.#content !== undefined && limit !== 0 && this.#content.amount >= this.enough(count) * per
  }

  /** Adds tokens; a negative count takes them out. */
  give(count: number): void {
    const { limit, per } = this.#rate
    if (this.#content !== undefined && limit !== Infinity) this.#content.amount += count * per
  }
}

/** The options as numbers. Throws if one is out of range. */
export const checkRate = (owner: string, options: RateLimitOptions): Rate => {
  const { burst, limit } = options
  const per = Option.match(Duration.fromInput(options.per), { onNone: () => NaN, onSome: Duration.toMillis })
  const refuse = (what: string, option: string, value?: number): never => {
    throw new Error(`${owner} needs ${what} as ${option}${value === undefined ? "" : `, not ${quoted(value)}`}.`)
  }
  if (typeof limit !== "number" || !(limit >= 0)) refuse("a number from 0", "limit", limit)
  if (!(per > 0 && per < Infinity)) refuse('a finite time above 0, such as "1 second"', "per")
  if (burst !== undefined && (typeof burst !== "number" || !(burst >= 1))) refuse("a number from 1", "burst", burst)
  return { limit, per, burst }
}
