/** The messages of a chat completions call, with calls of tools and their results. */
import type * as Chat from "openai/resources/chat/completions"
import type { Message } from "../../Provider.ts"
import type { Target } from "../api/client.ts"
import { ended, toMessage } from "../api/messages.ts"
import { toOutput } from "../api/tools.ts"

type Sent = Chat.ChatCompletionMessageParam

const toAll = (message: Message, target: Target): ReadonlyArray<Sent> => {
  const { calls = [], results = [], role, text } = message
  if (role === "tool") {
    return results.map((result): Sent => ({ role, tool_call_id: result.id, content: toOutput(result) }))
  }
  if (calls.length === 0) return [toMessage(role, message, target, "text")]
  return [
    {
      role: "assistant",
      content: text.trim() === "" ? null : text,
      tool_calls: calls.map(({ id, name, params }) => ({
        id,
        type: "function",
        function: { name, arguments: params }
      }))
    }
  ]
}

/** The messages, with `ending` at their end. */
export const toMessages = (messages: ReadonlyArray<Message>, target: Target, ending?: string): Array<Sent> =>
  ended(messages, ending).flatMap((message) => toAll(message, target))
