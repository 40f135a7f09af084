/** How provider calls fail. */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

const UsageSchema = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Finite),
  outputTokens: Schema.optionalKey(Schema.Finite),
  cachedInputTokens: Schema.optionalKey(Schema.Finite),
  cacheWriteTokens: Schema.optionalKey(Schema.Finite),
  reasoningTokens: Schema.optionalKey(Schema.Finite)
})

const reason = <const Tag extends string, const F extends Schema.Struct.Fields>(tag: Tag, fields: F) =>
  Schema.TaggedStruct(tag, { message: Schema.String, ...fields })

/**
 * Why a provider failed, by what a caller can do about it.
 *
 * **Details**
 *
 * - `RateLimited`: slow down; retryable, not before `retryAfter` when it is given
 * - `QuotaExhausted`: credit or quota is used up, waiting does not help
 * - `Overloaded`: the provider has trouble of its own (5xx); retryable
 * - `Connection`: not reached, or the connection broke; retryable
 * - `Timeout`: no answer in time; retryable
 * - `Authentication`: the key is missing, wrong, or lacks permission
 * - `InvalidRequest`: refused as it is (other 4xx): unknown model, refused `parameter`; `outOfRange` when another value of
 *   that would do
 * - `ContextTooLong`: longer than the model's context
 * - `Refused`: the model or its guard declined, with the provider's `category` where it names one
 * - `Truncated`: cut off by a length limit or a broken stream; retryable
 * - `EmptyAnswer`: an answer without any text; retryable
 * - `InvalidResponse`: not of the form that the provider's API promises; retryable
 * - `Unsupported`: this provider cannot do such a task at all
 * - `BudgetExceeded`: a budget has no room for the call, which was not made; `budget` is its name, `limit` what is short
 * - `CircuitOpen`: not tried, because it has failed too often of late; retryable, not before `retryAfter`
 * - `ReplayMismatch`: a recording holds another call; `call` is its number, from 1
 *
 * @category errors
 */
export const Reason = Schema.Union([
  reason("RateLimited", { retryAfter: Schema.optionalKey(Schema.Duration) }),
  reason("QuotaExhausted", {}),
  reason("Overloaded", { retryAfter: Schema.optionalKey(Schema.Duration) }),
  reason("Connection", {}),
  reason("Timeout", {}),
  reason("Authentication", {}),
  reason("InvalidRequest", {
    parameter: Schema.optionalKey(Schema.String),
    outOfRange: Schema.optionalKey(Schema.Boolean)
  }),
  reason("ContextTooLong", {}),
  reason("Refused", { category: Schema.optionalKey(Schema.String) }),
  reason("Truncated", {}),
  reason("EmptyAnswer", {}),
  reason("InvalidResponse", {}),
  reason("Unsupported", {}),
  reason("BudgetExceeded", { budget: Schema.String, limit: Schema.Literals(["calls", "tokens", "usd", "time"]) }),
  reason("CircuitOpen", { retryAfter: Schema.optionalKey(Schema.Duration) }),
  reason("ReplayMismatch", { call: Schema.Int })
])
/**
 * Why a provider failed.
 *
 * @category errors
 */
export type Reason = typeof Reason.Type

const retryable: ReadonlySet<Reason["_tag"]> = new Set<Reason["_tag"]>([
  "RateLimited",
  "Overloaded",
  "Connection",
  "Timeout",
  "Truncated",
  "EmptyAnswer",
  "InvalidResponse",
  "CircuitOpen"
])

/**
 * A provider call failed.
 *
 * `reason` says why, `isRetryable` whether the same call may succeed later, `retryAfter` how long to wait at least,
 * `usage` what was billed all the same. The message says what to do and never holds prompts, note texts or keys.
 *
 * @category errors
 */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  model: Schema.String,
  reason: Reason,
  usage: Schema.optionalKey(UsageSchema),
  requestId: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `${this.provider} (${this.model}): ${this.reason.message}`
  }
  get isRetryable(): boolean {
    return retryable.has(this.reason._tag)
  }
  get retryAfter(): Duration.Duration | undefined {
    return "retryAfter" in this.reason ? this.reason.retryAfter : undefined
  }
}
