/** Reads quoted texts, also with other quotes, quotes inside the text, or triple quotes. */
import { closersOf, soonAfter } from "./ahead.ts"
import { type Cursor, fail } from "./Cursor.ts"
import { type Around, closesInside, isApostrophe, isInches, meaningOf, opensInside } from "./ends.ts"
import { escapeAt } from "./escapes.ts"
import type { Quoted } from "./Tree.ts"

const kindOf = (open: string): ReadonlyArray<string> =>
  open === '"' ? [] : open === "'" ? ["single-quotes"] : ["quotes"]

/** Reads the quoted text that begins here, and those concatenated to it. */
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

/** Reads a text with a prefix, as in Python: in raw strings, backslashes stand for themselves. */
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
    from = escape?.end ?? i + 1
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
        // A different mark than the opening one is not a mistake.
        if (text.charAt(i) === marks.charAt(0)) kinds.add("inner-quote")
        continue
      }
      cursor.at = i + 1
      if (exact && kinds.size > 0) fail(cursor, "Broken")
      // A single quote inside may be the intended end. And if a text has both escapes and literal backslashes, it is
      // not clear which are which.
      if (end === "unclear" || isUnclear || inner % 2 === 1 || (escapes.known && escapes.unknown))
        fail(cursor, "Broken")
      // A single backslash may have lost the quote that it belongs to.
      if (open === '"' && strays === 1 && unknowns === 1) fail(cursor, "Broken")
      const whole = read + text.slice(from, i)
      // A line of a list that ends with a comma may be a separate text without its quotes.
      if (around.place === "item" && kinds.has("line-break") && /,[^\S\n]*\n/.test(whole)) fail(cursor, "Broken")
      // Only marks in several lines is what stood between two texts.
      if (kinds.has("line-break") && !/[^\s{}[\],:]/.test(whole) && /\S/.test(whole)) fail(cursor, "Broken")
      if (!exact && (inner > 0 || open !== '"') && /"\s*[,:]\s*"/.test(whole)) fail(cursor, "Broken")
      return whole
    }
  }
  cursor.at = text.length
  fail(cursor, "Cut")
  return read
}
