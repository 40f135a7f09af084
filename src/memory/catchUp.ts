/** Thoughts to which others have added notes in the store. */
import * as Chunk from "effect/Chunk"
import * as Equal from "effect/Equal"
import type { Note } from "../thought/Note.ts"
import * as Session from "../thought/Session.ts"
import type { Thought, State } from "../thought/model.ts"
import { withCopies } from "../thought/batch.ts"
import { repeats } from "./model/reach.ts"
import { addNote, apartFromNotes, empty, handleOf, stateOf, ThoughtImpl, withState } from "../thought/state.ts"

/**
 * The value on top of what the store has of the thought by now: `there`. What the store has got of the value itself, as
 * with a fork of it, is not added again. With `appended`, notes that were added from outside any pipeline come before those
 * that are still to be stored. `"past"` when the store has all of the value, and more. Nothing when the two have parted.
 */
export const caughtUp = (
  given: Thought<any>,
  there: Thought<any>,
  options: { readonly appended: boolean }
): Thought<any> | "past" | undefined => {
  const value = asStored(given, there)
  const mine = stateOf(value)
  const { stored } = stateOf(there)
  if (stored.version === mine.stored.version) return value
  const [log, theirs] = [Chunk.toReadonlyArray(mine.log), Chunk.toReadonlyArray(stateOf(there).log)]
  const known = Math.min(mine.stored.seq, log.length)
  if (stored.version < mine.stored.version || !log.slice(0, known).every((note, i) => isSame(note, theirs[i]))) {
    return undefined
  }
  const pending = log.slice(known)
  const added = theirs.slice(known)
  const ids = new Set(pending.map(({ id }) => id))
  const own = added.filter(({ id }) => ids.has(id))
  const foreign = added.filter(({ id }) => !ids.has(id))
  if (!own.every((note, i) => isSame(note, pending[i]))) return undefined
  const taken = foreign.length === 0 || (options.appended && foreign.every(({ step }) => step === ""))
  if (!taken || !continues(mine, stored.session)) {
    return own.length === pending.length && isWithin(mine, stored.session) ? "past" : undefined
  }
  const session = isSameTalk(mine.session, stored.session) ? mine.session : stored.session
  const next = { version: stored.version, seq: theirs.length, session }
  // whose fork is stored has its notes there too
  if (foreign.length === 0) return withState(value, { stored: next, unstoredParent: undefined })
  const notes = [...theirs, ...pending.slice(own.length)]
  return new ThoughtImpl({ ...withLog(mine, notes), stored: next, unstoredParent: undefined })
}

/**
 * A fork that the value says is not stored, as it was when it was stored: with copies of notes that it saw, and with others
 * before what is its own. The value as it is if it lacks one of those notes.
 */
const asStored = (value: Thought<any>, there: Thought<any>): Thought<any> => {
  const mine = stateOf(value)
  const { parent } = there
  if (mine.stored.version > 0 || value.parent === undefined || parent === undefined) return value
  const [log, theirs] = [Chunk.toReadonlyArray(mine.log), Chunk.toReadonlyArray(stateOf(there).log)]
  const originals = new Map(log.map((note) => [note.id, note] as const))
  const copies = new Map<string, Note>()
  for (const note of theirs) {
    const original = originals.get(note.derivedFrom[0] ?? "")
    if (original !== undefined && !originals.has(note.id) && repeats(note, original)) copies.set(original.id, note)
  }
  const seen = log.slice(0, value.parent.seq).map(({ id }) => copies.get(id)?.id ?? id)
  let end = 0
  for (const id of seen) end = theirs.findIndex((note, i) => i >= end && note.id === id) + 1 || Number.POSITIVE_INFINITY
  if (end > theirs.length) return value
  const seq = Math.max(end, parent.seq)
  const copied = withCopies(mine, { copies, points: [] }, parent)
  const own = Chunk.toReadonlyArray(copied.log).slice(value.parent.seq)
  const { identity } = stateOf(there)
  return new ThoughtImpl({
    ...withLog(copied, [...theirs.slice(0, seq), ...own]),
    identity,
    stored: { ...copied.stored, seq }
  })
}

const isSame = (note: Note, other: Note | undefined): boolean => note.id === other?.id && !isRedacted(note, other)

const isRedacted = (note: Note, other: Note): boolean => other.redacted !== undefined && note.redacted === undefined

/** Whether the conversation continues the stored one: each stored entry is still there, or was removed since. */
const continues = ({ session, stored }: State, there: Session.Session): boolean => {
  const own = new Map([stored.session, session].flatMap(Session.entries).map((entry) => [entry.index, entry] as const))
  const theirs = Session.entries(there)
  const live = new Set(theirs.map(({ index }) => index))
  return (
    there.nextIndex <= session.nextIndex &&
    theirs.every((entry) => Equal.equals(own.get(entry.index), entry)) &&
    Session.entries(session).every(({ index }) => index >= there.nextIndex || live.has(index))
  )
}

const isSameTalk = (one: Session.Session, other: Session.Session): boolean =>
  one.nextIndex === other.nextIndex && Equal.equals(Session.entries(one), Session.entries(other))

/** Whether the value has changed nothing of the conversation that the store does not know of. */
const isWithin = ({ session, stored }: State, there: Session.Session): boolean => {
  const own = new Map(Session.entries(session).map((entry) => [entry.index, entry] as const))
  const theirs = new Map(Session.entries(there).map((entry) => [entry.index, entry] as const))
  return (
    session.nextIndex <= there.nextIndex &&
    Session.entries(stored.session).every(({ index }) => own.has(index) || !theirs.has(index)) &&
    [...own].every(([index, entry]) => index < stored.session.nextIndex || Equal.equals(theirs.get(index), entry))
  )
}

/** The state with another log, its notes numbered by their places. */
export const withLog = (state: State, notes: ReadonlyArray<Note>): State => {
  let changed: State = { ...empty(state.identity), ...apartFromNotes(state) }
  for (const [i, note] of notes.entries()) {
    const placed = note.seq === i + 1 ? note : Object.freeze({ ...note, seq: i + 1 })
    changed = addNote(changed, placed, handleOf(state, note))
  }
  return changed
}
