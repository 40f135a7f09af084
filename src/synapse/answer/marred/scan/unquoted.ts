/** Reads unquoted numbers, literals and texts. */
import { closersOf, isSeparator, keyAt, soonAfter } from "./ahead.ts"
import { type Cursor, fail, isBlank } from "./Cursor.ts"
import type { Around } from "./ends.ts"
import type { Tree } from "./Tree.ts"
import { wordOf } from "./words.ts"

const unclear = /["“”{}[\]`<>]|&(?:#\d+|\w+);/

/** Marks that no text begins with, and values without separators between them. */
const notText = /^[:：=,;]|^(?:true|false|null)(?:true|false|null|-?\d)|^-?[\d.]+e[\d.e+-]*(?:true|false|null)*$/i

/** A text with escapes of JSON lost its quotes. */
const escaped = /\\(?:["\\/bfnrt]|u[\da-f]{4})/i

/** A quote at the end lost its partner at the beginning. */
const halfQuoted = /'$/

const number = /-?\d[\d.eE+-]*(?=[\s,\]])/y

/** Reads unquoted text up to where it must end. */
export const readWord = (cursor: Cursor, { onlyQuoted, place }: Around): Tree => {
  const { text } = cursor
  const begin = cursor.at
  let at = begin
  for (; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === "\n" || char === "}" || char === "]" || (char === ")" && place === "item")) break
    if (isComment(text, at) && !/\d/.test(text.charAt(at + 1)) && at > begin && " \t".includes(text.charAt(at - 1)))
      break
    if (isBlank(char) && endsAt(cursor, begin, at, place, onlyQuoted)) break
    if (!isSeparator(char) || (char === ";" && isTextFrom(text, begin, at))) continue
    const next = soonAfter(cursor, at + 1)
    if (place !== "value" || text[next] === undefined || text[next] === "}" || isSeparator(text[next])) break
    if (keyAt(cursor, next, onlyQuoted) || !isTextFrom(text, begin, at)) break
  }
  const word = text.slice(begin, at).trim()
  cursor.at = at
  if (at >= text.length && place !== "alone") fail(cursor, "Cut")
  const tree = wordOf(word)
  const isText = tree._tag === "Bare"
  if (word === "" || (cursor.exact && tree.kinds.length > 0) || (isText && unclear.test(word))) fail(cursor, "Broken")
  if (isText && place === "item" && /: |[:,]$/.test(word)) fail(cursor, "Broken")
  if (isText && (notText.test(word) || escaped.test(word) || halfQuoted.test(word) || isMarred(word)))
    fail(cursor, "Broken")
  if (word.startsWith("...") || word.startsWith("…")) fail(cursor, "Elided")
  return tree
}

/** Whether the word would be a number or literals without the marks and blanks in it. */
const isMarred = (word: string): boolean => {
  if (word.length >= 64) return false
  const plain = word.replaceAll(/[{}[\]":,']/g, "")
  return (
    (plain !== word && wordOf(plain)._tag !== "Bare") || /^(?:true|false|null)(?:\s*(?:true|false|null))+$/.test(plain)
  )
}

/** The maximum length for distinguishing a number from a text before its end is known. */
const longest = 512

/** Whether the text between these positions is neither a number nor a literal. */
const isTextFrom = (text: string, begin: number, end: number): boolean =>
  end - begin > longest || wordOf(text.slice(begin, end).trim())._tag === "Bare"

/** Whether a number or literal ends at this blank, because the next value or key follows without a comma. */
const endsAt = (cursor: Cursor, begin: number, at: number, place: Around["place"], onlyQuoted: boolean): boolean => {
  if (cursor.exact || at - begin > 32 || wordOf(cursor.text.slice(begin, at))._tag === "Bare") return false
  const next = soonAfter(cursor, at)
  if (place === "value") return keyAt(cursor, next, onlyQuoted)
  number.lastIndex = next
  return place === "item" && (number.test(cursor.text) || closersOf(cursor.text[next]) !== undefined)
}

const isComment = (text: string, at: number): boolean =>
  text[at] === "#" || (text[at] === "/" && (text[at + 1] === "/" || text[at + 1] === "*"))
