/** A run in words and as JSON. */
import * as Effect from "effect/Effect"
import type { Shape } from "../../Memory.ts"
import { leftNow } from "../../pipeline/durable/options.ts"
import type { Ledger } from "../../Store.ts"
import { plain } from "../console/output.ts"
import { iso } from "./questions.ts"

/** The thought that a run has come to, or that it began with. */
export const thoughtOf = ({ end, start }: Pick<Ledger.RunRow, "end" | "start">): string => (end ?? start).thoughtId

/** Which process has a run, and until when no other one may take it; or that its process has ended without a trace. */
export const heldOf = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  run: Ledger.RunRow
): Effect.fn.Return<ReadonlyArray<string>> {
  const { leaseUntilMillis, owner, status } = run
  const isLeft = yield* leftNow(ledger)
  if (isLeft(run)) return ["its process has ended: resume it to go on"]
  return status !== "running" || owner === undefined || leaseUntilMillis === undefined
    ? []
    : [`process ${plain(owner)} has it until ${iso(leaseUntilMillis)} at least`]
})

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
