/** Commits that follow from a thought's number and a version alone, so that another process can tell what must be stored. */
import type { Commit, StoredThought, ThoughtRow } from "../../src/Store.ts"
import { commit, entry, note, thought } from "../../src/testing/contract/stage/rows.ts"

const id = (kind: number, number: number, index: number): string =>
  `01981f5e-0000-7000-8000-${kind.toString(16)}${number.toString(16).padStart(3, "0")}${index.toString(16).padStart(8, "0")}`

export const plannedThought = (number: number): ThoughtRow => {
  const own = id(1, number, 0)
  return thought({ id: own, traceId: own })
}

const numberOf = (row: ThoughtRow): number => Number.parseInt(row.id.slice(25, 28), 16)

/** Commit number `version` has one to five notes, among them long ones. */
const notesBefore = (version: number): number =>
  Array.from({ length: version }, (_, i) => 1 + (i % 5)).reduce((a, b) => a + b, 0)

export const plannedCommit = (row: ThoughtRow, version: number): Commit => {
  const first = notesBefore(version) + 1
  const count = notesBefore(version + 1) - notesBefore(version)
  return commit(row, {
    version,
    notes: Array.from({ length: count }, (_, i) => {
      const seq = first + i
      return note(row.id, seq, {
        id: id(2, numberOf(row), seq),
        content: `note ${seq} `.repeat(seq % 7 === 0 ? 5000 : 1)
      })
    }),
    entries: [entry(version)],
    removed: version % 3 === 2 ? [version - 1] : [],
    nextIndex: version + 1
  })
}

/** What a store holds after the commits below `version`. */
export const plannedStored = (row: ThoughtRow, version: number): StoredThought | undefined => {
  const commits = Array.from({ length: version }, (_, i) => plannedCommit(row, i))
  const removed = new Set(commits.flatMap((one) => one.removed))
  return version === 0
    ? undefined
    : {
        thought: row,
        version,
        notes: commits.flatMap((one) => one.notes),
        entries: commits.flatMap((one) => one.entries).filter(({ index }) => !removed.has(index)),
        nextIndex: version,
        usage: undefined
      }
}
