/** Reads prompts and tools of `effect/ai` as the messages and tools of a request. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ProviderOptions } from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type { Carry, Message, Request, Tool, ToolCall, ToolResult } from "../Provider.ts"

/** Where what an answer carries stands among the options of its parts. */
export const carriedIn = "cogito"

const Carried = Schema.Struct({
  carry: Schema.Struct({ provider: Schema.String, model: Schema.String, data: Schema.Json })
})

const decodeCarried = Schema.decodeUnknownOption(Carried)

const toCarry = ({ options }: { readonly options: Readonly<Record<string, unknown>> }): ReadonlyArray<Carry> =>
  Option.match(decodeCarried(options[carriedIn]), { onNone: () => [], onSome: ({ carry }) => [carry] })

const toCall = ({ id, name, params }: Prompt.ToolCallPart): ToolCall => ({ id, name, params: textOf(params) })

/** A text as it is, and JSON of any other value. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "null")

/** The result of a tool. Undefined if the model would get something else than text. */
const toResult = ({ id, isFailure, modelOutput, name, result }: Prompt.ToolResultPart): ToolResult | undefined => {
  const texts = modelOutput?.flatMap((part) => (part.type === "text" ? [part.text] : []))
  if (texts !== undefined && texts.length < (modelOutput?.length ?? 0)) return undefined
  return { id, name, isFailure, text: texts?.join("\n") ?? textOf(result) }
}

const isOf = <A extends string>(...types: ReadonlyArray<A>) => {
  const all: ReadonlySet<string> = new Set(types)
  return <P extends { readonly type: string }>(part: P): part is Extract<P, { readonly type: A }> => all.has(part.type)
}

const toAssistant = ({ content }: Prompt.AssistantMessage): Message | undefined => {
  if (!content.every(isOf("text", "reasoning", "tool-call"))) return undefined
  const calls = content.filter(isOf("tool-call"))
  if (calls.some(({ providerExecuted }) => providerExecuted)) return undefined
  const text = content
    .filter(isOf("text"))
    .map((part) => part.text)
    .join("")
  const [carry] = calls.flatMap(toCarry)
  return {
    role: "assistant",
    text,
    ...(calls.length > 0 && { calls: calls.map(toCall) }),
    ...(carry !== undefined && { carry })
  }
}

const toTool = ({ content }: Prompt.ToolMessage): Message | undefined => {
  const results = content.map((part) => (part.type === "tool-result" ? toResult(part) : undefined))
  const known = results.filter((result) => result !== undefined)
  return known.length < results.length ? undefined : { role: "tool", text: "", results: known }
}

const toMessage = (message: Prompt.Message): Message | undefined => {
  switch (message.role) {
    case "system":
      return { role: "system", text: message.content }
    case "user": {
      const texts = message.content.filter(isOf("text"))
      if (texts.length < message.content.length) return undefined
      return { role: "user", text: texts.map(({ text }) => text).join("") }
    }
    case "assistant":
      return toAssistant(message)
    default:
      return toTool(message)
  }
}

/** The messages of a prompt. Undefined if one contains files, approvals, or calls that a model's server executes. */
export const toMessages = ({ content }: Prompt.Prompt): ReadonlyArray<Message> | undefined => {
  const messages = content.map(toMessage)
  const known = messages.filter((message) => message !== undefined)
  return known.length < messages.length ? undefined : known
}

/** The tools of a call. Undefined if one of them belongs to a vendor. */
export const toTools = ({ toolChoice, tools }: ProviderOptions): Pick<Request, "tools" | "toolChoice"> | undefined => {
  if (tools.some((tool) => AiTool.isProviderDefined(tool))) return undefined
  if (tools.length === 0) return {}
  const all = tools.map((tool): Tool => ({
    name: String(tool.name),
    description: AiTool.getDescription(tool) ?? "",
    parameters: AiTool.getJsonSchema(tool)
  }))
  const isSubset = typeof toolChoice === "object" && "oneOf" in toolChoice
  return { tools: all, toolChoice: isSubset ? (toolChoice.mode ?? "auto") : toolChoice }
}
