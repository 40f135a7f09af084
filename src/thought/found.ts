/** Notes of what a search of the memory has found. */
import type { Note } from "./Note.ts"

/**
 * The sources of notes of what a search has found: notes, or tasks with their notes. A step that searches the memory writes
 * under one of them, whatever its own kind is.
 *
 * Stores and archives recognise such notes by these names, so they are a part of the stored data.
 */
export const foundSource = { notes: "seek", tasks: "survey" } as const

/** The source of a note of what a search has found. */
export type FoundSource = (typeof foundSource)[keyof typeof foundSource]

const sources: ReadonlySet<string> = new Set(Object.values(foundSource))

/** Whether a note holds what a search has found, and so repeats the text of other notes as it is. */
export const isFound = ({ source }: Pick<Note, "source">): boolean => sources.has(source)
