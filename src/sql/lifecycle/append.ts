/** Appends notes to a thought. Writers take turns, as each waits for the lock on the thought's row. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import { place } from "../../memory/archive/append.ts"
import type { MemoryError } from "../../Memory.ts"
import type { NewNote } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import { insertNotes } from "../thoughts/added.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { query } from "../database/failure.ts"
import { type Ref, refersTo } from "../thoughts/reference.ts"
import { type NoteRow, noteColumns, noteOf } from "../thoughts/load.ts"
import { refuseRedacted } from "../database/refusal.ts"
import { isId } from "../database/values.ts"
import { encode } from "../database/text.ts"

/** Appends notes and returns them as they are stored, or nothing if the thought does not exist. */
export const append = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  ref: Ref,
  notes: ReadonlyArray<NewNote>
): Effect.fn.Return<ReadonlyArray<Note> | undefined, MemoryError> {
  const [thought] = yield* rowsOf(
    trx,
    sql<{ readonly id: string; readonly last_seq: number }>`select t.id, t.last_seq from cogito.thought t
      where t.scope = ${encode(scope)} and ${refersTo(ref)} for no key update`
  )
  if (thought === undefined) return undefined
  if (!notes.every(({ id }) => isId(id))) return yield* query("The id of a note is not a UUID in lower case.")
  if (notes.length === 0) return []
  const known = yield* rowsOf(
    trx,
    sql<NoteRow>`select ${noteColumns} from cogito.note n
      where n.scope = ${encode(scope)} and n.id = any(${[...new Set(notes.map(({ id }) => id))]}::uuid[])`
  )
  const { added, all } = yield* Effect.fromResult(
    place({ id: thought.id, lastSeq: thought.last_seq }, known.map(noteOf), notes)
  )
  if (added.length === 0) return all
  yield* rowsOf(
    trx,
    sql`update cogito.thought set version = version + 1, last_seq = last_seq + ${added.length}::int
      where scope = ${encode(scope)} and id = ${thought.id}`
  )
  yield* refuseRedacted(thought.id, insertNotes(trx, scope, added))
  return all
})
