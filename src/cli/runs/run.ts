/** A run in words and as JSON. */
import type { Ledger } from "../../Store.ts"
import { plain } from "../console/output.ts"
import { iso } from "./questions.ts"

/** The thought that a run has come to, or that it began with. */
export const thoughtOf = ({ end, start }: Pick<Ledger.RunRow, "end" | "start">): string => (end ?? start).thoughtId

/** Which process has a run, and until when no other one may take it. */
export const held = ({ leaseUntilMillis, owner, status }: Ledger.RunRow): ReadonlyArray<string> =>
  status !== "running" || owner === undefined || leaseUntilMillis === undefined
    ? []
    : [`process ${plain(owner)} has it until ${iso(leaseUntilMillis)} at least`]

/** The fields of a run that are printed as JSON. What a run does not have is left out. */
export const runJson = (run: Ledger.RunRow) => {
  const { createdMillis, endedMillis, epoch, error, fingerprint, id, keep, leaseUntilMillis, owner, parent } = run
  return {
    id,
    status: run.status,
    pipeline: run.pipeline,
    fingerprint,
    thoughtId: thoughtOf(run),
    created: iso(createdMillis),
    ...(endedMillis === undefined ? {} : { ended: iso(endedMillis) }),
    ...(error === undefined ? {} : { error }),
    epoch,
    ...(owner === undefined ? {} : { owner }),
    ...(leaseUntilMillis === undefined ? {} : { leaseUntil: iso(leaseUntilMillis) }),
    ...(parent === undefined ? {} : { parent: parent.runId }),
    keep
  }
}
