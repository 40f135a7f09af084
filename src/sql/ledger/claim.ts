/** Takes runs, and keeps them. The time of leases is that of the server. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Claiming, Lease, RunRow } from "../../memory/model/Ledger.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { kept } from "../database/kept.ts"
import { encode } from "../database/text.ts"
import { leaseUntil } from "./begun.ts"
import { type RunRecord, runColumns, runOf } from "./runRow.ts"

interface Found extends RunRecord {
  readonly leased: boolean
}

/** Takes a run unless another process has it. Waits for transactions that write rows of the run. */
export const claim = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  runId: string,
  { epoch, millis, owner, seize }: Lease & Claiming
): Effect.fn.Return<{ readonly run: RunRow; readonly claimed: boolean } | undefined, MemoryError> {
  const self = sql`r.scope = ${encode(scope)} and r.id = ${encode(runId)}`
  const [found] = yield* rowsOf(
    trx,
    sql<Found>`select ${runColumns}, coalesce(r.lease_until > clock_timestamp(), false) as leased
      from cogito.run r where ${self} for update`
  )
  if (found === undefined) return undefined
  const run = runOf(found)
  const held = run.status === "running" && found.leased && !(seize && run.owner !== owner)
  const passed = epoch !== undefined && run.epoch !== epoch
  if (held || passed || run.status === "completed") return { run, claimed: false }
  const [taken] = yield* rowsOf(
    trx,
    sql<RunRecord>`update cogito.run r set status = 'running', owner = ${encode(owner)}, epoch = r.epoch + 1,
        lease_until = ${leaseUntil(sql`${millis}::float8`)}, end_position = null, error = null, ended_at = null, muted = false
      where ${self} returning ${runColumns}`
  )
  return taken === undefined ? undefined : { run: { ...runOf(taken), status: run.status }, claimed: true }
})

/** Renews a lease, and says whether the run was still held. */
export const renew = (
  trx: Handle,
  scope: string,
  runId: string,
  epoch: number,
  { millis }: Lease
): Effect.Effect<boolean, MemoryError> =>
  Effect.map(
    rowsOf(
      trx,
      kept(sql`update cogito.run r set lease_until = ${leaseUntil(sql`${millis}::float8`)}
        where r.scope = ${encode(scope)} and r.id = ${encode(runId)} and r.epoch = ${epoch}::int and r.status = 'running'
        returning r.id`)
    ),
    (rows) => rows.length > 0
  )
