/** The parts of a statement that begin runs. */
import { type RawBuilder, sql } from "kysely"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import { columnOf } from "../database/columns.ts"
import { encode } from "../database/text.ts"
import { isHeld, maybe } from "./parts.ts"
import { written } from "./runRow.ts"

type Begin = NonNullable<LedgerRows["begins"]>[number]

/** The moment at which a lease ends that begins now. Exact to the millisecond, as it is read. */
export const leaseUntil = (millis: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`date_trunc('milliseconds', clock_timestamp() + ${millis} * interval '1 millisecond')`

/** Inserts the runs, except those whose ids are taken. They are as they are after their first rows. */
const insertRuns = (
  scope: string,
  begins: ReadonlyArray<Begin>,
  { ends, epoch, runId }: LedgerRows,
  condition: RawBuilder<unknown>
): RawBuilder<unknown> => {
  const column = columnOf(begins)
  const endOf = ({ id }: Begin) => (id === runId ? ends : undefined)
  const columns = [
    column("text", ({ id }) => encode(id)),
    column("text", ({ seed }) => encode(seed)),
    column("text", ({ pipeline }) => encode(pipeline)),
    column("text", ({ fingerprint }) => encode(fingerprint)),
    column("text", ({ outline }) => encode(outline)),
    column("text", ({ start }) => written(start)),
    column("text", ({ startHash }) => encode(startHash)),
    column("bool", ({ fork }) => fork),
    column("text", ({ parent }) => maybe(parent?.runId)),
    column("text", ({ parent }) => maybe(parent?.frame)),
    column("text", ({ keep }) => keep),
    column("text", ({ onInterrupted }) => onInterrupted ?? null),
    column("text", (run) => endOf(run)?.status ?? run.status),
    column("text", ({ lease }) => maybe(lease?.owner)),
    column("int", ({ id, lease }) => (id === runId ? epoch : lease === undefined ? 0 : 1)),
    column("float8", (run) => (endOf(run) === undefined ? (run.lease?.millis ?? null) : null)),
    column("text", (run) => written(endOf(run)?.end)),
    column("text", (run) => maybe(endOf(run)?.error)),
    column("float8", ({ createdMillis }) => createdMillis),
    column("float8", (run) => endOf(run)?.endedMillis ?? null)
  ]
  return sql`insert into cogito.run(scope, id, seed, pipeline, fingerprint, outline, start_position, start_hash, fork,
      parent_id, parent_frame, keep, on_interrupted, status, owner, epoch, lease_until, end_position, error, created_at,
      ended_at)
    select ${encode(scope)}, id, seed, pipeline, fingerprint, outline, start_position::json, start_hash, fork,
      parent_id, parent_frame, keep, on_interrupted, status, owner, epoch, ${leaseUntil(sql`lease_millis`)}, end_position::json, error,
      to_timestamp(created_millis / 1000), to_timestamp(ended_millis / 1000)
    from unnest(${sql.join(columns)}) as given(id, seed, pipeline, fingerprint, outline, start_position, start_hash,
      fork, parent_id, parent_frame, keep, on_interrupted, status, owner, epoch, lease_millis, end_position, error,
      created_millis, ended_millis)
    where ${condition} on conflict (scope, id) do nothing returning id, muted`
}

/** The parts that find out whether the run is held, as `held`, and begin the runs, as `begun`. */
export const heldParts = (
  scope: string,
  rows: LedgerRows,
  condition: RawBuilder<unknown>
): ReadonlyArray<RawBuilder<unknown>> => {
  const { begins = [], epoch, runId } = rows
  const own = begins.find(({ id }) => id === runId)
  const others = othersOf(rows)
  const self = sql`r.scope = ${encode(scope)} and r.id = ${encode(runId)} and r.epoch = ${epoch}::int`
  const begun =
    others.length === 0 ? [] : [sql`begun as (${insertRuns(scope, others, rows, sql`exists (select from held)`)})`]
  // Nobody can take the run until this transaction is over: that requires the whole row.
  if (own === undefined) {
    return [
      sql`held as materialized (
        select r.id, r.muted from cogito.run r where ${self} and r.status = 'running' and ${condition} for key share)`,
      ...begun
    ]
  }
  const owner = maybe(own.lease?.owner)
  return [
    sql`started as (${insertRuns(scope, [own], rows, condition)})`,
    // begun before, by the same: the answer was lost
    sql`known as materialized (
      select r.id, r.muted from cogito.run r where ${self} and r.status = ${own.status} and r.seed = ${encode(own.seed)}
        and r.owner is not distinct from ${owner} and ${condition} for key share)`,
    sql`held as materialized (select id, muted from started union all select id, muted from known)`,
    ...begun
  ]
}

const othersOf = ({ begins = [], runId }: LedgerRows) => begins.filter(({ id }) => id !== runId)

/** What says whether the parts have written all: of the other runs that begin, each is there, with its seed. */
export const allWritten = (scope: string, rows: LedgerRows): RawBuilder<boolean> => {
  const others = othersOf(rows)
  if (others.length === 0) return isHeld
  const column = columnOf(others)
  const columns = [column("text", ({ id }) => encode(id)), column("text", ({ seed }) => encode(seed))]
  return sql<boolean>`${isHeld} and not exists (
    select from unnest(${sql.join(columns)}) as given(id, seed) where id not in (select id from begun)
      and not exists (select from cogito.run r where r.scope = ${encode(scope)} and r.id = given.id and r.seed = given.seed))`
}
