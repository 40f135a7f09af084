/**
 * The body of a Responses call.
 */
import type { ReasoningEffort } from "openai/resources/shared"
import type * as Responses from "openai/resources/responses/responses"
import type { Request, Tool, ToolChoice } from "../../Provider.ts"
import type { Target } from "../api/client.ts"
import { type Format, isInWords } from "../api/format.ts"
import { toFunction } from "../api/tools.ts"
import { toInput } from "./input.ts"

type Body = Responses.ResponseCreateParamsNonStreaming

const toTextFormat = (format: Format): Responses.ResponseFormatTextConfig =>
  format.type === "json_object" ? format : { ...format, schema: { ...format.schema } }

const toTool = (tool: Tool, { official }: Target): Responses.FunctionTool => {
  const { strict, ...rest } = toFunction(tool)
  // The API takes functions for strict unless it reads otherwise.
  return { type: "function", ...rest, strict: official && strict }
}

const toChoice = (choice: ToolChoice): NonNullable<Body["tool_choice"]> =>
  typeof choice === "string" ? choice : { type: "function", name: choice.tool }

export const toBody = (
  { messages, parallelCalls, sampling, task: { output }, toolChoice, tools = [] }: Request,
  format: Format | undefined,
  target: Target,
  includes: boolean
): Body => {
  const { effort, maxTokens, temperature } = sampling
  return {
    model: target.model,
    // System messages keep their places, so that a longer conversation begins with the bytes of the shorter one.
    input: toInput(messages, target, isInWords(output, format) ? output.instructions : undefined),
    store: false,
    ...(tools.length > 0 && {
      tools: tools.map((tool) => toTool(tool, target)),
      ...(toolChoice !== undefined && { tool_choice: toChoice(toolChoice) }),
      ...(parallelCalls !== undefined && { parallel_tool_calls: parallelCalls }),
      // Nothing is stored, so the model gets its reasoning back with the results.
      ...(includes && target.reasons && { include: ["reasoning.encrypted_content" as const] })
    }),
    ...(target.cacheKey !== undefined && { prompt_cache_key: target.cacheKey }),
    ...(format && { text: { format: toTextFormat(format) } }),
    ...(temperature !== undefined && { temperature }),
    // Efforts differ by model; the type lists the current ones.
    ...(effort !== undefined && { reasoning: { effort: effort as NonNullable<ReasoningEffort> } }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens })
  }
}
