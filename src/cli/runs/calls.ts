/** The calls of models in a run: how many the ledger has saved, and how many were made. */
import { isModelCall } from "../../logs/rows.ts"
import type { Ledger } from "../../Store.ts"

const isFinished = ({ state }: Ledger.CallRow): boolean => state === "answered" || state === "failed"

/** Calls that a run had finished before it was taken for the last time, and those made since. */
export const sinceTaken = (
  calls: ReadonlyArray<Ledger.CallRow>,
  epochBefore: number
): { readonly saved: number; readonly made: ReadonlyArray<Ledger.CallRow> } => {
  const models = calls.filter(isModelCall)
  return {
    saved: models.filter((call) => call.epoch <= epochBefore && isFinished(call)).length,
    made: models.filter(({ epoch }) => epoch > epochBefore)
  }
}
