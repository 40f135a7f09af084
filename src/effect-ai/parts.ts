/** Turns an answer of a provider into the parts of an answer of `effect/ai`, whole or streamed. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as AiResponse from "effect/ai/Response"
import type { Response, StreamPart } from "../Provider.ts"
import { carriedIn } from "./prompt.ts"

type EndPart = AiResponse.ResponseMetadataPartEncoded | AiResponse.FinishPartEncoded

const toEnd = ({ calls = [], id, model, usage }: Response): ReadonlyArray<EndPart> => {
  const {
    cachedInputTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    inputTokens,
    outputTokens,
    reasoningTokens
  } = usage
  const uncached = inputTokens === undefined ? undefined : inputTokens - (cacheRead ?? 0) - (cacheWrite ?? 0)
  const text = outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0)
  return [
    { type: "response-metadata", id, modelId: model },
    {
      type: "finish",
      reason: calls.length === 0 ? "stop" : "tool-calls",
      usage: {
        inputTokens: { total: inputTokens, uncached, cacheRead, cacheWrite },
        outputTokens: { total: outputTokens, text, reasoning: reasoningTokens }
      }
    }
  ]
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The parameters of a call. Text that is not JSON is passed on as it is, and the tool rejects it. */
export const paramsOf = (text: string): unknown => Option.getOrElse(decodeJson(text), () => text)

/** What the answer carries is with its first call, and comes back with it in the next prompt. */
const toCalls = ({ calls = [], carry }: Response): ReadonlyArray<AiResponse.ToolCallPartEncoded> =>
  calls.map(({ id, name, params }, i) => ({
    type: "tool-call",
    id,
    name,
    params: paramsOf(params),
    ...(i === 0 && carry !== undefined && { metadata: { [carriedIn]: { carry: { ...carry } } } })
  }))

/** The parts of a whole answer with this text. */
export const toParts = (response: Response, text: string): Array<AiResponse.PartEncoded> => [
  ...(text === "" && (response.calls ?? []).length > 0 ? [] : [{ type: "text", text } as const]),
  ...toCalls(response),
  ...toEnd(response)
]

// An answer has a single text, and a single reasoning.
const id = "0"

/** Turns the parts of one stream. */
export const streaming = () => {
  const called = new Set<string>()
  let reasons = false
  return (part: StreamPart): ReadonlyArray<AiResponse.StreamPartEncoded> => {
    switch (part._tag) {
      case "Text":
        return [{ type: "text-delta", id, delta: part.delta }]
      case "Reasoning": {
        const begun = reasons
        reasons = true
        const delta = { type: "reasoning-delta", id, delta: part.delta } as const
        return begun ? [delta] : [{ type: "reasoning-start", id }, delta]
      }
      case "Call": {
        const begun = called.has(part.id)
        called.add(part.id)
        const delta = { type: "tool-params-delta", id: part.id, delta: part.delta } as const
        return begun ? [delta] : [{ type: "tool-params-start", id: part.id, name: part.name }, delta]
      }
      default:
        return [
          ...(reasons ? [{ type: "reasoning-end", id } as const] : []),
          { type: "text-end", id },
          ...[...called].map((call) => ({ type: "tool-params-end", id: call }) as const),
          ...toCalls(part.response),
          ...toEnd(part.response)
        ]
    }
  }
}

export const begin: AiResponse.StreamPartEncoded = { type: "text-start", id }
