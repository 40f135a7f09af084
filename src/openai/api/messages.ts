/** The messages of a call, with a mark at the end of what the next call repeats. */
import type { Message } from "../../Provider.ts"
import { takesBreakpoints } from "./capabilities.ts"
import type { Target } from "./client.ts"

type Text<T extends string> = {
  readonly type: T
  readonly text: string
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" }
}

type Sent<T extends string> =
  | { readonly role: Exclude<Message["role"], "tool">; readonly content: string }
  | { readonly role: "user"; readonly content: Array<Text<T>> }

/** The messages with a text at their end, in the last message if that is the user's: some servers refuse two in a row. */
export const ended = (messages: ReadonlyArray<Message>, ending: string | undefined): ReadonlyArray<Message> => {
  if (ending === undefined) return messages
  const last = messages.at(-1)
  return last?.role === "user"
    ? [...messages.slice(0, -1), { ...last, text: `${last.text}\n\n${ending}` }]
    : [...messages, { role: "user", text: ending }]
}

/**
 * The text of a message as both APIs accept it. Models that keep a prompt up to marked places only get a mark at the end of what
 * later calls of the conversation repeat. Other models find that place by themselves.
 */
export const toMessage = <T extends string>(
  role: Exclude<Message["role"], "tool">,
  { kept, text }: Pick<Message, "kept" | "text">,
  { model, official }: Target,
  type: T
): Sent<T> => {
  if (kept === undefined || role !== "user" || !official || !takesBreakpoints(model)) return { role, content: text }
  const marked: Text<T> = { type, text: text.slice(0, kept), prompt_cache_breakpoint: { mode: "explicit" } }
  return { role, content: kept < text.length ? [marked, { type, text: text.slice(kept) }] : [marked] }
}
