/**
 * What Anthropic's SDK rejects with, and what a stream breaks off with, as provider errors.
 */
import { type Details, type Endpoint, fail, identifier } from "../http/Endpoint.ts"
import { isRedirect, redirected } from "../http/guarded.ts"
import { toRetryAfter } from "../http/retryAfter.ts"
import { unreachable } from "../http/unreachable.ts"
import type { ProviderError, Reason } from "../Provider.ts"

/** What a server says of an error: by the status of its answer, or in the middle of a stream without one. */
export interface Said {
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  /** The broad category. */
  readonly type?: unknown
  /** The stable name of the cause. */
  readonly code?: unknown
  readonly message?: unknown
}

/** Types by the status that they come with; an error in the middle of a stream has no status, one of a proxy no type. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 408,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529
}

const spent = new Set<unknown>([
  "contract_spend_limit_reached",
  "enforced_spend_limit_reached",
  "linked_organization_billing_unavailable",
  "linked_organization_spend_limit_reached"
])

// Only for these there is no code: a server's words are read to classify, not passed on.
const isTooLong = (message: string): boolean =>
  /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|length|window)/i.test(message)
const isSpent = (message: string): boolean =>
  /^You have reached your specified (workspace )?API usage limits|credit balance is too low/i.test(message)
const isFiltered = (message: string): boolean => /blocked by content filtering policy/i.test(message)

/** The parameters that are told, by how a refusal names them: at its beginning, in backticks, or in known words. */
const parameters: ReadonlyArray<readonly [name: string, path: RegExp, words: RegExp]> = [
  ["output_config.effort", /^(output_config\.)?effort\b/, /\beffort (parameter|level)\b/],
  [
    "output_config.format",
    /^output_config\b|^output_format\b|^format\b/,
    /compiled grammar is too large|too complex for compilation|structured outputs? (is|are) not supported/i
  ],
  ["temperature", /^temperature\b/, /^temperature (is|and|may|cannot)\b/],
  ["top_p", /^top_p\b/, /^top_p (is|and|may|cannot)\b/],
  ["thinking", /^thinking\b/, /^thinking (is|may|cannot)\b/],
  ["stop_sequences", /^stop_sequences\b/, /^stop_sequences? (is|are|must)\b/],
  ["max_tokens", /^max_tokens\b/, /^max_tokens (is|must)\b/],
  ["model", /^model\b/, /^model (is|must)\b/],
  [
    "system",
    /^system\b/,
    /^system (is|must)\b|\bsystem (?:role|messages?|prompts?) (?:is |are )?not (?:supported|allowed)|\bsupport\w* (?:the )?system (?:role|messages?|prompts?)/
  ],
  ["messages", /^messages\b/, /^messages? (is|are|must)\b/]
]

const parameterOf = (message: string): string | undefined => {
  const path = /^([a-z_]+(?:\.[\w-]+)*):/.exec(message)?.[1]
  const quoted = /^[\w ]{0,25}`([a-z_.]+)`/.exec(message)?.[1]
  return (parameters.find(
    ([, paths]) => (path !== undefined && paths.test(path)) || (quoted !== undefined && paths.test(quoted))
  ) ?? parameters.find(([, , words]) => words.test(message)))?.[0]
}

const reasonOfStatus = (
  status: number | undefined,
  what: string,
  wait: ReturnType<typeof toRetryAfter>
): Reason | undefined => {
  if (status === undefined || status >= 500) {
    return status === 504
      ? { _tag: "Timeout", message: `the server gave up waiting (${what}): try again` }
      : { _tag: "Overloaded", message: `the server has trouble of its own (${what}): try again later`, ...wait }
  }
  switch (status) {
    case 401:
      return { _tag: "Authentication", message: `the API key was refused (${what}): check ANTHROPIC_API_KEY or apiKey` }
    case 403:
      return {
        _tag: "Authentication",
        message: `this key may not do that (${what}): check its workspace, model and region`
      }
    case 404:
      return {
        _tag: "InvalidRequest",
        message: `no such model or address (${what}): check model, and that baseUrl ends before /v1`
      }
    case 408:
      return { _tag: "Timeout", message: `the server gave up waiting (${what}): try again` }
    case 409:
      return { _tag: "Overloaded", message: `another request is in the way (${what}): try again`, ...wait }
    case 429:
      return { _tag: "RateLimited", message: `too many requests (${what}): wait and try again`, ...wait }
    default:
      return undefined
  }
}

