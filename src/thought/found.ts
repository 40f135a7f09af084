/** Recognises notes that contain the results of memory searches. */
import type { Note } from "./Note.ts"

/**
 * The sources of notes with search results: results of `seek` are notes, those of `survey` tasks with their notes. A
 * step that searches the memory writes under one of them, whatever its own kind is.
 *
 * Stores and archives recognise these notes by their sources, so the names are part of the stored data.
 */
export const foundSource = { notes: "seek", tasks: "survey" } as const

/** The source of a note with search results. */
export type FoundSource = (typeof foundSource)[keyof typeof foundSource]

const sources: ReadonlySet<string> = new Set(Object.values(foundSource))

/** Whether a note contains search results, and so repeats the text of other notes. */
export const isFound = ({ source }: Pick<Note, "source">): boolean => sources.has(source)
