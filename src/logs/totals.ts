/** What a durable run has done so far, in numbers, and where it is. */
import type { RunRow, RunSketch } from "../memory/model/Ledger.ts"
import type { Usage } from "../thought/tokens.ts"
import { isBound, isModelCall, stepsOf } from "./rows.ts"
import { amountsOf } from "./text.ts"

export interface Totals {
  readonly steps: number
  readonly modelCalls: number
  readonly failedCalls: number
  readonly usage: Usage
  readonly usd?: number
  /** The most that calls without a known outcome can have used, beside that. */
  readonly atMost?: { readonly calls: number; readonly usage: Usage; readonly usd?: number }
  readonly questions: number
  readonly openQuestions: number
}

/** The totals of a run. Its money is left out if none of it is known. */
export const totalsOf = ({ calls, steps, waits }: RunSketch): Totals => {
  const models = calls.filter(isModelCall)
  const { usage, usd } = amountsOf(models.filter((call) => !isBound(call)))
  const bound = models.filter((call) => isBound(call) && (call.usage !== undefined || call.usd !== undefined))
  const most = amountsOf(bound)
  return {
    steps: stepsOf({ steps }).length,
    modelCalls: models.length,
    failedCalls: models.filter(({ state }) => state === "failed").length,
    usage,
    ...(usd === undefined ? {} : { usd }),
    ...(bound.length === 0
      ? {}
      : {
          atMost: { calls: bound.length, usage: most.usage, ...(most.usd === undefined ? {} : { usd: most.usd }) }
        }),
    questions: waits.length,
    openQuestions: waits.filter(({ answeredMillis }) => answeredMillis === undefined).length
  }
}

/**
 * The frames that a run is at: those with a call under way, or with an open question. If the ledger has neither, the
 * step that ended last, since a step has no row before its end.
 */
export const placesOf = ({ calls, run, steps, waits }: RunSketch): ReadonlyArray<string> => {
  if (run.status === "completed") return []
  const open = waits.filter(({ answeredMillis }) => answeredMillis === undefined)
  const begun = calls.filter(({ epoch, state }) => state === "begun" && epoch === run.epoch)
  const frames = [...new Set((run.status === "waiting" ? open : [...begun, ...open]).map(({ frame }) => frame))]
  if (frames.length > 0) return frames
  const last = stepsOf({ steps }).toSorted((a, b) => (b.endedMillis ?? 0) - (a.endedMillis ?? 0))
  return last.slice(0, 1).map(({ frame }) => frame)
}

/** How long a run has taken until it ended or stopped, or until now. */
export const millisOf = ({ createdMillis, endedMillis }: RunRow, nowMillis: number): number =>
  Math.max(0, (endedMillis ?? nowMillis) - createdMillis)
