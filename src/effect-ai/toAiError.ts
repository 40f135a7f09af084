/** Turns provider errors into errors of `effect/ai`. */
import * as AiError from "effect/ai/AiError"
import type { ProviderError } from "../Provider.ts"

const usageOf = ({ usage }: ProviderError) =>
  usage === undefined ? {} : { usage: { promptTokens: usage.inputTokens, completionTokens: usage.outputTokens } }

const reasonOf = (error: ProviderError): AiError.AiErrorReason => {
  const { message: description, reason, retryAfter } = error
  switch (reason._tag) {
    case "RateLimited":
      return new AiError.RateLimitError(retryAfter === undefined ? {} : { retryAfter })
    // the only reason with a time to wait is RateLimitError
    case "CircuitOpen":
    case "Overloaded":
      return retryAfter === undefined
        ? new AiError.InternalProviderError({ description })
        : new AiError.RateLimitError({ retryAfter })
    case "QuotaExhausted":
    case "BudgetExceeded":
      return new AiError.QuotaExhaustedError({})
    case "Timeout":
      return new AiError.InternalProviderError({ description })
    case "Connection":
      return new AiError.NetworkError({ reason: "TransportError", method: "POST", url: error.provider, description })
    case "Authentication":
      return new AiError.AuthenticationError({ kind: "Unknown", description })
    case "InvalidRequest":
      return new AiError.InvalidRequestError({
        description,
        ...(reason.parameter !== undefined && { parameter: reason.parameter })
      })
    case "ContextTooLong":
    case "ReplayMismatch":
      return new AiError.InvalidRequestError({ description })
    case "Refused":
      return new AiError.ContentPolicyError({ description })
    case "Truncated":
    case "EmptyAnswer":
    case "InvalidResponse":
      return new AiError.InvalidOutputError({ description, ...usageOf(error) })
    default:
      return new AiError.InvalidUserInputError({ description })
  }
}

/** The matching error of `effect/ai`. It is retryable if the provider error is. */
export const toAiError = (error: ProviderError, method: string): AiError.AiError =>
  AiError.make({ module: "EffectAi", method, reason: reasonOf(error) })
