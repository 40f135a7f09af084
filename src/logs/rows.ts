/** Rows of durable runs. */
import type { CallRow, StepRow } from "../memory/model/Ledger.ts"

/** Whether a row is a call of a model. */
export const isModelCall = ({ kind }: Pick<CallRow, "kind">): boolean => kind === "complete" || kind === "decide"

/** Whether what a call used is not known: its row has the most that it can use, for budgets. */
export const isBound = ({ state }: Pick<CallRow, "state">): boolean => state === "begun" || state === "interrupted"

/** Steps without the places where thoughts were stored, which are no steps of the pipeline. */
export const stepsOf = <A extends Pick<StepRow, "kind">>({
  steps
}: {
  readonly steps: ReadonlyArray<A>
}): ReadonlyArray<A> => steps.filter(({ kind }) => kind !== "commit")
