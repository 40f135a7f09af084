/** A durable run in a report. */
import * as Effect from "effect/Effect"
import { stepsOf } from "../logs/rows.ts"
import type { MemoryError, Shape } from "../Memory.ts"
import type { RunRow, StoredRun } from "../memory/model/Ledger.ts"
import { repeated } from "../pipeline/durable/reuse.ts"
import { callOf, type Messages } from "./calls.ts"
import { defined } from "./defined.ts"
import type { RunRecord } from "./model.ts"
import { openStepsOf } from "./openSteps.ts"
import { treeOf } from "./outline.ts"
import { pathOf } from "./paths.ts"

const newestFirst = (a: RunRow, b: RunRow): number => b.createdMillis - a.createdMillis || (a.id < b.id ? 1 : -1)

/** The newest run that has come to a thought. Those that repeat it begin there too, but have come to forks. */
const ownOf = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  thoughtId: string
): Effect.fn.Return<RunRow | undefined, MemoryError> {
  let after: RunRow | undefined
  for (;;) {
    const rows: ReadonlyArray<RunRow> = yield* ledger.runs({ thoughtId, limit: 500, after })
    const own = rows.find(({ end, start }) => (end ?? start).thoughtId === thoughtId)
    after = rows.at(-1)
    if (own !== undefined || rows.length < 500) return own
  }
})

/**
 * The runs on some thoughts, the newest first. If there are more than the limit, the one that is named, or else that of the first
 * thought, is among those that remain.
 */
export const runsOf = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  thoughts: ReadonlyArray<{ readonly id: string }>,
  { limit, runId }: { readonly limit: number; readonly runId: string | undefined }
): Effect.fn.Return<{ readonly runs: ReadonlyArray<StoredRun>; readonly isCut: boolean }, MemoryError> {
  const rows = new Map<string, RunRow>()
  for (const { id } of thoughts) {
    for (const row of yield* ledger.runs({ thoughtId: id, limit: limit + 1 })) rows.set(row.id, row)
  }
  const sorted = [...rows.values()].toSorted(newestFirst)
  const kept = sorted.slice(0, limit).map(({ id }) => id)
  const [first] = thoughts
  const needed = runId ?? (first === undefined ? undefined : (yield* ownOf({ ledger }, first.id))?.id)
  const added = needed === undefined || kept.includes(needed) ? undefined : yield* ledger.load(needed)
  const loaded = yield* Effect.forEach(added === undefined ? kept : kept.slice(0, limit - 1), (id) => ledger.load(id))
  const runs = [...loaded, added].filter((run) => run !== undefined).toSorted((a, b) => newestFirst(a.run, b.run))
  if (added !== undefined) rows.set(added.run.id, added.run)
  return { runs, isCut: rows.size > limit }
})

export const recordOf = (stored: StoredRun, messages: Messages, isLeft: (run: RunRow) => boolean): RunRecord => {
  const { calls, run, waits } = stored
  const left = isLeft(run)
  const { createdMillis, end, endedMillis, epoch, error, fingerprint, id, keep, pipeline, start, status } = run
  const outline = treeOf(run.outline)
  return {
    id,
    status,
    ...(left ? { isLeft: true } : {}),
    pipeline,
    fingerprint,
    keep,
    createdMillis,
    epoch,
    startThoughtId: start.thoughtId,
    startSeq: start.seq,
    ...defined({ endThoughtId: end?.thoughtId, endSeq: end?.seq, endedMillis, error, outline }),
    ...parentOf(run.parent),
    steps: [
      ...openStepsOf(stored, outline, left || status === "interrupted"),
      ...stepsOf(stored).map((step) => ({
        frame: step.frame,
        path: pathOf(step.frame),
        kind: step.kind,
        outcome: step.outcome,
        startedMillis: step.startedMillis,
        ...defined({ endedMillis: step.endedMillis, error: step.error })
      }))
    ],
    calls: calls.map((call) => callOf(call, messages)),
    waits: waits.map((wait) => ({
      frame: wait.frame,
      path: pathOf(wait.frame),
      key: wait.key,
      prompt: wait.prompt,
      createdMillis: wait.createdMillis,
      ...defined({
        dueMillis: wait.dueMillis,
        answer: wait.answer,
        answeredBy: wait.answeredBy,
        answeredMillis: wait.answeredMillis
      })
    }))
  }
}

const parentOf = (parent: StoredRun["run"]["parent"]): Pick<RunRecord, "parent"> => {
  if (parent === undefined) return {}
  const again = repeated(parent)
  const { runId } = parent
  return {
    parent:
      again === undefined
        ? { runId, relation: "background" }
        : { runId, relation: "rerun", ...defined({ from: again.from }) }
  }
}
