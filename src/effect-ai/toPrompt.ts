/** Turns the messages and tools of a request into a prompt and a toolkit of `effect/ai`. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { type Piece, piecesOf } from "../provider/carry.ts"
import { parametersOf } from "../provider/turns.ts"
import type { Message, Request } from "../Provider.ts"
import type { Caller } from "./failure.ts"
import { paramsOf } from "./parts.ts"

type Options = NonNullable<Prompt.TextPartEncoded["options"]>

/** What is carried of an answer: what the model reasoned, and what its provider needs to see again with a call. */
const Item = Schema.Union([
  Schema.Struct({ reasoning: Schema.String, options: Schema.Json }),
  Schema.Struct({ call: Schema.String, options: Schema.Json })
])
type Item = typeof Item.Type

const decodeItem = Schema.decodeUnknownOption(Item)

export const itemPiece = (item: Item): Piece => ({ _tag: "Item", item })

// they were the metadata of a part
const asOptions = (options: Schema.Json): { readonly options: Options } => ({ options: options as Options })

const toAssistant = (message: Message, { model, name: provider }: Caller): Prompt.MessageEncoded => {
  const pieces = piecesOf(message, { provider, model })
  const items = pieces.flatMap((piece) => (piece._tag === "Item" ? Option.toArray(decodeItem(piece.item)) : []))
  const byCall = new Map(items.flatMap((item) => ("call" in item ? [[item.call, item.options] as const] : [])))
  const content = pieces.flatMap((piece): ReadonlyArray<Prompt.AssistantMessagePartEncoded> => {
    if (piece._tag === "Text") return [{ type: "text", text: piece.text }]
    if (piece._tag === "Call") {
      const { id, name, params } = piece.call
      const options = byCall.get(id)
      return [
        { type: "tool-call", id, name, params: paramsOf(params), ...(options !== undefined && asOptions(options)) }
      ]
    }
    const item = Option.getOrUndefined(decodeItem(piece.item))
    return item !== undefined && "reasoning" in item
      ? [{ type: "reasoning", text: item.reasoning, ...asOptions(item.options) }]
      : []
  })
  return { role: "assistant", content }
}

const toMessage = (message: Message, caller: Caller): Prompt.MessageEncoded => {
  const { calls = [], results = [], role, text } = message
  switch (role) {
    case "system":
      return { role, content: text }
    case "tool":
      return {
        role,
        content: results.map(({ id, isFailure, name, text: result }) => ({
          type: "tool-result",
          id,
          name,
          isFailure,
          result
        }))
      }
    case "assistant":
      return calls.length > 0 ? toAssistant(message, caller) : { role, content: [{ type: "text", text }] }
    default:
      return { role, content: [{ type: "text", text }] }
  }
}

/**
 * The messages, with the form of the answer described in the prompt. If it were sent as a schema, an answer that fails
 * would lose its token count.
 */
export const toPrompt = ({ messages, task }: Request, caller: Caller): ReadonlyArray<Prompt.MessageEncoded> => [
  ...messages.map((message) => toMessage(message, caller)),
  ...(task.output === undefined
    ? []
    : [{ role: "user", content: [{ type: "text", text: task.output.instructions }] } as const])
]

/** The tools as a toolkit whose calls nobody executes, and which nobody checks. */
export const toToolkit = ({ toolChoice = "auto", tools = [] }: Request) => ({
  toolkit: Toolkit.make(
    ...tools.map((tool) => AiTool.dynamic(tool.name, { description: tool.description, parameters: parametersOf(tool) }))
  ),
  toolChoice: tools.length === 0 ? ("none" as const) : toolChoice,
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})
