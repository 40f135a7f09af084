/** Where the reading of a text stands. Every function that takes a cursor moves it forward, and only forward. */
import type { Source } from "./Source.ts"

/**
 * Why a value could not be read.
 *
 * - `Cut`: the text ends before the value does
 * - `Elided`: the writer left something out, and said so
 * - `Deep`: values in values, beyond any that is meant
 * - `Many`: more values than can be told apart
 * - `Broken`: what stands here cannot be read, or could be read in more than one way
 */
export interface Failure {
  readonly _tag: "Cut" | "Elided" | "Deep" | "Many" | "Broken"
  /** Where, by keys and positions. */
  readonly path: Array<string>
}

export interface Cursor extends Source {
  /** Whether the text is JSON as the standard has it: then nothing is a matter of opinion. */
  readonly exact: boolean
  at: number
  /** How many objects and lists are open. */
  depth: number
  /** Once this is set, what is read does not count. */
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

/** Says, for a failure inside a part, which part it was. */
export const failedIn = (cursor: Cursor, part: string): boolean => {
  cursor.failure?.path.unshift(part)
  return cursor.failure !== undefined
}

export const isBlank = (char: string | undefined): boolean =>
  char === " " || char === "\n" || char === "\r" || char === "\t" || char === "\u00a0" || char === "\ufeff"

/** The first position from here that is no white space. */
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

/** Behind these without a blank, a number sign is a part of what went wrong. */
const closing = /["'\w]/

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

const strange = /[^ \n\r\t]/

/** Passes over white space and comments; a comment that stands for what was left out fails. Gives what was passed. */
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
