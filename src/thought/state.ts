/** The implementation of thoughts: a log with structural sharing, an index by key, and what the store has of it. */
import * as Chunk from "effect/Chunk"
import * as Equal from "effect/Equal"
import * as HashMap from "effect/HashMap"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import * as Result from "effect/Result"
import { type Handle, HandleTypeId, LogTypeId, type Note } from "./Note.ts"
import * as Session from "./Session.ts"
import { quoted } from "../text/legible.ts"

import { ThoughtTypeId as TypeId } from "../arguments/kinds.ts"
import type { Fresh, Identity, State, Thought } from "./model.ts"

export class ThoughtImpl implements Thought<any> {
  readonly [TypeId]: State
  constructor(state: State) {
    this[TypeId] = state
    Object.freeze(this)
  }
  get id(): string {
    return this[TypeId].identity.id
  }
  get traceId(): string {
    return this[TypeId].identity.traceId
  }
  get taskId(): string | undefined {
    return this[TypeId].identity.taskId
  }
  get intent(): string {
    return this[TypeId].identity.intent
  }
  get parent(): { readonly id: string; readonly seq: number } | undefined {
    return this[TypeId].identity.parent
  }
  get checkpoints(): ReadonlyMap<string, { readonly id: string; readonly seq: number }> {
    return new Map(this[TypeId].identity.checkpoints)
  }
  get length(): number {
    return Chunk.size(this[TypeId].log)
  }
  get session(): Session.Session {
    return this[TypeId].session
  }
  get(key: string): any {
    const note = this.note(key)
    // only a key that is optional in the type, or removed by restore or forget, can be absent
    if (note === undefined) return undefined
    const handle = handleOf(this[TypeId], note)
    return handle === undefined ? note.content : Result.getOrThrow(handle[HandleTypeId].decode(note.content))
  }
  note(key: string): Note | undefined {
    return newest(this[TypeId], key)
  }
  [LogTypeId](note: Note): Handle<any, unknown> | undefined {
    return handleOf(this[TypeId], note)
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
  toString(): string {
    return `Thought(${this.id}, ${quoted(this.intent)}, ${this.length} notes)`
  }
  [NodeInspectSymbol](): unknown {
    const { id, intent, length, traceId } = this
    return { _id: "Thought", id, traceId, intent, notes: length, keys: Array.from(HashMap.keys(this[TypeId].byKey)) }
  }
  toJSON(): unknown {
    return {
      id: this.id,
      traceId: this.traceId,
      taskId: this.taskId,
      intent: this.intent,
      parent: this.parent,
      notes: visible(this[TypeId]),
      session: this.session.toJSON()
    }
  }
}

export const stateOf = (thought: Thought<any>): State => thought[TypeId]

export const withState = <N>(thought: Thought<N>, change: Partial<State>): Thought<N> =>
  new ThoughtImpl({ ...stateOf(thought), ...change })

/** Of two values of a thought, the later one or the one with more notes, with the effects that wait for either. */
export const merged = (before: Thought<any>, after: Thought<any>): Thought<any> =>
  withState(before.length > after.length ? before : after, {
    deferred: [...new Set([...stateOf(before).deferred, ...stateOf(after).deferred])]
  })

/** Whether the store has all notes of the thought, and its conversation. */
export const isStored = (thought: Thought<any>): boolean => {
  const { log, session, stored } = stateOf(thought)
  return stored.version > 0 && stored.seq === Chunk.size(log) && stored.session === session
}

/** All notes that the thought sees, in a new array. */
export const visible = (state: State): ReadonlyArray<Note> =>
  Array.from(state.log).filter((note) => !isHidden(state, note))

/**
 * Takes over a session so that no entry has an index that the thought's conversation has already used for another entry:
 * such an entry, and all after it, get new indexes.
 */
const adopt = (state: State, session: Session.Session): Session.Session => {
  // entries that are added have new indexes
  if (Session.addedSince(session, state.session) && state.stored.session.nextIndex <= state.session.nextIndex) {
    return session
  }
  const known = [state.stored.session, state.session]
  const own = new Map(known.flatMap(Session.entries).map((entry) => [entry.index, entry] as const))
  const used = Math.max(...known.map((one) => one.nextIndex))
  const nextIndex = Math.max(used, session.nextIndex)
  const entries = Session.entries(session)
  const foreign = entries.findIndex((entry) => entry.index < used && !Equal.equals(own.get(entry.index), entry))
  if (foreign === -1 && nextIndex === session.nextIndex) return session
  const kept = foreign === -1 ? entries : entries.slice(0, foreign)
  return Session.append(Session.fromEntries(kept, { nextIndex, usage: session.usage }), ...entries.slice(kept.length))
}

/** The thought with another conversation. */
export const withSession = <N>(thought: Thought<N>, session: Session.Session): Thought<N> =>
  withState(thought, { session: adopt(stateOf(thought), session) })

/** The newest note of a key that the thought sees. */
export const newest = (state: State, key: string): Note | undefined => {
  const notes = HashMap.get(state.byKey, key)
  if (Option.isNone(notes)) return undefined
  const note = Option.getOrUndefined(Chunk.last(notes.value))
  return note !== undefined && isHidden(state, note) ? undefined : note
}

/** Cached until a note is added, because a step reads it several times. */
const currentOf = new WeakMap<
  State["byKey"],
  { readonly hidden: Identity["hidden"]; readonly notes: ReadonlyArray<Note> }
>()

/** The newest note of each key that the thought sees, in order of writing, in a frozen array. */
export const current = (state: State): ReadonlyArray<Note> => {
  const { hidden } = state.identity
  const known = currentOf.get(state.byKey)
  if (known?.hidden === hidden) return known.notes
  const seen = Array.from(HashMap.keys(state.byKey), (key) => newest(state, key)).filter((note) => note !== undefined)
  const notes = Object.freeze(seen.toSorted((a, b) => a.seq - b.seq))
  currentOf.set(state.byKey, { hidden, notes })
  return notes
}

/** More unpublished notes than this are computed anew instead of being carried over with each note. */
const mostCarried = 64

/** The current notes that the conversation neither shows nor represents, in order. */
export const unpublished = (state: State): ReadonlyArray<Note> => {
  const { byKey, session } = state
  const { hidden } = state.identity
  const known = state.fresh?.byKey === byKey && state.fresh.hidden === hidden ? state.fresh : undefined
  if (known?.session === session) return known.notes
  const before = known !== undefined && Session.addedSince(session, known.session) ? known.notes : current(state)
  const notes = Object.freeze(before.filter(({ id }) => !Session.shows(session, id)))
  state.fresh = { byKey, hidden, session, notes }
  return notes
}

/** The unpublished notes after a note was added, if those before it are known. */
const freshAfter = (state: State, note: Note, byKey: State["byKey"]): Fresh | undefined => {
  const { fresh, identity } = state
  if (fresh?.byKey !== state.byKey || fresh.hidden !== identity.hidden) return undefined
  const others = fresh.notes.filter(({ key }) => key !== note.key)
  if (others.length > mostCarried) return undefined
  const isShown = isHidden(state, note) || Session.shows(fresh.session, note.id)
  return { ...fresh, byKey, notes: Object.freeze(isShown ? others : [...others, note]) }
}

/** Whether a note is hidden. A redacted note is, and an older note of its key does not become current instead. */
export const isHidden = (state: State, note: Note): boolean =>
  note.redacted !== undefined || note.seq <= (state.identity.hidden.get(note.key) ?? 0)

export const empty = (identity: Identity): State => ({
  identity,
  log: Chunk.empty(),
  byKey: HashMap.empty(),
  byId: HashMap.empty(),
  session: Session.empty,
  stored: { version: 0, seq: 0, session: Session.empty },
  unstoredParent: undefined,
  deferred: [],
  left: [],
  leaving: undefined,
  fresh: undefined,
  shown: undefined
})

/** What a state has besides its identity and its notes. */
export const apartFromNotes = (
  state: State
): Pick<State, "session" | "stored" | "unstoredParent" | "deferred" | "left" | "leaving"> => {
  const { deferred, leaving, left, session, stored, unstoredParent } = state
  return { deferred, leaving, left, session, stored, unstoredParent }
}

/** Adds a note at the end of the log, with its handle if it is typed. */
export const addNote = (state: State, note: Note, handle?: Handle<any, unknown>): State => {
  const older = HashMap.get(state.byKey, note.key)
  const byKey = HashMap.set(
    state.byKey,
    note.key,
    Option.isNone(older) ? Chunk.of(note) : Chunk.append(older.value, note)
  )
  return {
    ...state,
    log: Chunk.append(state.log, note),
    byKey,
    byId: HashMap.set(state.byId, note.id, { note, handle }),
    fresh: freshAfter(state, note, byKey)
  }
}

/** The thought with handles for some of its notes. */
export const withHandles = <N>(
  thought: Thought<any>,
  handles: Iterable<readonly [note: Note, handle: Handle<any, unknown>]>
): Thought<N> => {
  let { byId } = stateOf(thought)
  for (const [note, handle] of handles) byId = HashMap.set(byId, note.id, { note, handle })
  return withState(thought, { byId })
}

/** The note of the log with this id. */
export const noteOf = (state: State, id: string): Note | undefined =>
  Option.getOrUndefined(HashMap.get(state.byId, id))?.note

/** The handle of the note, if it is typed. */
export const handleOf = (state: State, note: Note): Handle<any, unknown> | undefined =>
  Option.getOrUndefined(HashMap.get(state.byId, note.id))?.handle

/** Makes a frozen note for the end of the log. */
export const makeNote = (
  state: State,
  id: string,
  created: Note["created"],
  draft: Pick<Note, "key" | "content" | "source" | "step" | "trust"> & Partial<Pick<Note, "metadata" | "derivedFrom">>
): Note =>
  Object.freeze({
    id,
    thoughtId: state.identity.id,
    seq: Chunk.size(state.log) + 1,
    key: draft.key,
    content: draft.content,
    metadata: Object.freeze({ ...draft.metadata }),
    source: draft.source,
    step: draft.step,
    created,
    trust: draft.trust,
    derivedFrom: Object.freeze([...(draft.derivedFrom ?? [])])
  })
