/**
 * What OpenAI's SDK rejects with, and errors inside of answers, as provider errors.
 *
 * Messages of the server are read to classify, never passed on.
 */
import { type Endpoint, fail, identifier } from "../../http/Endpoint.ts"
import { isRedirect, redirected } from "../../http/guarded.ts"
import { toRetryAfter } from "../../http/retryAfter.ts"
import { unreachable } from "../../http/unreachable.ts"
import { requestIdOf } from "../../http/transport.ts"
import type { ProviderError, Reason, Usage } from "../../Provider.ts"
import { isObject, type JsonSchema } from "../../schema/jsonSchema.ts"

/** An error that a server tells, by its status or inside of an answer; any field may be of any form. */
interface Problem {
  readonly status?: number
  readonly headers?: Headers
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly message?: unknown
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

/** Codes and types by what they mean; the first that matches counts. */
const names: ReadonlyArray<readonly [RegExp, Kind]> = [
  [/^(context_length_exceeded|exceed_context_size_error)$/, "tooLong"],
  [/^(content_filter|invalid_prompt)$|_policy(_violation)?$/, "filtered"],
  [/^(insufficient_quota|billing_hard_limit_reached)$/, "quota"],
  [/^model_not_found$/, "model"]
]

/** What they mean where no status says it. */
const namesAlone: ReadonlyArray<readonly [RegExp, Kind]> = [
  [/^(invalid_api_key|authentication_error)$/, "key"],
  [/^permission(_denied)?(_error)?$/, "permission"],
  [/(^|_)timeout(_error)?$/, "timeout"],
  [/^(rate_limit_exceeded|rate_limit_error|requests|tokens)$/, "limited"],
  [/^not_found_error$/, "notFound"],
  [
    /^(server_error|internal_error|internal_server_error|api_error|overloaded(_error)?|service_unavailable)$/,
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

const named = (table: typeof names, { code, type }: Problem): Kind | undefined =>
  table.find(([pattern]) => [code, type].some((name) => typeof name === "string" && pattern.test(name)))?.[1]

/** The status, which some servers tell as a code. */
const statusOf = ({ code, status }: Problem): number | undefined =>
  status ?? (typeof code === "number" && code >= 400 && code < 600 ? code : undefined)

const refusesLogprobs = ({ message }: Problem): boolean =>
  typeof message === "string" && /\brequest logprobs\b/.test(message.slice(0, 500))

// Servers without the code name the model between these words.
const missingModel = /\bmodel\b[^\n]{0,200}\b(not found|does not exist)\b/i

const kindOf = (problem: Problem): Kind => {
  const status = statusOf(problem)
  const kind = named(names, problem)
  if (kind !== undefined) return kind
  // OpenAI's words for some models: the key itself may do all else.
  if (status === 403 && refusesLogprobs(problem)) return "request"
  // vLLM has no code for it.
  if (status === 400 && /model's (maximum )?context length/.test(String(problem.message))) return "tooLong"
  if (status === 404 && missingModel.test(String(problem.message).slice(0, 500))) return "model"
  if (status !== undefined) return byStatus[status] ?? (status >= 500 ? "trouble" : "request")
  return named(namesAlone, problem) ?? (typeof problem.param === "string" ? "request" : "trouble")
}

/** The parameters that are ever sent, as messages name them. */
const sent =
  /(?:parameter|value|argument|schema for|supplied)\b[^'"`\n]{0,20}['"`: ](temperature|reasoning_effort|reasoning\.effort|reasoning|seed|stop|response_format|text\.format|json_schema|max_tokens|max_completion_tokens|max_output_tokens|logprobs|top_logprobs|stream_options|store|prompt_cache_key)\b/

/** The same as a path before a colon, or as a place in a list of such, as servers in Python have them. */
const located =
  /(?:^|[\s.'"])(temperature|reasoning_effort|seed|stop|strict|json_schema|response_format|logprobs|top_logprobs|stream_options|prompt_cache_key)['"]?(?:: |\),? ?['"]msg['"])/

/** A model, or the template of its prompts, that takes no system messages. */
const refusesSystem =
  /\b(?:system|developer) (?:role|messages?|prompts?|instructions?) (?:is |are )?(?:not (?:supported|allowed|enabled|permitted)|unsupported)|\bsupport\w* (?:the )?['"`]?(?:system|developer)['"`]?(?: role| messages?| prompts?| instructions?| with\b)|\bonly user and assistant roles|^developer instruction is not enabled/i

/** The parameter that is refused: as the server says, else as its message names it. */
const parameterOf = ({ message, param }: Problem, endpoint: Endpoint): string | undefined => {
  const words = typeof message === "string" ? message.slice(0, 500) : ""
  if (refusesSystem.test(words)) return "system"
  const given = identifier(param, endpoint)
  if (given !== undefined || typeof message !== "string") return given
  if (refusesLogprobs({ message })) return "logprobs"
  const named = (sent.exec(words) ?? located.exec(words))?.[1]
  // So says Ollama of models that do not reason.
  return named ?? (/does not support thinking/.test(message) ? "reasoning_effort" : undefined)
}

type Plain = "ContextTooLong" | "QuotaExhausted" | "Authentication" | "Timeout" | "RateLimited" | "Overloaded"

/** What to tell of each kind that has no more to it, around the codes. */
const told: Readonly<
  Record<Exclude<Kind, "filtered" | "model" | "notFound" | "request">, readonly [Plain, string, string]>
> = {
  tooLong: ["ContextTooLong", "the request is longer than the model's context", "send less"],
  quota: ["QuotaExhausted", "credit or quota is used up", "check plan and billing"],
  key: ["Authentication", "the API key was refused", "check OPENAI_API_KEY or apiKey"],
  permission: ["Authentication", "this key may not do that", "check its project, model and region"],
  timeout: ["Timeout", "the server gave up waiting", "try again"],
  limited: ["RateLimited", "too many requests", "wait and try again"],
  trouble: ["Overloaded", "the server has trouble of its own", "try again later"]
}

const invalid = (
  problem: Problem,
  endpoint: Endpoint,
  kind: "model" | "notFound" | "request",
  codes: string
): Reason => {
  if (kind === "model") {
    const advice = "check the spelling of model, whether this key may use it, and whether your own server has loaded it"
    return { _tag: "InvalidRequest", message: `the server has no such model (${codes}): ${advice}`, parameter: "model" }
  }
  const parameter = parameterOf(problem, endpoint)
  const what = parameter === undefined ? codes : `${codes} parameter ${parameter}`
  const message =
    kind === "notFound"
      ? `no such model or address (${what}): check model, and that baseUrl ends where the API begins, often in /v1`
      : `the request was refused as it is (${what})${parameter ? ": capabilities tells what the model takes" : ""}`
  return {
    _tag: "InvalidRequest",
    message,
    ...(parameter !== undefined && { parameter }),
    ...(parameter !== undefined && isOutOfRange(problem) && { outOfRange: true })
  }
}

const range = /above_max|below_min|out_of_range|invalid_type|_too_(long|large|small)/
const rangeInWords =
  /\b(above (the )?max|below (the )?min|(less|greater) than( or equal)?|too (long|many|large|small)|between|at (most|least))\b/i

/** Whether not the parameter is refused but its value. */
const isOutOfRange = ({ code, message }: Problem): boolean =>
  range.test(String(code)) || rangeInWords.test(String(message).slice(0, 500))

/** Why a call failed, from the error that the server tells. */
export const reasonOf = (problem: Problem, endpoint: Endpoint, now: number): Reason => {
  if (isRedirect(problem.status)) return redirected(problem.status, endpoint)
  const kind = kindOf(problem)
  const name = identifier(problem.code, endpoint) ?? identifier(problem.type, endpoint)
  const codes = [statusOf(problem), name].filter((part) => part !== undefined).join(" ") || "no code"
  if (kind === "filtered") {
    const message = `a content filter stopped the request (${codes})`
    return { _tag: "Refused", message, ...(name !== undefined && { category: name }) }
  }
  if (kind === "model" || kind === "notFound" || kind === "request") return invalid(problem, endpoint, kind, codes)
  const [tag, what, advice] = told[kind]
  const message = `${what} (${codes}): ${advice}`
  return tag === "RateLimited" || tag === "Overloaded"
    ? { _tag: tag, message, ...toRetryAfter(problem.headers, now) }
    : { _tag: tag, message }
}

/** An error of a body by the fields that are read; others of that name, such as a status in words, are not those meant. */
export const problemOf = ({ code, message, param, status, type }: JsonSchema): Problem => ({
  code,
  message,
  param,
  type,
  ...(typeof status === "number" && status >= 400 && status < 600 && { status })
})

/** The error that an event of a stream is, if it is one. */
export const errorIn = (body: unknown, event: string): Problem | undefined => {
  if (!isObject(body)) return event === "error" ? {} : undefined
  const { error } = body
  if (isObject(error)) return problemOf(error)
  if (typeof error === "string") return { message: error }
  return event === "error" || body["object"] === "error" || body["type"] === "error" ? problemOf(body) : undefined
}

/** The error in the body of a response with a success status; `undefined` if there is none. */
export const errorOf = (
  body: unknown,
  headers: Headers,
  endpoint: Endpoint,
  now: number,
  usage: Usage = {}
): ProviderError | undefined => {
  const problem = errorIn(body, "")
  if (problem === undefined) return undefined
  return fail(endpoint, reasonOf({ ...problem, headers }, endpoint, now), { requestId: requestIdOf(headers), usage })
}

/** The parts of the SDK's status errors that are read, whichever copy of the SDK made them. */
interface StatusError extends Problem {
  readonly status: number
  readonly requestID?: unknown
}

// The SDK gives each of its request errors a status, undefined when there was no answer.
const isRequestError = (error: unknown): error is { readonly status: unknown } =>
  typeof error === "object" && error !== null && "status" in error

const isStatusError = (error: { readonly status: unknown }): error is StatusError => typeof error.status === "number"

/** What the SDK rejected with, decided by its form: errors of two copies of a package are of different classes. */
export const fromSdk = (error: unknown, endpoint: Endpoint, now: number): ProviderError => {
  if (isRequestError(error)) {
    return isStatusError(error)
      ? fail(endpoint, reasonOf(error, endpoint, now), { requestId: error.requestID })
      : fail(endpoint, unreachable(error, endpoint))
  }
  const message = "the request could not be built: check that headers and apiKey hold only what a header may"
  return fail(endpoint, { _tag: "InvalidRequest", message })
}
