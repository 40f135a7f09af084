/** Rows of durable runs. */
import type { CallRow, StepRow, StoredRun } from "../memory/model/Ledger.ts"

/** Whether a row is a call of a model. */
export const isModelCall = ({ kind }: Pick<CallRow, "kind">): boolean => kind === "complete" || kind === "decide"

/** Steps without the places where thoughts were stored, which are no steps of the pipeline. */
export const stepsOf = ({ steps }: Pick<StoredRun, "steps">): ReadonlyArray<StepRow> =>
  steps.filter(({ kind }) => kind !== "commit")
