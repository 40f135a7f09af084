/** Recognises notes that contain the results of memory searches. */
import type { Note } from "./Note.ts"

/**
 * The sources of notes with search results: results of `seek` are notes, those of `survey` tasks with their notes. A
 * step that searches the memory writes under one of them, whatever its own kind is.
 *
 * Stores and archives recognise these notes by their sources, so the names are part of the stored data.
 */
export const foundSource = { notes: "seek", tasks: "survey" } as const

const sources: ReadonlySet<string> = new Set(Object.values(foundSource))

type Fields = Readonly<Record<string, unknown>>

/** What models do not need of a result: ids, and how the search went. */
const unsaid: ReadonlySet<string> = new Set(["noteId", "thoughtId", "traceId", "score", "arms"])

const saidOf = (value: unknown, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => saidOf(one))
  if (name === "similarity" && typeof value === "number") return Math.round(value * 100) / 100
  if (name === "created" && typeof value === "string") return value.slice(0, 10)
  if (typeof value !== "object" || value === null) return value
  const said = Object.entries(value as Fields).filter(([key]) => !unsaid.has(key))
  return Object.fromEntries(said.map(([key, inner]) => [key, saidOf(inner, key)]))
}

/** The text of a note with search results as a model sees it: the notes that were found, without ids and ranks. */
export const foundText = (content: string): string => {
  try {
    const found: unknown = JSON.parse(content)
    return typeof found === "object" && found !== null ? JSON.stringify(saidOf(found)) : content
  } catch {
    // a step that searches may write something else
    return content
  }
}

/** Whether a note contains search results, and so repeats the text of other notes. */
export const isFound = ({ source }: Pick<Note, "source">): boolean => sources.has(source)
