/** How far a redaction goes. */
import { isFound } from "../../thought/found.ts"
import type { Note } from "../../thought/Note.ts"
import { conflict, type MemoryError } from "./error.ts"

export type Reach = "derived" | "copies"

/**
 * Whether the note, which is derived from the other one, repeats its text as it is: it is what a search found, or the copy
 * that a fork keeps. Nothing that a redaction takes away is compared, so a copy is recognised also after that.
 */
export const repeats = (note: Note, original: Note): boolean =>
  isFound(note) ||
  (note.source === original.source &&
    note.step === original.step &&
    note.created.epochMilliseconds === original.created.epochMilliseconds &&
    // of a branch whose keys got its name
    (note.key === original.key || original.key.endsWith(`.${note.key}`)))

export const showsRedacted = (thoughtId: string): MemoryError =>
  conflict(thoughtId, "shows a note that has been redacted")
