/** Compares two recordings call by call. */
import { differences, plain } from "../../recording/difference.ts"
import type { Expanded } from "../../recording/expand.ts"
import { answerOf, type Opened } from "./recording.ts"

/** The first call in which the two differ, and the difference; undefined if they are alike. */
export const firstDifference = (
  before: Opened,
  now: Opened
): { readonly call: number; readonly kind: string; readonly lines: ReadonlyArray<string> } | undefined => {
  const count = Math.max(before.calls.length, now.calls.length)
  for (let i = 0; i < count; i++) {
    const [a, b] = [before.calls[i], now.calls[i]]
    const lines = between(a, b)
    const there = a ?? b
    if (lines.length > 0 && there !== undefined) return { call: i + 1, kind: there.call.kind, lines }
  }
  return undefined
}

const between = (before: Expanded | undefined, now: Expanded | undefined): ReadonlyArray<string> => {
  if (before === undefined) return ["+ this call is new"]
  if (now === undefined) return ["- this call is gone"]
  const { messages = [], ...rest } = now.expected
  const requests = differences(before.expected, { ...rest, messages })
  const [a, b] = [answerOf(before), answerOf(now)]
  const same = plain(before.call.failure ?? a) === plain(now.call.failure ?? b)
  return same ? requests : [...requests, "answer:", `- ${a}`, `+ ${b}`]
}
