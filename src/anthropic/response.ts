/**
 * Answers of a Messages call, decoded without trust in what the server sends.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { countsAt } from "../http/counts.ts"
import { type Endpoint, fail, identifier, named } from "../http/Endpoint.ts"
import { type Body, requestIdOf } from "../http/transport.ts"
import type { ProviderError, Reason, Response, Usage } from "../Provider.ts"
import { fromSaid } from "./failure.ts"

// Servers leave fields out or send null, as they like.
const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** What was billed, as the server counts it: input without what the cache holds. */
const places = {
  input: ["input_tokens"],
  read: ["cache_read_input_tokens"],
  written: ["cache_creation_input_tokens"],
  output: ["output_tokens"],
  thinking: ["output_tokens_details", "thinking_tokens"]
}
export type Billed = { readonly [K in keyof typeof places]?: number }

/** Why an answer ended. */
export const Stop = Schema.Struct({
  stop_reason: maybe(Schema.String),
  stop_details: maybe(Schema.Struct({ category: maybe(Schema.String) }))
})
export type Stop = typeof Stop.Type

const Iterated = Schema.Struct({ iterations: Schema.Array(Schema.Unknown) })

/** An error in place of a message, or as an event of a stream. */
export const Broken = Schema.Struct({
  type: Schema.Literal("error"),
  error: Schema.Struct({
    type: maybe(Schema.String),
    message: maybe(Schema.String),
    details: maybe(Schema.Struct({ error_code: maybe(Schema.String) }))
  }),
  request_id: maybe(Schema.String)
})

const Message = Schema.Struct({
  ...Stop.fields,
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: maybe(Schema.String) }))
})

export const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeIterated = Schema.decodeUnknownOption(Iterated)
const decodeBroken = Schema.decodeUnknownOption(Broken)
const decodeMessage = Schema.decodeUnknownOption(Message)

/**
 * The tokens that were billed. A count that is no number is left out; the others stay. If several models ran one after the
 * other, or the conversation was summarized first, the totals may be those of the last run only. `iterations` lists each
 * run, and their sum was billed.
 */
export const billedOf = (usage: unknown): Billed => {
  const told = countsAt(usage, places)
  const { iterations } = Option.getOrElse(decodeIterated(usage), () => ({ iterations: [] }))
  const runs = iterations.map((run) => countsAt(run, places))
  return runs.length === 0 ? told : largerOf(told, summed(runs))
}

const counted = ["input", "read", "written", "output"] as const

const summed = (runs: ReadonlyArray<Billed>): Billed =>
  Object.fromEntries(counted.map((name) => [name, runs.reduce((sum, run) => sum + (run[name] ?? 0), 0)]))

const largerOf = (told: Billed, sum: Billed): Billed => ({
  ...told,
  ...Object.fromEntries(counted.map((name) => [name, Math.max(told[name] ?? 0, sum[name] ?? 0)]))
})

/** Later counts of a stream are of the whole answer until then. */
export const laterOf = (first: Billed, then: Billed): Billed => ({ ...first, ...then })

export const toUsage = ({ input, output, read, thinking, written }: Billed): Usage => ({
  ...(input !== undefined && { inputTokens: input + (read ?? 0) + (written ?? 0) }),
  ...(output !== undefined && { outputTokens: output }),
  ...(read !== undefined && { cachedInputTokens: read }),
  ...(written !== undefined && { cacheWriteTokens: written }),
  ...(thinking !== undefined && { reasoningTokens: thinking })
})

/** Why this is no valid answer; `undefined` if it is complete and has text. */
export const toProblem = (
  { stop_details, stop_reason }: Stop,
  text: string,
  endpoint: Endpoint
): Reason | undefined => {
  switch (stop_reason) {
    case "end_turn":
    case "stop_sequence":
      return text.trim() === "" ? { _tag: "EmptyAnswer", message: "the answer has no text" } : undefined
    case "refusal": {
      const category = identifier(stop_details?.category, endpoint)
      const message = `the model declined to answer${category === undefined ? "" : ` (${category})`}`
      return { _tag: "Refused", message, ...(category !== undefined && { category }) }
    }
    case "max_tokens":
      return {
        _tag: "Truncated",
        message: "the answer was cut off by the length limit: raise maxTokens or ask for less"
      }
    case "model_context_window_exceeded":
      return { _tag: "ContextTooLong", message: "the answer did not fit into the model's context: send less" }
    case "pause_turn":
    case "tool_use":
      return {
        _tag: "InvalidResponse",
        message: `the model waits for more (${stop_reason}), which nothing asked it to`
      }
    default:
      return { _tag: "InvalidResponse", message: "the answer does not say that it is finished" }
  }
}

/** Decodes the body of an answer with a good status. */
export const decode = (
  { headers, text: body }: Body,
  endpoint: Endpoint,
  now: number
): Effect.Effect<Response, ProviderError> => {
  const json = Option.getOrUndefined(decodeJson(body))
  const requestId = requestIdOf(headers)
  const broken = Option.getOrUndefined(decodeBroken(json))
  if (broken !== undefined) return Effect.fail(fromBroken(broken, headers, endpoint, now))
  const message = Option.getOrUndefined(decodeMessage(json))
  if (message === undefined) {
    const told = `${endpoint.host} sent something else than a message: check that baseUrl is that of an Anthropic-style API`
    return Effect.fail(fail(endpoint, { _tag: "InvalidResponse", message: told }, { requestId }))
  }
  const usage = toUsage(billedOf(Option.getOrUndefined(decodeUsage(json))?.usage))
  const { content, id, model } = message
  const text = content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("")
  const problem = toProblem(message, text, endpoint)
  if (problem !== undefined) return Effect.fail(fail(endpoint, problem, { requestId, usage }))
  return Effect.succeed({ text, usage, ...named({ id, model }, endpoint) })
}

/** Why there is no answer, by the error that a server sent with a good status. */
export const fromBroken = (
  { error, request_id }: typeof Broken.Type,
  headers: Headers,
  endpoint: Endpoint,
  now: number,
  usage: Usage = {}
): ProviderError => {
  const { details, message, type } = error
  const said = { headers, type, code: details?.error_code, message }
  return fromSaid(said, endpoint, now, { requestId: requestIdOf(headers) ?? request_id, usage })
}

const decodeUsage = Schema.decodeUnknownOption(Schema.Struct({ usage: Schema.Unknown }))
