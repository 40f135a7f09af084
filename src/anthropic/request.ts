/**
 * The body of a Messages call.
 */
import type * as Messages from "@anthropic-ai/sdk/resources/messages"
import type { Capabilities, Message, Output, Request } from "../Provider.ts"
import type { Cache } from "./capabilities.ts"
import { isFormInText, stableLength } from "../provider/placement.ts"
import { toFormatSchema } from "./outputFormat.ts"

/** The SDK's type no longer has a temperature. Models before Claude Opus 4.7 still accept one. */
export interface Body extends Messages.MessageCreateParamsBase {
  readonly temperature?: number
}

interface Target {
  readonly model: string
  readonly capabilities: Capabilities
  readonly cache: Cache
  readonly formInText: number | false
  readonly stream: boolean
}

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: Array<Messages.TextBlockParam>
}

/** `max_tokens` is required. This is sent if neither the request nor the capabilities have a limit. */
const defaultMaxTokens = 4096

// The user's turn for a conversation that does not begin, or end, with the user. Constant, for the prompt cache.
const begun = "(The conversation began before this.)"
const goOn = "Go on."

const block = (text: string): Messages.TextBlockParam => ({ type: "text", text })

/** The server refuses blank texts. */
const isBlank = (text: string): boolean => text.trim() === ""

const toFormat = (output: Output, mode: Capabilities["structuredOutput"]): Messages.JSONOutputFormat | undefined => {
  const schema = mode === "json-schema" ? toFormatSchema(output.jsonSchema) : undefined
  return schema && { type: "json_schema", schema }
}

interface Turns {
  /** Turns that alternate, beginning and ending with the user. */
  readonly turns: ReadonlyArray<Turn>
  /** The blocks that end a part which other calls begin with: other thoughts, and the next call of this one. */
  readonly ends: ReadonlyArray<Messages.TextBlockParam | undefined>
}

/**
 * A message is a block. Notes that begin a conversation and may begin others are a block of their own, and so is what a
 * request does not leave in its conversation.
 */
const toTurns = (messages: ReadonlyArray<Message>): Turns => {
  const turns: Array<Turn> = []
  const add = (role: Turn["role"], text: string): Messages.TextBlockParam => {
    const last = turns.at(-1)
    const added = block(text)
    if (last?.role === role) last.content.push(added)
    else turns.push({ role, content: [added] })
    return added
  }
  let shared: Messages.TextBlockParam | undefined
  let kept: Messages.TextBlockParam | undefined
  for (const message of messages) {
    const { role, text } = message
    if (role === "system" || isBlank(text)) continue
    if (role === "assistant" && turns.length === 0) add("user", begun)
    const end = message.kept ?? text.length
    const start = turns.length === 0 ? Math.min(stableLength(text), end) : 0
    if (start > 0) shared = add(role, text.slice(0, start))
    if (start < end) kept = add(role, text.slice(start, end))
    if (end < text.length) add(role, text.slice(end))
    if (message.kept === undefined) kept = undefined
  }
  // New models refuse a conversation that ends with the assistant.
  if (turns.at(-1)?.role !== "user") add("user", goOn)
  return { turns, ends: [shared, kept ?? turns.flatMap(({ content }) => content).at(-2)] }
}

export const toBody = (request: Request, { cache, capabilities, formInText, model, stream }: Target): Body => {
  const { effort, maxTokens, stop, temperature } = request.sampling
  const { output } = request.task
  const system = request.messages.flatMap(({ role, text }) =>
    role === "system" && !isBlank(text) ? [block(text)] : []
  )
  const { ends, turns: messages } = toTurns(request.messages)
  if (cache !== false) {
    for (const end of [system.at(-1), ...ends]) {
      if (end !== undefined) end.cache_control = { type: "ephemeral", ttl: cache }
    }
  }
  const format =
    output && (isFormInText(request, formInText) ? undefined : toFormat(output, capabilities.structuredOutput))
  if (output && format === undefined) messages.at(-1)?.content.push(block(output.instructions))
  return {
    model,
    max_tokens: maxTokens ?? capabilities.outputTokens ?? defaultMaxTokens,
    ...(system.length > 0 && { system }),
    messages: [...messages],
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
