/**
 * What OpenAI's SDK rejects with, as provider errors.
 */
import { type Endpoint, fail, identifier } from "../http/Endpoint.ts"
import { toRetryAfter } from "../http/retryAfter.ts"
import { unreachable } from "../http/unreachable.ts"
import type { ProviderError, Reason } from "../Provider.ts"

const tooLong = new Set<unknown>(["context_length_exceeded", "exceed_context_size_error"])
const filtered = new Set<unknown>(["content_filter", "content_policy_violation"])

/** The parts of the SDK's status errors that are read, whichever copy of the SDK made them. */
interface StatusError {
  readonly status: number
  readonly headers?: Headers
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly requestID?: unknown
  readonly message?: unknown
}

// The SDK gives each of its request errors a status, undefined when there was no answer.
const isRequestError = (error: unknown): error is { readonly status: unknown } =>
  typeof error === "object" && error !== null && "status" in error

const isStatusError = (error: { readonly status: unknown }): error is StatusError => typeof error.status === "number"

// vLLM has no code for it; its words are read to classify, not passed on.
const isTooLong = ({ code, message, status, type }: StatusError): boolean =>
  tooLong.has(code) ||
  tooLong.has(type) ||
  (status === 400 && /model's (maximum )?context length/.test(String(message)))

const refused = (error: StatusError, endpoint: Endpoint, now: number): Reason => {
  const { code, status, type } = error
  const name = identifier(code, endpoint) ?? identifier(type, endpoint)
  const parameter = identifier(error.param, endpoint)
  const what = [status, name, parameter && `parameter ${parameter}`].filter((part) => part !== undefined).join(" ")
  if (isTooLong(error)) {
    return { _tag: "ContextTooLong", message: `the request is longer than the model's context (${what}): send less` }
  }
  if (filtered.has(code)) {
    return { _tag: "Refused", message: `a content filter stopped the request (${what})`, category: String(code) }
  }
  if (code === "insufficient_quota" || type === "insufficient_quota" || status === 402) {
    return { _tag: "QuotaExhausted", message: `credit or quota is used up (${what}): check plan and billing` }
  }
  if (status === 401) {
    return { _tag: "Authentication", message: `the API key was refused (${what}): check OPENAI_API_KEY or apiKey` }
  }
  if (status === 403) {
    return {
      _tag: "Authentication",
      message: `this key may not do that (${what}): check its project, model and region`
    }
  }
  if (status === 408) return { _tag: "Timeout", message: `the server gave up waiting (${what}): try again` }
  if (status === 429) {
    const message = `too many requests (${what}): wait and try again`
    return { _tag: "RateLimited", message, ...toRetryAfter(error.headers, now) }
  }
  if (status >= 500) {
    const message = `the server has trouble of its own (${what}): try again later`
    return { _tag: "Overloaded", message, ...toRetryAfter(error.headers, now) }
  }
  const message =
    status === 404
      ? `no such model or address (${what}): check model, and that baseUrl ends where the API begins, often in /v1`
      : `the request was refused as it is (${what})${parameter ? ": capabilities tells what the model takes" : ""}`
  return { _tag: "InvalidRequest", message, ...(parameter !== undefined && { parameter }) }
}

/** What the SDK rejected with, decided by its form: errors of two copies of a package are of different classes. */
export const fromSdk = (error: unknown, endpoint: Endpoint, now: number): ProviderError => {
  if (isRequestError(error)) {
    return isStatusError(error)
      ? fail(endpoint, refused(error, endpoint, now), { requestId: error.requestID })
      : fail(endpoint, unreachable(error, endpoint))
  }
  const message = "the request could not be built: check that headers and apiKey hold only what a header may"
  return fail(endpoint, { _tag: "InvalidRequest", message })
}
