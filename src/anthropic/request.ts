/**
 * The body of a Messages call.
 */
import type * as Messages from "@anthropic-ai/sdk/resources/messages"
import type { Capabilities, Output, Request, Tool } from "../Provider.ts"
import { isFormInText } from "../provider/placement.ts"
import { parametersOf } from "../provider/turns.ts"
import { type Block, toParam } from "./blocks.ts"
import type { Cache } from "./capabilities.ts"
import { toFormatSchema } from "./outputFormat.ts"
import { isBlank, textBlock, toTurns } from "./turns.ts"

/** The SDK's type no longer has a temperature. Models before Claude Opus 4.7 still accept one. */
export interface Body extends Messages.MessageCreateParamsBase {
  readonly temperature?: number
}

interface Target {
  readonly provider: string
  readonly model: string
  readonly capabilities: Capabilities
  readonly cache: Cache
  readonly formInText: number | false
  readonly stream: boolean
  /** The blocks of a turn that the model paused, and goes on with. */
  readonly paused: ReadonlyArray<Block>
}

/** `max_tokens` is required. This is sent if neither the request nor the capabilities have a limit. */
const defaultMaxTokens = 4096

const toFormat = (output: Output, mode: Capabilities["structuredOutput"]): Messages.JSONOutputFormat | undefined => {
  const schema = mode === "json-schema" ? toFormatSchema(output.jsonSchema) : undefined
  return schema && { type: "json_schema", schema }
}

const toTool = (tool: Tool): Messages.Tool => ({
  name: tool.name,
  description: tool.description,
  input_schema: parametersOf(tool)
})

/** Undefined for what the API does by itself. */
const toChoice = ({ parallelCalls, toolChoice = "auto" }: Request): Messages.ToolChoice | undefined => {
  if (toolChoice === "none") return { type: "none" }
  const alone = parallelCalls === false ? { disable_parallel_tool_use: true } : {}
  if (typeof toolChoice === "object") return { type: "tool", name: toolChoice.tool, ...alone }
  if (toolChoice === "required") return { type: "any", ...alone }
  return parallelCalls === false ? { type: "auto", ...alone } : undefined
}

export const toBody = (request: Request, target: Target): Body => {
  const { cache, capabilities, formInText, model, paused, stream } = target
  const { effort, maxTokens, stop, temperature } = request.sampling
  const { output } = request.task
  const system = request.messages.flatMap(({ role, text }) =>
    role === "system" && !isBlank(text) ? [textBlock(text)] : []
  )
  const tools = (request.tools ?? []).map(toTool)
  const choice = tools.length > 0 ? toChoice(request) : undefined
  const { ends, turns: messages } = toTurns(request.messages, target)
  if (cache !== false) {
    // the tools come before the system's text, whose mark includes them
    for (const end of [system.at(-1) ?? tools.at(-1), ...ends]) {
      if (end !== undefined) end.cache_control = { type: "ephemeral", ttl: cache }
    }
  }
  const format =
    output && (isFormInText(request, formInText) ? undefined : toFormat(output, capabilities.structuredOutput))
  if (output && format === undefined) messages.at(-1)?.content.push(textBlock(output.instructions))
  // it is what this API sent
  const begun = paused.map(toParam) as Array<Messages.ContentBlockParam>
  return {
    model,
    max_tokens: maxTokens ?? capabilities.outputTokens ?? defaultMaxTokens,
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice }),
    ...(system.length > 0 && { system }),
    messages: [...messages, ...(begun.length > 0 ? [{ role: "assistant" as const, content: begun }] : [])],
    ...((format !== undefined || effort !== undefined) && {
      output_config: {
        ...(format && { format }),
        // Other servers may have their own efforts; the type lists only Anthropic's.
        ...(effort !== undefined && { effort: effort as NonNullable<Messages.OutputConfig["effort"]> })
      }
    }),
    ...(temperature !== undefined && { temperature }),
    ...(stop !== undefined && { stop_sequences: [...stop] }),
    ...(stream && { stream })
  }
}
