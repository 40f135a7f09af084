/** Which durable runs are listed, and in which order. */
import type { Position, RunRow, RunSketch, RunsQuery, StepRow, WaitRow } from "../model/Ledger.ts"
import { compare, type RunState } from "./Row.ts"

/** The states of thoughts that a run stored. */
export const positions = ({ run, steps }: RunState): ReadonlyArray<Position> =>
  [run.start, run.end, ...Array.from(steps.values(), ({ position }) => position)].filter((one) => one !== undefined)

/** Whether a run can go on at a time. */
const isDue = (state: RunState, millis: number): boolean => {
  const { run, waits } = state
  if (run.status === "pending" || run.status === "interrupted") return true
  if (run.status === "running") return (run.leaseUntilMillis ?? 0) <= millis
  return run.status === "waiting" && [...waits.values()].some((wait) => goesOn(state, wait, millis))
}

/** Whether the run can go on from a question. */
const goesOn = (state: RunState, wait: WaitRow, millis: number): boolean => {
  const outcome = outcomeOf(state, wait)
  return (
    (wait.answer !== undefined || (wait.dueMillis ?? Infinity) <= millis || wait.prompt === "") &&
    outcome !== "committed" &&
    outcome !== "completed" &&
    outcome !== "failed" &&
    outcome !== "interrupted" &&
    !isAskedAgain(state, wait)
  )
}

/**
 * Whether a question was asked again: with the frame of its step and `^` for each time.
 */
const isAskedAgain = ({ waits }: Pick<RunState, "waits">, { frame }: WaitRow): boolean => waits.has(`${frame}^`)

const outcomeOf = ({ steps }: Pick<RunState, "steps">, { frame }: WaitRow) =>
  steps.get(frame.replace(/\^+$/, ""))?.outcome

/** Whether a question can be answered. */
export const isOpen = (state: RunState, wait: WaitRow): boolean => {
  const outcome = outcomeOf(state, wait)
  const isOver = outcome === "committed" || outcome === "completed" || outcome === "interrupted"
  return wait.answer === undefined && !isOver && !isAskedAgain(state, wait)
}

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

/** A run without the texts of its rows. */
export const sketchOf = ({ calls, run, steps, waits }: RunState): RunSketch => ({
  run,
  steps: [...steps.values()].toSorted(byStart).map(({ endedMillis, frame, kind }) => ({ frame, kind, endedMillis })),
  calls: [...calls.values()]
    .toSorted(byStart)
    .map(({ epoch, frame, kind, state, usage, usd }) => ({ frame, kind, state, usage, usd, epoch })),
  waits: [...waits.values()].toSorted(byAge).map(({ answeredMillis, frame }) => ({ frame, answeredMillis }))
})
