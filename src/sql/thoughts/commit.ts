/** Writes a commit within a transaction. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import { conflict } from "../../memory/model/error.ts"
import type { MemoryError } from "../../Memory.ts"
import type { Commit, ThoughtRow } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import type { Entry } from "../../Session.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { attempt, query } from "../database/failure.ts"
import { isId, moment } from "../database/values.ts"
import { encode, encodeMap } from "../database/text.ts"

interface Version {
  readonly version: number
}
interface LastSeq {
  readonly last_seq: number
}

/** The most rows of one statement, which bounds its memory. */
const batchRows = 1000

const inBatches = <A>(
  rows: ReadonlyArray<A>,
  insert: (batch: ReadonlyArray<A>) => Promise<unknown>
): Effect.Effect<void, MemoryError> => {
  const batches = Array.from({ length: Math.ceil(rows.length / batchRows) }, (_, i) =>
    rows.slice(i * batchRows, (i + 1) * batchRows)
  )
  return Effect.forEach(batches, (batch) => attempt(() => insert(batch)), { discard: true })
}

/** A column of rows as one parameter: as rows, there would be a thousand parameters for a hundred notes. */
const columnOf =
  <A>(rows: ReadonlyArray<A>) =>
  (type: string, of: (row: A) => string | number | null) =>
    sql`${rows.map(of)}::${sql.raw(type)}[]`

/** Ids as text, as lists of different lengths make no array of two dimensions. */
const list = (ids: ReadonlyArray<string>): string => `{${ids.join()}}`

/** The parts of a statement that add notes, which have their numbers. They add none where the condition does not hold. */
const notesAdded = (scope: string, notes: ReadonlyArray<Note>, condition: RawBuilder<unknown>) => {
  const column = columnOf(notes)
  const columns = [
    column("uuid", (note) => note.id),
    column("uuid", (note) => note.thoughtId),
    column("int", (note) => note.seq),
    column("text", (note) => encode(note.key)),
    column("text", (note) => encode(note.content)),
    column("text", (note) => encodeMap(note.metadata)),
    column("text", (note) => encode(note.source)),
    column("text", (note) => encode(note.step)),
    column("text", (note) => note.trust),
    column("float8", (note) => note.created.epochMilliseconds),
    column("float8", (note) => note.redacted?.epochMilliseconds ?? null),
    column("text", (note) => list(note.derivedFrom))
  ]
  return [
    sql`given as materialized (
      select id, thought_id, seq, key, content, metadata::json, source, step, trust,
        to_timestamp(millis / 1000) as created_at, to_timestamp(redacted_millis / 1000) as redacted_at,
        derived_from::uuid[] as derived_from
      from unnest(${sql.join(columns)})
        as given(id, thought_id, seq, key, content, metadata, source, step, trust, millis, redacted_millis, derived_from)
      where ${condition})`,
    sql`added as (
      insert into cogito.note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at,
        redacted_at, derived_from)
      select ${encode(scope)}, given.* from given)`,
    sql`derived as (
      insert into cogito.derivation(scope, source_id, note_id)
      select distinct ${encode(scope)}, source.id, given.id
      from given cross join unnest(given.derived_from) as source(id))`
  ]
}

/** The part of a statement that adds entries to a conversation, unless the condition does not hold. */
const entriesAdded = (
  scope: string,
  { entries, notes, thought }: Pick<Commit, "entries" | "notes" | "thought">,
  condition: RawBuilder<unknown>
) => {
  const column = columnOf(entries)
  const contents = new Map(notes.map(({ content, id }) => [id, content]))
  // a reply repeats its note more often than not: the text is stored once
  const isRepeated = ({ carries: [id, ...others], text }: Entry) =>
    id !== undefined && others.length === 0 && contents.get(id) === text
  const columns = [
    column("int", (entry) => entry.index),
    column("text", (entry) => entry.kind),
    column("text", (entry) => entry.role),
    column("text", (entry) => (isRepeated(entry) ? null : encode(entry.text))),
    column("text", (entry) => list(entry.carries)),
    column("text", (entry) => list(entry.covers))
  ]
  return sql`entered as (
    insert into cogito.entry(scope, thought_id, index, kind, role, text, carries, covers)
    select ${encode(scope)}, ${thought.id}::uuid, index, kind, role, text, carries::uuid[], covers::uuid[]
    from unnest(${sql.join(columns)}) as given(index, kind, role, text, carries, covers)
    where ${condition})`
}

