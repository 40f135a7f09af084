/**
 * Turns errors of servers into provider errors: rejections of an SDK, and errors inside answers and streams.
 *
 * One table serves all vendors, as many servers speak the API of one vendor and forward the errors of another. Messages
 * of a server are read to classify them, and never passed on.
 */
import type { ProviderError, Reason, Usage } from "../Provider.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, fail, identifier } from "./Endpoint.ts"
import { isRedirect, redirected } from "./guarded.ts"
import { parameterOf, refusesLogprobs } from "./parameters.ts"
import { toRetryAfter } from "./retryAfter.ts"
import { unreachable } from "./unreachable.ts"

/** An error as a server states it, by its status or inside an answer. Any field may have any type. */
export interface Problem {
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly message?: unknown
  readonly requestId?: unknown
}

type Kind =
  | "tooLong"
  | "filtered"
  | "quota"
  | "key"
  | "permission"
  | "timeout"
  | "limited"
  | "trouble"
  | "model"
  | "notFound"
  | "request"

/** Codes and types by their meaning, whatever the status is. The first match counts. */
const names: ReadonlyArray<readonly [RegExp, Kind]> = [
  [
    /^(context_length_exceeded|exceed_context_size_error|request_too_large|request_body_too_large_after_decoding)$/,
    "tooLong"
  ],
  [/^(content_filter|invalid_prompt)$|_policy(_violation)?$/, "filtered"],
  [/^(insufficient_quota|billing_hard_limit_reached)$/, "quota"],
  [/^(contract|enforced|linked_organization)_spend_limit_reached$|^linked_organization_billing_unavailable$/, "quota"],
  [/^model_not_found$/, "model"]
]

/** Their meaning if there is no status. */
const namesAlone: typeof names = [
  [/^(invalid_api_key|authentication_error)$/, "key"],
  [/^billing_error$/, "quota"],
  [/^permission(_denied)?(_error)?$/, "permission"],
  [/(^|_)timeout(_error)?$/, "timeout"],
  [/^(rate_limit_exceeded|rate_limit_error|requests|tokens)$/, "limited"],
  [/^not_found_error$/, "notFound"],
  [
    /^(server_error|internal_error|internal_server_error|api_error|conflict_error|overloaded(_error)?|service_unavailable)$/,
    "trouble"
  ],
  [/^invalid_request_error$/, "request"]
]

const byStatus: Readonly<Record<number, Kind>> = {
  401: "key",
  402: "quota",
  403: "permission",
  404: "notFound",
  408: "timeout",
  // Another request conflicts for now.
  409: "trouble",
  413: "tooLong",
  429: "limited",
  504: "timeout"
}

/**
 * Patterns in messages of errors without a code, and the kind that they mean. `from`: only errors of this kind, by
 * status or name, are matched. Default: errors of any kind.
 */
const words: ReadonlyArray<readonly [RegExp, Kind, from?: Kind]> = [
  [
    /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|length|window)|model's (maximum )?context length/i,
    "tooLong",
    "request"
  ],
  [/^You have reached your specified (workspace )?API usage limits|credit balance is too low/i, "quota"],
  [/^model: |\bmodel\b[^\n]{0,200}\b(not found|does not exist)\b/i, "model", "notFound"],
  // OpenAI rejects log-probabilities of some models this way; the key itself is valid.
  [refusesLogprobs, "request", "permission"],
  [/blocked by content filtering policy/i, "filtered", "request"]
]

const named = (table: typeof names, { code, type }: Problem): Kind | undefined =>
  table.find(([pattern]) => [code, type].some((name) => typeof name === "string" && pattern.test(name)))?.[1]

/** The status. Some servers send it as a code. */
const statusOf = ({ code, status }: Problem): number | undefined =>
  status ?? (typeof code === "number" && code >= 400 && code < 600 ? code : undefined)

/** The part of a message that is read, without the status that OpenAI's SDK puts in front. */
const messageOf = ({ message }: Problem): string =>
  typeof message === "string" ? message.slice(0, 500).replace(/^\d{3} /, "") : ""

const kindOf = (problem: Problem): Kind => {
  const status = statusOf(problem)
  const byName = named(names, problem)
  if (byName !== undefined) return byName
  const kind =
    status === undefined
      ? (named(namesAlone, problem) ?? (typeof problem.param === "string" ? "request" : "trouble"))
      : (byStatus[status] ?? (status >= 500 ? "trouble" : "request"))
  const message = messageOf(problem)
  return words.find(([pattern, , from = kind]) => from === kind && pattern.test(message))?.[1] ?? kind
}

type Plain = "ContextTooLong" | "QuotaExhausted" | "Authentication" | "Timeout" | "RateLimited" | "Overloaded"

