/** Decides, from what follows, whether a quote ends a text or belongs to it. */
import { afterPart, bareKeyAt, closersOf, colonAt, isSeparator, itemAt, keyAt, soonAfter, valueAt } from "./ahead.ts"
import type { Cursor } from "./Cursor.ts"
import type { Source } from "./Source.ts"

/** Where a text stands. It determines what may follow its closing quote. */
type Place = "key" | "value" | "item" | "alone"

export interface Around {
  readonly place: Place
  /** Whether the keys of this object are quoted. */
  readonly onlyQuoted: boolean
  /** The closing bracket of the surrounding value, if it is not the usual one. */
  readonly closer?: string
}

type Meaning = "closes" | "inside" | "unclear"

const closesIf = (holds: boolean): Meaning => (holds ? "closes" : "inside")

/**
 * Whether a quote before a comma ends an item: another item must follow, and no quotation inside the text may be open.
 */
const endOfItem = (source: Source, then: number, isOpen: boolean): Meaning => {
  const isNext = closersOf(source.text[then]) !== undefined || itemAt(source.text, then)
  return isOpen && isNext ? "unclear" : closesIf(isNext)
}

/** Whether a quote or bracket is here, as at the beginning of another part. */
const beginsPart = (text: string, at: number): boolean =>
  closersOf(text[at]) !== undefined || text[at] === "{" || text[at] === "["

/** Whether a value is here whose key lacks its colon: a text, a number or a bracket. */
const beginsValue = (text: string, at: number): boolean =>
  closersOf(text[at]) !== undefined || /^[{[\d-]|^(?:true|false|null|None|True|False)\b/.test(text.slice(at, at + 6))

/** Whether a quote inside a text is where a quotation opens: after a blank or a sign, and not before a blank. */
export const opensInside = (text: string, at: number): boolean =>
  /[\s(<>=/—–-]$|[\s(=:][{[]$/.test(text.slice(Math.max(0, at - 2), at)) && /[^\s,;:.!?)\]}]/.test(text.charAt(at + 1))

/** Whether it is where a quotation closes. */
export const closesInside = (text: string, at: number): boolean =>
  /\S/.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + 1))

/** Whether it is an inch sign. */
export const isInches = (text: string, at: number): boolean =>
  text[at] === '"' && /^\d" ?\p{L}/u.test(text.slice(at - 1, at + 3))

/** Whether an unquoted key, its colon and the beginning of a value are here. */
const memberAt = (cursor: Cursor, at: number): boolean => {
  const key = bareKeyAt(cursor.text, at)
  const colon = key === undefined ? at : soonAfter(cursor, at + key.length)
  const sign = key === undefined || /\s\S+\s/.test(key) ? undefined : colonAt(cursor.text, colon)
  return sign !== undefined && beginsValue(cursor.text, soonAfter(cursor, colon + sign.length))
}

/** Whether the quote here is an apostrophe. */
export const isApostrophe = (text: string, at: number): boolean =>
  "'’".includes(text.charAt(at)) && /^\p{L}.\p{L}$/u.test(text.slice(at - 1, at + 2))

/** Whether the quote here closes the text, judging by what follows it. */
export const meaningOf = (
  cursor: Cursor,
  at: number,
  { closer, onlyQuoted, place }: Around,
  isOpen: boolean
): Meaning => {
  const { depth, text } = cursor
  const next = soonAfter(cursor, at + 1)
  const char = text[next]
  if (char === undefined) return "closes"
  if (place === "key") return colonAt(text, next) !== undefined || beginsValue(text, next) ? "closes" : "unclear"
  if (place === "alone") return char === "`" || char === "~" ? "closes" : "unclear"
  if (char === "+") return closesIf(closersOf(text[soonAfter(cursor, next + 1)]) !== undefined)
  if (char === "}" || char === "]" || char === ")") {
    const own = closer === undefined ? (place === "value") === (char === "}") : char === closer
    const isOver = depth <= 1 ? text[soonAfter(cursor, next + 1)] !== text[at] : afterPart(cursor, next + 1)
    return closesIf(own && isOver)
  }
  if (isSeparator(char)) {
    let then = next
    while (isSeparator(text[then]) && then < next + 16) then = soonAfter(cursor, then + 1)
    if (text.startsWith("...", then) || text[then] === "…") return "closes"
    if (place === "item") return endOfItem(cursor, then, isOpen)
    const isLast = text[then] === undefined || (text[then] === "}" && char !== ";")
    const needsQuotes = onlyQuoted && text[at] === '"' && !text.slice(at, then).includes("\n")
    if (isLast || keyAt(cursor, then, needsQuotes) || memberAt(cursor, then)) return "closes"
    return beginsPart(text, then) ? "unclear" : "inside"
  }
  if (colonAt(text, next) !== undefined)
    return place === "item" || beginsPart(text, soonAfter(cursor, next + 1)) ? "unclear" : "inside"
  if (next === at + 1) return !isOpen && (char === text[at] || valueAt(text, next)) ? "unclear" : "inside"
  if (place === "value" && keyAt(cursor, next, onlyQuoted)) return isOpen ? "unclear" : "closes"
  if (closersOf(char) === undefined || char !== text[at]) return "inside"
  return place === "item" && !isOpen ? "closes" : "unclear"
}
