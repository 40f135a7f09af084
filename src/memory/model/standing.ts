/** Whether a process may write rows for a durable run. */
import { leaseLost, MemoryError } from "./error.ts"
import type { LedgerRows, RunRow } from "./Ledger.ts"

/** The fields of a stored run that decide it. */
export type Known = Pick<RunRow, "seed" | "status" | "owner" | "epoch" | "endedMillis">

/**
 * - `"held"`: the process holds the run, or inserts it
 * - `"done"`: the run ended with these rows, so they are stored already
 * - `"lost"`: another process holds the run, the run ended differently, or it does not exist
 * - `"taken"`: a new run has the id of another run
 */
export type Standing = "held" | "done" | "lost" | "taken"

/** Whether the rows may be written. A new run with the seed of the stored run was inserted before. */
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

/** The error for a new run with the id of another run. */
const taken = () =>
  new MemoryError({
    reason: { _tag: "Query", code: "23505", message: "Another run of the scope has this id: give another one." }
  })

export type Refused = "lost" | "taken"

/** Why the rows cannot be written. */
export const refusalOf = (standing: Refused, { runId }: LedgerRows): MemoryError =>
  standing === "lost" ? leaseLost(runId) : taken()
