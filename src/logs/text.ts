/** Lines for people: texts on one line, durations, and amounts. */
import { counted, cut } from "../text/legible.ts"
import { showOnLine } from "../text/invisible.ts"
import type { CallRow } from "../memory/model/Ledger.ts"
import { isBound } from "./rows.ts"
import { addUsage, type Usage } from "../thought/tokens.ts"

const most = 200

/** A stored text as a part of a line: short, and safe to show. */
export const short = (text: string): string => showOnLine(cut(text.trim().replaceAll(/\s+/g, " "), most))

/** A line about the step at a path. A synapse on its own has none. */
export const atPath = (path: ReadonlyArray<string>, text: string): string =>
  path.length === 0 ? text : `${short(path.join("/"))}: ${text}`

/** A duration in words. */
export const took = (millis: number): string => (millis < 1000 ? `${millis} ms` : `${(millis / 1000).toFixed(1)} s`)

/** How long something took. Empty if it has no end. */
export const tookOf = ({
  endedMillis,
  startedMillis
}: {
  readonly startedMillis: number
  readonly endedMillis: number | undefined
}): string => (endedMillis === undefined ? "" : took(endedMillis - startedMillis))

export const withCommas = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(", ")

/** What calls have used together. Money is undefined if none of it is known. */
export interface Amounts {
  readonly usage: Usage
  readonly usd: number | undefined
}

/** What calls have used together; money only if some of it is known. */
export const amountsOf = (
  calls: ReadonlyArray<{ readonly usage?: Usage | undefined; readonly usd?: number | undefined }>
): Amounts => ({
  usage: calls.reduce<Usage>((sum, { usage = {} }) => addUsage(sum, usage), {}),
  usd: calls.reduce<number | undefined>((sum, { usd }) => (usd === undefined ? sum : (sum ?? 0) + usd), undefined)
})

/** What calls have used, in words; empty if nothing of it is known. */
export const used = ({ usage, usd }: Amounts): string => {
  const { inputTokens, outputTokens } = usage
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? []
      : [`${inputTokens ?? "?"} tokens in`, `${outputTokens ?? "?"} out`]
  return withCommas([...tokens, ...(usd === undefined ? [] : [`${Number(usd.toPrecision(6))} USD`])])
}

/** What a call has used, or the most that it can have used. */
export const usedBy = (call: Pick<CallRow, "state" | "usage" | "usd">): string => {
  const text = used({ usage: call.usage ?? {}, usd: call.usd })
  return text !== "" && isBound(call) ? `at most ${text}` : text
}

/** The most that calls without a known outcome can have used. Empty if all outcomes are known. */
export const boundOf = (calls: ReadonlyArray<Pick<CallRow, "state" | "usage" | "usd">>): string => {
  const bound = calls.filter(isBound)
  const text = used(amountsOf(bound))
  return text === "" ? "" : `+ at most ${text} of ${counted(bound.length, "call")} without a known outcome`
}

/** `3 model calls, 40 tokens in, 12 out`, and so on. */
export const costOf = (calls: number, amounts: Amounts): string =>
  withCommas([counted(calls, "model call"), used(amounts)])
