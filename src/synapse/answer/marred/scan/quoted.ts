/** Text in quotes, also where the quotes are of another sort, inside the text, or thrice. */
import { afterPart, bareKeyAt, closersOf, colonAt, isSeparator, itemAt, keyAt, soonAfter, valueAt } from "./ahead.ts"
import type { Source } from "./Source.ts"
import { type Cursor, fail } from "./Cursor.ts"
import { escapeAt } from "./escapes.ts"
import type { Quoted } from "./Tree.ts"

/** Where a text stands: what may follow tells which quote is its last. */
type Place = "key" | "value" | "item" | "alone"

export interface Around {
  readonly place: Place
  /** Whether the keys of this object are in quotes. */
  readonly onlyQuoted: boolean
  /** The bracket that ends what this stands in, where that is not the usual one. */
  readonly closer?: string
}

const kindOf = (open: string): ReadonlyArray<string> =>
  open === '"' ? [] : open === "'" ? ["single-quotes"] : ["quotes"]

/** Reads the text in quotes that begins here, and those that are joined to it. */
export const readQuoted = (cursor: Cursor, around: Around): Quoted => {
  const kinds = new Set<string>()
  let text = readOne(cursor, around, kinds)
  while (!cursor.exact && cursor.failure === undefined && around.place !== "key") {
    const plus = soonAfter(cursor, cursor.at)
    const next = cursor.text[plus] === "+" ? soonAfter(cursor, plus + 1) : plus
    if (next === plus || closersOf(cursor.text[next]) === undefined) break
    cursor.at = next
    kinds.add("concatenation")
    text += readOne(cursor, around, kinds)
  }
  return { _tag: "Quoted", text, kinds: [...kinds] }
}

const readOne = (cursor: Cursor, around: Around, kinds: Set<string>): string => {
  const open = cursor.text.charAt(cursor.at)
  if (!cursor.exact && closersOf(open) === undefined) return readPrefixed(cursor, around, kinds)
  if (!cursor.exact && (open === '"' || open === "'") && cursor.text.startsWith(open.repeat(3), cursor.at)) {
    return readTriple(cursor, open.repeat(3), kinds)
  }
  for (const kind of kindOf(open)) kinds.add(kind)
  return readUntil(cursor, closersOf(open) ?? open, around, kinds)
}

/** Text as in Python, where a letter before the quotes says how it is written: backslashes may stand for themselves. */
const readPrefixed = (cursor: Cursor, around: Around, kinds: Set<string>): string => {
  const isRaw = cursor.text.charAt(cursor.at).toLowerCase() === "r"
  kinds.add("prefix")
  cursor.at++
  if (!isRaw) return readOne(cursor, around, kinds)
  const begin = cursor.at + 1
  const inner = new Set<string>()
  readUntil(cursor, cursor.text.charAt(cursor.at), around, inner)
  return cursor.text.slice(begin, cursor.at - 1)
}

const readTriple = (cursor: Cursor, mark: string, kinds: Set<string>): string => {
  const begin = cursor.at + 3
  const end = cursor.text.indexOf(mark, begin)
  kinds.add("triple-quotes")
  cursor.at = end === -1 ? cursor.text.length : end + 3
  if (end === -1) fail(cursor, "Cut")
  const raw = cursor.text.slice(begin, end === -1 ? undefined : end)
  let text = ""
  let from = 0
  for (let i = raw.indexOf("\\"); i !== -1; i = raw.indexOf("\\", from)) {
    const escape = escapeAt(raw, i)
    text += raw.slice(from, i) + (escape?.text ?? "\\")
    from = escape?.end ?? raw.length
  }
  return text + raw.slice(from)
}

