/** The thoughts of a run as earlier executions have stored them, with the types that the pipeline gives to their notes. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { asOf, positionOf } from "../../memory/asOf.ts"
import { frozen } from "../../memory/commit.ts"
import type { Position } from "../../memory/model/Ledger.ts"
import { fail, type MemoryError } from "../../memory/model/error.ts"
import type { Shape } from "../../memory/model/Shape.ts"
import type { History } from "../../memory/model/Store.ts"
import { idBeside } from "./frame.ts"
import type { Resolver } from "./resolver.ts"
import * as Session from "../../thought/Session.ts"
import type { Thought } from "../../thought/model.ts"
import {
  addNote,
  apartFromNotes,
  empty,
  handleOf,
  noteOf,
  stateOf,
  ThoughtImpl,
  withHandles
} from "../../thought/state.ts"

export class States {
  readonly #histories = new Map<string, History>()
  /** How far this execution has come by storing notes again: it never goes back behind that. */
  readonly #reached = new Map<string, Position>()
  readonly #beside = new Map<string, string>()
  readonly #memory: Shape
  readonly #resolver: Resolver

  constructor(memory: Shape, resolver: Resolver) {
    this.#memory = memory
    this.#resolver = resolver
  }

  /** The thought at a position, or where the execution has come to since. `base` is a value of it, whose notes keep their types. */
  at(given: Position, base?: Thought<any>): Effect.Effect<Thought<any>, MemoryError> {
    const reached = this.#reached.get(given.thoughtId)
    const position = reached !== undefined && reached.version > given.version ? reached : given
    return Effect.flatMap(this.#history(position), (history) =>
      base?.id === position.thoughtId && isBefore(base, position, history) && !hasText(base, history)
        ? Effect.succeed(this.#onward(base, position, history))
        : Effect.map(Effect.fromResult(asOf(history, position)), (thought) => this.typed(thought, base))
    )
  }

  /** The thought at a position, or as it was stored for the given value, if that was later. */
  onwards(position: Position, given: Thought<any>): Effect.Effect<Thought<any>, MemoryError> {
    const { seq, session, version } = stateOf(given).stored
    const { nextIndex, usage } = session
    const isLater = given.id === position.thoughtId && version > position.version
    return this.at(isLater ? { thoughtId: given.id, seq, version, nextIndex, usage } : position, given)
  }

  /** The execution has stored notes again up to the position. */
  reach(position: Position): void {
    this.#reached.set(position.thoughtId, position)
  }

  /** The id, or another one if a note has it of a thought whose notes were stored again. */
  free(id: string): string {
    if (!this.#isTaken(id)) return id
    const other = idBeside(id)
    this.#beside.set(other, id)
    return other
  }

  /** The taken id that this one was given instead of. */
  readonly besideOf = (id: string): string | undefined => this.#beside.get(id)

  #isTaken(id: string): boolean {
    for (const thoughtId of this.#reached.keys()) {
      const history = this.#histories.get(thoughtId)
      if (history?.notes.some((note) => note.id === id) === true) return true
    }
    return false
  }

  /** The stored value, without the text of notes that were redacted since it was read. */
  readable(value: Thought<any>): Effect.Effect<Thought<any>, MemoryError> {
    const position = positionOf(value)
    return Effect.flatMap(this.#history(position), (history) =>
      hasText(value, history)
        ? Effect.map(Effect.fromResult(asOf(history, position)), (thought) => this.typed(thought, value))
        : Effect.succeed(value)
    )
  }

  /** The same of a fork that is not stored yet, whose parent is. */
  readableFork(value: Thought<any>): Effect.Effect<Thought<any>, MemoryError> {
    const { parent } = value
    if (parent === undefined || stateOf(value).unstoredParent !== undefined) return Effect.succeed(value)
    return Effect.map(this.#memory.ledger.history(parent.id), (history) =>
      history === undefined || !hasText(value, history) ? value : this.typed(withoutText(value, history), value)
    )
  }

  /** The thought as the store has it now. */
  newest(thought: Thought<any>): Effect.Effect<Thought<any>, MemoryError> {
    return Effect.map(this.#memory.load(thought.id), (stored) => this.typed(stored, thought))
  }

  /** The thought with handles for its notes: those of another value of it, or those of the steps that wrote the notes. */
  typed(thought: Thought<any>, base: Thought<any> | undefined): Thought<any> {
    const known = base && stateOf(base)
    const { log } = stateOf(thought)
    return withHandles(
      thought,
      Array.from(log).flatMap((note) => {
        const handle = (known && handleOf(known, note)) ?? this.#resolver.of(note)
        return handle === undefined ? [] : [[note, handle] as const]
      })
    )
  }

  #history({ thoughtId, version }: Position): Effect.Effect<History, MemoryError> {
    const known = this.#histories.get(thoughtId)
    // a later execution may have stored more since it was loaded
    if (known !== undefined && known.version >= version) return Effect.succeed(known)
    return Effect.flatMap(this.#memory.ledger.history(thoughtId), (history) => {
      if (history === undefined) {
        return fail({ _tag: "NotFound", message: `The thought ${thoughtId} of the run is not in this scope any more.` })
      }
      this.#histories.set(thoughtId, history)
      return Effect.succeed(history)
    })
  }

  /** Equivalent to rebuilding the thought, but in time proportional to the additions. */
  #onward(base: Thought<any>, position: Position, { entries, notes }: History): Thought<any> {
    const { seq, usage, version } = position
    let state = stateOf(base)
    for (const note of notes.slice(base.length, seq)) state = addNote(state, frozen(note), this.#resolver.of(note))
    const whole = Session.append(base.session, ...between(entries, base, position))
    const session = usage === undefined ? whole : Session.withUsage(whole, usage)
    return new ThoughtImpl({ ...state, session, stored: { version, seq, session }, unstoredParent: undefined })
  }
}

