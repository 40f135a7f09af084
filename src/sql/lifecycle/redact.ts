/**
 * Redaction: the content of a note is removed wherever it went.
 *
 * It reaches every note derived from the note, and the notes of summaries that cover one of these. Entries that show one of them,
 * and requests that one of them answers, lose their text and are no longer live, which releases the other notes they showed.
 */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Reach } from "../../memory/model/reach.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { repeats } from "../database/copies.ts"
import { redactRuns } from "../ledger/redact.ts"
import { guarded, ownedTables } from "../database/guard.ts"
import { isId, moment } from "../database/values.ts"
import { encode } from "../database/text.ts"

type Ids = ReadonlyArray<string>

/** The extent of a redaction: the notes that are emptied, and those that no conversation shows afterwards. */
interface Extent {
  readonly notes: Ids
  readonly unseen: Ids
}

const idsOf = (trx: Handle, statement: RawBuilder<{ readonly id: string }>) =>
  Effect.map(rowsOf(trx, statement), (rows) => rows.map(({ id }) => id))

/** The entries `e` that show or stand for one of the notes. */
const touches = (alias: "e" | "answer", notes: Ids) =>
  sql`(${sql.ref(`${alias}.carries`)} && ${notes}::uuid[] or ${sql.ref(`${alias}.covers`)} && ${notes}::uuid[])`

/** The same entries, and the requests `e` that one of them answers, as a question may contain what its answer is derived from. */
const isOf = (scope: string, notes: Ids) => sql`(${touches("e", notes)} or e.role = 'user' and exists (
    select from cogito.entry answer
    where answer.scope = ${scope} and answer.thought_id = e.thought_id and answer.index > e.index
      and answer.role = 'assistant' and ${touches("answer", notes)} and not exists (
        select from cogito.entry other where other.scope = ${scope} and other.thought_id = e.thought_id
          and other.index > e.index and other.index < answer.index and other.role <> 'assistant')))`

const areCopies = (scope: string) =>
  sql`and exists (select from cogito.note made, cogito.note original where made.scope = ${scope} and made.id = d.note_id
      and original.scope = ${scope} and original.id = d.source_id and ${repeats})`

/** The notes, those of summaries that cover one of them, and all notes derived from these, or only copies of them. */
const derivedFrom = (trx: Handle, scope: string, notes: Ids, reach: Reach): Effect.Effect<Ids, MemoryError> =>
  Effect.filterOrElse(
    idsOf(
      trx,
      // `offset 0`: looked up one by one, whatever the planner thinks of a table that it has no statistics of
      sql`with recursive reached(id) as (
          select id from (select unnest(${notes}::uuid[]) union select unnest(e.carries) from cogito.entry e
            where e.scope = ${scope} and e.kind = 'summary' and e.covers && ${notes}::uuid[]) as start(id)
          union
          select made.id from reached cross join lateral (
            select d.note_id as id from cogito.derivation d where d.scope = ${scope} and d.source_id = reached.id
              ${reach === "derived" ? sql`` : areCopies(scope)}
            offset 0) as made)
        select id from reached where exists (
          select from cogito.note n where n.scope = ${scope} and n.id = reached.id) order by id`
    ),
    // a summary may cover what was found only now
    (all) => all.length === notes.length,
    (all) => derivedFrom(trx, scope, all, reach)
  )

const extentOf = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  known: Ids,
  reach: Reach
): Effect.fn.Return<Extent, MemoryError> {
  const notes = yield* derivedFrom(trx, scope, known, reach)
  return { notes, unseen: reach === "derived" ? notes : yield* derivedFrom(trx, scope, known, "derived") }
})

/** Locks the thoughts that see one of the notes, or whose conversation shows one, and returns their ids. */
const lockSeers = (trx: Handle, scope: string, { notes, unseen }: Extent) =>
  idsOf(
    trx,
    sql`with recursive seen(id, seq) as (
        select n.thought_id, n.seq from cogito.note n where n.scope = ${scope} and n.id = any(${notes}::uuid[])
        union
        select t.id, seen.seq from seen
        join cogito.thought t on t.scope = ${scope} and t.parent_id = seen.id and t.fork_seq >= seen.seq)
      select t.id from cogito.thought t where t.scope = ${scope} and t.id in (
        select seen.id from seen union select e.thought_id from cogito.entry e where e.scope = ${scope} and ${touches("e", unseen)})
      order by t.id for update`
  )

const lockNotes = (trx: Handle, scope: string, notes: Ids) =>
  idsOf(
    trx,
    sql`select n.id from cogito.note n where n.scope = ${scope} and n.id = any(${notes}::uuid[]) order by n.id for update`
  )

/**
 * The extent of the redaction and the thoughts that see it. It locks rows and looks again until nothing more is found. It locks
 * thoughts before notes, as commits do.
 */
const reached = (
  trx: Handle,
  scope: string,
  known: Ids,
  reach: Reach,
  before: { readonly extent: Extent; readonly seers: Ids } = { extent: { notes: [], unseen: [] }, seers: [] }
): Effect.Effect<{ readonly extent: Extent; readonly seers: Ids }, MemoryError> =>
  Effect.gen(function* () {
    const extent = yield* extentOf(trx, scope, known, reach)
    const seers = yield* lockSeers(trx, scope, extent)
    const isAll =
      extent.notes.length === before.extent.notes.length &&
      extent.unseen.length === before.extent.unseen.length &&
      seers.length === before.seers.length
    if (isAll) return before
    yield* lockNotes(trx, scope, extent.notes)
    return yield* reached(trx, scope, known, reach, { extent, seers })
  })

/** Redacts a note and returns the ids of all redacted notes. Undefined if the note does not exist. */
export const redact = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  noteId: string,
  millis: number,
  reach: Reach
): Effect.fn.Return<Ids | undefined, MemoryError> {
  const scope = encode(tenant)
  if (!isId(noteId)) return undefined
  const known = yield* idsOf(trx, sql`select id from cogito.note where scope = ${scope} and id = ${noteId}`)
  if (known.length === 0) return undefined
  const { extent, seers } = yield* reached(trx, scope, known, reach)
  const { notes, unseen } = extent
  const tables = yield* ownedTables(trx)
  const statements = [
    sql`update cogito.entry e set text = '', removed_version = coalesce(e.removed_version, t.version + 1)
      from cogito.thought t where t.scope = ${scope} and t.id = e.thought_id and e.scope = ${scope}
        and e.thought_id = any(${seers}::uuid[]) and ${isOf(scope, unseen)}`,
    sql`update cogito.note set content = '', metadata = '{}', redacted_at = ${moment(millis)}
      where scope = ${scope} and id = any(${notes}::uuid[]) and redacted_at is null`,
    ...tables
      // later redactions need the derivations
      .filter(({ name, ofNote }) => ofNote && name !== "derivation")
      .map(({ table }) => sql`delete from ${table} where scope = ${scope} and note_id = any(${notes}::uuid[])`),
    sql`update cogito.thought set version = version + 1 where scope = ${scope} and id = any(${seers}::uuid[])`
  ]
  const pending = yield* idsOf(
    trx,
    sql`select id from cogito.note where scope = ${scope} and id = any(${notes}::uuid[]) and redacted_at is null`
  )
  if (pending.length > 0) {
    yield* guarded(
      trx,
      "redact",
      Effect.andThen(
        redactRuns(trx, scope, { thoughts: seers, notes }),
        Effect.forEach(statements, (statement) => rowsOf(trx, statement), { discard: true })
      )
    )
  }
  return notes
})
