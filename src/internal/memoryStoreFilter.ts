/** Which notes a search of the store in plain memory may find. */
import type { Filter, ThoughtRow } from "../Memory.ts"
import type { Note } from "../Note.ts"

type Thoughts = ReadonlyMap<string, ThoughtRow>

const above = (thoughts: Thoughts, id: string): ReadonlyArray<string> => {
  const parent = thoughts.get(id)?.parent?.id
  return parent === undefined ? [id] : [id, ...above(thoughts, parent)]
}

/** The thoughts with these ids, all they descend from, and all that descend from them. */
const lineageOf = (thoughts: Thoughts, ids: ReadonlyArray<string>): ReadonlySet<string> => {
  const given = new Set(ids)
  const below = [...thoughts.keys()].filter((id) => above(thoughts, id).some((one) => given.has(one)))
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
