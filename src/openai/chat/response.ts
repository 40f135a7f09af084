/**
 * Answers of a chat completions call.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { countsAt } from "../../http/counts.ts"
import { type Endpoint, fail, named } from "../../http/Endpoint.ts"
import { type Body, requestIdOf } from "../../http/transport.ts"
import type { ProviderError, Reason, Response, Usage } from "../../Provider.ts"
import { maybe, parse } from "../api/decoding.ts"
import { errorOf } from "../api/failure.ts"
import { limitsOf } from "../api/limits.ts"

const places = {
  inputTokens: ["usage", "prompt_tokens"],
  outputTokens: ["usage", "completion_tokens"],
  cachedInputTokens: ["usage", "prompt_tokens_details", "cached_tokens"],
  cacheWriteTokens: ["usage", "prompt_tokens_details", "cache_write_tokens"],
  reasoningTokens: ["usage", "completion_tokens_details", "reasoning_tokens"]
}

/** Text, or parts of it beside what the model thought, as Mistral's models that reason have them. */
export const Content = Schema.Union([
  Schema.String,
  Schema.NonEmptyArray(Schema.Struct({ type: Schema.String, text: maybe(Schema.String) }))
])

export const textOf = (content: typeof Content.Type | null | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).map(({ text, type }) => (type === "text" ? (text ?? "") : "")).join("")

const Completion = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: maybe(Schema.String),
      message: Schema.Struct({ content: maybe(Content), refusal: maybe(Schema.String) })
    })
  )
})

const decodeCompletion = Schema.decodeUnknownOption(Completion)

/** The tokens that an answer, or a piece of one, tells. */
export const toUsage = (body: unknown): Usage => countsAt(body, places)

/** An answer as far as it came. */
export interface Ended {
  readonly text: string
  readonly declined: boolean
  readonly finish: string | null | undefined
}

/** Only a finished answer with text in it is one. */
export const toProblem = ({ declined, finish, text }: Ended): Reason | undefined => {
  if (declined) return { _tag: "Refused", message: "the model declined to answer" }
  if (finish === "content_filter") {
    return { _tag: "Refused", message: "a content filter stopped the answer", category: "content_filter" }
  }
  if (finish === "length") {
    return { _tag: "Truncated", message: "the answer was cut off by the length limit: raise maxTokens or ask for less" }
  }
  if (finish !== "stop") {
    return { _tag: "InvalidResponse", message: "the answer does not say that it is finished" }
  }
  return text.trim() === "" ? { _tag: "EmptyAnswer", message: "the answer has no text" } : undefined
}

/** Decodes the body of an answer with a good status. */
export const decode = (
  { headers, text }: Body,
  endpoint: Endpoint,
  now: number
): Effect.Effect<Response, ProviderError> => {
  const body = parse(text)
  const details = { requestId: requestIdOf(headers), usage: toUsage(body) }
  const error = errorOf(body, headers, endpoint, now, details.usage)
  if (error !== undefined) return Effect.fail(error)
  const completion = decodeCompletion(body)
  if (Option.isNone(completion)) {
    const message = `${endpoint.host} sent something else than a chat completion: check that baseUrl is that of an OpenAI-style API`
    return Effect.fail(fail(endpoint, { _tag: "InvalidResponse", message }, details))
  }
  const {
    choices: [{ finish_reason: finish, message }],
    id,
    model
  } = completion.value
  const answer = textOf(message.content)
  const problem = toProblem({ text: answer, declined: Boolean(message.refusal), finish })
  if (problem !== undefined) return Effect.fail(fail(endpoint, problem, details))
  return Effect.succeed({
    text: answer,
    usage: details.usage,
    ...named({ id, model }, endpoint),
    ...limitsOf(headers)
  })
}