const reasonOf = ({ code, headers, message, status: given, type }: Said, endpoint: Endpoint, now: number): Reason => {
  if (isRedirect(given)) return redirected(given, endpoint)
  const known = typeof type === "string" && Object.hasOwn(statuses, type) ? statuses[type] : undefined
  const status = given ?? known
  const name = identifier(code, endpoint) ?? identifier(type, endpoint)
  const what = [given, name].filter((part) => part !== undefined).join(" ") || "no type"
  const words = typeof message === "string" ? message : ""
  if (status === 413 || known === 413 || code === "request_body_too_large_after_decoding" || isTooLong(words)) {
    return { _tag: "ContextTooLong", message: `the request is longer than the model's context (${what}): send less` }
  }
  if (status === 402 || spent.has(code) || isSpent(words)) {
    return { _tag: "QuotaExhausted", message: `credit or quota is used up (${what}): check plan, billing and limits` }
  }
  if (code === "model_not_found" || type === "model_not_found" || (status === 404 && isModel(words))) {
    const advice = "check the spelling of model, whether this key may use it, and whether your own server has loaded it"
    return { _tag: "InvalidRequest", message: `the server has no such model (${what}): ${advice}`, parameter: "model" }
  }
  const byStatus = reasonOfStatus(status, what, toRetryAfter(headers, now))
  if (byStatus !== undefined) return byStatus
  if (isFiltered(words)) {
    return { _tag: "Refused", message: `a content filter stopped the answer (${what})`, category: "content_filter" }
  }
  const parameter = parameterOf(words)
  const named = parameter === undefined ? "" : `, parameter ${parameter}: capabilities tells what the model takes`
  const told = `the request was refused as it is (${what}${named})`
  return {
    _tag: "InvalidRequest",
    message: told,
    ...(parameter !== undefined && { parameter }),
    ...(parameter !== undefined && range.test(words) && { outOfRange: true })
  }
}

/** Words for a parameter that is taken, but not with this value. */
const range =
  /\brange:|\b(less|greater) than( or equal)?\b|\btoo (long|many|large|small)\b|\bat (most|least)\b|\bbetween\b/i

const isModel = (message: string): boolean =>
  /^model: |\bmodel\b[^\n]{0,200}\b(not found|does not exist)\b/i.test(message)

/** An error that a server tells of. */
export const fromSaid = (said: Said, endpoint: Endpoint, now: number, details: Details = {}): ProviderError =>
  fail(endpoint, reasonOf(said, endpoint, now), details)

/** The parts of the SDK's errors that are read, whichever copy of the SDK made them. */
interface RequestError {
  readonly status: unknown
  readonly headers?: Headers
  readonly type?: unknown
  readonly errorCode?: unknown
  readonly apiMessage?: unknown
  readonly requestID?: unknown
}

// The SDK gives each of its request errors a status, undefined when there was no answer.
const isRequestError = (error: unknown): error is RequestError =>
  typeof error === "object" && error !== null && "status" in error

/** What the SDK rejected with, decided by its form: errors of two copies of a package are of different classes. */
export const fromSdk = (error: unknown, endpoint: Endpoint, now: number): ProviderError => {
  if (!isRequestError(error)) {
    const message = "the request could not be built: check that headers and apiKey hold only what a header may"
    return fail(endpoint, { _tag: "InvalidRequest", message })
  }
  const { apiMessage, errorCode, headers, requestID, status, type } = error
  if (typeof status !== "number") return fail(endpoint, unreachable(error, endpoint))
  const said = { status, headers, type, code: errorCode, message: apiMessage }
  return fromSaid(said, endpoint, now, { requestId: requestID })
}
