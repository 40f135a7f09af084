/** A run in words and as JSON. */
import { type Usage } from "../../Provider.ts"
import type { Ledger } from "../../Store.ts"
import { counted, plain } from "../console/output.ts"
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

/** What calls have used, in words; empty if nothing of it is known. */
export const used = ({ usage, usd }: { readonly usage: Usage; readonly usd: number | undefined }): string => {
  const { inputTokens, outputTokens } = usage
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? []
      : [`${inputTokens ?? "?"} tokens in`, `${outputTokens ?? "?"} out`]
  return [...tokens, ...(usd === undefined ? [] : [`${Number(usd.toPrecision(6))} USD`])].join(", ")
}

/** `…; 3 calls of models, 40 tokens in, 12 out`, and so on. */
export const costOf = (calls: number, amounts: { readonly usage: Usage; readonly usd: number | undefined }): string =>
  [counted(calls, "model call"), used(amounts)].filter((part) => part !== "").join(", ")
