/** Rate limits for calls of a provider. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import { LimiterId, limiterOf, type RateLimiter } from "../../limits/RateLimiter.ts"
import { now } from "../../limits/now.ts"
import { Tokenizer, type Usage } from "../../thought/tokens.ts"
import { type End, type Gate, gated, type Transformation } from "../calls.ts"
import { number, time, whole } from "../../arguments/checked.ts"
import { type Named, perModel } from "./perModel.ts"
import { extend, transform } from "../Provider.ts"
import { ProviderError } from "../ProviderError.ts"
import type { AnyRequest, RateLimits } from "../request.ts"
import { counted } from "../spent.ts"
import { textsOf } from "../tools.ts"

/** The rates for each provider and model. */
type Rates = {
  /** How many requests in the time `per`: positive. Default: the provider's own limit. */
  readonly requests?: number
  /** How many tokens in the time `per`, of requests and answers together. Default: the provider's own limit. */
  readonly tokens?: number
  /** The period. Default: 1 minute. */
  readonly per?: Duration.Input
  /** How many requests at once after a pause: at least 1. Default: as many as `requests`. */
  readonly burst?: number
}

const owner = "A rate limiter"

/**
 * Limits how many requests and tokens a provider gets in a period of time.
 *
 * **Details**
 *
 * A call takes one request and its expected number of tokens; its reported usage replaces the estimate at its end. If
 * too little is left, it waits, first come, first served, with a `Throttled` signal. A call that needs more tokens than
 * the limit can hold fails as `Unsupported`.
 *
 * The provider's own limits apply if they are lower, and no call is made before a `retryAfter` is over. A call that
 * would wait for that longer than `maxWait` fails as `RateLimited`.
 *
 * There is a limit for each provider and model, as long as this value lives; `limiter` replaces them with one of
 * `RateLimiter.make`. Pipe `retry` after it. Throws if an option is out of range.
 *
 * **Example** (Two requests at once, and then one each 50 milliseconds)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted(() => ({ decision: false, confidence: 1, reasoning: ["Nobody hurries."] }))
 * const limited = model.layer.pipe(Provider.rateLimit({ requests: 20, per: "1 second", burst: 2 }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const start = performance.now()
 * const all = Effect.forEach(["a", "b", "c"], (text) => isUrgent(text), { concurrency: "unbounded" })
 * await Effect.runPromise(Effect.provide(all, limited))
 * assert.equal(model.requests.length, 3)
 * assert.ok(performance.now() - start >= 45)
 * ```
 *
 * @category resilience
 */
export const rateLimit = taking("Provider.rateLimit", {
  options: 0,
  optional: true,
  known: ["burst", "limiter", "maxWait", "outputTokens", "per", "requests", "tokens"]
})((
  options: (
    | (Rates & { readonly limiter?: never })
    | ({ readonly limiter: RateLimiter } & { readonly [K in keyof Rates]?: never })
  ) & {
    /** How many tokens to expect of an answer if the request has no `maxTokens`. Default: 1000. */
    readonly outputTokens?: number
    /** The longest time that the provider may hold calls back. Default: 60 seconds. */
    readonly maxWait?: Duration.Input
  } = {}
): Transformation => {
  const patience = time(owner, "maxWait", options.maxWait ?? 60_000, { endless: true })
  const outputTokens = whole(owner, "outputTokens", 0, options.outputTokens ?? 1000)
  const { limiter } = options
  const of = limiter === undefined ? perModel(() => ownOf(options)) : () => limiter
  return transform((provider) =>
    Effect.succeed(extend(provider, gated(provider, gate(provider, of(provider)[LimiterId], outputTokens, patience))))
  )
})

const ownOf = ({ burst, per = 60_000, requests = Infinity, tokens = Infinity }: Rates): RateLimiter => {
  number(owner, "requests", 0, requests)
  return limiterOf(owner, { limit: requests, tokens, per, ...(burst === undefined ? {} : { burst }) })
}

type Limiter = RateLimiter[typeof LimiterId]

const gate =
  (provider: Named, limiter: Limiter, outputTokens: number, patience: number): Gate =>
  (asked, restore) =>
    Effect.gen(function* () {
      const { count } = yield* Tokenizer
      const most = limiter.mostTokens
      const expected = most === Infinity ? 0 : tokensOf(asked, count, outputTokens)
      if (expected > most) return yield* tooLong(provider, expected, most)
      const held = yield* limiter.turns.acquire([1, expected], throttled, { patience, restore })
      if (held !== undefined) return yield* heldBack(provider, held)
      return (end) => Effect.andThen(heed(limiter, end), settle(limiter, expected, end))
    })

