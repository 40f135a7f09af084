/**
 * What goes wrong in a call, as provider errors.
 *
 * The server's own words are never passed on: they may repeat the prompt or the key. Only codes, parameter names and
 * request ids are, when they look like such.
 */
import * as Duration from "effect/Duration"
import { ProviderError, type Reason, type Usage } from "../Provider.ts"

/** Where calls go, as errors may tell it. */
export interface Endpoint {
  readonly provider: string
  readonly model: string
  /** Host and port. */
  readonly host: string
  readonly secrets: ReadonlyArray<string>
}

/** What is known of the answer, beside the reason. */
export interface Details {
  readonly usage?: Usage
  readonly requestId?: unknown
}

const identifier = (value: unknown, { secrets }: Endpoint): string | undefined =>
  typeof value === "string" &&
  /^[\w.:[\]-]{1,100}$/.test(value) &&
  !secrets.some((secret) => value.includes(secret) || secret.includes(value))
    ? value
    : undefined

export const fail = (endpoint: Endpoint, reason: Reason, { requestId, usage }: Details = {}): ProviderError => {
  const id = identifier(requestId, endpoint)
  return new ProviderError({
    provider: endpoint.provider,
    model: endpoint.model,
    reason,
    ...(usage && Object.keys(usage).length > 0 && { usage }),
    ...(id !== undefined && { requestId: id })
  })
}

// ------------------------------------------------------------------------------------------------------ connections

// fetch wraps what happened on the socket, the SDK wraps fetch's error.
const systemCode = (error: unknown): string | undefined => {
  let current = error
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth++) {
    if ("code" in current && typeof current.code === "string" && /^[A-Z0-9_]{2,60}$/.test(current.code)) {
      return current.code
    }
    current = "cause" in current ? current.cause : undefined
  }
  return undefined
}

const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: "check that the server runs there and that baseUrl names its port",
  ENOTFOUND: "check the host in baseUrl and the network's name service",
  EAI_AGAIN: "check the host in baseUrl and the network's name service"
}

const unreachable = (error: unknown, { host }: Endpoint): Reason => {
  const code = systemCode(error)
  if (code === "UND_ERR_HEADERS_TIMEOUT") {
    return { _tag: "Timeout", message: `fetch gave up waiting for ${host} to begin its answer` }
  }
  const what = advice[code ?? ""] ?? "check the network, proxies and baseUrl"
  return { _tag: "Connection", message: `cannot reach ${host}${code === undefined ? "" : ` (${code})`}: ${what}` }
}

// --------------------------------------------------------------------------------------------------------- statuses

const toNumber = (text: string): number => (/^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : NaN)

/** How long to wait, from `retry-after-ms` or `retry-after` in seconds or as a date. */
const toRetryAfter = (headers: Headers | undefined, now: number): { readonly retryAfter?: Duration.Duration } => {
  const precise = headers?.get("retry-after-ms")
  const plain = headers?.get("retry-after")
  const waits = [
    precise ? toNumber(precise) : NaN,
    plain ? toNumber(plain) * 1000 : NaN,
    plain ? Date.parse(plain) - now : NaN
  ]
  const wait = waits.find((millis) => Number.isFinite(millis) && millis >= 0)
  return wait === undefined ? {} : { retryAfter: Duration.millis(wait) }
}

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