/** The reason, the description and the advice of each kind that needs nothing else. */
const plain = (
  kind: Exclude<Kind, "filtered" | "model" | "notFound" | "request">,
  { keyName }: Endpoint
): readonly [Plain, string, string] => {
  switch (kind) {
    case "tooLong":
      return ["ContextTooLong", "the request is longer than the model's context", "send less"]
    case "quota":
      return ["QuotaExhausted", "credit or quota is used up", "check plan, billing and limits"]
    case "key":
      return ["Authentication", "the API key was refused", `check ${keyName} or apiKey`]
    case "permission":
      return [
        "Authentication",
        "this key lacks permission for the request",
        "check its project or workspace, the model and the region"
      ]
    case "timeout":
      return ["Timeout", "the server stopped waiting", "try again"]
    case "limited":
      return ["RateLimited", "too many requests", "wait and try again"]
    default:
      return ["Overloaded", "the server had an internal error", "try again later"]
  }
}

const range = /above_max|below_min|out_of_range|invalid_type|_too_(long|large|small)/
const rangeInWords =
  /\brange:|\b(above (the )?max|below (the )?min|(less|greater) than( or equal)?|too (long|many|large|small)|between|at (most|least))\b/i

/** Why a call failed, from the error of the server. `now` is the time in milliseconds. */
export const reasonOf = (problem: Problem, endpoint: Endpoint, now: number): Reason => {
  if (isRedirect(problem.status)) return redirected(problem.status, endpoint)
  const kind = kindOf(problem)
  const name = identifier(problem.code, endpoint) ?? identifier(problem.type, endpoint)
  const codes = [statusOf(problem), name].filter((part) => part !== undefined).join(" ") || "no code"
  if (kind === "filtered") {
    const category = name !== undefined && named(names, problem) === "filtered" ? name : "content_filter"
    return { _tag: "Refused", message: `a content filter stopped the request (${codes})`, category }
  }
  if (kind === "model") {
    const advice = "check the spelling of model, whether this key may use it, and whether your own server has loaded it"
    return { _tag: "InvalidRequest", message: `the server has no such model (${codes}): ${advice}`, parameter: "model" }
  }
  if (kind === "notFound" || kind === "request") {
    const message = messageOf(problem)
    const parameter = parameterOf(message, problem.param, endpoint)
    const what = parameter === undefined ? codes : `${codes}, parameter ${parameter}`
    // the value is refused, not the parameter
    const outOfRange = parameter !== undefined && (range.test(String(problem.code)) || rangeInWords.test(message))
    return {
      _tag: "InvalidRequest",
      message:
        kind === "notFound"
          ? `no such model or address (${what}): check model, and that baseUrl ends ${endpoint.addressEnd}`
          : `the request was refused as it is (${what})${parameter ? ": describe what the model accepts with the option capabilities" : ""}`,
      ...(parameter !== undefined && { parameter }),
      ...(outOfRange && { outOfRange })
    }
  }
  const [tag, what, advice] = plain(kind, endpoint)
  const message = `${what} (${codes}): ${advice}`
  return tag === "RateLimited" || tag === "Overloaded"
    ? { _tag: tag, message, ...toRetryAfter(problem.headers, now) }
    : { _tag: tag, message }
}

/** The fields of an error that are read. A `status` that is not an HTTP error status means something else. */
const problemOf = ({ code, details, message, param, status, type }: Readonly<Record<string, unknown>>): Problem => ({
  code: code ?? (isObject(details) ? details["error_code"] : undefined),
  message,
  param,
  type,
  ...(typeof status === "number" && status >= 400 && status < 600 && { status })
})

/** The error that a body or an event of a stream states, if any. */
export const errorIn = (body: unknown, event = ""): Problem | undefined => {
  if (!isObject(body)) return event === "error" ? {} : undefined
  const { error, request_id: requestId } = body
  if (isObject(error)) return { ...problemOf(error), requestId }
  if (typeof error === "string") return { message: error, requestId }
  const isError = [body["object"], body["type"], event].includes("error") || body["status"] === "failed"
  return isError ? { ...problemOf(body), requestId } : undefined
}

/** The error in the body of a successful response, if any. */
export const errorOf = (
  body: unknown,
  { headers, received }: { readonly headers: Headers; readonly received: number },
  endpoint: Endpoint,
  usage?: Usage
): ProviderError | undefined => {
  const problem = errorIn(body)
  const details = { headers, requestId: problem?.requestId, usage }
  return problem && fail(endpoint, reasonOf({ headers, ...problem }, endpoint, received), details)
}

/**
 * Converts an error thrown by an SDK into a provider error. It looks at properties instead of classes, because two copies
 * of a package have different error classes. An error without the property `status` was thrown before the request was sent.
 * If `status` is undefined, there was no response.
 */
export const fromSdk = (error: unknown, endpoint: Endpoint, now: number): ProviderError => {
  if (!isObject(error) || !("status" in error)) {
    const message = "the request could not be built: check that headers and apiKey hold only what a header may"
    return fail(endpoint, { _tag: "InvalidRequest", message })
  }
  const { code, errorCode, param, requestID: requestId, status, type } = error
  if (typeof status !== "number") return fail(endpoint, unreachable(error, endpoint))
  const headers = error["headers"] instanceof Headers ? error["headers"] : undefined
  const message = "apiMessage" in error ? error["apiMessage"] : error["message"]
  const problem = { status, headers, code: code ?? errorCode, type, param, message }
  return fail(endpoint, reasonOf(problem, endpoint, now), { requestId })
}