const always = sql`true`

/** Adds notes that have their numbers. */
export const insertNotes = (trx: Handle, scope: string, notes: ReadonlyArray<Note>): Effect.Effect<void, MemoryError> =>
  inBatches(notes, (batch) => sql`with ${sql.join(notesAdded(scope, batch, always))} select`.execute(trx))

const insertEntries = (trx: Handle, scope: string, commit: Commit): Effect.Effect<void, MemoryError> =>
  inBatches(commit.entries, (entries) =>
    sql`with ${entriesAdded(scope, { ...commit, entries }, always)} select`.execute(trx)
  )

/** Writes the parent if the store lacks its commit. Fails if the parent does not have the note that the fork begins after. */
const ensureParent = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  thought: ThoughtRow,
  parent: Commit
): Effect.fn.Return<void, MemoryError> {
  const { id } = parent.thought
  const [stored] = yield* rowsOf(
    trx,
    sql<Version>`select version from cogito.thought where scope = ${encode(scope)} and id = ${id}`
  )
  if ((stored?.version ?? 0) === parent.version) {
    yield* write(trx, scope, parent)
    return
  }
  const last = parent.notes.at(-1)
  if (stored !== undefined && last === undefined) return
  const [known] =
    stored === undefined || last === undefined
      ? []
      : yield* rowsOf(
          trx,
          sql`select from cogito.note
            where scope = ${encode(scope)} and id = ${last.id} and thought_id = ${id} and seq = ${last.seq}`
        )
  yield* known === undefined ? unknownParent(thought) : Effect.void
})

const unknownParent = (thought: ThoughtRow) =>
  conflict(thought.id, "was forked from notes that its parent does not have")

/** Adds the thought's row and returns the number of notes it begins with. */
const create = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  { nextIndex, notes, thought, usage }: Commit
): Effect.fn.Return<number, MemoryError> {
  const forkSeq = thought.parent?.seq ?? 0
  if (thought.parent !== undefined) {
    const { id } = thought.parent
    const [parent] = yield* rowsOf(
      trx,
      sql<LastSeq>`select last_seq from cogito.thought where scope = ${encode(scope)} and id = ${id}`
    )
    if (parent === undefined || parent.last_seq < forkSeq) return yield* unknownParent(thought)
  }
  const texts = {
    taskId: thought.taskId === undefined ? null : encode(thought.taskId),
    hidden: JSON.stringify(Array.from(thought.hidden, ([key, seq]) => [encode(key), seq])),
    checkpoints: JSON.stringify(Array.from(thought.checkpoints, ([name, { id, seq }]) => [encode(name), id, seq])),
    usage: usage === undefined ? null : JSON.stringify(usage)
  }
  const [created] = yield* rowsOf(
    trx,
    sql`insert into cogito.thought(scope, id, trace_id, task_id, intent, parent_id, fork_seq, hidden, checkpoints, created_at,
        version, last_seq, next_index, usage)
      values (${encode(scope)}, ${thought.id}, ${encode(thought.traceId)}, ${texts.taskId}, ${encode(thought.intent)},
        ${thought.parent?.id ?? null}, ${forkSeq}, ${texts.hidden}, ${texts.checkpoints}, ${moment(thought.createdMillis)},
        1, ${forkSeq + notes.length}, ${nextIndex}, ${texts.usage})
      on conflict do nothing returning id`
  )
  if (created !== undefined) return forkSeq
  const [same] = yield* rowsOf(
    trx,
    sql`select id from cogito.thought where scope = ${encode(scope)} and id = ${thought.id}`
  )
  return yield* same === undefined
    ? query("Another thought of the scope has this trace id: give another one, or load that thought.", "23505")
    : conflict(thought.id, "is in the store already")
})

