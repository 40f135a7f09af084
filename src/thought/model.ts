/** The model of a thought: its notes, its conversation, and what the store has of it. */
import type * as Chunk from "effect/Chunk"
import type * as Effect from "effect/Effect"
import type * as HashMap from "effect/HashMap"
import type { Pipeable } from "effect/Pipeable"
import { ThoughtTypeId } from "../arguments/kinds.ts"
import type { Handle, Log, Note } from "./Note.ts"
import type { Session } from "./Session.ts"

/**
 * Identifies a thought.
 *
 * @category symbols
 */
export const TypeId = ThoughtTypeId

/**
 * A thought that has the notes `N`. Immutable.
 *
 * @category models
 */
export interface Thought<out N = {}> extends Log<N>, Pipeable {
  readonly [TypeId]: State
  /** UUIDv7. */
  readonly id: string
  /** Identifies the thought in other systems. Unique in a scope. */
  readonly traceId: string
  /** Groups the thoughts of one task. */
  readonly taskId: string | undefined
  readonly intent: string
  /** The thought that it was forked from, and the number of notes that it shares with it. */
  readonly parent: { readonly id: string; readonly seq: number } | undefined
  /** By name, the thoughts as they were when a fork was made to come back to them. */
  readonly checkpoints: ReadonlyMap<string, { readonly id: string; readonly seq: number }>
  /** Number of notes in the log, including superseded ones. */
  readonly length: number
  readonly session: Session
  readonly toJSON: () => unknown
  /** Describes the thought on one line, without its notes. */
  readonly toString: () => string
}

/** The part of a thought that is stored. Everything after it is still to be committed. */
interface Stored {
  /** Number of commits. 0 if the thought is not in the store. */
  readonly version: number
  /** Number of the last committed note. For an unstored fork, the number at which it was forked. */
  readonly seq: number
  readonly session: Session
}

/** The part of a thought that never changes. */
export interface Identity {
  readonly id: string
  readonly traceId: string
  readonly taskId: string | undefined
  readonly intent: string
  /** Milliseconds since 1970. */
  readonly createdMillis: number
  /** The thought whose notes up to `seq` this one begins with. */
  readonly parent: { readonly id: string; readonly seq: number } | undefined
  /** Notes that this thought does not see: by key, those up to a number. */
  readonly hidden: ReadonlyMap<string, number>
  /** By name, the thoughts as they were when a fork was made to come back to them. */
  readonly checkpoints: ReadonlyMap<string, { readonly id: string; readonly seq: number }>
}

export interface State {
  readonly identity: Identity
  readonly log: Chunk.Chunk<Note>
  /** All notes of a key, oldest first. */
  readonly byKey: HashMap.HashMap<string, Chunk.Chunk<Note>>
  /** The notes of the log by id, with the handles of the typed ones. */
  readonly byId: HashMap.HashMap<string, Written>
  readonly session: Session
  readonly stored: Stored
  /** The value of the parent, as long as some of its notes may not be stored. */
  readonly unstoredParent: Thought<any> | undefined
  /** Effects to run once the thought is stored. */
  readonly deferred: ReadonlyArray<Deferred>
  /** Other thoughts to store with this one: those that the run left for it, and additions of runs on forks. */
  readonly left: ReadonlyArray<Thought<any>>
  /** The thought that the run continues with instead, as long as that one may not be stored. */
  readonly leaving: Leaving | undefined
  /** The unpublished notes, as they were when they were last computed or carried over. */
  fresh: Fresh | undefined
  /** The origin of what the conversation has shown, as it was when it was last computed or carried over. */
  shown: Shown | undefined
}

interface Written {
  readonly note: Note
  readonly handle: Handle<any, unknown> | undefined
}

/** Unpublished notes, and what they were computed from. */
export interface Fresh {
  readonly byKey: State["byKey"]
  readonly hidden: Identity["hidden"]
  readonly session: Session
  readonly notes: ReadonlyArray<Note>
}

/** The notes that a conversation has shown, in short: those from which no other one is derived, with the trust of all. */
interface Shown {
  readonly session: Session
  readonly sources: ReadonlyArray<Pick<Note, "id" | "trust"> & Partial<Pick<Note, "seq">>>
}

interface Leaving {
  /** Id of the thought that the run continues with. */
  readonly to: string
  /** Whether that thought does not see notes with this key that are in this one. */
  readonly hides: (key: string) => boolean
}

/** An effect that waits until a thought is stored. */
interface Deferred {
  readonly run: (stored: Thought<any>) => Effect.Effect<unknown>
  /** Whether it may be interrupted. Otherwise it is short and must start. */
  readonly interruptible: boolean
  /** How a durable run remembers it. */
  readonly later?: unknown
}
