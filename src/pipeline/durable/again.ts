/** Notes that a resumed run makes again because a redaction has emptied those that it had stored: they are new notes. */
import * as Chunk from "effect/Chunk"
import * as Equal from "effect/Equal"
import * as Session from "../../thought/Session.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { addNote, handleOf, noteOf, stateOf, ThoughtImpl, withHandles } from "../../thought/state.ts"
import { idAfter } from "./frame.ts"

/** The notes and messages of a value that it adds to the stored thought that it was made from. */
export class Additions {
  readonly thought: Thought<any>
  readonly #notes: ReadonlyArray<Note>
  /** The ids that its notes have in the store, where these differ. */
  readonly #ids = new Map<string, string>()
  readonly #besideOf: (id: string) => string | undefined

  /** `besideOf` gives the taken id that an id was drawn instead of. */
  constructor(thought: Thought<any>, besideOf: (id: string) => string | undefined) {
    const { log, stored } = stateOf(thought)
    this.thought = thought
    this.#notes = Chunk.toReadonlyArray(Chunk.drop(log, stored.seq))
    this.#besideOf = besideOf
  }

  /** Its notes that the stored thought lacks, has without their text, or has with other content. */
  differing(stored: Thought<any>): Readonly<Record<"missing" | "redacted" | "changed", ReadonlyArray<Note>>> {
    const state = stateOf(stored)
    for (const note of this.#notes) {
      const taken = this.#ids.has(note.id) ? undefined : this.#besideOf(note.id)
      const there = taken === undefined ? undefined : noteOf(state, taken)
      // it is the same note, which was stored before the execution came to where it is
      if (there !== undefined && there.redacted === undefined && isEqual(there, note)) this.#ids.set(note.id, there.id)
    }
    const known = (note: Note): Note | undefined => noteOf(state, this.#idOf(note.id))
    return {
      missing: this.#notes.filter((note) => known(note) === undefined),
      redacted: this.#notes.filter((note) => known(note)?.redacted !== undefined),
      changed: this.#notes.filter((note) => {
        const one = known(note)
        return one !== undefined && one.redacted === undefined && !isEqual(one, note)
      })
    }
  }

  /** Gives notes their next ids. */
  rename(notes: ReadonlyArray<Note>): void {
    for (const { id } of notes) this.#ids.set(id, idAfter(this.#idOf(id)))
  }

  /** The stored thought, in which these notes have the types that the value gives them. */
  typing(stored: Thought<any>): Thought<any> {
    return withHandles(
      stored,
      this.#notes.flatMap((note) => {
        const there = noteOf(stateOf(stored), this.#idOf(note.id))
        const handle = handleOf(stateOf(this.thought), note)
        return there === undefined || handle === undefined ? [] : [[there, handle] as const]
      })
    )
  }

  /** The stored thought with what it lacks of these notes and of the conversation that comes with them. */
  onTopOf(stored: Thought<any>): Thought<any> {
    const value = stateOf(this.thought)
    let state = stateOf(stored)
    for (const note of this.#notes) {
      const id = this.#idOf(note.id)
      if (noteOf(state, id) !== undefined) continue
      const seq = Chunk.size(state.log) + 1
      const derivedFrom = Object.freeze(note.derivedFrom.map((source) => this.#idOf(source)))
      state = addNote(state, Object.freeze({ ...note, id, seq, derivedFrom }), handleOf(value, note))
    }
    const { deferred, left } = value
    return new ThoughtImpl({ ...state, session: this.#conversation(stored.session), deferred, left })
  }

  #conversation(there: Session.Session): Session.Session {
    const { session, stored } = stateOf(this.thought)
    const own = new Set(Session.entries(session).map(({ index }) => index))
    const left = new Set(
      Session.entries(stored.session)
        .map(({ index }) => index)
        .filter((index) => !own.has(index))
    )
    const { nextIndex, usage } = there
    const kept = Session.entries(there).filter(({ index }) => !left.has(index))
    const added = Session.entries(session)
      .filter(({ index }) => index >= stored.session.nextIndex)
      .map((entry) => ({ ...entry, carries: this.#idsOf(entry.carries), covers: this.#idsOf(entry.covers) }))
      .filter((entry) => !kept.some((one) => Equal.equals({ ...one, index: 0 }, { ...entry, index: 0 })))
    const whole = Session.append(Session.fromEntries(kept, { nextIndex, usage }), ...added)
    return session.usage === undefined ? whole : Session.withUsage(whole, session.usage)
  }

  #idOf(id: string): string {
    return this.#ids.get(id) ?? id
  }

  #idsOf(ids: ReadonlyArray<string>): ReadonlyArray<string> {
    return ids.map((id) => this.#idOf(id))
  }
}

const isEqual = (one: Note, other: Note): boolean =>
  one.key === other.key && one.content === other.content && Equal.equals(one.metadata, other.metadata)
