/** Calls wait for their turn, so that a provider does not refuse them. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../../arguments/taking.ts"
import { Tokenizer } from "../../thought/tokens.ts"
import type { Usage } from "../../thought/usage.ts"
import { Allowance, type Allowed } from "./allowance.ts"
import { type End, type Gate, gated, type Transformation } from "../calls.ts"
import { number, time, whole } from "../../arguments/checked.ts"
import { type Named, PerModel } from "./perModel.ts"
import { extend, transform } from "../Provider.ts"
import { ProviderError } from "../ProviderError.ts"
import type { Asked } from "../request.ts"
import { counted } from "../spent.ts"

/**
 * How much a provider and model is asked in a time.
 *
 * @category models
 */
export interface RateLimiterOptions {
  /** How many requests in the time `per`: more than 0. Default: as many as the provider says it takes. */
  readonly requests?: number
  /** How many tokens in the time `per`, of requests and answers together. Default: as many as the provider says. */
  readonly tokens?: number
  /** The time for that many. Default: 1 minute. */
  readonly per?: Duration.Input
  /** How many requests at once, when there was a pause: from 1. Default: as many as `requests`. */
  readonly burst?: number
  /** How many tokens an answer is expected to have when the request does not limit them by `maxTokens`. Default: 1000. */
  readonly outputTokens?: number
  /** The longest time that the provider may have calls held back. Default: 60 seconds. */
  readonly maxWait?: Duration.Input
}

/**
 * A rate limiter that several provider layers share: it keeps count for each provider and model.
 *
 * @category models
 */
export interface RateLimiter {
  /** For the library only. */
  readonly [LimiterId]: { readonly allowances: PerModel<Allowance>; readonly outputTokens: number }
  /** How many requests and tokens of this provider and model could pass at once, now; `Infinity` where there is no limit. */
  readonly left: (provider: Named) => Effect.Effect<{ readonly requests: number; readonly tokens: number }>
}

const LimiterId = "~cogito/Provider/RateLimiter"

const owner = "A rate limiter"

/**
 * Makes a rate limiter to share between provider layers, as `limiter`, or to look at.
 *
 * Throws when an option is out of its range.
 *
 * **Example** (One limit for two layers of the same model)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const limiter = Provider.makeRateLimiter({ requests: 60, tokens: 100_000, per: "1 minute" })
 * const one = Testing.scripted([]).layer.pipe(Provider.rateLimit({ limiter }))
 * const other = Testing.scripted([]).layer.pipe(Provider.rateLimit({ limiter }))
 *
 * assert.notEqual(one, other)
 * const left = await Effect.runPromise(limiter.left({ name: "scripted", model: "script" }))
 * assert.deepEqual(left, { requests: 60, tokens: 100_000 })
 * ```
 *
 * @category resilience
 */
export const makeRateLimiter = taking("Provider.makeRateLimiter", {
  options: 0,
  optional: true,
  known: ["burst", "maxWait", "outputTokens", "per", "requests", "tokens"]
})((options: RateLimiterOptions = {}): RateLimiter => {
  const allowed: Allowed = {
    requests: number(owner, "requests", 0, options.requests ?? Infinity),
    tokens: number(owner, "tokens", 0, options.tokens ?? Infinity),
    per: time(owner, "per", options.per ?? 60_000),
    burst: options.burst,
    maxWait: time(owner, "maxWait", options.maxWait ?? 60_000, { endless: true })
  }
  const outputTokens = whole(owner, "outputTokens", 0, options.outputTokens ?? 1000)
  const make = () => new Allowance(owner, allowed)
  // bad options are refused now, not at the first call
  make()
  const allowances = new PerModel(make)
  return {
    [LimiterId]: { allowances, outputTokens },
    left: (provider) => Effect.suspend(() => allowances.of(provider).left)
  }
})

/**
 * Limits of the layer's own, or shared ones.
 *
 * @category models
 */
export type RateLimitOptions =
  | (RateLimiterOptions & { readonly limiter?: never })
  | ({ readonly limiter: RateLimiter } & { readonly [K in keyof RateLimiterOptions]?: never })

/**
 * Asks a provider no more often, and for no more tokens, than so many in a time.
 *
 * Both are buckets that start full and are filled evenly. A call takes a request, and as many tokens as it is expected to
 * need: those of its messages, form and tools by the `Tokenizer` in use, and for the answer `maxTokens` or `outputTokens`.
 * When it has ended, its reported usage takes the place of the estimate. A call that finds too little waits, first come
 * first served, which a `Throttled` signal tells; one that is interrupted gives back what it has got. One that is
 * expected to need more tokens than there ever are fails at once as `Unsupported`.
 *
 * The provider has a say as well. After an answer that nothing is left until some time, and after a `RateLimited` error
 * with `retryAfter`, nobody calls before that time; a call that would be held back for longer than `maxWait` fails at once
 * as `RateLimited`, with the time. A limit that the provider states, for a minute, holds when it is lower than the
 * configured one. Limits that are not configured are the provider's own, once an answer has told them.
 *
 * Its counts, for each provider and model, last as long as this value, however often a layer with it is built; other
 * layers share them by the same `limiter`. Put `retry` outside, that is after it, so that every attempt takes its turn.
 * Throws when an option is out of its range.
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
})((options: RateLimitOptions = {}): Transformation => {
  const { allowances, outputTokens } = (options.limiter ?? makeRateLimiter(options))[LimiterId]
  return transform((provider) =>
    Effect.succeed(extend(provider, gated(provider, gate(provider, allowances, outputTokens))))
  )
})

const gate =
  (provider: Named, allowances: PerModel<Allowance>, outputTokens: number): Gate =>
  (asked, restore) =>
    Effect.gen(function* () {
      const allowance = allowances.of(provider)
      const { count } = yield* Tokenizer
      const most = allowance.mostTokens
      const expected = most === Infinity ? 0 : tokensOf(asked, count, outputTokens)
      if (expected > most) return yield* tooLong(provider, expected, most)
      const held = yield* allowance.enter(expected, restore)
      if (held !== undefined) return yield* heldBack(provider, held)
      return (end) => Effect.andThen(heed(allowance, end), settle(allowance, expected, end))
    })

/** What the provider says of its limits. */
const heed = (allowance: Allowance, end: End): Effect.Effect<void> => {
  if (end._tag === "Answered") return end.answer.limits === undefined ? Effect.void : allowance.learn(end.answer.limits)
  const isLimited = end._tag === "Failed" && end.error.reason._tag === "RateLimited"
  return isLimited && end.error.retryAfter !== undefined ? allowance.hold(end.error.retryAfter) : Effect.void
}

/** The estimate goes back, and what was used is taken; what is not known to be unused stays taken. */
const settle = (allowance: Allowance, expected: number, end: End): Effect.Effect<void> => {
  if (expected === 0) return Effect.void
  const usage = end._tag === "Answered" ? end.answer.usage : end._tag === "Failed" ? end.error.usage : undefined
  const used = usage === undefined ? undefined : totalOf(counted(usage))
  if (used !== undefined) return allowance.settle(expected - used)
  return end._tag === "Failed" && unread.has(end.error.reason._tag) ? allowance.settle(expected) : Effect.void
}

/** Refusals before a model has read anything. */
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

/** How many tokens a call is expected to need. */
const tokensOf = (call: Asked, count: (text: string) => number, outputTokens: number): number => {
  const input = call.request.messages.reduce((sum, { text }) => sum + count(text), 0)
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
      message: `not called: it takes nothing for ${Duration.format(retryAfter)}. Try again then, or ask another provider.`,
      retryAfter
    }
  })
}
