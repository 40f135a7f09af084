/** What is stored at once: a thought, those that are stored with it, and those that they descend from. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type { Note } from "./Note.ts"
import * as Session from "./Session.ts"
import type { Thought, State } from "./model.ts"
import * as ids from "./ids.ts"
import { addNote, empty, handleOf, stateOf, ThoughtImpl, withState } from "./state.ts"

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
    const placed = new Map<string, Placed | undefined>()
    const aboveOf = (one: Thought<any>): Thought<any> | undefined => {
      const id = one.parent?.id
      return id === undefined ? undefined : (values.get(id) ?? above.get(id))
    }
    for (const one of [...above.values(), ...values.values()]) {
      // those above it first
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
    // of one that cannot stand on its parent the store says so
    const own = placed.get(thought.id)?.thought ?? thought
    return {
      thought: withState(own, { left: ready.filter(({ id }) => id !== thought.id) }),
      above: new Set(above.keys())
    }
  })
}

/** A thought as it is stored, and what of it is not as it was. */
interface Placed {
  readonly thought: Thought<any>
  /** By id, the copies that stand for notes. */
  readonly copies: ReadonlyMap<string, Note>
  /** Points of other thoughts, past a number, for which this or one above it stands now. */
  readonly points: ReadonlyArray<{ readonly of: string; readonly past: number; readonly now: string }>
}

const unmoved = (thought: Thought<any>): Placed => ({ thought, copies: new Map(), points: [] })

/** The fork on the parent as it is now; nothing when the parent lacks a note that it saw. */
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
      // what is forked from the fork has seen the notes that were there before, however often they were copied
      copies: new Map([
        ...Array.from(onto.copies, ([id, note]) => [id, copies.get(note.id) ?? note] as const),
        ...copies
      ]),
      points: [...onto.points, ...points]
    }
  })
}

/** A note again, as one of another thought. What redacts the note finds it. */
export const copyOf = (note: Note, id: string, thoughtId: string): Note =>
  Object.freeze({ ...note, id, thoughtId, derivedFrom: Object.freeze([note.id]) })

/** How many notes both begin with, at most so many. */
const commonLength = (one: State["log"], other: State["log"], most: number): number => {
  const [first, second] = [Chunk.toReadonlyArray(one), Chunk.toReadonlyArray(other)]
  let same = 0
  while (same < most && first[same]?.id === second[same]?.id && first[same]?.key === second[same]?.key) same++
  return same
}

/** A fork that is not stored yet as it is, with copies in the place of notes and another parent. */
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
