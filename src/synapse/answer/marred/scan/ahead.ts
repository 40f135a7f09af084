/** Lookahead: what follows determines the meaning of a mark. */
import { afterBlank } from "./Cursor.ts"
import type { Source } from "./Source.ts"

/** The maximum length of a quoted key for lookahead. */
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
  "«": "»",
  "「": "」",
  "『": "』",
  "＂": "＂"
}

/** The marks that may close what this mark opens. Undefined if it opens nothing. */
export const closersOf = (open: string | undefined): string | undefined =>
  open === undefined || open.length !== 1 ? undefined : closers[open]

/** An unquoted key: words without signs that separate. */
const bare =
  /[^\s{}[\]()"“”„«»「」『』＂,;，；、،|:：=<>#/\\`](?:[^{}[\]()"“”„«»「」『』＂,;，；、،|:：=<>#\n\r\\`]|-(?!>)){0,126}/uy

/** The sign between a key and its value, also doubled or as other languages write it. */
const colon = /[:：][:=]?|=>?|->|→/y

/** The unquoted key at this position, if any. */
export const bareKeyAt = (text: string, at: number): string | undefined => {
  bare.lastIndex = at
  const found = bare.exec(text)?.[0]
  return found?.replace(/-$/, "")
}

/** The sign between a key and its value at this position, if any. */
export const colonAt = (text: string, at: number): string | undefined => {
  colon.lastIndex = at
  return colon.exec(text)?.[0]
}

/** Whether this is a comma or one of its substitutes. */
export const isSeparator = (char: string | undefined): boolean =>
  char === "," || char === ";" || char === "，" || char === "；" || char === "、" || char === "،" || char === "|"

/** The end of the quoted text that begins here, if it is near and on the same line. */
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

/** The first position from here that is neither white space nor part of a comment. */
export const soonAfter = (source: Source, from: number): number => {
  const { ends, text } = source
  const passed: Array<number> = []
  let at = afterBlank(text, from)
  for (;;) {
    const isLine = text[at] === "#" || (text[at] === "/" && text[at + 1] === "/")
    if (!isLine && !(text[at] === "/" && text[at + 1] === "*")) break
    const known = ends.get(at)
    if (known === undefined) passed.push(at)
    at = known ?? afterBlank(text, behind(source, isLine ? "\n" : "*/", isLine ? at : at + 2))
  }
  for (const start of passed) ends.set(start, at)
  return at
}

/** The position after the next occurrence of the mark, or the end. */
const behind = ({ last, text }: Source, mark: string, from: number): number => {
  const known = last[mark]
  if (known !== undefined && known.from <= from && from + mark.length <= known.end) return known.end
  const found = text.indexOf(mark, from)
  const end = found === -1 ? text.length : found + mark.length
  last[mark] = { from, end }
  return end
}

/** Whether a key and its colon are here. Unquoted keys count only if other keys are unquoted. */
export const keyAt = (source: Source, at: number, onlyQuoted: boolean): boolean => {
  const { text } = source
  const end = soonClosed(text, at)
  if (end !== undefined) {
    return colonAt(text, soonAfter(source, end)) !== undefined
  }
  if (onlyQuoted) return false
  const key = bareKeyAt(text, at)
  return key !== undefined && colonAt(text, soonAfter(source, at + key.length)) !== undefined
}

/** Whether the text here can follow the end of a nested object or list. */
export const afterPart = (source: Source, at: number): boolean => {
  const next = soonAfter(source, at)
  const char = source.text[next]
  return char === undefined || "{}])".includes(char) || isSeparator(char) || keyAt(source, next, true)
}

const value = /(?:true|false|null|-?\d[\d.eE+-]{0,31})\s{0,8}[,\]}]/y

/** Whether a terminated number or literal is here. */
export const valueAt = (text: string, at: number): boolean => {
  value.lastIndex = at
  return value.test(text)
}

/** Whether a list item is here. A short quoted text must be complete. */
export const itemAt = (text: string, at: number): boolean => {
  const char = text[at]
  if (char === undefined || "{[]()-0123456789".includes(char)) return true
  if (closersOf(char) === undefined) return /^(?:true|false|null|None)\b/i.test(text.slice(at, at + 8))
  const end = soonClosed(text, at)
  if (end === undefined) return true
  const next = afterBlank(text, end)
  return next >= text.length || "])".includes(text.charAt(next)) || isSeparator(text[next])
}
