/** Reads a run with all its rows. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { StoredRun } from "../../memory/model/Ledger.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { encode } from "../database/text.ts"
import { type RunRecord, runColumns, runOf } from "./runRow.ts"
import {
  callColumns,
  callOf,
  type CallRecord,
  stepColumns,
  stepOf,
  type StepRecord,
  waitColumns,
  waitOf,
  type WaitRecord
} from "./rows.ts"

/** Loads a run, or undefined if it does not exist. */
export const load = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  id: string
): Effect.fn.Return<StoredRun | undefined, MemoryError> {
  const [scope, runId] = [encode(tenant), encode(id)]
  const [run] = yield* rowsOf(
    trx,
    sql<RunRecord>`select ${runColumns} from cogito.run r where r.scope = ${scope} and r.id = ${runId}`
  )
  if (run === undefined) return undefined
  const steps = yield* rowsOf(
    trx,
    sql<StepRecord>`select ${stepColumns} from cogito.step s where s.scope = ${scope} and s.run_id = ${runId}
      order by s.started_at, s.place`
  )
  const calls = yield* rowsOf(
    trx,
    sql<CallRecord>`select ${callColumns} from cogito.call c where c.scope = ${scope} and c.run_id = ${runId}
      order by c.started_at, c.place`
  )
  const waits = yield* rowsOf(
    trx,
    sql<WaitRecord>`select ${waitColumns} from cogito.wait w where w.scope = ${scope} and w.run_id = ${runId}
      order by w.created_at, w.frame collate "C"`
  )
  return { run: runOf(run), steps: steps.map(stepOf), calls: calls.map(callOf), waits: waits.map(waitOf) }
})
