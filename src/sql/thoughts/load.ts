/** Reading a thought with the notes that it shares with its ancestors. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { History, StoredThought, ThoughtRow } from "../../Store.ts"
import type { Note, Trust } from "../../Note.ts"
import type { Usage } from "../../Provider.ts"
import type { Entry } from "../../Session.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { millisOf } from "../database/values.ts"
import { type Ref, refersTo } from "./reference.ts"
import { decode, decodeMap, encode } from "../database/text.ts"
import { shownOf } from "./repeated.ts"

/** A note as `noteColumns` selects it. */
export interface NoteRow {
  readonly id: string
  readonly thought_id: string
  readonly seq: number
  readonly key: string
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  readonly source: string
  readonly step: string
  readonly trust: Trust
  readonly derived_from: ReadonlyArray<string>
  readonly created_ms: number
  readonly redacted_ms: number | null
}

/** Columns of the notes `n`. */
export const noteColumns = sql`n.id, n.thought_id, n.seq, n.key, n.content, n.metadata, n.source, n.step, n.trust, n.derived_from,
  ${millisOf("n.created_at")} as created_ms, ${millisOf("n.redacted_at")} as redacted_ms`

export const noteOf = (row: NoteRow): Note => ({
  id: row.id,
  thoughtId: row.thought_id,
  seq: row.seq,
  key: decode(row.key),
  content: decode(row.content),
  metadata: decodeMap(row.metadata),
  source: decode(row.source),
  step: decode(row.step),
  created: DateTime.makeUnsafe(row.created_ms),
  trust: row.trust,
  derivedFrom: row.derived_from,
  ...(row.redacted_ms === null ? {} : { redacted: DateTime.makeUnsafe(row.redacted_ms) })
})

/** A thought's row as `thoughtColumns` selects it. */
export interface ThoughtRecord {
  readonly id: string
  readonly trace_id: string
  readonly task_id: string | null
  readonly intent: string
  readonly parent_id: string | null
  readonly fork_seq: number
  readonly hidden: ReadonlyArray<readonly [key: string, seq: number]>
  readonly checkpoints: ReadonlyArray<readonly [name: string, id: string, seq: number]>
  readonly created_ms: number
}

/** Columns of the thoughts `t`. */
export const thoughtColumns = sql`t.id, t.trace_id, t.task_id, t.intent, t.parent_id, t.fork_seq, t.hidden, t.checkpoints,
  ${millisOf("t.created_at")} as created_ms`

export const thoughtOf = (row: ThoughtRecord): ThoughtRow => ({
  id: row.id,
  traceId: decode(row.trace_id),
  taskId: row.task_id === null ? undefined : decode(row.task_id),
  intent: decode(row.intent),
  createdMillis: row.created_ms,
  parent: row.parent_id === null ? undefined : { id: row.parent_id, seq: row.fork_seq },
  hidden: new Map(row.hidden.map(([key, seq]) => [decode(key), seq])),
  checkpoints: new Map(row.checkpoints.map(([name, id, seq]) => [decode(name), { id, seq }]))
})

// A descendant sees an ancestor's notes up to the lowest fork point on the way.
const lineage = (trx: Handle, scope: string, id: string) =>
  rowsOf(
    trx,
    sql<NoteRow>`
    with recursive line(id, parent_id, fork_seq, upto) as (
      select id, parent_id, fork_seq, last_seq from cogito.thought where scope = ${scope} and id = ${id}
      union all
      select above.id, above.parent_id, above.fork_seq, least(line.upto, line.fork_seq)
      from line join cogito.thought above on above.scope = ${scope} and above.id = line.parent_id)
    select ${noteColumns}
    from line join cogito.note n on n.scope = ${scope} and n.thought_id = line.id and n.seq <= line.upto
    order by n.seq`
  )

interface EntryRow extends Omit<Entry, "kind" | "text"> {
  readonly kind: Entry["kind"] | "called"
  readonly text: string | null
  readonly removed_version: number | null
}

const entriesOf = (trx: Handle, scope: string, id: string, which: RawBuilder<unknown>) =>
  rowsOf(
    trx,
    sql<EntryRow>`select e.index, e.kind, e.role, e.text, e.carries, e.covers, e.removed_version
      from cogito.entry e
      where e.scope = ${scope} and e.thought_id = ${id} and ${which} order by e.removed_version, e.index`
  )

/** Reads entries of a thought that has these notes. */
const reading = (notes: ReadonlyArray<Note>): ((row: EntryRow) => Entry) => {
  const known = new Map(notes.map((note) => [note.id, note]))
  return ({ removed_version: _removed, ...entry }) => ({
    ...entry,
    ...shownOf({ ...entry, text: entry.text === null ? null : decode(entry.text) }, known)
  })
}

interface StoredRow extends ThoughtRecord {
  readonly version: number
  readonly next_index: number
  readonly usage: Usage | null
}

/** The thought, or nothing if the scope has none with that id or trace id. */
export const read = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  ref: Ref
): Effect.fn.Return<StoredThought | undefined, MemoryError> {
  const scope = encode(tenant)
  const [row] = yield* rowsOf(
    trx,
    sql<StoredRow>`select ${thoughtColumns}, t.version, t.next_index, t.usage
      from cogito.thought t where t.scope = ${scope} and ${refersTo(ref)}`
  )
  if (row === undefined) return undefined
  const notes = (yield* lineage(trx, scope, row.id)).map(noteOf)
  const entries = yield* entriesOf(trx, scope, row.id, sql`e.removed_version is null`)
  return {
    thought: thoughtOf(row),
    version: row.version,
    notes,
    entries: entries.map(reading(notes)),
    nextIndex: row.next_index,
    usage: row.usage ?? undefined
  }
})

/** The thought with the entries that were removed, or nothing if the scope does not have it. */
export const history = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  id: string
): Effect.fn.Return<History | undefined, MemoryError> {
  const stored = yield* read(trx, scope, { id })
  if (stored === undefined) return undefined
  const removed = yield* entriesOf(trx, encode(scope), id, sql`e.removed_version is not null`)
  const entryOf = reading(stored.notes)
  return {
    ...stored,
    removed: removed.map((row) => ({ entry: entryOf(row), version: row.removed_version ?? 0 }))
  }
})
