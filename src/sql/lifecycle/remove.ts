/**
 * Deletion of a thought with everything that belongs to it, or of everything in a scope.
 *
 * If a thought has forks, the fork that shares most of its notes inherits these unchanged, and the other forks become forks of the
 * heir. So nothing is copied, and ids, numbers and conversations stay.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import { hasForks } from "../../memory/archive/remove.ts"
import type { MemoryError } from "../../Memory.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { attempt } from "../database/failure.ts"
import { guarded, ownedTables } from "../database/guard.ts"
import { type Ref, refersTo } from "../thoughts/reference.ts"
import { encode } from "../database/text.ts"

interface Line {
  readonly id: string
  readonly parent_id: string | null
  readonly fork_seq: number
}

/** Deletes a thought and returns whether it existed. */
export const remove = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  ref: Ref,
  { materialize }: { readonly materialize: boolean }
): Effect.fn.Return<boolean, MemoryError> {
  const scope = encode(tenant)
  // while its row is locked, nobody can fork the thought
  const [self] = yield* rowsOf(
    trx,
    sql<Line>`select t.id, t.parent_id, t.fork_seq from cogito.thought t
      where t.scope = ${scope} and ${refersTo(ref)} for update`
  )
  if (self === undefined) return false
  const forks = yield* rowsOf(
    trx,
    sql<Line>`select t.id, t.parent_id, t.fork_seq from cogito.thought t
      where t.scope = ${scope} and t.parent_id = ${self.id}
      order by t.fork_seq desc, t.created_at, t.id for no key update`
  )
  if (forks.length > 0 && !materialize) return yield* hasForks(self.id, forks.length)
  const tables = yield* ownedTables(trx)
  yield* guarded(
    trx,
    "purge",
    Effect.gen(function* () {
      const [heir] = forks
      if (heir !== undefined) yield* handOver(trx, scope, self, heir)
      yield* passOn(trx, scope, self)
      for (const { name, ofNote, ofThought, table } of tables) {
        if (name === "note" || name === "thought" || name === "derivation") continue
        if (ofNote) {
          yield* rowsOf(
            trx,
            sql`delete from ${table} where scope = ${scope}
              and note_id in (select n.id from cogito.note n where n.scope = ${scope} and n.thought_id = ${self.id})`
          )
        }
        if (ofThought) yield* rowsOf(trx, sql`delete from ${table} where scope = ${scope} and thought_id = ${self.id}`)
      }
      yield* rowsOf(trx, sql`delete from cogito.note where scope = ${scope} and thought_id = ${self.id}`)
      yield* rowsOf(trx, sql`delete from cogito.thought where scope = ${scope} and id = ${self.id}`)
    })
  )
  return true
})

/** Gives the shared notes to the heir, and attaches the other forks to the thought that now has their notes. */
const handOver = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  self: Line,
  heir: Line
): Effect.fn.Return<void, MemoryError> {
  const above = self.fork_seq
  // forks that share none of the thought's own notes find all theirs above it
  const ownHeir = heir.fork_seq > above ? heir.id : self.parent_id
  const aboveIt = self.parent_id ?? ownHeir
  yield* rowsOf(
    trx,
    sql`update cogito.note set thought_id = ${heir.id}
      where scope = ${scope} and thought_id = ${self.id} and seq <= ${heir.fork_seq}::int`
  )
  yield* rowsOf(
    trx,
    sql`update cogito.thought set
        parent_id = case when fork_seq > ${above}::int and id <> ${heir.id} then ${ownHeir}::uuid else ${self.parent_id}::uuid end,
        fork_seq = least(fork_seq, case when id = ${heir.id} then ${above}::int else fork_seq end)
      where scope = ${scope} and parent_id = ${self.id}`
  )
  // a checkpoint refers to the thought that now has its notes
  yield* rowsOf(
    trx,
    sql`update cogito.thought set checkpoints = (
        select json_agg(json_build_array(c.value -> 0,
          case when c.value ->> 1 <> ${self.id}::text then c.value ->> 1
            when (c.value ->> 2)::int > ${above}::int then ${ownHeir}::text else ${aboveIt}::text end,
          c.value -> 2) order by c.place)
        from json_array_elements(checkpoints) with ordinality as c(value, place))
      where scope = ${scope} and id <> ${self.id} and checkpoints::text like ${`%${self.id}%`} and ${ownHeir}::uuid is not null`
  )
})

/** The removed notes, each with the notes that it was derived from. */
const goneOf = (scope: string, { id }: Line) =>
  sql`gone(id, derived_from) as materialized (
    select n.id, n.derived_from from cogito.note n where n.scope = ${scope} and n.thought_id = ${id})`

/** Remaining notes that were derived from a removed one become derived from the sources of that one. */
const passOn = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  self: Line
): Effect.fn.Return<void, MemoryError> {
  yield* rowsOf(
    trx,
    sql`with recursive ${goneOf(scope, self)},
      above(note_id, source_id) as (
        select d.note_id, d.source_id from gone join cogito.derivation d on d.scope = ${scope} and d.source_id = gone.id
        where d.note_id not in (select id from gone)
        union
        select above.note_id, source.id
        from above join gone on gone.id = above.source_id cross join unnest(gone.derived_from) as source(id)),
      more as (select note_id, source_id from above where source_id not in (select id from gone)),
      known as (
        insert into cogito.derivation(scope, source_id, note_id) select ${scope}, source_id, note_id from more
        on conflict do nothing returning source_id, note_id)
      update cogito.note n set derived_from = n.derived_from || passed.ids
      from (select note_id, array_agg(source_id) as ids from known group by note_id) passed
      where n.scope = ${scope} and n.id = passed.note_id`
  )
  yield* rowsOf(
    trx,
    sql`with ${goneOf(scope, self)}
      delete from cogito.derivation d using gone cross join unnest(gone.derived_from) as source(id)
      where d.scope = ${scope} and d.source_id = source.id and d.note_id = gone.id`
  )
})

/** Deletes everything of the scope, in every table, and returns the number of thoughts. */
export const purge = Effect.fnUntraced(function* (trx: Handle, tenant: string): Effect.fn.Return<number, MemoryError> {
  const scope = encode(tenant)
  const tables = yield* ownedTables(trx)
  const gone = yield* guarded(
    trx,
    "purge",
    Effect.forEach(tables, ({ name, table }) =>
      Effect.map(
        attempt(() => sql`delete from ${table} where scope = ${scope}`.execute(trx)),
        ({ numAffectedRows = 0n }) => (name === "thought" ? Number(numAffectedRows) : 0)
      )
    )
  )
  return gone.reduce((sum, count) => sum + count, 0)
})
