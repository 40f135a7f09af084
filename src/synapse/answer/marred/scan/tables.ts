/** Reads answers in Markdown tables (rows with a key for each column) and in XML elements (keys with a value each). */
import { nothingDone, type Tree } from "./Tree.ts"
import { readWhole } from "./whole.ts"
import { wordOf } from "./words.ts"

const row = /^\s*\|(.*)\|\s*$/
const rule = /^\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$/

const cellsOf = (line: string): ReadonlyArray<string> | undefined =>
  row
    .exec(line)?.[1]
    ?.split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").replaceAll(/^[\s*`]+|[\s*`]+$/g, ""))

const valueOf = (cell: string): Tree => (/^["[{]/.test(cell) ? readWhole(cell) : undefined) ?? wordOf(cell)

const fields = (entries: ReadonlyArray<readonly [string, Tree]>, kinds: ReadonlyArray<string>): Tree => ({
  _tag: "Fields",
  entries,
  lastCounts: false,
  kinds
})

/**
 * The readings of the only table in a text: an object for each row, or one object with a key and a value in each row.
 * Empty if there is none. If allowed, leaves out a truncated last row.
 */
export const readTable = (text: string, mayBeCut: boolean): ReadonlyArray<Tree> => {
  const lines = text.split("\n")
  const at = lines.findIndex((line) => rule.test(line))
  const head = at < 1 ? undefined : cellsOf(lines[at - 1] ?? "")
  if (head === undefined || lines.filter((line) => rule.test(line)).length > 1) return []
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => !line.includes("|"))
  const isCut = mayBeCut && end === -1 && /^\s*\|.*[^|\s]\s*$/.test(rest.at(-1) ?? "")
  const rows = rest.slice(0, isCut ? -1 : end === -1 ? rest.length : end).map(cellsOf)
  const whole = rows.filter((cells) => cells !== undefined && cells.length === head.length) as ReadonlyArray<
    ReadonlyArray<string>
  >
  const isElided = whole.some((cells) => cells.every((cell) => /^(?:\.\.\.|…)?$/.test(cell)))
  if (whole.length === 0 || whole.length < rows.length || isElided) return []
  const kinds = isCut ? ["table", "cut-off"] : ["table"]
  const objects = whole.map((cells) =>
    fields(
      head.map((name, i) => [name, valueOf(cells[i] ?? "")] as const),
      kinds
    )
  )
  const [only] = objects
  const list: Tree = { _tag: "List", items: objects.map((tree) => ({ ...tree, kinds: nothingDone })), kinds }
  const pairs =
    head.length === 2
      ? [
          fields(
            whole.map(([key = "", cell = ""]) => [key, valueOf(cell)] as const),
            kinds
          )
        ]
      : []
  return [...(objects.length === 1 && only !== undefined && !isCut ? [only] : []), ...pairs, list]
}

const element = /<(\w[\w.-]{0,63})(?:\s+name="([^"<>]{1,64})")?\s*>([^<>]*)<\/\1\s*>/gy

/** The object in an element that contains only elements with text. Undefined if the text is not such an element. */
export const readElements = (text: string): Tree | undefined => {
  const body = /^\s*(?:<\?xml[^<>]*\?>\s*)?<(\w[\w.-]{0,63})(?:\s[^<>]*)?>\s*(<[\s\S]*>)\s*<\/\1\s*>\s*$/.exec(
    text
  )?.[2]
  if (body === undefined) return undefined
  const entries: Array<readonly [string, Tree]> = []
  let at = 0
  while (at < body.length) {
    element.lastIndex = at
    const found = element.exec(body)
    if (found === null) return undefined
    entries.push([found[2] ?? found[1] ?? "", wordOf((found[3] ?? "").trim())])
    at = element.lastIndex
    while (/\s/.test(body.charAt(at))) at++
  }
  return entries.length === 0 ? undefined : { _tag: "Fields", entries, lastCounts: false, kinds: ["elements"] }
}
