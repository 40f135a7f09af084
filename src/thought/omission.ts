/** The mark that messages were left out. */
import type { Draft, Entry } from "./Entry.ts"

/** Stands for the notes of the entries left out, but for those shown elsewhere. */
export const omission = (left: ReadonlyArray<Entry>, elsewhere: ReadonlySet<string> = new Set()): Draft => ({
  kind: "omission",
  role: "user",
  text: "[Earlier messages were left out here.]",
  covers: shownBy(left).filter((id) => !elsewhere.has(id))
})

/** The notes that entries carry or cover, each once. */
export const shownBy = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.flatMap((entry) => [...entry.carries, ...entry.covers]))
]
