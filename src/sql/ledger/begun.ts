/** The parts of a statement that begin runs. */
import { type RawBuilder, sql } from "kysely"
import type { LedgerRows } from "../../memory/model/Ledger.ts"
import { tableOf } from "../database/columns.ts"
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
  const endOf = ({ id }: Begin) => (id === runId ? ends : undefined)
  const given = tableOf(begins, {
    id: ["text", ({ id }) => encode(id)],
    seed: ["text", ({ seed }) => encode(seed)],
    pipeline: ["text", ({ pipeline }) => encode(pipeline)],
    fingerprint: ["text", ({ fingerprint }) => encode(fingerprint)],
    outline: ["text", ({ outline }) => encode(outline)],
    start_position: ["text", ({ start }) => written(start)],
    start_hash: ["text", ({ startHash }) => encode(startHash)],
    fork: ["bool", ({ fork }) => fork],
    parent_id: ["text", ({ parent }) => maybe(parent?.runId)],
    parent_frame: ["text", ({ parent }) => maybe(parent?.frame)],
    keep: ["text", ({ keep }) => keep],
    on_interrupted: ["text", ({ onInterrupted }) => onInterrupted ?? null],
    status: ["text", (run) => endOf(run)?.status ?? run.status],
    owner: ["text", ({ lease }) => maybe(lease?.owner)],
    epoch: ["int", ({ id, lease }) => (id === runId ? epoch : lease === undefined ? 0 : 1)],
    lease_millis: ["float8", (run) => (endOf(run) === undefined ? (run.lease?.millis ?? null) : null)],
    end_position: ["text", (run) => written(endOf(run)?.end)],
    error: ["text", (run) => maybe(endOf(run)?.error)],
    created_millis: ["float8", ({ createdMillis }) => createdMillis],
    ended_millis: ["float8", (run) => endOf(run)?.endedMillis ?? null]
  })
  return sql`insert into cogito.run(scope, id, seed, pipeline, fingerprint, outline, start_position, start_hash, fork,
      parent_id, parent_frame, keep, on_interrupted, status, owner, epoch, lease_until, end_position, error, created_at,
      ended_at)
    select ${encode(scope)}, id, seed, pipeline, fingerprint, outline, start_position::json, start_hash, fork,
      parent_id, parent_frame, keep, on_interrupted, status, owner, epoch, ${leaseUntil(sql`lease_millis`)}, end_position::json, error,
      to_timestamp(created_millis / 1000), to_timestamp(ended_millis / 1000)
    from ${given}
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
  const given = tableOf(others, { id: ["text", ({ id }) => encode(id)], seed: ["text", ({ seed }) => encode(seed)] })
  return sql<boolean>`${isHeld} and not exists (
    select from ${given} where id not in (select id from begun)
      and not exists (select from cogito.run r where r.scope = ${encode(scope)} and r.id = given.id and r.seed = given.seed))`
}
