/** The mark for omitted messages. */
import type { Draft, Entry } from "./Entry.ts"

/** Makes a mark that stands for the notes of the omitted entries, except for those shown elsewhere. */
export const omission = (left: ReadonlyArray<Entry>, elsewhere: ReadonlySet<string> = new Set()): Draft => ({
  kind: "omission",
  role: "user",
  text: "[Earlier messages were left out here.]",
  covers: shownBy(left).filter((id) => !elsewhere.has(id))
})

/** The notes that the entries carry or cover, without duplicates. */
export const shownBy = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(entries.flatMap((entry) => [...entry.carries, ...entry.covers]))
]
