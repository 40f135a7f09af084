/** Turns failures of `effect/ai` models into provider errors. */
import * as Duration from "effect/Duration"
import type * as AiError from "effect/ai/AiError"
import { ProviderError, type Reason, type Usage } from "../Provider.ts"

/** The provider that errors name. */
export interface Caller {
  readonly name: string
  readonly model: string
}

export const fail = ({ model, name }: Caller, reason: Reason, usage: Usage = {}): ProviderError =>
  new ProviderError({ provider: name, model, reason, ...(Object.keys(usage).length > 0 && { usage }) })

const toParameter = (parameter: string | undefined): { readonly parameter?: string } =>
  parameter !== undefined && /^[\w.[\]-]{1,60}$/.test(parameter) ? { parameter } : {}

const notSaid = "the model does not say why: look at its own logs"

/** The reason for a status that no other error of `effect/ai` covers. */
const ofStatus = (status: number | undefined): Reason => {
  switch (status) {
    case 402:
      return { _tag: "QuotaExhausted", message: "credit or quota is used up: check plan and billing" }
    case 408:
      return { _tag: "Timeout", message: "the server stopped waiting: try again" }
    case 413:
      return { _tag: "ContextTooLong", message: "the request is larger than the server accepts: send less" }
    case undefined:
      return { _tag: "InvalidRequest", message: `the call failed, and ${notSaid}` }
    default:
      return { _tag: "InvalidRequest", message: `the request was refused with status ${status}` }
  }
}

/** Descriptions are not passed on, as they may repeat the prompt or the answer. */
const reasonOf = (reason: AiError.AiErrorReason): Reason => {
  switch (reason._tag) {
    case "RateLimitError":
      return {
        _tag: "RateLimited",
        message: "too many requests: wait and try again",
        ...(reason.retryAfter !== undefined && { retryAfter: reason.retryAfter })
      }
    case "QuotaExhaustedError":
      return { _tag: "QuotaExhausted", message: "credit or quota is used up: check plan and billing" }
    case "AuthenticationError":
      return { _tag: "Authentication", message: `the key was refused (${reason.kind}): check the model's own settings` }
    case "ContentPolicyError":
      return { _tag: "Refused", message: "the model or its guard declined" }
    case "InternalProviderError":
      return { _tag: "Overloaded", message: "the server had an internal error: try again later" }
    case "NetworkError":
      return reason.isRetryable
        ? { _tag: "Connection", message: "the server cannot be reached: check network, proxies and address" }
        : { _tag: "InvalidRequest", message: "the request could not be built: check the model's address" }
    case "InvalidRequestError":
      return {
        _tag: "InvalidRequest",
        message: "the request was refused as it is: check the model's own settings",
        ...toParameter(reason.parameter)
      }
    case "InvalidUserInputError":
      return { _tag: "InvalidRequest", message: "the model does not accept messages of this kind: use another model" }
    case "InvalidOutputError":
    case "InvalidResponseError":
    case "StructuredOutputError":
      return { _tag: "InvalidResponse", message: "the model sent something that is not a valid answer: try again" }
    case "UnknownError":
      return ofStatus(reason.http?.response?.status)
    case "UnsupportedSchemaError":
      return { _tag: "Unsupported", message: "the model cannot express the form of the answer" }
    default:
      return { _tag: "Unsupported", message: `the model cannot do such a task (${reason._tag})` }
  }
}

/** What was billed for an unusable answer. */
const usageOf = (reason: AiError.AiErrorReason): Usage => {
  const { completionTokens, promptTokens } = ("usage" in reason ? reason.usage : undefined) ?? {}
  return {
    ...(promptTokens !== undefined && { inputTokens: promptTokens }),
    ...(completionTokens !== undefined && { outputTokens: completionTokens })
  }
}

/** The provider error for a failure. `usage` is what was billed before it. */
export const fromAiError = ({ reason }: AiError.AiError, caller: Caller, usage: Usage = {}): ProviderError =>
  fail(caller, reasonOf(reason), { ...usage, ...usageOf(reason) })

/** The error of a call that takes too long. A model of `effect/ai` may wait forever. */
export const tooLate = (caller: Caller, timeout: Duration.Duration, usage: Usage = {}): ProviderError =>
  fail(
    caller,
    {
      _tag: "Timeout",
      message: `no complete answer within ${Duration.format(timeout)}: raise timeout or ask for less`
    },
    usage
  )

/** The time limit of a call, by default 60 seconds. */
export const timeoutOf = (timeout: Duration.Input = "60 seconds"): Duration.Duration =>
  Duration.fromInputUnsafe(timeout)
