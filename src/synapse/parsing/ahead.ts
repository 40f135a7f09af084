/** Short looks ahead of the cursor, each of a bounded length: what follows tells what a mark means. */
import { afterBlank, isBlank } from "./Cursor.ts"

/** How far a look goes, in characters. */
const far = 256

const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”“",
  "”": "”",
  "„": "“”",
  "‘": "’‘",
  "’": "’",
  "«": "»"
}

/** The marks that may close what this mark opens; undefined when it opens nothing. */
export const closersOf = (open: string | undefined): string | undefined =>
  open === undefined || open.length !== 1 ? undefined : closers[open]

const name = /[\p{L}_$][\p{L}\p{N}_$.-]{0,63}[ \t]{0,8}(?:[:：]|=>?)/uy

/** Whether this separates parts: a comma, or what some write instead. */
export const isSeparator = (char: string | undefined): boolean =>
  char === "," || char === ";" || char === "，" || char === "；" || char === "、"

/** Whether this stands between a key and its value. */
export const isColon = (char: string | undefined): boolean => char === ":" || char === "=" || char === "："

/** Where a text in quotes that begins here ends, when it does so on this line and soon. */
const soonClosed = (text: string, at: number): number | undefined => {
  const marks = closersOf(text[at])
  if (marks === undefined) return undefined
  const end = Math.min(text.length, at + far)
  for (let i = at + 1; i < end && text[i] !== "\n"; i++) {
    if (text[i] === "\\") i++
    else if (marks.includes(text.charAt(i))) return i + 1
  }
  return undefined
}

/** The first position from here that is neither white space nor part of a comment, not looking far. */
export const soonAfter = (text: string, from: number): number => {
  let at = from
  const end = from + far
  for (;;) {
    while (at < end && isBlank(text[at])) at++
    const isLine = text[at] === "#" || (text[at] === "/" && text[at + 1] === "/")
    if (!isLine && !(text[at] === "/" && text[at + 1] === "*")) return at
    const mark = isLine ? "\n" : "*/"
    while (at < end && !text.startsWith(mark, at)) at++
    if (at >= end) return at
    at += mark.length
  }
}

/** Whether a key and its colon stand here. Keys without quotes count only where others are so. */
export const keyAt = (text: string, at: number, onlyQuoted: boolean): boolean => {
  const end = soonClosed(text, at)
  if (end !== undefined) {
    const next = afterSpaces(text, end)
    return isColon(text[next])
  }
  if (onlyQuoted) return false
  name.lastIndex = at
  return name.test(text)
}

const afterSpaces = (text: string, from: number): number => {
  let at = from
  while (at < from + 16 && isBlank(text[at])) at++
  return at
}

/** Whether what stands here can follow the end of an object or a list that is inside another. */
export const afterPart = (text: string, at: number): boolean => {
  const next = soonAfter(text, at)
  const char = text[next]
  return char === undefined || "{}])".includes(char) || isSeparator(char) || keyAt(text, next, true)
}

const value = /(?:true|false|null|-?\d[\d.eE+-]{0,31})\s{0,8}[,\]}]/y

/** Whether a number or a literal stands here that something ends. */
export const valueAt = (text: string, at: number): boolean => {
  value.lastIndex = at
  return value.test(text)
}

/** Whether an item of a list stands here, complete where it is a short text in quotes. */
export const itemAt = (text: string, at: number): boolean => {
  const char = text[at]
  if (char === undefined || "{[]()-0123456789".includes(char)) return true
  if (closersOf(char) === undefined) return /^(?:true|false|null|None)\b/i.test(text.slice(at, at + 8))
  const end = soonClosed(text, at)
  if (end === undefined) return true
  const next = afterBlank(text, end)
  return next >= text.length || "])".includes(text.charAt(next)) || isSeparator(text[next])
}