/** The redacted notes of a history, which do not change. */
const redactedOf = new WeakMap<History, ReadonlyArray<string>>()

/** Whether the value still has the text of a note that was redacted since. */
const hasText = (base: Thought<any>, history: History): boolean => {
  const known = redactedOf.get(history)
  const ids = known ?? history.notes.filter(({ redacted }) => redacted !== undefined).map(({ id }) => id)
  if (known === undefined) redactedOf.set(history, ids)
  const state = stateOf(base)
  return ids.some((id) => {
    const note = noteOf(state, id)
    return note !== undefined && note.redacted === undefined
  })
}

const placeOf = ({ index, kind, role }: Session.Entry): string => `${index} ${kind} ${role}`

/** The value without the text of notes that were redacted since, and without what its conversation said of them. */
const withoutText = (value: Thought<any>, { notes, removed }: History): Thought<any> => {
  const redacted = new Map(notes.flatMap((note) => (note.redacted === undefined ? [] : [[note.id, note] as const])))
  // what a redaction has taken; the value may have an entry of its own at the index of a later one
  const gone = new Set(removed.flatMap(({ entry }) => (entry.text === "" ? [placeOf(entry)] : [])))
  const before = stateOf(value)
  let state = empty(before.identity)
  for (const note of before.log) state = addNote(state, redacted.get(note.id) ?? note)
  const entries = Session.entries(before.session).filter(
    (entry) => !gone.has(placeOf(entry)) && ![...entry.carries, ...entry.covers].some((id) => redacted.has(id))
  )
  const { nextIndex, usage } = before.session
  const session = Session.fromEntries(entries, { nextIndex, usage })
  return new ThoughtImpl({ ...state, ...apartFromNotes(before), session })
}

/** The entries that were added between the value and the position. */
const between = (entries: History["entries"], { session }: Thought<any>, { nextIndex }: Position) =>
  entries.filter(({ index }) => index >= session.nextIndex && index < nextIndex)

/** Whether notes and entries were only added between the value and the position. */
const isBefore = (base: Thought<any>, position: Position, { entries, notes, removed }: History): boolean => {
  const { nextIndex, seq, version } = position
  const { log, stored } = stateOf(base)
  const { session } = base
  const last = Option.getOrUndefined(Chunk.last(log))
  return (
    stored.session === session &&
    stored.seq === base.length &&
    base.length <= seq &&
    stored.version <= version &&
    session.nextIndex + between(entries, base, position).length === nextIndex &&
    (last === undefined || notes[base.length - 1]?.id === last.id) &&
    removed.every((one) => one.version <= stored.version || one.version > version || one.entry.index >= nextIndex)
  )
}
