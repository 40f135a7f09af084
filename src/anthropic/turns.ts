/** The turns of a conversation, with calls of tools and their results. */
import type * as Messages from "@anthropic-ai/sdk/resources/messages"
import { type Piece, piecesOf } from "../provider/carry.ts"
import { stableLength } from "../provider/placement.ts"
import type { Message, ToolResult } from "../Provider.ts"
import { toInput } from "./blocks.ts"

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: Array<Messages.ContentBlockParam>
}

/** A block that can be marked for the cache. */
type Marked = Messages.TextBlockParam | Messages.ToolResultBlockParam

// The user's turn where a conversation lacks one: at its beginning, at its end, and before a thought. Constant, for the prompt cache.
const begun = "(The conversation began before this.)"
const goOn = "Go on."

export const textBlock = (text: string): Messages.TextBlockParam => ({ type: "text", text })

/** The server refuses blank texts. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** Other vendors' ids may have other characters than this one accepts. */
const idOf = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, "_")

const toResult = ({ id, isFailure, text }: ToolResult): Messages.ToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id: idOf(id),
  ...(!isBlank(text) && { content: text }),
  ...(isFailure && { is_error: true })
})

const toBlock = (piece: Piece): Messages.ContentBlockParam => {
  if (piece._tag === "Text") return textBlock(piece.text)
  // it is a block that this API gave
  if (piece._tag === "Item") return piece.item as unknown as Messages.ContentBlockParam
  const { id, name, params } = piece.call
  return { type: "tool_use", id: idOf(id), name, input: toInput(params) }
}

interface Turns {
  /** Turns that alternate, beginning and ending with the user. */
  readonly turns: ReadonlyArray<Turn>
  /** The blocks that end a part which other calls begin with: other thoughts, and the next call of this one. */
  readonly ends: ReadonlyArray<Marked | undefined>
}

/**
 * A message is a block, or the blocks of an answer with calls. All results of an answer begin the turn after it. Notes that
 * begin a conversation and may begin others are a block of their own, and so is what a request does not leave in its
 * conversation.
 */
export const toTurns = (
  messages: ReadonlyArray<Message>,
  caller: { readonly provider: string; readonly model: string }
): Turns => {
  const turns: Array<Turn> = []
  const add = <B extends Messages.ContentBlockParam>(role: Turn["role"], added: B): B => {
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(added)
    else turns.push({ role, content: [added] })
    return added
  }
  let shared: Marked | undefined
  let kept: Marked | undefined
  let result: Marked | undefined
  for (const message of messages) {
    const { calls = [], results = [], role, text } = message
    if (role === "assistant" && turns.length === 0 && (calls.length > 0 || !isBlank(text)))
      add("user", textBlock(begun))
    if (calls.length > 0) {
      const pieces = piecesOf(message, caller)
      // a turn with thoughts must begin with one
      if (pieces[0]?._tag === "Item" && turns.at(-1)?.role === "assistant") add("user", textBlock(goOn))
      for (const piece of pieces) add("assistant", toBlock(piece))
      kept = undefined
    }
    if (role === "tool") for (const one of results) result = add("user", toResult(one))
    if (role === "system" || role === "tool" || calls.length > 0 || isBlank(text)) continue
    const end = message.kept ?? text.length
    const start = turns.length === 0 ? Math.min(stableLength(text), end) : 0
    if (start > 0) shared = add(role, textBlock(text.slice(0, start)))
    if (start < end) kept = add(role, textBlock(text.slice(start, end)))
    if (end < text.length) add(role, textBlock(text.slice(end)))
    if (message.kept === undefined) kept = undefined
  }
  // New models refuse a conversation that ends with the assistant.
  if (turns.at(-1)?.role !== "user") add("user", textBlock(goOn))
  const last = turns.at(-1)?.content ?? []
  const lastResult = result !== undefined && last.includes(result) ? result : undefined
  return { turns, ends: [shared, kept ?? lastResult ?? before(turns)] }
}

/** The block before the last one, which the next call repeats. */
const before = (turns: ReadonlyArray<Turn>): Marked | undefined => {
  const found = turns.flatMap(({ content }) => content).at(-2)
  // calls have their results, the last of which is marked instead
  return found?.type === "text" ? found : undefined
}
