/**
 * Answers of a chat completions call, decoded without trust in what the server sends.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Endpoint, fail } from "../http/Endpoint.ts"
import { type Body, requestIdOf } from "../http/transport.ts"
import type { ProviderError, Reason, Response, Usage } from "../Provider.ts"

// Servers leave fields out or send null, as they like.
const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Count = maybe(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

const Billed = Schema.Struct({
  usage: Schema.Struct({
    prompt_tokens: Count,
    completion_tokens: Count,
    prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: Count, cache_write_tokens: Count })),
    completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: Count }))
  })
})

const Completion = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: maybe(Schema.String),
      message: Schema.Struct({ content: maybe(Schema.String), refusal: maybe(Schema.String) })
    })
  )
})

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeBilled = Schema.decodeUnknownOption(Billed)
const decodeCompletion = Schema.decodeUnknownOption(Completion)

const toUsage = (body: unknown): Usage => {
  const billed = decodeBilled(body)
  if (Option.isNone(billed)) return {}
  const { completion_tokens, completion_tokens_details, prompt_tokens, prompt_tokens_details } = billed.value.usage
  const counts = {
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    cachedInputTokens: prompt_tokens_details?.cached_tokens,
    cacheWriteTokens: prompt_tokens_details?.cache_write_tokens,
    reasoningTokens: completion_tokens_details?.reasoning_tokens
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => typeof count === "number"))
}

/** Only a finished answer with text in it is one. */
const toProblem = ({ finish_reason, message }: (typeof Completion.Type)["choices"][0]): Reason | undefined => {
  if (message.refusal) return { _tag: "Refused", message: "the model declined to answer" }
  if (finish_reason === "content_filter") {
    return { _tag: "Refused", message: "a content filter stopped the answer", category: "content_filter" }
  }
  if (finish_reason === "length") {
    return { _tag: "Truncated", message: "the answer was cut off by the length limit: raise maxTokens or ask for less" }
  }
  if (finish_reason !== "stop") {
    return { _tag: "InvalidResponse", message: "the answer does not say that it is finished" }
  }
  return message.content?.trim() ? undefined : { _tag: "EmptyAnswer", message: "the answer has no text" }
}

/** Decodes the body of an answer with a good status. */
export const decode = ({ headers, text }: Body, endpoint: Endpoint): Effect.Effect<Response, ProviderError> => {
  const requestId = requestIdOf(headers)
  const body = Option.getOrUndefined(decodeJson(text))
  const usage = toUsage(body)
  const completion = decodeCompletion(body)
  if (Option.isNone(completion)) {
    const message = `${endpoint.host} sent something else than a chat completion: check that baseUrl is that of an OpenAI-style API`
    return Effect.fail(fail(endpoint, { _tag: "InvalidResponse", message }, { requestId, usage }))
  }
  const {
    choices: [choice],
    id,
    model
  } = completion.value
  const problem = toProblem(choice)
  if (problem !== undefined) return Effect.fail(fail(endpoint, problem, { requestId, usage }))
  return Effect.succeed({ text: choice.message.content ?? "", usage, ...(model && { model }), ...(id && { id }) })
}
