/** What a thought is: its notes and its conversation, and what the store knows of it. */
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
 * A thought that surely has the notes `N`. Immutable.
 *
 * @category models
 */
export interface Thought<out N = {}> extends Log<N>, Pipeable {
  readonly [TypeId]: State
  /** UUIDv7. */
  readonly id: string
  /** Names the thought to other systems; unique in a scope. */
  readonly traceId: string
  /** Groups the thoughts of one task. */
  readonly taskId: string | undefined
  readonly intent: string
  /** The thought it was forked from, and the number of notes it shares with it. */
  readonly parent: { readonly id: string; readonly seq: number } | undefined
  /** By name, the thoughts as they were when a fork was made to come back to them. */
  readonly checkpoints: ReadonlyMap<string, { readonly id: string; readonly seq: number }>
  /** Number of notes in the log, superseded ones included. */
  readonly length: number
  readonly session: Session
  readonly toJSON: () => unknown
  /** What it is about, in a line, without its notes. */
  readonly toString: () => string
}

/** What the store holds of a thought; everything past it is still to be committed. */
interface Stored {
  /** Number of commits; 0 when the store has no such thought. */
  readonly version: number
  /** Seq of the last committed note; of a fork not yet stored, the seq it was forked at. */
  readonly seq: number
  readonly session: Session
}

/** What of a thought never changes. */
export interface Identity {
  readonly id: string
  readonly traceId: string
  readonly taskId: string | undefined
  readonly intent: string
  /** Milliseconds since 1970. */
  readonly createdMillis: number
  /** The thought whose notes up to `seq` this one begins with. */
  readonly parent: { readonly id: string; readonly seq: number } | undefined
  /** Notes out of this thought's sight: per key, those up to a seq. */
  readonly hidden: ReadonlyMap<string, number>
  /** By name, the thoughts as they were when a fork was made to come back to them. */
  readonly checkpoints: ReadonlyMap<string, { readonly id: string; readonly seq: number }>
}

export interface State {
  readonly identity: Identity
  readonly log: Chunk.Chunk<Note>
  /** All notes of a key, oldest first. */
  readonly byKey: HashMap.HashMap<string, Chunk.Chunk<Note>>
  /** What reads the typed notes, by id of the note. */
  readonly handles: HashMap.HashMap<string, Handle<any, unknown>>
  readonly session: Session
  readonly stored: Stored
  /** The parent's value, as long as the store may lack some of its notes. */
  readonly unstoredParent: Thought<any> | undefined
  /** What to run once the thought is stored. */
  readonly deferred: ReadonlyArray<Deferred>
  /** Other thoughts that are stored with this one: those left for it, and what runs on forks have added meanwhile. */
  readonly left: ReadonlyArray<Thought<any>>
  /** Which thought the run goes on with instead, as long as the store may lack that one. */
  readonly leaving: Leaving | undefined
}

interface Leaving {
  /** Id of the thought that the run goes on with. */
  readonly to: string
  /** Whether that thought does not see the notes of a key that this one has. */
  readonly hides: (key: string) => boolean
}

/** What waits for a thought to be stored. */
interface Deferred {
  readonly run: (stored: Thought<any>) => Effect.Effect<unknown>
  /** Whether an interruption may cut it off, or it is over in a moment and must have begun. */
  readonly interruptible: boolean
}
