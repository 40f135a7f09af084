/** Which notes a search of the in-memory store may find. */
import type { Filter } from "../model/Search.ts"
import type { ThoughtRow } from "../model/Store.ts"
import type { Note } from "../../thought/Note.ts"

type Thoughts = ReadonlyMap<string, ThoughtRow>

const above = (thoughts: Thoughts, id: string): ReadonlyArray<string> => {
  const line: Array<string> = []
  for (let one: string | undefined = id; one !== undefined; one = thoughts.get(one)?.parent?.id) line.push(one)
  return line
}

/** The thoughts with these ids, all they descend from, and all that descend from them. */
const lineageOf = (thoughts: Thoughts, ids: ReadonlyArray<string>): ReadonlySet<string> => {
  if (ids.length === 0) return new Set()
  const known = new Map(ids.map((id) => [id, true]))
  for (const start of thoughts.keys()) {
    const line: Array<string> = []
    let one: string | undefined = start
    for (; one !== undefined && !known.has(one); one = thoughts.get(one)?.parent?.id) line.push(one)
    const descends = one !== undefined && known.get(one) === true
    for (const id of line) known.set(id, descends)
  }
  const below = [...thoughts.keys()].filter((id) => known.get(id) === true)
  return new Set([...ids.flatMap((id) => above(thoughts, id)), ...below])
}

/** Whether every filter given holds. */
export const allows = (filter: Filter, thoughts: Thoughts): ((note: Note, thought: ThoughtRow) => boolean) => {
  const {
    excludeLineageOf = [],
    excludeSources = [],
    excludeThoughts = [],
    keys,
    metadata = {},
    since,
    sources
  } = filter
  const { taskId, trust, until } = filter
  const relatives = lineageOf(thoughts, excludeLineageOf)
  return (note, thought) =>
    (keys === undefined || keys.includes(note.key)) &&
    (sources === undefined || sources.includes(note.source)) &&
    !excludeSources.includes(note.source) &&
    (taskId === undefined || thought.taskId === taskId) &&
    !excludeThoughts.includes(note.thoughtId) &&
    !relatives.has(note.thoughtId) &&
    (since === undefined || note.created.epochMilliseconds >= since.epochMilliseconds) &&
    (until === undefined || note.created.epochMilliseconds < until.epochMilliseconds) &&
    (trust === undefined || note.trust === trust) &&
    Object.entries(metadata).every(([field, value]) => note.metadata[field] === value)
}
