/** Collects what is stored together: a thought, the thoughts stored with it, and those that they descend from. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type { Note } from "./Note.ts"
import * as Session from "./Session.ts"
import type { Thought, State } from "./model.ts"
import * as ids from "./ids.ts"
import { addNote, empty, handleOf, merged, stateOf, ThoughtImpl, withState } from "./state.ts"

/** The values to store, by thought id. */
type Values = ReadonlyMap<string, Thought<any>>

/** The thought and all thoughts that are stored with it, directly or indirectly, in the order of their creation. */
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

/** The last value of each thought. */
const named = (thoughts: ReadonlyArray<Thought<any>>): Map<string, Thought<any>> => {
  const values = new Map<string, Thought<any>>()
  for (const one of thoughts) {
    const before = values.get(one.id)
    // the last value also determines the order
    values.delete(one.id)
    values.set(one.id, before === undefined ? one : merged(before, one))
  }
  return values
}

/** The longest known values of those ancestors that may not be stored completely. */
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
  /** The thought, with all others that are stored with it. Ancestors come before their descendants. */
  readonly thought: Thought<any>
  /** Ids of the thoughts that are stored only because others descend from them. */
  readonly above: ReadonlySet<string>
}

/**
 * Prepares a thought for storing, with everything stored with it. If the parent of a fork now has other notes at the
 * fork point, the fork begins before these and gets copies of the notes that it saw. A fork that saw a note that its
 * parent lacks is left out.
 */
export const gather = (thought: Thought<any>): Effect.Effect<Batch> => {
  const { left, unstoredParent } = stateOf(thought)
  if (left.length === 0 && unstoredParent === undefined) return Effect.succeed({ thought, above: new Set() })
  return Effect.gen(function* () {
    const values = named(withLeft(thought))
    const above = unstoredAbove(values)
    const placed = new Map<string, Placed | undefined>()
    const aboveOf = (one: Thought<any>): Thought<any> | undefined => {
      const id = one.parent?.id
      return id === undefined ? undefined : (values.get(id) ?? above.get(id))
    }
    for (const one of [...above.values(), ...values.values()]) {
      // its ancestors first
      const line: Array<Thought<any>> = []
      for (let next: Thought<any> | undefined = one; next !== undefined && !placed.has(next.id); next = aboveOf(next)) {
        line.push(next)
      }
      for (const value of line.toReversed()) {
        const parent = aboveOf(value)
        const onto = parent === undefined ? unmoved(value) : placed.get(parent.id)
        const own = parent === undefined || onto === undefined ? onto : yield* moveOnto(value, onto)
        placed.set(value.id, own)
      }
    }
    const ready = [...placed.values()].flatMap((one) => (one === undefined ? [] : [one.thought]))
    // the store reports a thought that does not fit its parent
    const own = placed.get(thought.id)?.thought ?? thought
    return {
      thought: withState(own, { left: ready.filter(({ id }) => id !== thought.id) }),
      above: new Set(above.keys())
    }
  })
}

/** A thought as it will be stored, and how it differs from before. */
interface Placed {
  readonly thought: Thought<any>
  /** The copies that replace notes, by the id of the original. */
  readonly copies: ReadonlyMap<string, Note>
  /** Points in other thoughts, after a number of notes, that are now points in this thought or in an ancestor. */
  readonly points: ReadonlyArray<{ readonly of: string; readonly past: number; readonly now: string }>
}

const unmoved = (thought: Thought<any>): Placed => ({ thought, copies: new Map(), points: [] })

/** Moves the fork onto the current value of its parent. Undefined if the parent lacks a note that the fork saw. */
const moveOnto = (fork: Thought<any>, onto: Placed): Effect.Effect<Placed | undefined> => {
  const { parent, stored } = { parent: fork.parent, stored: stateOf(fork).stored }
  const onParent = withState(fork, { unstoredParent: undefined })
  if (parent === undefined || stored.version > 0) return Effect.succeed(unmoved(onParent))
  const state = onto.copies.size === 0 ? stateOf(onParent) : withCopies(stateOf(onParent), onto, parent)
  const there = stateOf(onto.thought).log
  const same = commonLength(state.log, there, parent.seq)
  if (same === parent.seq) return Effect.succeed({ ...onto, thought: new ThoughtImpl(state) })
  const known = new Set(Array.from(there, ({ id }) => id))
  const seen = Chunk.toReadonlyArray(state.log).slice(same, parent.seq)
  if (seen.some(({ id }) => !known.has(id))) return Effect.undefined
  const copied = Effect.forEach(seen, (note) =>
    Effect.map(ids.next, ({ id }) => [note.id, copyOf(note, id, fork.id)] as const)
  )
  return Effect.map(copied, (own) => {
    const copies = new Map(own)
    const points = [{ of: parent.id, past: same, now: fork.id }]
    const moved = withCopies(state, { copies, points }, Object.freeze({ id: parent.id, seq: same }))
    return {
      thought: new ThoughtImpl(moved),
      // forks of the fork have seen the original notes, however often they were copied
      copies: new Map([
        ...Array.from(onto.copies, ([id, note]) => [id, copies.get(note.id) ?? note] as const),
        ...copies
      ]),
      points: [...onto.points, ...points]
    }
  })
}

/** A copy of a note for another thought. Redacting the original redacts the copy too. */
export const copyOf = (note: Note, id: string, thoughtId: string): Note =>
  Object.freeze({ ...note, id, thoughtId, derivedFrom: Object.freeze([note.id]) })

/** The length of the common prefix, up to `most`. */
const commonLength = (one: State["log"], other: State["log"], most: number): number => {
  const [first, second] = [Chunk.toReadonlyArray(one), Chunk.toReadonlyArray(other)]
  let same = 0
  while (same < most && first[same]?.id === second[same]?.id && first[same]?.key === second[same]?.key) same++
  return same
}

/** An unstored fork with some notes replaced by copies, and with another parent. */
export const withCopies = (
  state: State,
  { copies, points }: Pick<Placed, "copies" | "points">,
  parent: { readonly id: string; readonly seq: number }
): State => {
  const { identity, session } = state
  const idOf = (noteId: string): string => copies.get(noteId)?.id ?? noteId
  const pointOf = (at: typeof parent): typeof parent =>
    points.reduce((one, { now, of, past }) => (one.id === of && one.seq > past ? { id: now, seq: one.seq } : one), at)
  const checkpoints = new Map(
    Array.from(identity.checkpoints, ([name, at]) => [name, Object.freeze(pointOf(at))] as const)
  )
  let copied: State = empty({ ...identity, parent, checkpoints })
  for (const note of state.log) {
    const madeOf = note.derivedFrom.some((id) => copies.has(id))
    const own = madeOf ? Object.freeze({ ...note, derivedFrom: Object.freeze(note.derivedFrom.map(idOf)) }) : note
    copied = addNote(copied, copies.get(note.id) ?? own, handleOf(state, note))
  }
  const entries = Session.entries(session).map((entry) => ({
    ...entry,
    carries: entry.carries.map(idOf),
    covers: entry.covers.map(idOf)
  }))
  return {
    ...copied,
    session: Session.fromEntries(entries, { nextIndex: session.nextIndex, usage: session.usage }),
    stored: { version: 0, seq: parent.seq, session: Session.empty },
    deferred: state.deferred,
    left: state.left
  }
}
