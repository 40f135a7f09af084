/** Turns of a conversation, the notes that entries show, and the mark for omitted messages. */
import * as Chunk from "effect/Chunk"
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

/** Whether an entry belongs to the turn of the message of the user before it. */
const isReply = ({ kind, role }: Entry): boolean => kind === "result" || (kind === "message" && role === "assistant")

/** Groups entries into turns: a user message with its replies and the results of tools, or any other entry alone. */
export const turnsOf = (entries: Iterable<Entry>): ReadonlyArray<ReadonlyArray<Entry>> => {
  const groups: Array<Array<Entry>> = []
  let open: Array<Entry> | undefined
  for (const entry of entries) {
    if (isReply(entry) && open !== undefined) {
      open.push(entry)
    } else {
      const group = [entry]
      groups.push(group)
      open = entry.kind === "message" && entry.role === "user" ? group : undefined
    }
  }
  return groups
}

/** The entries of the last turns, without a walk of the others. */
export const lastTurns = (entries: Chunk.Chunk<Entry>, count: number): ReadonlyArray<Entry> => {
  let left = count
  let begin = Chunk.size(entries)
  while (left > 0 && begin > 0) {
    begin -= turnBefore(entries, begin)
    left--
  }
  return Array.from(Chunk.drop(entries, begin))
}

/** How many entries the turn has that ends before a position. */
const turnBefore = (entries: Chunk.Chunk<Entry>, end: number): number => {
  for (let i = end - 1; i >= 0; i--) {
    const entry = Chunk.getUnsafe(entries, i)
    if (isReply(entry)) continue
    const { kind, role } = entry
    // replies without a message of the user before them are turns of their own
    return kind === "message" && role === "user" ? end - i : 1
  }
  return 1
}
