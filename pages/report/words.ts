/** Figures and texts as a reader sees them. */
import type { CallRecord } from "../../src/report/model.ts"
import { showInvisible } from "../../src/text/invisible.ts"

export { percent, short } from "../../src/text/answer.ts"

/** A text with its invisible characters shown by number. */
export const shown = showInvisible

export const took = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(millis < 10_000 ? 2 : 1)} s`
  if (millis < 3_600_000) return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1000)} s`
  if (millis < 86_400_000) return `${Math.floor(millis / 3_600_000)} h ${Math.round((millis % 3_600_000) / 60_000)} min`
  return `${Math.floor(millis / 86_400_000)} d ${Math.round((millis % 86_400_000) / 3_600_000)} h`
}

export const lasted = (from: number, until: number | undefined): string =>
  until === undefined ? "no end" : took(until - from)

export const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`

export const number = (value: number): string => value.toLocaleString("en-US")

export const tokens = (input: number | undefined, output: number | undefined): string =>
  input === undefined && output === undefined
    ? ""
    : `${input === undefined ? "?" : number(input)} in, ${output === undefined ? "?" : number(output)} out`

export const money = (usd: number | undefined): string => {
  if (usd === undefined) return ""
  return usd === 0 ? "$0" : usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(usd < 1 ? 3 : 2)}`
}

/** What calls can have used, as opposed to what they used. */
export const atMost = (text: string): string => (text === "" ? "" : `≤ ${text}`)

/** The tokens of a call. */
export const usedTokens = ({ isBound, usage }: Pick<CallRecord, "isBound" | "usage">): string => {
  const text = tokens(usage?.inputTokens, usage?.outputTokens)
  return isBound === true ? atMost(text) : text
}

/** The money that a call cost. */
export const usedMoney = ({ isBound, usd }: Pick<CallRecord, "isBound" | "usd">): string =>
  isBound === true ? atMost(money(usd)) : money(usd)

/** A moment in UTC. */
export const moment = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19).replace("T", " ")} UTC`

export const clock = (millis: number): string => new Date(millis).toISOString().slice(11, 23)
