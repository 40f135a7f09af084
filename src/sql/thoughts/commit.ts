/** Writes a commit within a transaction. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import { conflict, leaseLost } from "../../memory/model/error.ts"
import type { MemoryError } from "../../Memory.ts"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import type { Commit, ThoughtRow } from "../../Store.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { query } from "../database/failure.ts"
import { kept } from "../database/kept.ts"
import { isId, moment } from "../database/values.ts"
import { encode } from "../database/text.ts"
import { allWritten } from "../ledger/begun.ts"
import * as Ledger from "../ledger/record.ts"
import { always, batchRows, entriesAdded, insertEntries, insertNotes, notesAdded } from "./added.ts"

interface Version {
  readonly version: number
}
interface LastSeq {
  readonly last_seq: number
}

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
    yield* writeOne(trx, scope, parent)
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

interface Moved {
  /** Whether the rows of the run that commits were written. */
  readonly recorded: boolean
}

/**
 * Moves the thought's row to its next version and adds what is new, with rows of the run that commits, in one statement unless
 * there is a lot of it.
 */
const advance = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  commit: Commit,
  ledger: LedgerRows | undefined
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
    ...(atOnce && entries.length > 0 ? [entriesAdded(scope, commit, isMoved)] : []),
    // a count, so that the run is locked after the notes, as a redaction does
    ...(ledger === undefined
      ? []
      : Ledger.ledgerParts(
          scope,
          ledger,
          atOnce && notes.length > 0 ? sql`${isMoved} and (select count(*) from added) >= 0` : isMoved
        ))
  ]
  const recorded = ledger === undefined ? always : allWritten(scope, ledger)
  const [moved] = yield* rowsOf(
    trx,
    kept(sql<Moved>`with ${sql.join(parts)} select ${recorded} as recorded from moved`)
  )
  if (moved === undefined) return yield* refused(trx, self, commit)
  if (ledger !== undefined && !moved.recorded) return yield* leaseLost(ledger.runId)
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

/**
 * Writes a commit after the commits that it contains, its parent's first, and returns the thought's new version. It also writes
 * rows of the run that commits.
 */
export const write = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  commit: Commit
): Effect.fn.Return<number, MemoryError> {
  if (commit.ledger !== undefined) yield* Ledger.checkIds(commit.ledger)
  return yield* writeOne(trx, scope, commit, commit.ledger)
})

const writeOne: (
  trx: Handle,
  scope: string,
  commit: Commit,
  ledger?: LedgerRows
) => Effect.Effect<number, MemoryError> = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  commit: Commit,
  ledger?: LedgerRows
) {
  const { notes, parent, removed, thought, version } = commit
  if (!idsOf(commit).every(isId)) {
    return yield* query("An id is not a UUID in lower case: thoughts and notes need such ids to be stored.")
  }
  for (const one of commit.before ?? []) yield* writeOne(trx, scope, one)
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
    if (ledger !== undefined) yield* Ledger.write(trx, scope, ledger)
  } else yield* advance(trx, scope, commit, ledger)
  if (removed.length > 0) {
    yield* rowsOf(
      trx,
      sql`update cogito.entry set removed_version = ${version + 1}
        where scope = ${encode(scope)} and thought_id = ${thought.id} and removed_version is null
          and index = any(${removed}::int[])`
    )
  }
  return version + 1
})
