/**
 * How text of untrusted notes stands within a task: between « and », which it cannot hold itself, with its invisible
 * characters shown by their number.
 */
import { numbered, showInvisible } from "./invisible.ts"

/** The text as it stands between the marks. A combining mark at its beginning would change the mark before it. */
const inner = (text: string): string => showInvisible(text).replaceAll(/[«»]|^\p{M}/gu, numbered)

/** A text of any length, with its line breaks. */
export const quoted = (text: string): string => `«${inner(text)}»`

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const lineBreaks = /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]+/g

/** A text on one line, of at most `limit` code points; behind the marks it says that more of it was cut off. */
export const quotedShort = (text: string, limit: number): string => {
  const whole = text.trim()
  // what is far beyond the limit need not be looked at
  const start = whole.slice(0, 8 * (limit + 1))
  const line = inner(start.replaceAll(lineBreaks, " "))
  const short = Array.from(line).slice(0, limit).join("")
  if (short === line && start === whole) return `«${line}»`
  // a joiner with nothing to join any more
  return `«${short.replace(/\u200d$/, "")}»[cut]`
}

/**
 * A name in the form in which it is listed between the marks and repeated by answers: quotation marks and invisible
 * characters are replaced. It adds no marks.
 */
export const quotedName = inner

/** Lines, each of which an answer may have to repeat as it stands. */
export const quotedLines = (lines: string): string => `«\n${lines}\n»`

const quotations = /«([^«»]*)»/g

/** The text with its quotations changed. */
export const changeQuotations = (text: string, change: (inner: string) => string): string =>
  text.replaceAll(quotations, (_, words: string) => `«${change(words)}»`)

/** The text without the marks, for one who takes it for words only. */
export const withoutMarks = (text: string): string => text.replaceAll(/[«»]/g, "")
