/** The calls of models in a run: how many the ledger has saved, how many were made, and what they used. */
import { addUsage, type Usage } from "../../Provider.ts"
import type { Ledger } from "../../Store.ts"

/** Whether a row is a call of a model. */
export const isModelCall = ({ kind }: Pick<Ledger.CallRow, "kind">): boolean => kind === "complete" || kind === "decide"

const isFinished = ({ state }: Ledger.CallRow): boolean => state === "answered" || state === "failed"

/** What calls have used together; money only if some of it is known. */
export const amountsOf = (
  calls: ReadonlyArray<Ledger.CallRow>
): { readonly usage: Usage; readonly usd: number | undefined } => ({
  usage: calls.reduce<Usage>((sum, { usage = {} }) => addUsage(sum, usage), {}),
  usd: calls.reduce<number | undefined>((sum, { usd }) => (usd === undefined ? sum : (sum ?? 0) + usd), undefined)
})

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
