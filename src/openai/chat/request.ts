/**
 * The body of a chat completions call.
 */
import type * as Chat from "openai/resources/chat/completions"
import type { Request, Tool, ToolChoice } from "../../Provider.ts"
import { takesNewLimit } from "../api/capabilities.ts"
import type { Target } from "../api/client.ts"
import { type Format, isInWords } from "../api/format.ts"
import { toFunction } from "../api/tools.ts"
import { toMessages } from "./messages.ts"

type Body = Chat.ChatCompletionCreateParamsNonStreaming

/**
 * The field that limits an answer's tokens: `max_completion_tokens`, or `max_tokens` for models and servers that do not
 * know the new name. `otherLimit` uses the other name, after a server has refused the expected one.
 */
export const toLimit = (maxTokens: number, { model, official }: Target, otherLimit = false) =>
  takesNewLimit(model, official) !== otherLimit ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }

const toResponseFormat = (format: Format): NonNullable<Body["response_format"]> => {
  if (format.type === "json_object") return format
  const { name, schema, strict } = format
  return { type: "json_schema", json_schema: { name, schema, strict } }
}

const toTool = (tool: Tool, official: boolean): Chat.ChatCompletionTool => {
  const { strict, ...rest } = toFunction(tool)
  // other servers may not know the field
  return { type: "function", function: official && strict ? { ...rest, strict } : rest }
}

const toChoice = (choice: ToolChoice): Chat.ChatCompletionToolChoiceOption =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } }

export const toBody = (
  { messages, parallelCalls, sampling, task: { output }, toolChoice, tools = [] }: Request,
  format: Format | undefined,
  target: Target,
  otherLimit = false
): Body => {
  const { cacheKey, model, official } = target
  const { effort, maxTokens, seed, stop, temperature } = sampling
  return {
    model,
    messages: toMessages(messages, target, isInWords(output, format) ? output.instructions : undefined),
    // Other servers may not know the field. Without it, OpenAI may store conversations.
    ...(official && { store: false }),
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => toTool(tool, official)),
      ...(toolChoice !== undefined && { tool_choice: toChoice(toolChoice) }),
      ...(parallelCalls !== undefined && { parallel_tool_calls: parallelCalls })
    }),
    ...(format && { response_format: toResponseFormat(format) }),
    ...(temperature !== undefined && { temperature }),
    // Other servers have their own efforts; the type lists only OpenAI's.
    ...(effort !== undefined && { reasoning_effort: effort as NonNullable<Body["reasoning_effort"]> }),
    ...(maxTokens !== undefined && toLimit(maxTokens, target, otherLimit)),
    // oxlint-disable-next-line typescript/no-deprecated
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stop: [...stop] })
  }
}
