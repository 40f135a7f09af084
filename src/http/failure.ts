/**
 * Errors of servers as provider errors: what an SDK rejects with, and errors inside of answers and streams.
 *
 * One table holds the words of all vendors, as many servers speak the API of one and forward the errors of another. A
 * server's messages are read to classify them, and never passed on.
 */
import type { ProviderError, Reason, Usage } from "../Provider.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, fail, identifier } from "./Endpoint.ts"
import { isRedirect, redirected } from "./guarded.ts"
import { parameterOf, refusesLogprobs } from "./parameters.ts"
import { toRetryAfter } from "./retryAfter.ts"
import { unreachable } from "./unreachable.ts"

/** An error as a server states it, by its status or inside of an answer; any field may be of any form. */
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

/** Codes and types by what they mean, whatever the status is; the first that matches counts. */
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

/** What they mean where no status says it. */
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
  // Another request is in the way for now.
  409: "trouble",
  413: "tooLong",
  429: "limited",
  504: "timeout"
}

/** Words of a message for what has no code, and the kind of error, by its status or name, in which they are read. */
const words: ReadonlyArray<readonly [RegExp, Kind, from?: Kind]> = [
  [
    /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|length|window)|model's (maximum )?context length/i,
    "tooLong",
    "request"
  ],
  [/^You have reached your specified (workspace )?API usage limits|credit balance is too low/i, "quota"],
  [/^model: |\bmodel\b[^\n]{0,200}\b(not found|does not exist)\b/i, "model", "notFound"],
  // For some models OpenAI refuses log-probabilities so; the key itself may do all else.
  [refusesLogprobs, "request", "permission"],
  [/blocked by content filtering policy/i, "filtered", "request"]
]

const named = (table: typeof names, { code, type }: Problem): Kind | undefined =>
  table.find(([pattern]) => [code, type].some((name) => typeof name === "string" && pattern.test(name)))?.[1]

/** The status, which some servers send as a code. */
const statusOf = ({ code, status }: Problem): number | undefined =>
  status ?? (typeof code === "number" && code >= 400 && code < 600 ? code : undefined)

/** The part of a message that is read, without the status that the SDK of OpenAI writes in front of it. */
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

/** What the error of each kind says, before the codes and after them, where it needs no more. */
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
      return ["Authentication", "this key may not do that", "check its project or workspace, the model and the region"]
    case "timeout":
      return ["Timeout", "the server gave up waiting", "try again"]
    case "limited":
      return ["RateLimited", "too many requests", "wait and try again"]
    default:
      return ["Overloaded", "the server has trouble of its own", "try again later"]
  }
}

const range = /above_max|below_min|out_of_range|invalid_type|_too_(long|large|small)/
const rangeInWords =
  /\brange:|\b(above (the )?max|below (the )?min|(less|greater) than( or equal)?|too (long|many|large|small)|between|at (most|least))\b/i

/** Why a call failed, from the error that the server states. `now` is the time in milliseconds. */
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
    // not the parameter is refused but its value
    const outOfRange = parameter !== undefined && (range.test(String(problem.code)) || rangeInWords.test(message))
    return {
      _tag: "InvalidRequest",
      message:
        kind === "notFound"
          ? `no such model or address (${what}): check model, and that baseUrl ends ${endpoint.addressEnd}`
          : `the request was refused as it is (${what})${parameter ? ": capabilities tells what the model takes" : ""}`,
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

/** The fields of an error that are read; others of that name, such as a status in words, are not those meant. */
const problemOf = ({ code, details, message, param, status, type }: Readonly<Record<string, unknown>>): Problem => ({
  code: code ?? (isObject(details) ? details["error_code"] : undefined),
  message,
  param,
  type,
  ...(typeof status === "number" && status >= 400 && status < 600 && { status })
})

/** The error that a body or the event of a stream is, if it is one. */
export const errorIn = (body: unknown, event = ""): Problem | undefined => {
  if (!isObject(body)) return event === "error" ? {} : undefined
  const { error, request_id: requestId } = body
  if (isObject(error)) return { ...problemOf(error), requestId }
  if (typeof error === "string") return { message: error, requestId }
  const isError = [body["object"], body["type"], event].includes("error") || body["status"] === "failed"
  return isError ? problemOf(body) : undefined
}

/** The error in the body of an answer with a good status, if there is one. */
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
 * What an SDK rejected with, by its form, as errors of two copies of a package are of different classes: each SDK gives its
 * request errors a status, which is undefined if there was no answer.
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
