/** The errors of provider calls. */
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
 * Why a provider failed, by what the caller can do about it.
 *
 * **Details**
 *
 * - `RateLimited`: too many requests; retryable, not before `retryAfter` if that is set
 * - `QuotaExhausted`: credit or quota is used up; waiting does not help
 * - `Overloaded`: the provider has an internal problem (5xx); retryable
 * - `Connection`: the server was not reached, or the connection broke; retryable
 * - `Timeout`: no answer in time; retryable
 * - `Authentication`: the key is missing, wrong, or lacks permission
 * - `InvalidRequest`: the server rejected the request (other 4xx), such as an unknown model or a `parameter`;
 *   `outOfRange` is true if another value of that parameter would be accepted
 * - `ContextTooLong`: the request is longer than the model's context
 * - `Refused`: the model or its content filter declined, with the provider's `category` if it names one
 * - `Truncated`: a length limit or a broken stream cut the answer off; retryable
 * - `EmptyAnswer`: the answer has no text; retryable
 * - `InvalidResponse`: the response does not have the format that the provider's API promises; retryable
 * - `Unsupported`: the provider cannot do this kind of task
 * - `BudgetExceeded`: a budget has no room for the call or the rest of its answer; `budget` is its name, `limit` the
 *   limit that was reached
 * - `CircuitOpen`: the call was not made, because too many calls failed recently; retryable, not before `retryAfter`
 * - `ReplayMismatch`: the recording holds another call; `call` is its number, from 1
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
 * The failure of a provider call.
 *
 * **Details**
 *
 * - `reason`: why the call failed
 * - `isRetryable`: whether the same call may succeed later
 * - `retryAfter`: the shortest time to wait before that
 * - `usage`: the tokens that were billed despite the failure
 *
 * The message says what to do. It never contains prompts, note texts or keys.
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
