/** The differences between a request and a recorded one, for people to read. */
import type { Message } from "../provider/request.ts"
import type { Essence } from "./essence.ts"

/** The request of a recorded call. What it leaves out matches every request. */
export interface Expected extends Omit<Essence, "messages"> {
  readonly messages: ReadonlyArray<Message> | undefined
}

/**
 * Where a request differs from the recorded one: a prompt diff, `-` before lines of the recording and `+` before those of
 * now. It is the `cause` of a `ReplayMismatch`, whose own message has no text of a prompt.
 *
 * @category errors
 */
export class ReplayDifference extends Error {
  override readonly name = "ReplayDifference"
}

const context = 3
const longest = 40

const limited = (lines: ReadonlyArray<string>, mark: string): ReadonlyArray<string> => [
  ...lines.slice(0, longest).map((line) => `${mark} ${line}`),
  ...(lines.length > longest ? [`${mark} … ${lines.length - longest} more lines`] : [])
]

/** The lines that differ, between those that are the same. */
const diffLines = (before: string, now: string): ReadonlyArray<string> => {
  const [a, b] = [before.split("\n"), now.split("\n")]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    ...a.slice(Math.max(0, start - context), start).map((line) => `  ${line}`),
    ...limited(a.slice(start, a.length - end), "-"),
    ...limited(b.slice(start, b.length - end), "+"),
    ...a.slice(a.length - end, a.length - end + context).map((line) => `  ${line}`)
  ]
}

/** JSON with its keys sorted, to compare. */
export const plain = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  ) ?? "nothing"

/** What differs, part by part; empty when nothing does. What the recorded call leaves out fits any, unless it says all. */
export const differences = (expected: Expected, now: Essence, saysAll = false): ReadonlyArray<string> => {
  const parts: Array<string> = []
  const compare = (what: string, before: unknown, current: unknown) => {
    if ((saysAll || before !== undefined) && plain(before) !== plain(current)) {
      parts.push(`${what}:`, `- ${plain(before)}`, `+ ${plain(current)}`)
    }
  }
  compare("kind", expected.kind, now.kind)
  compare("asked", expected.asked, now.asked)
  compare("phase", expected.phase, now.phase)
  compare("sampling", expected.wish, now.wish)
  compare("output form", expected.output?.name, now.output?.name)
  compare("schema of the output", expected.output?.schema, now.output?.schema)
  compare("tools", expected.tools, now.tools)
  if (expected.messages === undefined) return parts
  compare("number of messages", expected.messages.length, now.messages.length)
  for (const [i, message] of now.messages.entries()) {
    const before = expected.messages[i]
    if (before === undefined)
      parts.push(`message ${i + 1} (${message.role}) is new:`, ...limited(message.text.split("\n"), "+"))
    else if (before.role !== message.role || before.text !== message.text) {
      const role = before.role === message.role ? before.role : `${before.role}, now ${message.role}`
      parts.push(`message ${i + 1} (${role}):`, ...diffLines(before.text, message.text))
    }
    for (const part of before === undefined ? [] : (["calls", "results", "carry"] as const)) {
      if (plain(before?.[part]) === plain(message[part])) continue
      parts.push(`${part} of message ${i + 1}:`, `- ${plain(before?.[part])}`, `+ ${plain(message[part])}`)
    }
  }
  for (const [i, { role, text }] of expected.messages.entries()) {
    if (i >= now.messages.length) parts.push(`message ${i + 1} (${role}) is gone:`, ...limited(text.split("\n"), "-"))
  }
  return parts
}
