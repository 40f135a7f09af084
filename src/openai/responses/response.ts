/**
 * Answers of a Responses call.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { countsAt } from "../../http/counts.ts"
import { type Endpoint, fail, identifier, named } from "../../http/Endpoint.ts"
import { type Body, requestIdOf } from "../../http/transport.ts"
import type { ProviderError, Reason, Response, Usage } from "../../Provider.ts"
import { maybe, parse } from "../api/decoding.ts"
import { errorOf, problemOf, reasonOf } from "../api/failure.ts"
import { limitsOf } from "../api/limits.ts"

const places = {
  inputTokens: ["usage", "input_tokens"],
  outputTokens: ["usage", "output_tokens"],
  cachedInputTokens: ["usage", "input_tokens_details", "cached_tokens"],
  cacheWriteTokens: ["usage", "input_tokens_details", "cache_write_tokens"],
  reasoningTokens: ["usage", "output_tokens_details", "reasoning_tokens"]
}

const Part = Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })

const Item = Schema.Struct({
  type: Schema.String,
  phase: maybe(Schema.String),
  status: maybe(Schema.String),
  content: maybe(Schema.Unknown)
})

const Whole = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  status: Schema.String,
  error: maybe(Schema.Record(Schema.String, Schema.Unknown)),
  incomplete_details: maybe(Schema.Struct({ reason: maybe(Schema.String) })),
  output: maybe(Schema.Array(Item))
})

const decodeWhole = Schema.decodeUnknownOption(Whole)
const decodeParts = Schema.decodeUnknownOption(Schema.Array(Part))

/** The tokens that an answer tells. */
export const toUsage = (body: unknown): Usage => countsAt(body, places)

/** Whether an item of the output is a message on the way to the answer, not the answer. */
export const isCommentary = ({ phase }: { readonly phase?: string | null }): boolean => phase === "commentary"

/** What the messages of an answer say, and whether one of them is a refusal. */
const spoken = (
  output: NonNullable<(typeof Whole.Type)["output"]>
): { readonly text: string; readonly declined: boolean } => {
  const parts = output
    .filter((item) => item.type === "message" && !isCommentary(item))
    .flatMap(({ content }) => Option.getOrElse(decodeParts(content), () => []))
  return {
    text: parts.flatMap(({ text, type }) => (type === "output_text" ? [text ?? ""] : [])).join(""),
    declined: parts.some(({ type }) => type === "refusal")
  }
}

/** The status says how an answer ended; only a completed one counts. */
const unfinished = (
  { error, incomplete_details, output, status }: typeof Whole.Type,
  headers: Headers,
  endpoint: Endpoint,
  now: number
): Reason | undefined => {
  const why = incomplete_details?.reason
  switch (status) {
    case "completed":
      return output?.some((item) => item.type === "message" && !isCommentary(item) && item.status === "incomplete")
        ? { _tag: "Truncated", message: "a message of the answer is not complete: raise maxTokens or ask for less" }
        : undefined
    case "failed":
      return reasonOf({ ...problemOf(error ?? {}), headers }, endpoint, now)
    case "incomplete":
      if (why === "content_filter") {
        return { _tag: "Refused", message: "a content filter stopped the answer", category: "content_filter" }
      }
      return {
        _tag: "Truncated",
        message: `the answer was cut off (${identifier(why, endpoint) ?? "no reason given"}): raise maxTokens or ask for less`
      }
    case "cancelled":
      return { _tag: "Truncated", message: "the answer was cancelled at the server: try again" }
    default:
      return { _tag: "InvalidResponse", message: "the answer does not say that it is finished" }
  }
}

/** An answer, or why it is none, with what it cost. */
export interface Read {
  readonly usage: Usage
  readonly answer: { readonly reason: Reason } | { readonly response: Response }
}

/** Reads a response; nothing when it is of another form. `pieces` is what a stream told of it before. */
export const read = (
  body: unknown,
  headers: Headers,
  endpoint: Endpoint,
  now: number,
  pieces: { readonly text: string; readonly declined: boolean } = { text: "", declined: false }
): Read | undefined => {
  const whole = decodeWhole(body)
  if (Option.isNone(whole)) return undefined
  const { id, model, output } = whole.value
  const usage = toUsage(body)
  const { declined, text } = spoken(output ?? [])
  const answer = text === "" ? pieces.text : text
  const problem = (reason: Reason): Read => ({ usage, answer: { reason } })
  if (declined || pieces.declined) return problem({ _tag: "Refused", message: "the model declined to answer" })
  const reason = unfinished(whole.value, headers, endpoint, now)
  if (reason !== undefined) return problem(reason)
  if (answer.trim() === "") return problem({ _tag: "EmptyAnswer", message: "the answer has no text" })
  if (pieces.text !== "" && pieces.text !== answer) {
    return problem({ _tag: "InvalidResponse", message: "the pieces of the answer are not the whole of it: try again" })
  }
  return { usage, answer: { response: { text: answer, usage, ...named({ id, model }, endpoint) } } }
}

/** Decodes the body of an answer with a good status. */
export const decode = (
  { headers, text }: Body,
  endpoint: Endpoint,
  now: number
): Effect.Effect<Response, ProviderError> => {
  const body = parse(text)
  const found = read(body, headers, endpoint, now)
  const details = { requestId: requestIdOf(headers), usage: found?.usage ?? toUsage(body) }
  const error = found === undefined ? errorOf(body, headers, endpoint, now, details.usage) : undefined
  if (error !== undefined) return Effect.fail(error)
  if (found === undefined) {
    const message = `${endpoint.host} sent something else than a response: use api: "chat", or check baseUrl`
    return Effect.fail(fail(endpoint, { _tag: "InvalidResponse", message }, details))
  }
  const { answer } = found
  return "reason" in answer
    ? Effect.fail(fail(endpoint, answer.reason, details))
    : Effect.succeed({ ...answer.response, ...limitsOf(headers) })
}
