/**
 * The body of a Responses call.
 */
import type { ReasoningEffort } from "openai/resources/shared"
import type * as Responses from "openai/resources/responses/responses"
import type { Request } from "../../Provider.ts"
import type { Target } from "../api/client.ts"
import { type Format, isInWords } from "../api/format.ts"
import { toMessages } from "../api/messages.ts"

type Body = Responses.ResponseCreateParamsNonStreaming

const toTextFormat = (format: Format): Responses.ResponseFormatTextConfig =>
  format.type === "json_object" ? format : { ...format, schema: { ...format.schema } }

export const toBody = (
  { messages, sampling: { effort, maxTokens, temperature }, task: { output } }: Request,
  format: Format | undefined,
  target: Target
): Body => ({
  model: target.model,
  // System messages keep their places, so that a longer conversation begins with the bytes of the shorter one.
  input: toMessages(messages, target, "input_text", isInWords(output, format) ? output.instructions : undefined),
  store: false,
  ...(target.cacheKey !== undefined && { prompt_cache_key: target.cacheKey }),
  ...(format && { text: { format: toTextFormat(format) } }),
  ...(temperature !== undefined && { temperature }),
  // Efforts differ by model; the type lists the current ones.
  ...(effort !== undefined && { reasoning: { effort: effort as NonNullable<ReasoningEffort> } }),
  ...(maxTokens !== undefined && { max_output_tokens: maxTokens })
})
