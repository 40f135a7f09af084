/**
 * The calls of models in durable runs: those that this process makes, and those that earlier ones have made already.
 */
import { Effect } from "effect"
import { Memory, type Signal } from "cogito"

/** How many answers of models the ledger has of a run. None of these calls is made again when the run goes on. */
export const answersOf = Effect.fnUntraced(function* (runId: string) {
  const { ledger } = yield* Memory.Memory
  const stored = yield* ledger.load(runId)
  const isAnswer = ({ kind, state }: { readonly kind: string; readonly state: string }) =>
    (kind === "complete" || kind === "decide") && state === "answered"
  return stored?.calls.filter(isAnswer).length ?? 0
})

/** Whether a signal reports a call that was made now, and not one that was taken from the ledger. */
export const isCall = (
  signal: Signal.Signal
): signal is Extract<Signal.Signal, { readonly _tag: "CallCompleted" | "CallFailed" }> =>
  (signal._tag === "CallCompleted" || signal._tag === "CallFailed") && signal.replayed !== true
