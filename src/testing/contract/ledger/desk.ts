/** The start of tests of durable runs: a scope of its own, with shortcuts for the usual calls. */
import * as Effect from "effect/Effect"
import type { Ledger, Store } from "../../../Store.ts"
import { thought } from "../stage/rows.ts"
import { scene } from "../stage/scene.ts"
import { hour, newRun } from "./rows.ts"

export const desk = Effect.fnUntraced(function* (store: Store) {
  const own = yield* scene(store)
  const { scope } = own
  const { ledger } = store
  /** Writes rows of the run that epoch 1 has. */
  const record = (runId: string, rows: Omit<Partial<Ledger.LedgerRows>, "runId"> = {}) =>
    ledger.record(scope, { runId, epoch: 1, ...rows })
  return {
    ...own,
    ledger,
    record,
    /** Stores a thought, and begins a run on it that `a` has for an hour. */
    begin: Effect.fnUntraced(function* (more: Parameters<typeof newRun>[1] = {}) {
      const row = thought()
      yield* own.write(row)
      const run = newRun(row.id, more)
      yield* record(run.id, { begins: [run] })
      return { row, run, runId: run.id }
    }),
    claim: (runId: string, owner: string, lease: Partial<Ledger.Lease & Ledger.Claiming> = {}) =>
      ledger.claim(scope, runId, { owner, millis: hour, seize: false, ...lease }),
    renew: (runId: string, epoch: number, lease: Partial<Ledger.Lease> = {}) =>
      ledger.renew(scope, runId, epoch, { owner: "a", millis: hour, ...lease }),
    stored: (runId: string): Effect.Effect<Ledger.StoredRun | undefined, unknown> => ledger.load(scope, runId),
    sketches: (runIds: ReadonlyArray<string>) => ledger.sketches(scope, runIds),
    runs: (query: Partial<Ledger.RunsQuery> = {}) => ledger.runs(scope, { limit: 100, ...query }),
    waits: (query: { readonly runId?: string; readonly limit?: number } = {}) =>
      ledger.waits(scope, { limit: 100, ...query }),
    answer: (runId: string, frame: string, json: string, by: string | undefined, millis: number) =>
      ledger.answer(scope, { runId, frame }, { json, by, millis })
  }
})

export type Desk = Effect.Success<ReturnType<typeof desk>>

export const idsOf = (runs: ReadonlyArray<Ledger.RunRow>): ReadonlyArray<string> => runs.map(({ id }) => id)
