/** Reads answers in lines: one key and value per line, or one item per line. */
import { because, nothingDone, type Tree } from "./Tree.ts"
import { readWhole } from "./whole.ts"
import { wordOf } from "./words.ts"

const bullet = /^[ \t]{0,16}(?:[-*•]|\d{1,4}[.)])[ \t]+(?=\S)/
const field =
  /^[ \t]{0,16}(?:[-*#]{1,4}[ \t]{0,4})?\*{0,2}["'`]?([\p{L}_][\p{L}\p{N}_ .-]{0,63}?)["'`]?\*{0,2}[ \t]{0,4}(?:[:：]\*{0,2}|=)(?=\s|$)/u
const denial = /\b(?:not|no|cannot|unable|sorry|never)\b/i

/** Several keys in one text, with escaped line breaks between them. */
const brokenByCodes = /\\n(?:[-*]\s{1,4})?\*{0,2}["']?[\p{L}_][\p{L}\p{N}_ .-]{0,63}["']?\*{0,2}\s?[:=]/u

/** Reads lines, each of which must be a key with a value, or an item. Undefined if any line is neither. */
export const readLines = (text: string): Tree | undefined => {
  const entries: Array<readonly [string, Tree]> = []
  const root: Array<Tree> = []
  let open: { readonly key: string; readonly items: Array<Tree> } | undefined
  const close = (): boolean => {
    if (open === undefined) return true
    if (open.items.length === 0 || denial.test(open.key)) return false
    entries.push([open.key, { _tag: "List", items: open.items, kinds: nothingDone }])
    open = undefined
    return true
  }
  for (const line of withoutEmphasis(text).split("\n")) {
    if (line.trim() === "") continue
    const mark = bullet.exec(line)?.[0]
    const found = field.exec(line)
    const isNested = open !== undefined && /^[ \t]/.test(line)
    if (found !== null && (mark === undefined || !isNested)) {
      if (root.length > 0 || !close()) return undefined
      const rest = line.slice(found[0].length).trim()
      const key = found[1] ?? ""
      const value = rest === "" ? undefined : valueOf(rest)
      if (value !== undefined) entries.push([key, value])
      else if (rest === "") open = { key, items: [] }
      else return undefined
    } else if (mark !== undefined) {
      const item = valueOf(line.slice(mark.length).trim())
      if (item === undefined || (open === undefined && entries.length > 0)) return undefined
      ;(open?.items ?? root).push(item)
    } else return undefined
  }
  if (!close()) return undefined
  if (root.length > 0) return { _tag: "List", items: root, kinds: ["lines"] }
  return entries.length === 0 ? undefined : { _tag: "Fields", entries, lastCounts: false, kinds: ["lines"] }
}

/** The text without asterisks around several lines as a whole. */
const withoutEmphasis = (text: string): string => {
  const inner = /^\s*\*\*([\s\S]*[^*])\*\*\s*$/.exec(text)?.[1]
  const lines = inner?.split("\n") ?? []
  const isAround = lines.length > 1 && lines.every((line) => line.split("**").length % 2 === 1)
  return isAround && inner !== undefined ? inner : text
}

/** The value of a line: quoted or in brackets, a number or literal, or the text itself. */
const valueOf = (text: string): Tree | undefined => {
  const bare = text.endsWith(",") ? text.slice(0, -1) : text
  if (/^["'{[“`]/.test(bare)) return readWhole(bare)
  if (/^[\]}]|^[|>][-+\d]{0,2}$/.test(bare) || brokenByCodes.test(bare)) return undefined
  const word = wordOf(bare)
  return word._tag === "Bare" ? wordOf(text) : word
}

/** Reads the members of an object that lacks its braces. */
export const readMembers = (text: string): Tree | undefined => {
  const members = text.trim()
  if (!/^["'“]/.test(members)) return undefined
  const tree = readWhole(`{${members}${members.endsWith("}") ? "" : "\n}"}`)
  return tree?._tag === "Fields" ? because(tree, "missing-braces") : undefined
}
