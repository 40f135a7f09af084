/** How long a note may be. */
import type { Note } from "../Note.ts"
import { fail } from "./memoryError.ts"

/** In UTF-16 units: beyond it an embedded database blocks for seconds. */
const maxNoteLength = 4_000_000

export const isTooLarge = ({ content }: Pick<Note, "content">): boolean => content.length > maxNoteLength

export const refuseLength = ({ key }: Pick<Note, "key">) =>
  fail({
    _tag: "TooLarge",
    field: key,
    limit: maxNoteLength,
    message: `The note ${JSON.stringify(key)} is longer than ${maxNoteLength} characters: split it.`
  })