/** Moves the thought's row to its next version and adds what is new, in one statement unless there is a lot of it. */
const advance = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  commit: Commit
): Effect.fn.Return<void, MemoryError> {
  const { entries, nextIndex, notes, thought, usage, version } = commit
  const [first] = notes
  const self = sql`scope = ${encode(scope)} and id = ${thought.id}`
  const follows = first === undefined ? always : sql`last_seq = ${first.seq - 1}`
  const isMoved = sql`exists (select from moved)`
  // a note that is redacted must be there before an entry that may show it
  const atOnce =
    notes.length <= batchRows && entries.length <= batchRows && notes.every(({ redacted }) => redacted === undefined)
  const parts = [
    sql`moved as (
      update cogito.thought set version = ${version + 1}, last_seq = last_seq + ${notes.length}::int,
        next_index = ${nextIndex}, usage = ${usage === undefined ? null : JSON.stringify(usage)}
      where ${self} and version = ${version} and ${follows} returning id)`,
    ...(atOnce && notes.length > 0 ? notesAdded(scope, notes, isMoved) : []),
    ...(atOnce && entries.length > 0 ? [entriesAdded(scope, commit, isMoved)] : [])
  ]
  const moved = yield* rowsOf(trx, sql`with ${sql.join(parts)} select id from moved`)
  if (moved.length === 0) return yield* refused(trx, self, commit)
  return yield* atOnce ? Effect.void : Effect.andThen(insertNotes(trx, scope, notes), insertEntries(trx, scope, commit))
})

/** Why a commit did not move the thought's row. */
const refused = Effect.fnUntraced(function* (
  trx: Handle,
  self: RawBuilder<unknown>,
  { thought, version }: Commit
): Effect.fn.Return<never, MemoryError> {
  const [row] = yield* rowsOf(trx, sql<Version>`select version from cogito.thought where ${self}`)
  return yield* row?.version === version ? misnumbered(thought) : conflict(thought.id, "has changed in the store")
})

const misnumbered = (thought: ThoughtRow) =>
  conflict(thought.id, "has notes whose numbers do not follow the stored ones")

const idsOf = (commit: Commit): ReadonlyArray<string> => [
  commit.thought.id,
  ...(commit.thought.parent === undefined ? [] : [commit.thought.parent.id]),
  ...commit.notes.flatMap((note) => [note.id, ...note.derivedFrom]),
  ...commit.entries.flatMap((entry) => [...entry.carries, ...entry.covers])
]

/** Writes a commit after the commits that it contains, its parent's first, and returns the thought's new version. */
export const write: (trx: Handle, scope: string, commit: Commit) => Effect.Effect<number, MemoryError> =
  Effect.fnUntraced(function* (trx: Handle, scope: string, commit: Commit) {
    const { notes, parent, removed, thought, version } = commit
    if (!idsOf(commit).every(isId)) {
      return yield* query("An id is not a UUID in lower case: thoughts and notes need such ids to be stored.")
    }
    for (const one of commit.before ?? []) yield* write(trx, scope, one)
    if (parent !== undefined) yield* ensureParent(trx, scope, thought, parent)
    const first = notes[0]?.seq ?? 1
    if (notes.some((note, i) => note.seq !== first + i || note.thoughtId !== thought.id)) {
      return yield* misnumbered(thought)
    }
    if (version === 0) {
      const before = yield* create(trx, scope, commit)
      if (notes.length > 0 && first !== before + 1) return yield* misnumbered(thought)
      yield* insertNotes(trx, scope, notes)
      yield* insertEntries(trx, scope, commit)
    } else yield* advance(trx, scope, commit)
    if (removed.length > 0) {
      yield* rowsOf(
        trx,
        sql`update cogito.entry set live = false
          where scope = ${encode(scope)} and thought_id = ${thought.id} and live and index = any(${removed}::int[])`
      )
    }
    return version + 1
  })
