/** Adding notes and entries, which have their numbers. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Commit } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import { tableOf } from "../database/columns.ts"
import type { Handle } from "../database/database.ts"
import { attempt } from "../database/failure.ts"
import { kept } from "../database/kept.ts"
import { encode, encodeMap } from "../database/text.ts"
import { storedOf } from "./repeated.ts"

/** The most rows of one statement, which bounds its memory. */
export const batchRows = 1000

const inBatches = <A>(
  rows: ReadonlyArray<A>,
  insert: (batch: ReadonlyArray<A>) => Promise<unknown>
): Effect.Effect<void, MemoryError> => {
  const batches = Array.from({ length: Math.ceil(rows.length / batchRows) }, (_, i) =>
    rows.slice(i * batchRows, (i + 1) * batchRows)
  )
  return Effect.forEach(batches, (batch) => attempt(() => insert(batch)), { discard: true })
}

/** Ids as text, as lists of different lengths make no array of two dimensions. */
const list = (ids: ReadonlyArray<string>): string => `{${ids.join()}}`

/** The parts of a statement that add notes, which have their numbers. They add none where the condition does not hold. */
export const notesAdded = (scope: string, notes: ReadonlyArray<Note>, condition: RawBuilder<unknown>) => {
  const given = tableOf(notes, {
    id: ["uuid", (note) => note.id],
    thought_id: ["uuid", (note) => note.thoughtId],
    seq: ["int", (note) => note.seq],
    key: ["text", (note) => encode(note.key)],
    content: ["text", (note) => encode(note.content)],
    metadata: ["text", (note) => encodeMap(note.metadata)],
    source: ["text", (note) => encode(note.source)],
    step: ["text", (note) => encode(note.step)],
    trust: ["text", (note) => note.trust],
    millis: ["float8", (note) => note.created.epochMilliseconds],
    redacted_millis: ["float8", (note) => note.redacted?.epochMilliseconds ?? null],
    derived_from: ["text", (note) => list(note.derivedFrom)]
  })
  return [
    sql`given as materialized (
      select id, thought_id, seq, key, content, metadata::json, source, step, trust,
        to_timestamp(millis / 1000) as created_at, to_timestamp(redacted_millis / 1000) as redacted_at,
        derived_from::uuid[] as derived_from
      from ${given}
      where ${condition})`,
    sql`added as (
      insert into cogito.note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at,
        redacted_at, derived_from)
      select ${encode(scope)}, given.* from given returning id)`,
    sql`derived as (
      insert into cogito.derivation(scope, source_id, note_id)
      select distinct ${encode(scope)}, source.id, given.id
      from given cross join unnest(given.derived_from) as source(id))`
  ]
}

/** The part of a statement that adds entries to a conversation, unless the condition does not hold. */
export const entriesAdded = (
  scope: string,
  { entries, notes, thought }: Pick<Commit, "entries" | "notes" | "thought">,
  condition: RawBuilder<unknown>
) => {
  const own = new Map(notes.map((note) => [note.id, note]))
  const rows = entries.map((entry) => ({ ...entry, ...storedOf(entry, own) }))
  const given = tableOf(rows, {
    index: ["int", (entry) => entry.index],
    kind: ["text", (entry) => entry.kind],
    role: ["text", (entry) => entry.role],
    text: ["text", ({ text }) => (text === null ? null : encode(text))],
    carries: ["text", (entry) => list(entry.carries)],
    covers: ["text", (entry) => list(entry.covers)]
  })
  return sql`entered as (
    insert into cogito.entry(scope, thought_id, index, kind, role, text, carries, covers)
    select ${encode(scope)}, ${thought.id}::uuid, index, kind, role, text, carries::uuid[], covers::uuid[]
    from ${given}
    where ${condition})`
}

export const always = sql`true`

/** Adds notes that have their numbers. */
export const insertNotes = (trx: Handle, scope: string, notes: ReadonlyArray<Note>): Effect.Effect<void, MemoryError> =>
  inBatches(notes, (batch) => kept(sql`with ${sql.join(notesAdded(scope, batch, always))} select`).execute(trx))

export const insertEntries = (trx: Handle, scope: string, commit: Commit): Effect.Effect<void, MemoryError> =>
  inBatches(commit.entries, (entries) =>
    kept(sql`with ${entriesAdded(scope, { ...commit, entries }, always)} select`).execute(trx)
  )
