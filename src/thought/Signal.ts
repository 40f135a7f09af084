import type { FoundSource } from "./found.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Usage } from "./usage.ts"

/**
 * What every signal says: which thought (none for a synapse on its own), which step, when (milliseconds since 1970).
 *
 * @category models
 */
interface Base {
  readonly thoughtId: string | undefined
  readonly traceId: string | undefined
  /** Names from the pipeline to the step. */
  readonly path: ReadonlyArray<string>
  readonly millis: number
}

/**
 * The sampling of a call, as it was sent.
 *
 * @category models
 */
interface SamplingSent {
  readonly temperature?: number
  readonly effort?: string
  readonly maxTokens?: number
  readonly seed?: number
  readonly stop?: ReadonlyArray<string>
}

/**
 * Something that happened.
 *
 * @category models
 */
export type Signal = Base &
  /** The store has the thought. */
  (
    | { readonly _tag: "ThoughtCreated" }
    | { readonly _tag: "StepStarted"; readonly kind: string; readonly unpublished: number }
    | { readonly _tag: "StepCompleted"; readonly kind: string; readonly durationMillis: number; readonly notes: number }
    | {
        readonly _tag: "StepFailed"
        readonly kind: string
        readonly durationMillis: number
        /** The error's tag; `"Interrupted"` and `"Defect"` for the ends that are no errors. */
        readonly error: string
      }
    /** A step has written a note. */
    | {
        readonly _tag: "NoteAdded"
        readonly key: string
        readonly source: string
        readonly seq: number
        /** Length of the content in UTF-16 units. */
        readonly size: number
        /**
         * Whether a connector may still discard the note, as a race does with the notes of the branches that lose. Its key
         * and number may change too. `NoteStored` follows only if it survives.
         */
        readonly speculative: boolean
      }
    /** The store has the note. Emitted once for every stored note, in the order of the log. */
    | {
        readonly _tag: "NoteStored"
        readonly noteId: string
        readonly key: string
        readonly source: string
        readonly seq: number
        /** The path of the step that wrote the note, joined with `/`; empty for a note that no step wrote. */
        readonly step: string
      }
    | { readonly _tag: "NotesPublished"; readonly published: number }
    | {
        readonly _tag: "CallCompleted"
        /** Who answered: it may be another than the one that was asked. */
        readonly provider: string
        readonly model: string
        readonly call: "complete" | "decide"
        readonly phase: "reason" | "introspect"
        /** What was really sent. */
        readonly sampling: SamplingSent
        readonly usage: Usage
        /** What the tokens cost, in US dollars, where they and the model's prices are known. */
        readonly usd?: number
        /** Whether it is an earlier answer to an equal request, and nothing was sent. */
        readonly cached?: boolean
        readonly durationMillis: number
      }
    | {
        readonly _tag: "CallFailed"
        readonly provider: string
        readonly model: string
        readonly call: "complete" | "decide"
        readonly phase: "reason" | "introspect"
        /** The tag of the reason. */
        readonly error: string
        readonly sampling: SamplingSent
        readonly usage: Usage
        readonly durationMillis: number
      }
    | {
        readonly _tag: "AnswerRejected"
        /** How many repairs are left. */
        readonly repairsLeft: number
        readonly issues: number
      }
    /** An answer was read after something was done to its text. */
    | {
        readonly _tag: "AnswerCoerced"
        readonly coercions: ReadonlyArray<{
          readonly path: ReadonlyArray<string>
          readonly kind: string
          readonly lossy: boolean
        }>
      }
    | { readonly _tag: "IntrospectionCompleted"; readonly size: number }
    | {
        readonly _tag: "NotesFound"
        /** Which search it was: `seek` finds notes, `survey` finds tasks. */
        readonly search: FoundSource
        /** Number of notes found, over all tasks in a survey. */
        readonly matches: number
        /** Number of notes in the scope that have no vector yet. */
        readonly pending: number
      }
    /** A condition or an answer led to a step by this name, or to none. */
    | { readonly _tag: "Routed"; readonly route: string | undefined }
    /** An attempt or an alternative failed, and something else is tried: after this wait, if there is one. */
    | {
        readonly _tag: "AttemptFailed"
        /** 1 for the first. */
        readonly attempt: number
        /** The error's tag; `"NotAccepted"` for an alternative that succeeded and was not good enough. */
        readonly error: string
        readonly waitMillis: number
      }
    /**
     * A failure that does not fail the step: of something optional, of a branch among enough others or while another won,
     * of an observer.
     */
    | {
        readonly _tag: "FailureIgnored"
        readonly step: string
        /** The error's tag; `"NotAccepted"` for a branch that succeeded and was not good enough, while another was. */
        readonly error: string
      }
    /** The branch whose thought goes on. */
    | { readonly _tag: "Won"; readonly branch: string }
    /** Branches came to their end; one that was stopped because another failed is counted as neither. */
    | { readonly _tag: "BranchesCompleted"; readonly succeeded: number; readonly failed: number }
    | { readonly _tag: "TimedOut"; readonly limitMillis: number }
    /** A run waits for its turn, because of a limit on how often or how many at a time. */
    | { readonly _tag: "Throttled"; readonly waitMillis: number | undefined }
    | { readonly _tag: "CircuitChanged"; readonly state: "closed" | "open" | "half-open" }
    /** A budget's limit was reached: a call was not made, was stopped, or has used more than could be reserved for it. */
    | {
        readonly _tag: "BudgetCrossed"
        readonly budget: string
        readonly limit: "calls" | "tokens" | "usd" | "time"
        readonly how: "refused" | "stopped" | "overrun"
      }
    /** A step went on in the background, on a thought of its own. */
    | { readonly _tag: "Dispatched"; readonly backgroundId: string }
    | { readonly _tag: "BackgroundEnded"; readonly backgroundId: string; readonly error: string | undefined }
  )

/**
 * Tags of signals.
 *
 * @category models
 */
export type Tag = Signal["_tag"]

/**
 * Receives signals. It must not throw and should be quick: the step waits for it.
 *
 * @category models
 */
export type Listener = (signal: Signal) => void

/**
 * The listeners of the running program. Default: none.
 *
 * @category services
 */
export const Listeners = Context.Reference<ReadonlyArray<Listener>>("cogito/Signal/Listeners", {
  defaultValue: () => []
})

/**
 * Calls a listener for every signal of a program, besides those already there.
 *
 * **Example** (Counting model calls)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Signal } from "cogito"
 *
 * let calls = 0
 * const counted = Signal.listen((signal) => {
 *   if (signal._tag === "CallCompleted") calls++
 * })
 *
 * await Effect.runPromise(counted(Effect.void))
 * assert.equal(calls, 0)
 * ```
 *
 * @category listening
 */
export const listen =
  (listener: Listener) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Listeners, (listeners) => Effect.provideService(self, Listeners, [...listeners, listener]))

/**
 * A layer that adds listeners to those already there, for programs run with `Pipeline.runPromise`.
 *
 * Name all of them in one layer: of several such layers merged side by side only the last holds.
 *
 * @category layers
 */
export const layer = (...added: ReadonlyArray<Listener>): Layer.Layer<never> =>
  Layer.effect(
    Listeners,
    Effect.map(Listeners, (listeners) => [...listeners, ...added])
  )
