/** Texts of the conversation that repeat notes, which are stored once. */
import type { Note } from "../../Note.ts"
import type { Entry } from "../../Session.ts"
import { noteList } from "../../thought/render.ts"

/**
 * The text of an entry that shows its notes and nothing else: a reply is its note, and results of tools are a list of notes. Undefined
 * if a note is missing, or if the entry carries none. An entry whose text is this one is stored without it.
 */
export const textOfNotes = (
  { carries, kind }: Pick<Entry, "carries" | "kind">,
  known: ReadonlyMap<string, Note>
): string | undefined => {
  const notes = carries.flatMap((id) => known.get(id) ?? [])
  const [first] = notes
  if (first === undefined || notes.length < carries.length) return undefined
  if (kind === "result") return noteList(notes)
  return notes.length === 1 ? first.content : undefined
}
