/** Computes the origin of a new note: the notes that it is derived from, and its trust. */
import * as Chunk from "effect/Chunk"
import type * as Note from "./Note.ts"
import * as Session from "./Session.ts"
import type { State, Thought } from "./model.ts"
import { newest, noteOf, stateOf, visible } from "./state.ts"

/**
 * A note that something is made from. A note with the number 0 was only shown and is in no log, so it only counts for
 * the trust.
 */
export type Source = Pick<Note.Note, "id" | "trust"> & { readonly seq?: number }

/**
 * The origin of a note that is made from these sources.
 *
 * A note made from untrusted text is untrusted. Sources from which another source is derived are omitted, so that a
 * note names what is new to it and not everything before.
 */
export const originOf = (
  thought: Thought<any>,
  sources: ReadonlyArray<Source>
): Pick<Note.Note, "trust" | "derivedFrom"> => ({
  trust: sources.some(({ trust }) => trust === "untrusted") ? "untrusted" : "trusted",
  derivedFrom: rootsOf(thought, sources)
})

/** The number of a source in the log, or 0 if the log does not have it. A source with a number needs no lookup by id. */
const seqIn = (state: State, { id, seq = 0 }: Source): number =>
  seq > 0 && seq <= Chunk.size(state.log) && Chunk.getUnsafe(state.log, seq - 1).id === id
    ? seq
    : (noteOf(state, id)?.seq ?? 0)

/** Ids of the sources from which no other source is derived. */
const rootsOf = (thought: Thought<any>, sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const state = stateOf(thought)
  const open = new Set<string>()
  const reached = new Set<string>()
  const roots: Array<string> = []
  let last = 0
  for (const source of sources) {
    if (source.seq === 0 || open.has(source.id)) continue
    open.add(source.id)
    last = Math.max(last, seqIn(state, source))
  }
  // notes are only derived from earlier ones, so one pass is enough
  for (let seq = last; seq > 0 && open.size > 0; seq--) {
    const note = Chunk.getUnsafe(state.log, seq - 1)
    const isReached = reached.has(note.id)
    const isSource = open.delete(note.id)
    if (isSource && !isReached) roots.push(note.id)
    if (isSource || isReached) for (const id of note.derivedFrom) reached.add(id)
  }
  return [...roots.toReversed(), ...[...open].filter((id) => !reached.has(id))]
}

/**
 * All notes that the thought sees or has shown. Used for code whose reads are unknown, such as a function of the
 * thought.
 */
export const allOf = (thought: Thought<any>): ReadonlyArray<Note.Note> => [
  ...new Set([...visible(stateOf(thought)), ...shownIn(thought, Session.entries(thought.session))])
]

/** The notes that a model has seen through these entries, including superseded and hidden notes. */
export const shownIn = (thought: Thought<any>, entries: ReadonlyArray<Session.Entry>): ReadonlyArray<Note.Note> => {
  // a summary has the substance of what it covers, but an omission mark does not
  const shown = new Set(
    entries.flatMap(({ carries, covers, kind }) => (kind === "summary" ? [...carries, ...covers] : carries))
  )
  return among(stateOf(thought), shown)
}

/**
 * The sources of something that is made from the whole conversation. Only entries that were added since the last time are
 * looked at: a note from which another one is derived is never a source again.
 */
export const sourcesShown = (thought: Thought<any>): ReadonlyArray<Source> => {
  const state = stateOf(thought)
  const { session } = state
  const known = state.shown?.sources.every((source) => seqIn(state, source) > 0) === true ? state.shown : undefined
  if (known?.session === session) return known.sources
  const added = known && Session.addedSince(session, known.session)
  const notes = shownIn(thought, added ?? Session.entries(session))
  const all: ReadonlyArray<Source> = added === undefined ? notes : [...(known?.sources ?? []), ...notes]
  const { derivedFrom, trust } = originOf(thought, all)
  const roots = new Set(derivedFrom)
  const sources = all
    .filter(({ id }) => roots.delete(id))
    .map(({ id, seq }) => ({ id, trust, ...(seq === undefined ? {} : { seq }) }))
  state.shown = { session, sources }
  return sources
}

/** The notes with these ids that are the newest ones of their keys and visible, in order. */
export const currentAmong = (thought: Thought<any>, ids: ReadonlySet<string>): ReadonlyArray<Note.Note> => {
  const state = stateOf(thought)
  return among(state, ids).filter((note) => newest(state, note.key) === note)
}

/** The notes with these ids, in the order of the log. */
const among = (state: State, ids: ReadonlySet<string>): ReadonlyArray<Note.Note> => {
  const last = lastOf(state, ids)
  if (last !== undefined) return last
  return Array.from(ids, (id) => noteOf(state, id))
    .filter((note) => note !== undefined)
    .toSorted((a, b) => a.seq - b.seq)
}

/** The same, if these are the last notes of the log, as those that a conversation has shown last: they need no lookup by id. */
const lastOf = ({ log }: State, ids: ReadonlySet<string>): ReadonlyArray<Note.Note> | undefined => {
  const size = Chunk.size(log)
  if (ids.size > size) return undefined
  const notes: Array<Note.Note> = []
  for (let seq = size - ids.size; seq < size; seq++) {
    const note = Chunk.getUnsafe(log, seq)
    if (!ids.has(note.id)) return undefined
    notes.push(note)
  }
  return notes
}

/** A whole thought as the source of something in another thought. A few of its notes represent all of them. */
export const wholeOf = (thought: Thought<any>): ReadonlyArray<Source> => {
  const all = allOf(thought)
  const roots = new Set(rootsOf(thought, all))
  return all.map(({ id, trust }) => (roots.has(id) ? { id, trust } : { id, trust, seq: 0 }))
}

/**
 * The ids of notes of other thoughts, from which notes were made that are not stored yet, each id once. A redaction of one cannot
 * find these by the notes that were made from it.
 */
export const unstoredSources = (state: State): ReadonlyArray<string> => {
  const sources = Array.from(Chunk.drop(state.log, state.stored.seq)).flatMap(({ derivedFrom }) => derivedFrom)
  return [...new Set(sources)].filter((id) => noteOf(state, id) === undefined)
}
