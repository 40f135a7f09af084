/** Adds notes to a thought, one writer after the other: each waits for the thought's row. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import { place } from "../../memory/archive/append.ts"
import type { MemoryError } from "../../Memory.ts"
import type { NewNote } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import { insertNotes } from "../thoughts/commit.ts"
import type { Handle } from "../database/database.ts"
import { attempt, query } from "../database/failure.ts"
import { type Ref, refersTo } from "./reference.ts"
import { type NoteRow, noteColumns, noteOf } from "../thoughts/load.ts"
import { refuseRedacted } from "../database/refusal.ts"
import { isId } from "../database/schema.ts"
import { encode } from "../database/text.ts"

const withIds = (trx: Handle, scope: string, ids: ReadonlyArray<string>) =>
  sql<NoteRow>`select ${noteColumns} from cogito.note n
    where n.scope = ${encode(scope)} and n.id = any(${ids}::uuid[])`.execute(trx)

/** The notes as they are stored, or nothing when there is no such thought. */
export const append = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  ref: Ref,
  notes: ReadonlyArray<NewNote>
): Effect.fn.Return<ReadonlyArray<Note> | undefined, MemoryError> {
  const { rows } = yield* attempt(() =>
    sql<{ readonly id: string; readonly last_seq: number }>`select t.id, t.last_seq from cogito.thought t
      where t.scope = ${encode(scope)} and ${refersTo(ref)} for no key update`.execute(trx)
  )
  const [thought] = rows
  if (thought === undefined) return undefined
  if (!notes.every(({ id }) => isId(id))) return yield* query("The id of a note is not a UUID in lower case.")
  if (notes.length === 0) return []
  const known = yield* attempt(() => withIds(trx, scope, [...new Set(notes.map(({ id }) => id))]))
  const { added, all } = yield* Effect.fromResult(
    place({ id: thought.id, lastSeq: thought.last_seq }, known.rows.map(noteOf), notes)
  )
  if (added.length === 0) return all
  yield* attempt(() =>
    trx
      .updateTable("cogito.thought")
      .set((column) => ({ version: column("version", "+", 1), last_seq: column("last_seq", "+", added.length) }))
      .where("scope", "=", encode(scope))
      .where("id", "=", thought.id)
      .execute()
  )
  yield* refuseRedacted(thought.id, insertNotes(trx, scope, added))
  return all
})
