/** Reads the outline of a pipeline, which durable runs keep as text, back into a tree. */
import type { OutlineNode } from "./model.ts"

interface Growing extends OutlineNode {
  readonly children: Array<Growing>
}

/** The tree of an outline; undefined if the text is not an outline. */
export const treeOf = (outline: string): OutlineNode | undefined => {
  const open: Array<Growing> = []
  let root: Growing | undefined
  for (const text of outline.split("\n")) {
    const found = /^((?: {2})*)- (.*)$/.exec(text)
    if (found === null) return undefined
    const [, indent = "", rest = ""] = found
    const depth = indent.length / 2
    const node = nodeOf(rest)
    open.length = Math.min(open.length, depth)
    const above = open.at(-1)
    if (above === undefined) root ??= node
    else above.children.push(node)
    open.push(node)
  }
  return root
}

const nodeOf = (line: string): Growing => {
  const [name, afterName] = wordOf(line, ": ")
  const [first = "", ...others] = splitOutside(afterName, "; ")
  const [kind, settings] = wordOf(first, " (")
  const keysOf = (verbs: RegExp) =>
    others
      .filter((part) => verbs.test(part))
      .flatMap((part) => splitOutside(part.replace(verbs, ""), ", "))
      .map((key) => unquoted(key))
  return {
    name,
    kind,
    settings: settings.replace(/\)$/, ""),
    reads: keysOf(/^reads /),
    writes: keysOf(/^(?:writes|updates) /),
    children: []
  }
}

const quotation = /^"(?:[^"\\]|\\.)*"/

/** The word at the beginning, quoted or up to a separator, and what comes after the separator. */
const wordOf = (text: string, separator: string): readonly [word: string, rest: string] => {
  const quoted = quotation.exec(text)?.[0]
  if (quoted !== undefined) return [unquoted(quoted), text.slice(quoted.length + separator.length)]
  const at = text.indexOf(separator)
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Splits a text at separators that are not within quotes. */
const splitOutside = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part = ""
  for (let rest = text; rest !== "";) {
    const quoted = quotation.exec(rest)?.[0]
    if (quoted === undefined && rest.startsWith(separator)) {
      parts.push(part)
      part = ""
      rest = rest.slice(separator.length)
    } else {
      const piece = quoted ?? rest.slice(0, 1)
      part += piece
      rest = rest.slice(piece.length)
    }
  }
  return part === "" ? parts : [...parts, part]
}

/** A name without its quotes. Hidden characters stay as numbers. A mark for keys that may not be written stays too. */
const unquoted = (text: string): string => {
  const quoted = quotation.exec(text)?.[0]
  if (quoted === undefined) return text
  try {
    const name: unknown = JSON.parse(
      quoted.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => `[U+${hex.toUpperCase().padStart(4, "0")}]`)
    )
    return `${String(name)}${text.slice(quoted.length)}`
  } catch {
    return text
  }
}
