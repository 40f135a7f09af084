/** Which durable runs are listed, and in which order. */
import type { Position, RunRow, RunsQuery, StepRow, WaitRow } from "../model/Ledger.ts"
import { compare, type RunState } from "./Row.ts"

/** The states of thoughts that a run stored. */
export const positions = ({ run, steps }: RunState): ReadonlyArray<Position> =>
  [run.start, run.end, ...Array.from(steps.values(), ({ position }) => position)].filter((one) => one !== undefined)

/** Whether a run can go on at a time. */
const isDue = ({ run, steps, waits }: RunState, millis: number): boolean => {
  if (run.status === "pending" || run.status === "interrupted") return true
  if (run.status === "running") return (run.leaseUntilMillis ?? 0) <= millis
  return (
    run.status === "waiting" &&
    [...waits.values()].some(
      ({ answer, dueMillis = Infinity, frame }) =>
        (answer !== undefined || dueMillis <= millis) && !isOver(steps.get(frame))
    )
  )
}

/** Whether the waiting step has continued since. */
const isOver = (step: StepRow | undefined): boolean =>
  step?.outcome === "committed" || step?.outcome === "completed" || step?.outcome === "failed"

/** Whether a run matches the query. */
export const matches =
  ({ after, dueMillis, parent, status, thoughtId }: RunsQuery) =>
  (state: RunState): boolean => {
    const { run } = state
    return (
      (status === undefined || status.includes(run.status)) &&
      (parent === undefined || run.parent?.runId === parent) &&
      (thoughtId === undefined || positions(state).some((position) => position.thoughtId === thoughtId)) &&
      (dueMillis === undefined || isDue(state, dueMillis)) &&
      (after === undefined || newestFirst(run, after) > 0)
    )
  }

/** The order in which rows began; those of one moment as they were written. */
export const byStart = (a: Pick<StepRow, "startedMillis">, b: Pick<StepRow, "startedMillis">) =>
  a.startedMillis - b.startedMillis

/** The oldest first. */
export const byAge = (a: WaitRow, b: WaitRow) =>
  a.createdMillis - b.createdMillis || compare(a.runId, b.runId) || compare(a.frame, b.frame)

export const newestFirst = (a: Pick<RunRow, "id" | "createdMillis">, b: Pick<RunRow, "id" | "createdMillis">) =>
  b.createdMillis - a.createdMillis || compare(b.id, a.id)
