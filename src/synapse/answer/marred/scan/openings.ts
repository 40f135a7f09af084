/** Recognises the beginnings and ends of values in an answer. */
import { closersOf, keyAt, soonAfter } from "./ahead.ts"
import type { Source } from "./Source.ts"
import { afterBlank, isBlank } from "./Cursor.ts"

/** Whether the bracket here could begin a value. Within prose, brackets with words inside are not lists. */
export const couldBegin = (source: Source, at: number, amongWords: boolean): boolean => {
  const { text } = source
  const next = soonAfter(source, at + 1)
  const char = text[next]
  if (char === undefined) return !amongWords
  if (text[at] === "{") {
    if (char === "}" || char === "," || keyAt(source, next, false)) return true
    return !amongWords && closersOf(char) !== undefined
  }
  if (char === "]") return next === at + 1 || !amongWords
  if (closersOf(char) !== undefined || "{[,".includes(char)) return true
  if (amongWords && number.test(text.slice(next, next + 32))) return true
  return !amongWords || /^(?:true|false|null|None)\b/i.test(text.slice(next, next + 8))
}

const number = /^[-+.]?\d[\d._eE+-]{0,23}\s{0,6}[,\]]/

const header = /[ \t]*[\w+.#-]{0,32}[ \t]*(?:\r?\n|$)/y

/** Whether the text after backticks begins a block: the name of a language, or the content. */
export const opensFence = (text: string, at: number, isOpen: boolean): boolean => {
  header.lastIndex = at
  const found = header.exec(text)?.[0]
  if (found !== undefined) return !isOpen || found.trim() !== ""
  return !isOpen && /^[ \t]*(?:[\w+-]{1,16}[ \t]*)?[{[]/.test(text.slice(at, at + 40))
}

/** Where the content of a block begins, if it is not an object or a list but may be a text or a number. */
export const singleAfter = (source: Source, at: number): number | undefined => {
  const { text } = source
  const end = text.indexOf("\n", at)
  const next = end === -1 ? text.length : soonAfter(source, end)
  return /^["'\dtfnTFN-]/.test(text.slice(next, next + 1)) ? next : undefined
}

/**
 * Where all brackets that open here are closed, without those in texts. The end of the text if they never are, or if
 * they overlap.
 */
export const balancedEnd = (text: string, start: number): number => {
  const open: Array<string> = []
  let inText = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (inText) {
      if (char === "\\") i++
      else if (char === '"') inText = false
    } else if (char === '"') inText = true
    else if (char === "{") open.push("}")
    else if (char === "[") open.push("]")
    else if (char === "}" || char === "]") {
      if (open.pop() !== char) return text.length
      if (open.length === 0) return i + 1
    }
  }
  return text.length
}

/** Whether the text here continues what ended before, as after an extra closing bracket. */
export const goesOn = (source: Source, from: number, isInRow = false): boolean => {
  const { text } = source
  if (/[\p{L}\p{N}"'[_#%&@/+^>-]/u.test(text.charAt(from))) return !isRemark(text, from)
  let at = afterBlank(text, from)
  const isClosed = text[at] === "}" || text[at] === "]"
  if (isClosed && isInRow) return true
  while (text[at] === "}" || text[at] === "]") at = afterBlank(text, at + 1)
  if (text[at] !== "," && text[at] !== ":") return false
  const next = afterBlank(text, at + 1)
  if (text[at] === ":" || isClosed) return closersOf(text[next]) !== undefined || "{[".includes(text[next] ?? " ")
  return text[next] === '"' || keyAt(source, next, true)
}

/** Whether only words of a script without blanks follow, without any marks of JSON. */
const isRemark = (text: string, from: number): boolean =>
  text.length - from <= 256 &&
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][^{}[\]"'“”「」『』:：,]*$/u.test(text.slice(from))

/** Whether a closing bracket or quote and a comma precede this value, so that it belongs to what they belong to. */
export const isLater = (text: string, at: number, from: number): boolean => {
  const comma = beforeBlank(text, at, from)
  const end = beforeBlank(text, comma, from)
  return end >= from && text[comma] === "," && ["}", "]", '"'].includes(text.charAt(end))
}

const argument = /,\s{0,8}[A-Za-z_]\w{0,63}\s{0,8}=\s{0,8}$/
const member = /["'\d]\s{0,8}[,;]\s{0,8}(["']?)[A-Za-z_]\w{0,63}\1\s{0,8}:\s{0,8}$/

/**
 * Whether the name of a further argument or member and its sign precede this value, so that it belongs to a call or an
 * object.
 */
export const isArgument = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 128), at)
  return argument.test(before) || member.test(before)
}

const beforeBlank = (text: string, at: number, from: number): number => {
  let before = at - 1
  while (before >= from && before > at - 64 && isBlank(text[before])) before--
  return before
}

/** Whether only separators stand between these positions. */
export const isGap = (text: string, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (!" \t\r\n,;".includes(text.charAt(i))) return false
  return true
}
