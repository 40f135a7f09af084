/** Steps that a run is in. The ledger has no row of a step before its end. */
import type { CallRow, StepRow, StoredRun } from "../memory/model/Ledger.ts"
import { stepsOf } from "../logs/rows.ts"
import type { OutlineNode, StepRecord } from "./model.ts"
import { pathOf } from "./paths.ts"

/** The frames around a frame and itself, outermost first. */
const around = (frame: string): ReadonlyArray<string> => {
  const names = frame.replace(/\^.*$/, "").split("/")
  return names.slice(1).map((_, at) => names.slice(0, at + 2).join("/"))
}

/** The kinds of steps by their paths. */
const kindsOf = (node: OutlineNode | undefined): ReadonlyMap<string, string> => {
  const kinds = new Map<string, string>()
  const add = ({ children, kind, path }: OutlineNode): void => {
    kinds.set(path, kind)
    for (const child of children) add(child)
  }
  if (node !== undefined) add(node)
  return kinds
}

interface Begun extends Pick<CallRow | StepRow, "frame" | "startedMillis"> {}

/** What is known of steps that have begun and not ended: when the first thing in them began. Empty for a run that is over. */
export const openStepsOf = (
  stored: StoredRun,
  outline: OutlineNode | undefined,
  isStopped: boolean
): ReadonlyArray<StepRecord> => {
  const { calls, run, waits } = stored
  if (run.status === "completed" || run.status === "failed") return []
  const steps = stepsOf(stored)
  const ended = new Set(steps.map(({ frame }) => frame))
  const begun: ReadonlyArray<Begun> = [
    ...steps,
    ...calls,
    ...waits.map(({ createdMillis, frame }) => ({ frame, startedMillis: createdMillis }))
  ]
  const open = new Map<string, number>()
  for (const { frame, startedMillis } of begun) {
    for (const one of around(frame))
      if (!ended.has(one)) open.set(one, Math.min(startedMillis, open.get(one) ?? Infinity))
  }
  const kinds = kindsOf(outline)
  const outcome = run.status === "waiting" ? "waiting" : isStopped ? "interrupted" : "running"
  return [...open]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([frame, startedMillis]) => {
      const path = pathOf(frame)
      return { frame, path, kind: kinds.get(path.join("/")) ?? "step", outcome, startedMillis }
    })
}
