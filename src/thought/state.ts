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

import { type Identity, type State, type Thought, TypeId } from "./model.ts"

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
      session: this.session
    }
  }
}

export const stateOf = (thought: Thought<any>): State => thought[TypeId]

export const withState = <N>(thought: Thought<N>, change: Partial<State>): Thought<N> =>
  new ThoughtImpl({ ...stateOf(thought), ...change })

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
export const adopt = (state: State, session: Session.Session): Session.Session => {
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

/** Whether a note is hidden. A redacted note is, and an older note of its key does not become current instead. */
export const isHidden = (state: State, note: Note): boolean =>
  note.redacted !== undefined || note.seq <= (state.identity.hidden.get(note.key) ?? 0)

export const empty = (identity: Identity): State => ({
  identity,
  log: Chunk.empty(),
  byKey: HashMap.empty(),
  handles: HashMap.empty(),
  session: Session.empty,
  stored: { version: 0, seq: 0, session: Session.empty },
  unstoredParent: undefined,
  deferred: [],
  left: [],
  leaving: undefined
})

/** Adds a note at the end of the log, with its handle if it is typed. */
export const addNote = (state: State, note: Note, handle?: Handle<any, unknown>): State => ({
  ...state,
  log: Chunk.append(state.log, note),
  byKey: HashMap.modifyAt(state.byKey, note.key, (notes) =>
    Option.some(Option.match(notes, { onNone: () => Chunk.of(note), onSome: Chunk.append(note) }))
  ),
  handles: handle === undefined ? state.handles : HashMap.set(state.handles, note.id, handle)
})

/** The handle of the note, if it is typed. */
export const handleOf = (state: State, note: Note): Handle<any, unknown> | undefined =>
  Option.getOrUndefined(HashMap.get(state.handles, note.id))

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
