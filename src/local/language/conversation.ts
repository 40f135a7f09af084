/** Reads a conversation with calls of tools: what the user says now, what was said before, and what was called since. */
import type { Message, ToolCall, ToolResult } from "../../Provider.ts"
import { withoutLongWords } from "./longWords.ts"

/** Where a conversation stands. */
export interface Turn {
  /** What the user says now. */
  readonly message: string
  /** What the user said before, the newest first. */
  readonly earlier: ReadonlyArray<string>
  /** The calls since then, and their results. */
  readonly calls: ReadonlyArray<ToolCall>
  readonly results: ReadonlyArray<ToolResult>
}

const note =
  /^<note (\d{6,}) key="(?:[^"\\]|\\.)*"( source="(?:[^"\\]|\\.)*")?( trust="trusted")?( escape="backslash")?>\n([^]*?)\n<\/note \1>$/gm

const notesIn = (text: string) =>
  Array.from(text.matchAll(note), ([, , source, trust, escape, content = ""]) => ({
    isOwn: source === undefined,
    isTrusted: trust !== undefined,
    text: escape === undefined ? content : content.replaceAll(/^\\/gm, "")
  }))

/**
 * What a message of the user says. Words around notes are the program's, not the user's, so they count only without notes. Trusted
 * notes are rules of the program, and notes with a source are those of steps.
 */
const saidIn = (text: string): string | undefined => {
  const notes = notesIn(text)
  if (notes.length === 0) return undefined
  const own = notes.filter(({ isOwn }) => isOwn)
  const asked = own.filter(({ isTrusted }) => !isTrusted)
  const kept = asked.length > 0 ? asked : own.length > 0 ? own : notes
  return kept.map((one) => one.text).join("\n\n")
}

/** Where the conversation of a request stands. */
export const turnOf = (messages: ReadonlyArray<Message>): Turn => {
  const users = messages.flatMap(({ role, text }, at) => (role === "user" ? [{ at, text, noted: saidIn(text) }] : []))
  // beside notes, other messages are the program's
  const noted = users.flatMap(({ at, noted: said }) => (said === undefined ? [] : [{ at, text: said }]))
  const said = (noted.length > 0 ? noted : users).filter(({ text }) => text.trim() !== "").toReversed()
  const [last, ...earlier] = said
  const since = last === undefined ? [] : messages.slice(last.at + 1)
  return {
    message: withoutLongWords(last?.text ?? ""),
    earlier: earlier.map(({ text }) => withoutLongWords(text)),
    calls: since.flatMap(({ calls = [] }) => calls),
    results: since.flatMap(({ results = [] }) => results)
  }
}
