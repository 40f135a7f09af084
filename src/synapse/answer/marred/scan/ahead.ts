/** Looks ahead of the cursor: what follows tells what a mark means. */
import { afterBlank } from "./Cursor.ts"
import type { Source } from "./Source.ts"

/** How long a key in quotes may be to be told from afar. */
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

/** The marks that may close what this mark opens; undefined when it opens nothing. */
export const closersOf = (open: string | undefined): string | undefined =>
  open === undefined || open.length !== 1 ? undefined : closers[open]

/** A key without quotes: words, and signs that part nothing. */
const bare =
  /[^\s{}[\]()"“”„«»「」『』＂,;，；、،|:：=<>#/\\`](?:[^{}[\]()"“”„«»「」『』＂,;，；、،|:：=<>#\n\r\\`]|-(?!>)){0,126}/uy

/** What stands between a key and its value, also twice or in the ways of other languages. */
const colon = /[:：][:=]?|=>?|->|→/y

/** The key without quotes that stands here; undefined where none does. */
export const bareKeyAt = (text: string, at: number): string | undefined => {
  bare.lastIndex = at
  const found = bare.exec(text)?.[0]
  return found?.replace(/-$/, "")
}

/** The sign between a key and its value that stands here. */
export const colonAt = (text: string, at: number): string | undefined => {
  colon.lastIndex = at
  return colon.exec(text)?.[0]
}

/** Whether this separates parts: a comma, or what some write instead. */
export const isSeparator = (char: string | undefined): boolean =>
  char === "," || char === ";" || char === "，" || char === "；" || char === "、" || char === "،" || char === "|"

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

/** The position behind the next such mark, or the end. */
const behind = ({ last, text }: Source, mark: string, from: number): number => {
  const known = last[mark]
  if (known !== undefined && known.from <= from && from + mark.length <= known.end) return known.end
  const found = text.indexOf(mark, from)
  const end = found === -1 ? text.length : found + mark.length
  last[mark] = { from, end }
  return end
}

/** Whether a key and its colon stand here. Keys without quotes count only where others are so. */
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

/** Whether what stands here can follow the end of an object or a list that is inside another. */
export const afterPart = (source: Source, at: number): boolean => {
  const next = soonAfter(source, at)
  const char = source.text[next]
  return char === undefined || "{}])".includes(char) || isSeparator(char) || keyAt(source, next, true)
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
