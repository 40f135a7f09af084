/** The conversation of a thought as messages of `effect/ai`, for tools that decide by it whether they need an approval. */
import * as Prompt from "effect/ai/Prompt"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { stateOf, visible } from "../../thought/state.ts"
import { callOf, resultOf } from "./conversation.ts"

/**
 * What users have written, what was called, and what came of it, oldest first: also what the model does not see any more. Only a
 * `message` that comes from a user is a user's message; a step may write that key as well.
 */
export const promptOf = (thought: Thought<any>): ReadonlyArray<Prompt.Message> =>
  visible(stateOf(thought)).flatMap((note) => {
    const message = messageOf(note)
    return message === undefined ? [] : [message]
  })

const messageOf = (note: Note): Prompt.Message | undefined => {
  const { content, key, source } = note
  const call = callOf(note)
  if (call !== undefined) {
    const { id, name, params } = call
    const part = Prompt.makePart("tool-call", { id, name, params: jsonOr(params), providerExecuted: false })
    return Prompt.makeMessage("assistant", { content: [part] })
  }
  const result = resultOf(note)
  if (result !== undefined) {
    const part = Prompt.makePart("tool-result", { ...result, result: jsonOr(content), providerExecuted: false })
    return Prompt.makeMessage("tool", { content: [part] })
  }
  if (key !== "message" || source !== "user") return undefined
  return Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: content })] })
}

/** The value of a text that is JSON, and any other text as it is. */
const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