const throttled = (waitMillis: number | undefined) => emit(undefined, { _tag: "Throttled", waitMillis })

/** Applies the limits and the `retryAfter` that the provider reports. */
const heed = (limiter: Limiter, end: End): Effect.Effect<void> => {
  if (end._tag === "Answered") return end.answer.limits === undefined ? Effect.void : learn(limiter, end.answer.limits)
  const isLimited = end._tag === "Failed" && end.error.reason._tag === "RateLimited"
  return isLimited && end.error.retryAfter !== undefined ? hold(limiter, end.error.retryAfter) : Effect.void
}

/** Lowers the limits to those of the provider, which are per minute. */
const learn = (limiter: Limiter, { inputTokens, outputTokens, requests, tokens }: RateLimits): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* limiter.lower({
      runs: requests?.limit,
      tokens: tokens?.limit ?? sum(inputTokens?.limit, outputTokens?.limit)
    })
    for (const window of [requests, tokens, inputTokens, outputTokens]) {
      if (isUsedUp(window)) yield* hold(limiter, window.resetAfter)
    }
  })

/** Lets no call begin for a time. */
const hold = ({ turns }: Limiter, duration: Duration.Duration): Effect.Effect<void> => {
  const millis = Math.ceil(Duration.toMillis(duration))
  return millis > 0 && millis < Infinity ? Effect.flatMap(now, (at) => turns.hold(at + millis)) : Effect.void
}

const sum = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? undefined : a + b)

type Window = NonNullable<RateLimits[keyof RateLimits]>

const isUsedUp = (window: Window | undefined): window is Window & { readonly resetAfter: Duration.Duration } =>
  window?.remaining === 0 && window.resetAfter !== undefined

/** Replaces the estimate by the reported usage. Tokens stay taken unless they are known to be unused. */
const settle = ({ turns }: Limiter, expected: number, end: End): Effect.Effect<void> => {
  if (expected === 0) return Effect.void
  const usage = end._tag === "Answered" ? end.answer.usage : end._tag === "Failed" ? end.error.usage : undefined
  const used = usage === undefined ? undefined : totalOf(counted(usage))
  if (used !== undefined) return turns.give([0, expected - used])
  return end._tag === "Failed" && unread.has(end.error.reason._tag) ? turns.give([0, expected]) : Effect.void
}

/** Errors that occur before a model has read anything. */
const unread: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "RateLimited",
  "QuotaExhausted",
  "Authentication",
  "InvalidRequest",
  "ContextTooLong",
  "Unsupported",
  "BudgetExceeded",
  "CircuitOpen",
  "ReplayMismatch"
] as const)

const totalOf = ({ inputTokens, outputTokens }: Usage): number | undefined =>
  inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0)

/** The number of tokens that a call is expected to need. */
const tokensOf = (call: AnyRequest, count: (text: string) => number, outputTokens: number): number => {
  const input = call.request.messages.flatMap(textsOf).reduce((sum, text) => sum + count(text), 0)
  if (call.asked === "native") return input
  const { sampling, task, tools = [] } = call.request
  const form = task.output === undefined ? 0 : count(task.output.instructions)
  return input + form + (tools.length === 0 ? 0 : count(JSON.stringify(tools))) + (sampling.maxTokens ?? outputTokens)
}

const tooLong = ({ model, name }: Named, expected: number, most: number): ProviderError =>
  new ProviderError({
    provider: name,
    model,
    reason: {
      _tag: "Unsupported",
      message:
        `the call needs about ${Math.ceil(expected)} tokens, and its rate limit never has more than ${Math.floor(most)}: ` +
        `raise \`tokens\`, lower \`maxTokens\`, or ask with less text`
    }
  })

const heldBack = ({ model, name }: Named, held: number): ProviderError => {
  const retryAfter = Duration.millis(held)
  return new ProviderError({
    provider: name,
    model,
    reason: {
      _tag: "RateLimited",
      message: `not called: its rate limit allows no call for ${Duration.format(retryAfter)}. Try again after that, or use another provider.`,
      retryAfter
    }
  })
}
