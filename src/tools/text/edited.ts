/** Changes one place of a text. */
import { quoted } from "../../text/legible.ts"
import { toolFailed } from "../kit/ToolFailed.ts"

/** The text with the only place of `old` changed. Throws if it does not stand there exactly once. */
export const edited = (text: string, path: string, old: string, next: string): string => {
  if (old === "") throw toolFailed("Invalid", "The old text is empty: quote what is to be replaced.")
  if (old === next) throw toolFailed("Invalid", "The old text and the new one are the same.")
  const at = text.indexOf(old)
  if (at < 0) {
    const hint =
      text.includes("\r\n") && text.replaceAll("\r\n", "\n").includes(old.replaceAll("\r\n", "\n"))
        ? "Its lines end with \\r\\n."
        : "Read it again: the text must be quoted exactly, with its spaces and line breaks."
    throw toolFailed("Conflict", `The old text does not stand in ${quoted(path)}. ${hint}`)
  }
  if (text.includes(old, at + 1)) {
    throw toolFailed("Conflict", `The old text stands in ${quoted(path)} more than once: quote more of what is around.`)
  }
  return `${text.slice(0, at)}${next}${text.slice(at + old.length)}`
}
