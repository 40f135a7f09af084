/** Decides which notes are appended to a thought, and with which numbers. Every store uses this rule. */
import * as Result from "effect/Result"
import type { NewNote } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"
import { MemoryError } from "../model/error.ts"

export interface Placed {
  /** Those to write, in order. */
  readonly added: ReadonlyArray<Note>
  /** All that were given, as they are or will be stored. */
  readonly all: ReadonlyArray<Note>
}

const taken = () =>
  Result.fail(
    new MemoryError({
      reason: {
        _tag: "Query",
        code: "23505",
        message:
          "The id of an added note belongs to another note. Use a new id; or, to repeat a call, pass the same notes as before."
      }
    })
  )

/** `known`: the scope's notes that have one of the ids. */
export const place = (
  thought: { readonly id: string; readonly lastSeq: number },
  known: ReadonlyArray<Note>,
  given: ReadonlyArray<NewNote>
): Result.Result<Placed, MemoryError> => {
  const byId = new Map(known.map((note) => [note.id, note]))
  const added: Array<Note> = []
  const all: Array<Note> = []
  for (const draft of given) {
    const same = byId.get(draft.id)
    const note = same ?? { ...draft, thoughtId: thought.id, seq: thought.lastSeq + added.length + 1 }
    if (same === undefined) {
      added.push(note)
      byId.set(note.id, note)
    } else if (!repeats(draft, same, thought.id)) {
      return taken()
    }
    all.push(note)
  }
  return Result.succeed({ added, all })
}

/** Whether an appended note repeats a stored one. The content of a redacted note cannot be compared. */
const repeats = (draft: NewNote, note: Note, thoughtId: string): boolean =>
  note.thoughtId === thoughtId &&
  note.key === draft.key &&
  (note.redacted !== undefined || note.content === draft.content)
