/** The items of a Realtime conversation, and the session that they are in. */
import type * as Realtime from "openai/resources/realtime/realtime"
import type { Message, Tool, ToolChoice } from "../../Provider.ts"
import { toFunction, toOutput } from "../api/tools.ts"

type Item = Realtime.ConversationItem

const isBlank = (text: string): boolean => text.trim() === ""

/** The items that a message consists of. */
export const toItems = ({ calls = [], results = [], role, text }: Message): ReadonlyArray<Item> => {
  switch (role) {
    case "tool":
      return results.map((result) => ({ type: "function_call_output", call_id: result.id, output: toOutput(result) }))
    case "assistant":
      return [
        ...(isBlank(text) && calls.length > 0
          ? []
          : [{ type: "message" as const, role, content: [{ type: "output_text" as const, text }] }]),
        ...calls.map(({ id, name, params }) => ({
          type: "function_call" as const,
          call_id: id,
          name,
          arguments: params
        }))
      ]
    case "system":
      return [{ type: "message", role, content: [{ type: "input_text", text }] }]
    default:
      return [{ type: "message", role, content: [{ type: "input_text", text }] }]
  }
}

/** The system messages at the beginning are the instructions of the session. The rest are its items. */
export const divided = (
  messages: ReadonlyArray<Message>
): { readonly instructions: string; readonly rest: ReadonlyArray<Message> } => {
  const first = messages.findIndex(({ role }) => role !== "system")
  const count = first === -1 ? messages.length : first
  const instructions = messages.slice(0, count).map(({ text }) => text)
  return { instructions: instructions.join("\n\n"), rest: messages.slice(count) }
}

/** A tool of a session. There is no strict mode. */
export const toTool = (tool: Tool): Realtime.RealtimeFunctionTool => {
  const { strict: _, ...rest } = toFunction(tool)
  return { type: "function", ...rest }
}

export const toChoice = (choice: ToolChoice): Realtime.RealtimeToolChoiceConfig =>
  typeof choice === "string" ? choice : { type: "function", name: choice.tool }
