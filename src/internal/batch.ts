/** What is stored at once: a thought, those that are stored with it, and those that they descend from. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type { Note } from "../Note.ts"
import * as Session from "../Session.ts"
import type { Thought } from "../Thought.ts"
import * as ids from "./ids.ts"
import { addNote, empty, handleOf, type State, stateOf, ThoughtImpl, withState } from "./thought.ts"

/** Thoughts by id, of each the value to be stored. */
type Values = ReadonlyMap<string, Thought<any>>

/** The thought, what is stored with it, and what is stored with that, in the order in which it came to be. */
const withLeft = (thought: Thought<any>): ReadonlyArray<Thought<any>> => {
  const all: Array<Thought<any>> = []
  const todo = [thought]
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    const { left } = stateOf(one)
    all.push(left.length === 0 ? one : withState(one, { left: [] }))
    for (const other of left) todo.push(other)
  }
  return all.toReversed()
}

/** Of each thought its last value. */
const named = (thoughts: ReadonlyArray<Thought<any>>): Map<string, Thought<any>> => {
  const values = new Map<string, Thought<any>>()
  for (const one of thoughts) {
    // the last one to come to be is also the last one in order
    values.delete(one.id)
    values.set(one.id, one)
  }
  return values
}

/** The longest known values of the thoughts above these that the store may lack something of. */
const unstoredAbove = (values: Values): Values => {
  const above = new Map<string, Thought<any>>()
  for (const value of values.values()) {
    for (let one = stateOf(value).unstoredParent; one !== undefined; one = stateOf(one).unstoredParent) {
      if (!values.has(one.id) && (above.get(one.id)?.length ?? -1) < one.length) above.set(one.id, one)
    }
  }
  return above
}

export interface Batch {
  /** What is to be stored, with all that is stored with it; each above those that descend from it. */
  readonly thought: Thought<any>
  /** Ids of the thoughts that are stored only because others descend from them. */
  readonly above: ReadonlySet<string>
}

/**
 * Makes ready what is stored with a thought. A fork whose parent has come to have other notes where it was forked begins
 * before these and has copies of those it saw; one that saw a note which the parent does not have is left out.
 */
export const gather = (thought: Thought<any>): Effect.Effect<Batch> => {
  const { left, unstoredParent } = stateOf(thought)
  if (left.length === 0 && unstoredParent === undefined) return Effect.succeed({ thought, above: new Set() })
  return Effect.gen(function* () {
    const values = named(withLeft(thought))
    const above = unstoredAbove(values)
    const placed = new Map<string, Thought<any> | undefined>()
    const aboveOf = (one: Thought<any>): Thought<any> | undefined => {
      const id = one.parent?.id
      return id === undefined ? undefined : (values.get(id) ?? above.get(id))
    }
    for (const one of [...above.values(), ...values.values()]) {
      // those above it first
      const line = [one]
      for (let next = aboveOf(one); next !== undefined && !placed.has(next.id); next = aboveOf(next)) line.push(next)
      for (const value of line.toReversed()) {
        const parent = aboveOf(value)
        const onto = parent === undefined ? undefined : placed.get(parent.id)
        const gone = parent !== undefined && onto === undefined
        const moved = onto === undefined ? value : yield* moveOnto(value, onto)
        if (!placed.has(value.id)) placed.set(value.id, gone ? undefined : moved)
      }
    }
    const ready = [...placed.values()].filter((one) => one !== undefined)
    // of one that cannot stand on its parent the store says so
    const own = placed.get(thought.id) ?? thought
    return {
      thought: withState(own, { left: ready.filter(({ id }) => id !== thought.id) }),
      above: new Set(above.keys())
    }
  })
}

/** The fork on the parent as it is now; nothing when the parent lacks a note that it saw. */
const moveOnto = (fork: Thought<any>, parent: Thought<any>): Effect.Effect<Thought<any> | undefined> => {
  const state = stateOf(fork)
  const seen = fork.parent?.seq ?? 0
  const same = commonLength(state.log, stateOf(parent).log, seen)
  if (state.stored.version > 0 || same === seen) {
    return Effect.succeed(withState(fork, { unstoredParent: undefined }))
  }
  const there = new Set(Array.from(stateOf(parent).log, ({ id }) => id))
  const log = Chunk.toReadonlyArray(state.log)
  if (log.slice(same, seen).some(({ id }) => !there.has(id))) return Effect.undefined
  return Effect.map(
    Effect.forEach(log.slice(same, seen), (note) => Effect.map(ids.next, ({ id }) => [note.id, id] as const)),
    (copies) => new ThoughtImpl(withCopies(state, parent.id, same, new Map(copies)))
  )
}

/** How many notes both begin with, at most so many. */
const commonLength = (one: State["log"], other: State["log"], most: number): number => {
  const [first, second] = [Chunk.toReadonlyArray(one), Chunk.toReadonlyArray(other)]
  let same = 0
  while (same < most && first[same]?.id === second[same]?.id && first[same]?.key === second[same]?.key) same++
  return same
}

/** The fork as it is, with its parent only up to a number and notes of its own, by the ids given, in the place of others. */
const withCopies = (state: State, parentId: string, seq: number, copies: ReadonlyMap<string, string>): State => {
  const { identity, session } = state
  const { id } = identity
  const idOf = (noteId: string): string => copies.get(noteId) ?? noteId
  const checkpoints = new Map(
    Array.from(identity.checkpoints, ([name, at]) => [
      name,
      at.id === parentId && at.seq > seq ? Object.freeze({ id, seq: at.seq }) : at
    ])
  )
  const parent = Object.freeze({ id: parentId, seq })
  let copied: State = empty({ ...identity, parent, checkpoints })
  for (const note of state.log) {
    const own: Note = copies.has(note.id) ? Object.freeze({ ...note, id: idOf(note.id), thoughtId: id }) : note
    copied = addNote(copied, own, handleOf(state, note))
  }
  const entries = Session.entries(session).map((entry) => ({
    ...entry,
    carries: entry.carries.map(idOf),
    covers: entry.covers.map(idOf)
  }))
  return {
    ...copied,
    session: Session.fromEntries(entries, { nextIndex: session.nextIndex, usage: session.usage }),
    stored: { version: 0, seq, session: Session.empty },
    deferred: state.deferred
  }
}
