/** The position of a reader in a text. Every function that takes a cursor only moves it forward. */
import type { Source } from "./Source.ts"

/**
 * Why a value could not be read.
 *
 * - `Cut`: the text ends before the value does
 * - `Elided`: the writer omitted something and marked it
 * - `Deep`: values are nested deeper than any intended value
 * - `Many`: there are too many values to tell apart
 * - `Broken`: the text here cannot be read, or can be read in more than one way
 */
export interface Failure {
  readonly _tag: "Cut" | "Elided" | "Deep" | "Many" | "Broken"
  /** The path, as keys and positions. */
  readonly path: Array<string>
}

export interface Cursor extends Source {
  /** Whether only standard JSON is accepted. */
  readonly exact: boolean
  at: number
  /** Number of open objects and lists. */
  depth: number
  /** Once this is set, the result of reading is invalid. */
  failure: Failure | undefined
}

export const cursorAt = (source: Source, at: number, exact: boolean): Cursor => ({
  ...source,
  exact,
  at,
  depth: 0,
  failure: undefined
})

export const fail = (cursor: Cursor, tag: Failure["_tag"]): void => {
  const isCut = tag === "Broken" && cursor.at >= cursor.text.length
  cursor.failure ??= { _tag: isCut ? "Cut" : tag, path: [] }
}

/** Adds the part in which a failure occurred to its path. Returns whether there is a failure. */
export const failedIn = (cursor: Cursor, part: string): boolean => {
  cursor.failure?.path.unshift(part)
  return cursor.failure !== undefined
}

export const isBlank = (char: string | undefined): boolean =>
  char === " " || char === "\n" || char === "\r" || char === "\t" || char === "\u00a0" || char === "\ufeff"

/** The first position from here that is not white space. */
export const afterBlank = (text: string, from: number): number => {
  let at = from
  while (isBlank(text[at])) at++
  return at
}

const commentAt = (text: string, at: number): number | undefined => {
  if (text[at] === "#") return closing.test(text.charAt(at - 1)) ? undefined : lineEnd(text, at)
  if (text[at] !== "/") return undefined
  if (text[at + 1] === "/") return lineEnd(text, at)
  if (text[at + 1] !== "*") return undefined
  const end = text.indexOf("*/", at + 2)
  return end === -1 ? text.length : end + 2
}

/** After these characters without a blank, a number sign belongs to a mistake, not to a comment. */
const closing = /["'\w]/

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

const strange = /[^ \n\r\t]/

/** Skips white space and comments, and returns the kinds of what it skipped. A comment that marks an omission fails. */
export const pass = (cursor: Cursor): ReadonlyArray<string> => {
  const kinds: Array<string> = []
  for (;;) {
    const from = cursor.at
    cursor.at = afterBlank(cursor.text, from)
    if (cursor.at > from && strange.test(cursor.text.slice(from, cursor.at))) add(kinds, "white-space")
    if (cursor.exact && kinds.length > 0) fail(cursor, "Broken")
    const end = cursor.exact ? undefined : commentAt(cursor.text, cursor.at)
    if (end === undefined) return kinds
    if (/^(?:#|\/[/*])\s*(?:\.\.\.|…)/.test(cursor.text.slice(cursor.at, cursor.at + 16))) fail(cursor, "Elided")
    cursor.at = end
    add(kinds, "comment")
  }
}

const add = (kinds: Array<string>, kind: string): void => {
  if (!kinds.includes(kind)) kinds.push(kind)
}
