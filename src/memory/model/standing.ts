/** What a durable run is to a process that writes rows for it. */
import { leaseLost, MemoryError } from "./error.ts"
import type { LedgerRows, RunRow } from "./Ledger.ts"

/** What the decision needs to know of a stored run. */
export type Known = Pick<RunRow, "seed" | "status" | "owner" | "epoch" | "endedMillis">

/**
 * - `"held"`: the process has the run, or begins it
 * - `"done"`: the run has ended with these rows, so they are stored already
 * - `"lost"`: another process has the run, it has ended otherwise, or there is none
 * - `"taken"`: a run that begins has the id of another one
 */
export type Standing = "held" | "done" | "lost" | "taken"

/** What the run is to whoever writes these rows. A run that begins may be there already, if its seed says that it is the same. */
export const standingOf = (
  { begins = [], ends, epoch, runId }: LedgerRows,
  find: (id: string) => Known | undefined
): Standing => {
  const isTaken = begins.some(({ id, seed }) => (find(id)?.seed ?? seed) !== seed)
  const own = begins.find(({ id }) => id === runId)
  const run = find(runId)
  if (run === undefined || run.seed !== (own?.seed ?? run.seed)) {
    if (own === undefined) return "lost"
    return isTaken ? "taken" : "held"
  }
  if (run.epoch !== epoch) return "lost"
  if (run.status === (own?.status ?? "running") && (own === undefined || run.owner === own.lease?.owner)) {
    return isTaken ? "taken" : "held"
  }
  return run.status === ends?.status && run.endedMillis === ends.endedMillis ? "done" : "lost"
}

/** The error for a run that begins with the id of another one. */
const taken = () =>
  new MemoryError({
    reason: { _tag: "Query", code: "23505", message: "Another run of the scope has this id: give another one." }
  })

export type Refused = "lost" | "taken"

/** Why the rows cannot be written. */
export const refusalOf = (standing: Refused, { runId }: LedgerRows): MemoryError =>
  standing === "lost" ? leaseLost(runId) : taken()
