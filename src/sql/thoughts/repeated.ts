/** Texts of the conversation that repeat notes, which are stored once. */
import type { Note } from "../../Note.ts"
import type { Entry } from "../../Session.ts"
import { withCalls } from "../../thought/callLines.ts"
import { noteList } from "../../thought/render.ts"
import { isCall, toolOf } from "../../thought/toolMeta.ts"

/** What a row has of the text of an entry. `null` stands for what the notes say. */
interface Stored {
  /** `called`: a message that ends with the calls that its notes are. Its text is what stands before them. */
  readonly kind: Entry["kind"] | "called"
  readonly text: string | null
}

type Shown = Pick<Entry, "carries" | "kind" | "role" | "text">

/** The notes that an entry carries, if all of them are known. */
const notesOf = ({ carries }: Pick<Entry, "carries">, known: ReadonlyMap<string, Note>): ReadonlyArray<Note> => {
  const notes = carries.flatMap((id) => known.get(id) ?? [])
  return notes.length < carries.length ? [] : notes
}

/**
 * The text of an entry that shows its notes and nothing else: a reply is its note, and results of tools are a list of notes. Undefined
 * if it carries none.
 */
const textOf = (kind: Stored["kind"], notes: ReadonlyArray<Note>): string | undefined => {
  const [first] = notes
  if (first === undefined) return undefined
  if (kind === "result") return noteList(notes)
  return notes.length === 1 ? first.content : undefined
}

const callsOf = (notes: ReadonlyArray<Note>) => notes.map((note) => ({ name: toolOf(note), params: note.content }))

/** What is stored of an entry, which carries notes of the same commit. */
export const storedOf = (entry: Shown, own: ReadonlyMap<string, Note>): Stored => {
  const { kind, role, text } = entry
  const notes = notesOf(entry, own)
  if (textOf(kind, notes) === text) return { kind, text: null }
  const isReply = kind === "message" && role === "assistant"
  if (!isReply || notes.length === 0 || !notes.every(isCall)) return { kind, text }
  const calls = callsOf(notes)
  const before = text.slice(0, Math.max(0, text.length - withCalls("", calls).length - separator))
  if (withCalls(before, calls) !== text) return { kind, text }
  return { kind: "called", text: before === "" ? null : before }
}

/** Characters between a text and the calls that follow it. */
const separator = 2

/** The kind and the text of an entry of which this is stored. A redaction has left an empty text. */
export const shownOf = (
  { carries, kind, text }: Stored & Pick<Entry, "carries">,
  known: ReadonlyMap<string, Note>
): Pick<Entry, "kind" | "text"> => {
  if (kind !== "called") return { kind, text: text ?? textOf(kind, notesOf({ carries }, known)) ?? "" }
  if (text === "") return { kind: "message", text }
  return { kind: "message", text: withCalls(text ?? "", callsOf(notesOf({ carries }, known))) }
}
