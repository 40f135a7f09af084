/** Reads a value from a text as people and models write it, in one pass. */
import { bareKeyAt, closersOf, colonAt, isSeparator, keyAt, soonAfter } from "./ahead.ts"
import { type Cursor, deepest, fail, failedIn, isBlank, pass } from "./Cursor.ts"
import { type Around, readQuoted } from "./quoted.ts"
import { because, nothingDone, type Tree } from "./Tree.ts"
import { wordOf } from "./words.ts"

const nothing: Tree = { _tag: "Literal", text: "", value: null, kinds: nothingDone }

/** Reads the value that begins here. When there is none the cursor's `failure` says so, and the result is no value. */
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

/** Whether texts and no keys stand in these braces, as in a set of Python. */
const holdsTexts = (cursor: Cursor): boolean => {
  if (cursor.exact) return false
  const first = /^\{\s*(["'])(?:(?!\1)[^\\\n]|\\.){0,256}\1\s*(?:,\s*\1(?:(?!\1)[^\\\n]|\\.){0,256}\1\s*[,}]|\})/
  return first.test(cursor.text.slice(cursor.at, cursor.at + 600))
}

/** Whether keys with values stand in these brackets, as in dictionaries of Swift and arrays of PHP. */
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

/** Passes over the commas between two parts, and says what is wrong with them. */
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
  // Without a colon, a text that begins with a mark may have taken in what stood between.
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
    // A text and a number with nothing between them may be one text, and a number without its first digits two parts of one.
    const before = cursor.text.charAt(cursor.at - 1)
    const isTorn = /["\d]/.test(before) && /[\d-]/.test(cursor.text.charAt(cursor.at))
    if (isTorn || (before === "," && cursor.text[cursor.at] === ".")) fail(cursor, "Broken")
    // Digits in threes with a blank between them may be one number.
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

const unclear = /["“”{}[\]`<>]|&(?:#\d+|\w+);/

/** What no text begins with, and values with nothing between them. */
const notText = /^[:：=,;]|^(?:true|false|null)(?:true|false|null|-?\d)|^-?[\d.]+e[\d.e+-]*(?:true|false|null)*$/i

/** A text that JSON escapes had its quotes when it was written. */
const escaped = /\\(?:["\\/bfnrt]|u[\da-f]{4})/i

const number = /-?\d[\d.eE+-]*(?=[\s,\]])/y

/** Reads what is in no quotes, up to where it must end. */
const readWord = (cursor: Cursor, { onlyQuoted, place }: Around): Tree => {
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
  if (isText && (notText.test(word) || escaped.test(word) || isMarred(word))) fail(cursor, "Broken")
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

/** How long a number may be to be told from a text before its end is known. */
const longest = 512

/** Whether what stands between here and there is neither a number nor a literal. */
const isTextFrom = (text: string, begin: number, end: number): boolean =>
  end - begin > longest || wordOf(text.slice(begin, end).trim())._tag === "Bare"

/** Whether a number or a literal ends at this blank, because the next value or key stands after it without a comma. */
const endsAt = (cursor: Cursor, begin: number, at: number, place: Around["place"], onlyQuoted: boolean): boolean => {
  if (cursor.exact || at - begin > 32 || wordOf(cursor.text.slice(begin, at))._tag === "Bare") return false
  const next = soonAfter(cursor, at)
  if (place === "value") return keyAt(cursor, next, onlyQuoted)
  number.lastIndex = next
  return place === "item" && (number.test(cursor.text) || closersOf(cursor.text[next]) !== undefined)
}

const isComment = (text: string, at: number): boolean =>
  text[at] === "#" || (text[at] === "/" && (text[at + 1] === "/" || text[at + 1] === "*"))
