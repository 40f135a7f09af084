/** A part of a text that has a first line and a size. */
import { quoted } from "../../text/legible.ts"
import { toolFailed } from "../kit/ToolFailed.ts"
import { cut } from "./cut.ts"

/** The lines of a text from `offset` on, after a line that says which they are, and how to go on. */
export const page = (
  text: string,
  options: {
    readonly path: string
    readonly offset: number
    readonly lines: number | undefined
    readonly characters: number
  }
): string => {
  const { characters, lines: most = Infinity, offset, path } = options
  if (offset < 1 || most < 1) throw toolFailed("Invalid", "The first line, and the number of lines, are 1 or more.")
  if (text === "") return `${quoted(path)} is empty.`
  const all = text.split("\n")
  if (text.endsWith("\n")) all.pop()
  if (offset > all.length) throw toolFailed("NotFound", `${quoted(path)} has only ${all.length} lines.`)
  const shown: Array<string> = []
  let size = 0
  for (const line of all.slice(offset - 1)) {
    if (shown.length === most || (shown.length > 0 && size + line.length + 1 > characters)) break
    shown.push(cut(line, characters))
    size += line.length + 1
  }
  const last = offset + shown.length - 1
  const rest = last < all.length ? `; go on with offset ${last + 1}` : ""
  return `Lines ${offset} to ${last} of ${all.length} of ${quoted(path)}${rest}:\n${shown.join("\n")}`
}