const readUntil = (cursor: Cursor, marks: string, around: Around, kinds: Set<string>): string => {
  const { exact, text } = cursor
  const open = text.charAt(cursor.at)
  let read = ""
  const begin = cursor.at + 1
  let from = begin
  let inner = 0
  let isUnclear = false
  const escapes = { unknown: false, known: false }
  let strays = 0
  let unknowns = 0
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) {
      const escape = escapeAt(text, i)
      if (escape === undefined) {
        cursor.at = Math.min(i + 8, text.length)
        fail(cursor, "Broken")
        return read
      }
      read += text.slice(from, i) + escape.text
      from = escape.end
      i = from - 1
      if (!escape.known) {
        kinds.add("escape")
        unknowns++
      }
      if (escape.stray) strays++
      if (escape.lettered) escapes[escape.known ? "known" : "unknown"] = true
    } else if (code < 0x20) kinds.add("line-break")
    else if (marks.includes(text.charAt(i))) {
      const end = exact ? "closes" : meaningOf(cursor, i, around, inner % 2 === 1)
      if (end === "inside") {
        if (!isApostrophe(text, i) && !isInches(text, i)) {
          if (!(inner % 2 === 0 ? opensInside(text, i) : closesInside(text, i))) isUnclear = true
          if (around.place === "item" && inner === 0 && /(?:^|,)\s*$/.test(text.slice(begin, i))) isUnclear = true
          inner++
        }
        // A mark of another sort than the one that opened is no mistake.
        if (text.charAt(i) === marks.charAt(0)) kinds.add("inner-quote")
        continue
      }
      cursor.at = i + 1
      if (exact && kinds.size > 0) fail(cursor, "Broken")
      // A quote inside without its second may be the end that was meant. And of backslashes that were meant as such beside
      // line breaks, nobody knows which are which.
      if (end === "unclear" || isUnclear || inner % 2 === 1 || (escapes.known && escapes.unknown))
        fail(cursor, "Broken")
      // One backslash alone may have lost the quote that it belongs to.
      if (open === '"' && strays === 1 && unknowns === 1) fail(cursor, "Broken")
      const whole = read + text.slice(from, i)
      // A line of a list that ends with a comma may be a text by itself, without its quotes.
      if (around.place === "item" && kinds.has("line-break") && /,[^\S\n]*\n/.test(whole)) fail(cursor, "Broken")
      // Nothing but marks in several lines is what stood between two texts.
      if (kinds.has("line-break") && !/[^\s{}[\],:]/.test(whole) && /\S/.test(whole)) fail(cursor, "Broken")
      if (!exact && (inner > 0 || open !== '"') && /"\s*[,:]\s*"/.test(whole)) fail(cursor, "Broken")
      return whole
    }
  }
  cursor.at = text.length
  fail(cursor, "Cut")
  return read
}

const closesIf = (holds: boolean): Meaning => (holds ? "closes" : "inside")

type Meaning = "closes" | "inside" | "unclear"

/** Whether a quote and a comma end an item: what comes next is one, and no quote inside the text waits for its second. */
const endOfItem = (source: Source, then: number, isOpen: boolean): Meaning => {
  const isNext = closersOf(source.text[then]) !== undefined || itemAt(source.text, then)
  return isOpen && isNext ? "unclear" : closesIf(isNext)
}

/** Whether a quote or a bracket stands here, as at the beginning of another part. */
const beginsPart = (text: string, at: number): boolean =>
  closersOf(text[at]) !== undefined || text[at] === "{" || text[at] === "["

/** Whether a value stands here whose key has no colon: a text, a number, a bracket. */
const beginsValue = (text: string, at: number): boolean =>
  closersOf(text[at]) !== undefined || /^[{[\d-]|^(?:true|false|null|None|True|False)\b/.test(text.slice(at, at + 6))

/** Whether a quote inside a text stands where quoted words begin: after a blank or a sign, and before no blank. */
const opensInside = (text: string, at: number): boolean =>
  /[\s(<>=/—–-]$|[\s(=:][{[]$/.test(text.slice(Math.max(0, at - 2), at)) && /[^\s,;:.!?)\]}]/.test(text.charAt(at + 1))

/** Whether it stands where quoted words end. */
const closesInside = (text: string, at: number): boolean =>
  /\S/.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + 1))

/** Whether it is the sign for inches. */
const isInches = (text: string, at: number): boolean =>
  text[at] === '"' && /^\d" ?\p{L}/u.test(text.slice(at - 1, at + 3))

/** Whether a key without quotes, its colon and the beginning of a value stand here. */
const memberAt = (cursor: Cursor, at: number): boolean => {
  const key = bareKeyAt(cursor.text, at)
  const colon = key === undefined ? at : soonAfter(cursor, at + key.length)
  const sign = key === undefined || /\s\S+\s/.test(key) ? undefined : colonAt(cursor.text, colon)
  return sign !== undefined && beginsValue(cursor.text, soonAfter(cursor, colon + sign.length))
}

/** Whether the quote here is an apostrophe. */
const isApostrophe = (text: string, at: number): boolean =>
  "'’".includes(text.charAt(at)) && /^\p{L}.\p{L}$/u.test(text.slice(at - 1, at + 2))

/** Whether the quote here is the text's last, by what follows it. */
const meaningOf = (cursor: Cursor, at: number, { closer, onlyQuoted, place }: Around, isOpen: boolean): Meaning => {
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
