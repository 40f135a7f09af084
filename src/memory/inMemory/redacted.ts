/** Whether a commit brings back what was redacted. */
import type { Commit } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import { repeats } from "../model/reach.ts"
import type { Tenant } from "./Row.ts"

/** Whether a commit shows redacted notes, or repeats them. */
export const showsAny = (there: Tenant, { entries, notes }: Commit, restored: boolean): boolean => {
  const isKept = restored ? keptIn(there, notes) : () => false
  const shown = [
    ...entries.flatMap(({ carries, covers }) => [...carries, ...covers]),
    ...notes
      .filter((note) => note.redacted === undefined)
      .flatMap((note) => note.derivedFrom.filter((id) => !isKept(note, id)))
  ]
  return shown.some((id) => there.redacted.has(id))
}

/** Whether a restored note does not repeat a redacted note that it is derived from. */
const keptIn = ({ redacted, rows }: Tenant, notes: ReadonlyArray<Note>) => {
  const sources = new Set(notes.flatMap(({ derivedFrom }) => derivedFrom).filter((id) => redacted.has(id)))
  const all = sources.size === 0 ? [] : [...rows.values()].flatMap((row) => row.notes)
  const originals = new Map(all.filter(({ id }) => sources.has(id)).map((note) => [note.id, note] as const))
  return (note: Note, id: string): boolean => {
    const original = originals.get(id)
    return original === undefined || !repeats(note, original)
  }
}
