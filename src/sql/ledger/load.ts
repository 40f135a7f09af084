/** Reads a run with all its rows. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { RunSketch, StoredRun } from "../../memory/model/Ledger.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { encode } from "../database/text.ts"
import { type RunRecord, runColumns, runOf } from "./runRow.ts"
import {
  callColumns,
  callOf,
  type CallRecord,
  callSketchOf,
  type SketchedCall,
  sketchedCall,
  type SketchedStep,
  sketchedStep,
  type SketchedWait,
  sketchedWait,
  stepColumns,
  stepOf,
  type StepRecord,
  stepSketchOf,
  waitColumns,
  waitOf,
  type WaitRecord,
  waitSketchOf
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

/** The rows of a run, as `of` makes them. */
const grouped = <A extends { readonly run_id: string }, B>(rows: ReadonlyArray<A>, of: (row: A) => B) => {
  const groups = Map.groupBy(rows, (row) => row.run_id)
  return (runId: string): ReadonlyArray<B> => (groups.get(runId) ?? []).map(of)
}

/** Loads runs without the texts of their rows. */
export const sketches = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  ids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<RunSketch>, MemoryError> {
  const [scope, runIds] = [encode(tenant), ids.map(encode)]
  const runs = yield* rowsOf(
    trx,
    sql<RunRecord>`select ${runColumns} from cogito.run r where r.scope = ${scope} and r.id = any(${runIds}::text[])`
  )
  const steps = yield* rowsOf(
    trx,
    sql<SketchedStep>`select s.run_id, ${sketchedStep} from cogito.step s
      where s.scope = ${scope} and s.run_id = any(${runIds}::text[]) order by s.started_at, s.place`
  )
  const calls = yield* rowsOf(
    trx,
    sql<SketchedCall>`select c.run_id, ${sketchedCall} from cogito.call c
      where c.scope = ${scope} and c.run_id = any(${runIds}::text[]) order by c.started_at, c.place`
  )
  const waits = yield* rowsOf(
    trx,
    sql<SketchedWait>`select w.run_id, ${sketchedWait} from cogito.wait w
      where w.scope = ${scope} and w.run_id = any(${runIds}::text[]) order by w.created_at, w.frame collate "C"`
  )
  const stepsIn = grouped(steps, stepSketchOf)
  const callsIn = grouped(calls, callSketchOf)
  const waitsIn = grouped(waits, waitSketchOf)
  const byId = new Map(runs.map((run) => [run.id, run]))
  return runIds.flatMap((id) => {
    const run = byId.get(id)
    return run === undefined ? [] : [{ run: runOf(run), steps: stepsIn(id), calls: callsIn(id), waits: waitsIn(id) }]
  })
})
