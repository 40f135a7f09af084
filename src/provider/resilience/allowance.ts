/** What one provider and model may be asked in a time: requests and tokens, as configured and as it says itself. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { emit } from "../../run/run.ts"
import { now } from "../../limits/now.ts"
import { Bucket } from "../../limits/Bucket.ts"
import { Turns } from "../../limits/turns.ts"
import type { RateLimits, RateWindow } from "../request.ts"

/** As the options say; times in milliseconds. */
export interface Allowed {
  readonly requests: number
  readonly tokens: number
  readonly per: number
  readonly burst: number | undefined
  readonly maxWait: number
}

/** Runs what waits in the region of who asks. */
type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const minute = 60_000

/** Two buckets, filled evenly, and what the provider has said of its own. */
export class Allowance {
  readonly #allowed: Allowed
  readonly #requests: Bucket
  readonly #tokens: Bucket
  readonly #turns: Turns

  constructor(owner: string, allowed: Allowed) {
    const { burst, per, requests, tokens } = allowed
    this.#allowed = allowed
    this.#requests = new Bucket(owner, { limit: requests, per, ...(burst === undefined ? {} : { burst }) })
    this.#tokens = new Bucket(owner, { limit: tokens, per })
    this.#turns = new Turns([this.#requests, this.#tokens])
  }

  /** How many tokens one call may have at most. */
  get mostTokens(): number {
    return this.#tokens.settings.burst
  }

  /** How many requests and tokens could be had at once. */
  get left(): Effect.Effect<{ readonly requests: number; readonly tokens: number }> {
    return Effect.map(now, (at) => {
      this.#requests.fill(at)
      this.#tokens.fill(at)
      return { requests: this.#requests.tokens, tokens: this.#tokens.tokens }
    })
  }

  /** Waits for a request and so many tokens. Gives how long it would be held back when that is longer than it may be. */
  enter(tokens: number, restore: Restore): Effect.Effect<number | undefined> {
    return this.#turns.acquire([1, tokens], throttled, { patience: this.#allowed.maxWait, restore })
  }

  /** Puts back tokens that were not needed, or takes those that were needed beyond. */
  settle(tokens: number): Effect.Effect<void> {
    return this.#turns.give([0, tokens])
  }

  /** Lets nobody in for a time. */
  hold(time: Duration.Duration): Effect.Effect<void> {
    const millis = Math.ceil(Duration.toMillis(time))
    if (!(millis > 0 && millis < Infinity)) return Effect.void
    return Effect.flatMap(now, (at) => this.#turns.hold(at + millis))
  }

  /** Keeps to what the provider says when that is less than what is configured. */
  learn(limits: RateLimits): Effect.Effect<void> {
    const { inputTokens, outputTokens, requests, tokens } = limits
    const all = tokens?.limit ?? sum(inputTokens?.limit, outputTokens?.limit)
    return Effect.gen({ self: this }, function* () {
      yield* this.#lower(this.#requests, this.#allowed.requests, requests?.limit)
      yield* this.#lower(this.#tokens, this.#allowed.tokens, all)
      for (const window of [requests, tokens, inputTokens, outputTokens]) {
        if (isUsedUp(window)) yield* this.hold(window.resetAfter)
      }
    })
  }

  /** What a provider says is for a minute. */
  #lower(bucket: Bucket, configured: number, perMinute: number | undefined): Effect.Effect<void> {
    if (perMinute === undefined || !(perMinute > 0)) return Effect.void
    const limit = Math.min(configured, (perMinute * this.#allowed.per) / minute)
    if (limit === bucket.settings.limit) return Effect.void
    return Effect.flatMap(now, (at) => {
      bucket.configure(at, { limit })
      return this.#turns.serve(at)
    })
  }
}

const throttled = (waitMillis: number | undefined) => emit(undefined, { _tag: "Throttled", waitMillis })

const sum = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? undefined : a + b)

const isUsedUp = (window: RateWindow | undefined): window is RateWindow & { readonly resetAfter: Duration.Duration } =>
  window?.remaining === 0 && window.resetAfter !== undefined
