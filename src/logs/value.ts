/** The content of a note, in short: of an answer the decision, of triage its verdict, of anything else the text. */
import type { Note } from "../thought/Note.ts"
import { short } from "./text.ts"

type Fields = Readonly<Record<string, unknown>>

export const valueOf = ({ content, source }: Note): string => {
  const fields = fieldsOf(content)
  if (fields === undefined) return short(content)
  return (source === "triage" ? verdictOf(fields) : answerOf(fields)) ?? short(content)
}

/** The fields of a text that is a JSON object. */
export const fieldsOf = (content: string): Fields | undefined => {
  if (!content.startsWith("{")) return undefined
  try {
    // an object, since the text begins with a brace
    return JSON.parse(content) as Fields
  } catch {
    return undefined
  }
}

/** What triage says: `safe, fast, tools: order`. */
const verdictOf = ({ mode, safe, tools }: Fields): string | undefined => {
  if (typeof safe !== "boolean") return undefined
  if (!safe) return "not safe"
  const names = Array.isArray(tools) ? [`tools: ${tools.length === 0 ? "none" : short(tools.join(", "))}`] : []
  return ["safe", ...(typeof mode === "string" ? [short(mode)] : []), ...names].join(", ")
}

/** The answer of a step that also says how sure it is: `yes (0.9)`. */
const answerOf = (fields: Fields): string | undefined => {
  const { confidence, confidenceFrom, distribution: _, reasoning: __, ...rest } = fields
  const [value, ...others] = Object.values(rest)
  if (typeof confidence !== "number" || confidenceFrom === undefined || value === undefined) return undefined
  const shown = others.length > 0 ? JSON.stringify(rest) : wordOf(value)
  return `${short(shown)} (${Number(confidence.toFixed(2))})`
}

const wordOf = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "string" ? value : JSON.stringify(value)
}
