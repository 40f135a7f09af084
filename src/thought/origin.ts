/** What a new note was made from: which notes it is derived from, and so how far it can be trusted. */
import * as Chunk from "effect/Chunk"
import type * as Note from "./Note.ts"
import * as Session from "./Session.ts"
import type { Thought } from "./model.ts"
import { stateOf, visible } from "./state.ts"

/** A note that something is made from. One without a number (0) was only shown and is in no log: it counts for trust alone. */
export type Source = Pick<Note.Note, "id" | "trust"> & { readonly seq?: number }

/**
 * The origin of a note made from these sources.
 *
 * Text that comes of untrusted text is untrusted. Of the sources only those are named that no other one is derived from, so
 * that a note names what is new to it and not all that came before.
 */
export const originOf = (
  thought: Thought<any>,
  sources: ReadonlyArray<Source>
): Pick<Note.Note, "trust" | "derivedFrom"> => ({
  trust: sources.some(({ trust }) => trust === "untrusted") ? "untrusted" : "trusted",
  derivedFrom: rootsOf(thought, sources)
})

/** Ids of those sources that are not among what the others were derived from. */
const rootsOf = (thought: Thought<any>, sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const open = new Set(sources.filter(({ seq }) => seq !== 0).map(({ id }) => id))
  const reached = new Set<string>()
  const roots: Array<string> = []
  const log = open.size === 0 ? [] : Chunk.toReadonlyArray(stateOf(thought).log)
  // a note is derived from earlier ones only, so one look at each is enough
  for (let i = log.length - 1; i >= 0 && open.size > 0; i--) {
    const note = log[i]
    if (note === undefined) continue
    const isReached = reached.has(note.id)
    const isSource = open.delete(note.id)
    if (isSource && !isReached) roots.push(note.id)
    if (isSource || isReached) for (const id of note.derivedFrom) reached.add(id)
  }
  return [...roots.toReversed(), ...[...open].filter((id) => !reached.has(id))]
}

/** Everything that the thought sees: for what comes of code whose reads are unknown, a function of the thought for one. */
export const allOf = (thought: Thought<any>): ReadonlyArray<Note.Note> => [
  ...new Set([...visible(stateOf(thought)), ...shownIn(thought, Session.entries(thought.session))])
]

/** What a model has seen of the thought through messages of its conversation, superseded and hidden notes included. */
export const shownIn = (thought: Thought<any>, entries: ReadonlyArray<Session.Entry>): ReadonlyArray<Note.Note> => {
  // a summary has the substance of what it covers; the mark that messages were left out has nothing of it
  const shown = new Set(
    entries.flatMap(({ carries, covers, kind }) => (kind === "summary" ? [...carries, ...covers] : carries))
  )
  return shown.size === 0 ? [] : Chunk.toReadonlyArray(stateOf(thought).log).filter(({ id }) => shown.has(id))
}

/** A whole thought as what something of another thought is made from: few of its notes stand for all. */
export const wholeOf = (thought: Thought<any>): ReadonlyArray<Source> => {
  const all = allOf(thought)
  const roots = new Set(rootsOf(thought, all))
  return all.map(({ id, trust }) => (roots.has(id) ? { id, trust } : { id, trust, seq: 0 }))
}
