/**
 * The body of a Responses call.
 */
import type { ReasoningEffort } from "openai/resources/shared"
import type * as Responses from "openai/resources/responses/responses"
import type { Request } from "../../Provider.ts"
import type { Target } from "../api/client.ts"
import { type Format, isInWords } from "../api/format.ts"
import { toMessages } from "../chat/request.ts"

type Body = Responses.ResponseCreateParamsNonStreaming

const toTextFormat = (format: Format): Responses.ResponseFormatTextConfig =>
  format.type === "json_object" ? format : { ...format, schema: { ...format.schema } }

export const toBody = (
  { messages, sampling: { effort, maxTokens, temperature }, task: { output } }: Request,
  format: Format | undefined,
  { cacheKey, model }: Target
): Body => ({
  model,
  // System messages keep their places, so that a longer conversation begins with the bytes of the shorter one.
  input: [
    ...toMessages(messages),
    ...(isInWords(output, format) ? [{ role: "user" as const, content: output.instructions }] : [])
  ],
  store: false,
  ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
  ...(format && { text: { format: toTextFormat(format) } }),
  ...(temperature !== undefined && { temperature }),
  // Efforts differ by model; the type lists the current ones.
  ...(effort !== undefined && { reasoning: { effort: effort as NonNullable<ReasoningEffort> } }),
  ...(maxTokens !== undefined && { max_output_tokens: maxTokens })
})
