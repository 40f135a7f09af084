/** Carries notes that others added to a thought over to the thought that the run continues with. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type { Note } from "../../thought/Note.ts"
import type { Thought, State } from "../../thought/model.ts"
import { copyOf } from "../../thought/batch.ts"
import { withLog } from "../../memory/catchUp.ts"
import * as ids from "../../thought/ids.ts"
import { stateOf, ThoughtImpl, withState } from "../../thought/state.ts"

/** A value to store, and the same value on top of what the store has. */
export interface Changed {
  readonly before: Thought<any>
  readonly now: Thought<any>
}

/** A thought with notes that it did not have before. */
interface Longer extends Changed {
  /** The added notes that it shows. */
  readonly added: ReadonlyArray<Note>
}

/**
 * Returns the values to store. If others added notes to a thought that the run has left, the thought with which it
 * continues gets them too. A fork of the left thought shares them. Any other thought gets copies, placed after the notes
 * that it shares with its parent and before its own.
 */
export const carried = Effect.fnUntraced(function* (
  all: ReadonlyArray<Changed>
): Effect.fn.Return<ReadonlyArray<Thought<any>>> {
  const longer = new Map<string, Longer>()
  const leftFor = new Map<string, Thought<any>>()
  for (const { now } of all) {
    const { leaving } = stateOf(now)
    if (leaving !== undefined) leftFor.set(leaving.to, now)
  }
  const values: Array<Thought<any>> = []
  for (const { before, now } of all) {
    const left = leftFor.get(now.id)
    const source = left === undefined ? undefined : longer.get(left.id)
    if (stateOf(now).stored.version > 0) {
      const known = idsOf(before)
      const added = notesOf(now).filter(({ id }) => !known.has(id))
      if (added.length > 0 && stateOf(now).leaving !== undefined) longer.set(now.id, { before, now, added })
      values.push(now)
    } else if (left === undefined || source === undefined) {
      values.push(now)
    } else {
      const hides = stateOf(left).leaving?.hides ?? (() => false)
      const moved = yield* movedTo(now, source.added, hides, longer)
      longer.set(now.id, moved)
      values.push(moved.now)
    }
  }
  return values
})

/** An unstored fork, with the notes that were added to the thought left for it. */
const movedTo = Effect.fnUntraced(function* (
  fork: Thought<any>,
  added: ReadonlyArray<Note>,
  hides: (key: string) => boolean,
  longer: ReadonlyMap<string, Longer>
): Effect.fn.Return<Longer> {
  const state = stateOf(fork)
  const parent = fork.parent ?? { id: "", seq: 0 }
  const onto = longer.get(parent.id)
  const seq = onto === undefined ? parent.seq : pointIn(onto, parent.seq)
  const shared = notesOf(onto === undefined ? fork : onto.now).slice(0, seq)
  const known = new Set(shared.map(({ id }) => id))
  const copies = yield* Effect.forEach(
    added.filter((note) => !known.has(note.id)),
    (note) => Effect.map(ids.next, ({ id }) => copyOf(note, id, fork.id))
  )
  const notes = [...shared, ...copies, ...notesOf(fork).slice(parent.seq)]
  const hidden = hiddenIn(state, notes, onto)
  for (const { id, key } of added) {
    if (known.has(id) && hides(key)) hidden.set(key, Math.max(placeOf(notes, id), hidden.get(key) ?? 0))
  }
  const identity = {
    ...state.identity,
    parent: Object.freeze({ id: parent.id, seq }),
    hidden,
    checkpoints: new Map(
      Array.from(state.identity.checkpoints, ([name, { id, seq: at }]) => {
        const one = longer.get(id)
        return [name, Object.freeze({ id, seq: one === undefined ? at : pointIn(one, at) })] as const
      })
    )
  }
  const moved = new ThoughtImpl({ ...withLog(state, notes), identity })
  return {
    before: fork,
    now: withState(moved, { stored: { ...state.stored, seq } }),
    added: [...added.filter(({ id, key }) => known.has(id) && !hides(key)), ...copies]
  }
})

/** By key, the position up to which notes are hidden: in the fork itself, or in its parent by now. */
const hiddenIn = (state: State, notes: ReadonlyArray<Note>, onto: Longer | undefined): Map<string, number> => {
  const log = Chunk.toReadonlyArray(state.log)
  const hidden = new Map(
    Array.from(state.identity.hidden, ([key, seq]) => [key, placeOf(notes, log[seq - 1]?.id)] as const)
  )
  const above = onto === undefined ? [] : stateOf(onto.now).identity.hidden
  for (const [key, seq] of above) hidden.set(key, Math.max(seq, hidden.get(key) ?? 0))
  return hidden
}

/** The corresponding point of the longer thought, after the notes added there. */
const pointIn = ({ before, now }: Longer, seq: number): number => {
  const known = idsOf(before)
  const notes = notesOf(now)
  let at = placeOf(notes, notesOf(before)[seq - 1]?.id)
  for (let note = notes[at]; note !== undefined && !known.has(note.id); note = notes[at]) at++
  return at
}

const placeOf = (notes: ReadonlyArray<Note>, id: string | undefined): number =>
  notes.findIndex((note) => note.id === id) + 1

const notesOf = (thought: Thought<any>): ReadonlyArray<Note> => Chunk.toReadonlyArray(stateOf(thought).log)

const idsOf = (thought: Thought<any>): ReadonlySet<string> => new Set(notesOf(thought).map(({ id }) => id))
