/** Reads a value from a text as people and models write it, in one pass. */
import { bareKeyAt, closersOf, colonAt, isSeparator } from "./ahead.ts"
import { type Cursor, fail, failedIn, pass } from "./Cursor.ts"
import type { Around } from "./ends.ts"
import { readQuoted } from "./quoted.ts"
import { deepest } from "./json.ts"
import { because, nothingDone, type Tree } from "./Tree.ts"
import { readWord } from "./unquoted.ts"

const nothing: Tree = { _tag: "Literal", text: "", value: null, kinds: nothingDone }

/** Reads the value that begins here. If it fails, sets the cursor's `failure`, and the result is meaningless. */
export const readValue = (cursor: Cursor, around: Around): Tree => {
  const before = pass(cursor)
  if (!cursor.exact && cursor.text.startsWith("```", cursor.at)) fail(cursor, "Cut")
  if (cursor.failure !== undefined) return nothing
  const char = cursor.text[cursor.at]
  const value =
    char === "{"
      ? inside(cursor, holdsTexts(cursor) ? readList : readFields)
      : char === "[" || (char === "(" && !cursor.exact)
        ? inside(cursor, holdsMembers(cursor) ? readFields : readList)
        : isQuote(cursor, char)
          ? readQuoted(cursor, around)
          : readWord(cursor, around)
  return before.length === 0 ? value : because(value, ...before)
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" }

/** Whether these braces contain texts without keys, like a set in Python. */
const holdsTexts = (cursor: Cursor): boolean => {
  if (cursor.exact) return false
  const first = /^\{\s*(["'])(?:(?!\1)[^\\\n]|\\.){0,256}\1\s*(?:,\s*\1(?:(?!\1)[^\\\n]|\\.){0,256}\1\s*[,}]|\})/
  return first.test(cursor.text.slice(cursor.at, cursor.at + 600))
}

/** Whether these brackets contain keys with values, like dictionaries in Swift and arrays in PHP. */
const holdsMembers = (cursor: Cursor): boolean =>
  !cursor.exact &&
  /^[[(]\s*(["'])(?:(?!\1)[^\\\n]|\\.){0,256}\1\s*(?::|=>)/.test(cursor.text.slice(cursor.at, cursor.at + 300))

const isQuote = ({ at, exact, text }: Cursor, char: string | undefined): boolean =>
  exact
    ? char === '"'
    : closersOf(char) !== undefined || (/^[rRuU]$/.test(char ?? "") && /^["']$/.test(text[at + 1] ?? ""))

const inside = (cursor: Cursor, read: (cursor: Cursor) => Tree): Tree => {
  if (cursor.depth >= deepest) {
    fail(cursor, "Deep")
    return nothing
  }
  cursor.depth++
  const tree = read(cursor)
  cursor.depth--
  return tree
}

/** Skips the commas between two parts and records what is wrong with them. */
const separate = (cursor: Cursor, isFirst: boolean, kinds: Set<string>, closers: string): void => {
  let commas = 0
  for (;;) {
    for (const kind of pass(cursor)) kinds.add(kind)
    const char = cursor.text[cursor.at]
    if (!isSeparator(char)) break
    if (char !== ",") kinds.add("separator")
    commas++
    cursor.at++
  }
  const isLast = closers.includes(cursor.text.charAt(cursor.at)) && cursor.at < cursor.text.length
  if (commas > 1 || (commas > 0 && isFirst)) kinds.add("extra-comma")
  else if (commas === 1 && isLast) kinds.add("trailing-comma")
  else if (commas === 0 && !isFirst && !isLast) kinds.add("missing-comma")
  if (cursor.exact && kinds.size > 0) fail(cursor, "Broken")
  if (!cursor.exact && cursor.text.startsWith("```", cursor.at)) fail(cursor, "Cut")
  if (cursor.text.startsWith("...", cursor.at) || cursor.text[cursor.at] === "…") fail(cursor, "Elided")
}

const readFields = (cursor: Cursor): Tree => {
  const entries: Array<readonly [string, Tree]> = []
  const kinds = new Set<string>()
  const closer = closers[cursor.text.charAt(cursor.at)] ?? "}"
  if (closer !== "}") kinds.add("wrong-bracket")
  let onlyQuoted = false
  cursor.at++
  for (;;) {
    separate(cursor, entries.length === 0, kinds, closer)
    if (cursor.failure !== undefined) break
    if (cursor.text[cursor.at] === closer) {
      cursor.at++
      break
    }
    const key = readKey(cursor)
    if (cursor.failure !== undefined) break
    onlyQuoted ||= key.isQuoted
    const value = readValue(cursor, { place: "value", onlyQuoted, ...(closer !== "}" && { closer }) })
    entries.push([key.text, because(value, ...key.kinds)])
    if (failedIn(cursor, key.text)) break
  }
  return { _tag: "Fields", entries, lastCounts: cursor.exact, kinds: kinds.size === 0 ? nothingDone : [...kinds] }
}

const readKey = (
  cursor: Cursor
): { readonly text: string; readonly isQuoted: boolean; readonly kinds: ReadonlyArray<string> } => {
  const mark = cursor.text[cursor.at]
  const isQuoted = cursor.exact ? mark === '"' : closersOf(mark) !== undefined
  let text = ""
  let kinds: ReadonlyArray<string> = []
  if (isQuoted) ({ text, kinds } = readQuoted(cursor, { place: "key", onlyQuoted: true }))
  else {
    const found = bareKeyAt(cursor.text, cursor.at) ?? ""
    if (found === "" || cursor.exact) fail(cursor, "Broken")
    text = found.trimEnd()
    kinds = ["unquoted-key"]
    cursor.at += found.length
  }
  const after = pass(cursor)
  const sign = cursor.exact ? (cursor.text[cursor.at] === ":" ? ":" : undefined) : colonAt(cursor.text, cursor.at)
  if (sign === undefined && (cursor.exact || !isQuoted)) fail(cursor, "Broken")
  cursor.at += sign?.length ?? 0
  // Without a colon, a text that begins with a mark may contain what stood between.
  if (
    sign === undefined &&
    (/[:,]/.test(text) || /^["'“][\s{}[\]:,]/.test(cursor.text.slice(cursor.at, cursor.at + 2)))
  )
    fail(cursor, "Broken")
  const done = sign === undefined ? ["missing-colon"] : sign === ":" ? [] : ["separator"]
  return { text, isQuoted, kinds: [...kinds, ...after, ...done] }
}

const readList = (cursor: Cursor): Tree => {
  const isTuple = cursor.text[cursor.at] === "("
  const closer = closers[cursor.text.charAt(cursor.at)] ?? "]"
  const items: Array<Tree> = []
  const kinds = new Set<string>(isTuple ? ["tuple"] : closer === "}" ? ["wrong-bracket"] : [])
  let commas = 0
  cursor.at++
  for (;;) {
    const from = cursor.at
    separate(cursor, items.length === 0, kinds, closer)
    if (items.length > 0 && isSeparator(cursor.text[from])) commas++
    if (cursor.failure !== undefined) break
    if (cursor.text[cursor.at] === closer) {
      cursor.at++
      break
    }
    // A text and a number without a separator may be one text, and a number without its first digits may belong to the
    // previous one.
    const before = cursor.text.charAt(cursor.at - 1)
    const isTorn = /["\d]/.test(before) && /[\d-]/.test(cursor.text.charAt(cursor.at))
    if (isTorn || (before === "," && cursor.text[cursor.at] === ".")) fail(cursor, "Broken")
    // Groups of three digits with a blank between them may be one number.
    if (from === cursor.at || !isSeparator(cursor.text.slice(from, cursor.at).trim().charAt(0))) {
      if (/\d/.test(cursor.text.charAt(from - 1)) && /^\d{3}(?!\d)/.test(cursor.text.slice(cursor.at, cursor.at + 4))) {
        fail(cursor, "Broken")
      }
    }
    items.push(readValue(cursor, { place: "item", onlyQuoted: true, ...(closer === "}" && { closer }) }))
    if (failedIn(cursor, String(items.length - 1))) break
  }
  const [only] = items
  if (isTuple && commas === 0 && items.length === 1 && only !== undefined) return because(only, "parentheses")
  return { _tag: "List", items, kinds: kinds.size === 0 ? nothingDone : [...kinds] }
}
