/** The input of a Responses call: messages, calls of tools with what the model reasoned before them, and results. */
import type * as Responses from "openai/resources/responses/responses"
import { piecesOf } from "../../provider/carry.ts"
import type { Message } from "../../Provider.ts"
import type { Target } from "../api/client.ts"
import { ended, toMessage } from "../api/messages.ts"
import { toOutput } from "../api/tools.ts"

type Item = Responses.ResponseInputItem

const toItems = (message: Message, target: Target): ReadonlyArray<Item> => {
  const { calls = [], results = [], role } = message
  if (role === "tool") {
    return results.map((result) => ({ type: "function_call_output", call_id: result.id, output: toOutput(result) }))
  }
  if (calls.length === 0) return [toMessage(role, message, target, "input_text")]
  return piecesOf(message, target).map((piece): Item => {
    switch (piece._tag) {
      case "Text":
        return { role: "assistant", content: piece.text }
      case "Call": {
        const { id, name, params } = piece.call
        return { type: "function_call", call_id: id, name, arguments: params }
      }
      default:
        // The type requires an id. Without one, an item that is not stored stands for itself.
        return piece.item as unknown as Item
    }
  })
}

/** The messages, with `ending` at their end. */
export const toInput = (messages: ReadonlyArray<Message>, target: Target, ending?: string): Array<Item> =>
  ended(messages, ending).flatMap((message) => toItems(message, target))
