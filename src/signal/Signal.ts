import type { foundSource } from "../thought/found.ts"
import type { Usage } from "../thought/tokens.ts"

/**
 * The fields of every signal. Run and thought are undefined outside of runs, as for a synapse on its own. `millis` is the
 * time since 1970.
 *
 * @category models
 */
type Base = {
  /** The id of the durable run. For another run an id of its own, so that the signals of parallel runs can be told apart. */
  readonly runId: string | undefined
  readonly thoughtId: string | undefined
  readonly traceId: string | undefined
  /** Names from the pipeline to the step. */
  readonly path: ReadonlyArray<string>
  readonly millis: number
}

/**
 * The sampling of a call as it was sent.
 *
 * @category models
 */
type SamplingSent = {
  readonly temperature?: number
  readonly effort?: string
  readonly maxTokens?: number
  readonly seed?: number
  readonly stop?: ReadonlyArray<string>
}

/**
 * An event of a running program.
 *
 * @category models
 */
export type Signal = Base &
  /** The store has the thought. */
  (
    | { readonly _tag: "ThoughtCreated" }
    | { readonly _tag: "StepStarted"; readonly kind: string; readonly unpublished: number }
    | {
        readonly _tag: "StepCompleted"
        readonly kind: string
        readonly durationMillis: number
        readonly notes: number
        readonly replayed?: true
      }
    | {
        readonly _tag: "StepFailed"
        readonly kind: string
        readonly durationMillis: number
        /** The error's tag. `"Interrupted"` or `"Defect"` for ends without an error. */
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
        /** The path of the step that wrote the note, joined with `/`. Empty if no step did. */
        readonly step: string
      }
    /** A model has seen notes. `unpublished` is the number of notes that no model has seen yet. */
    | { readonly _tag: "NotesPublished"; readonly published: number; readonly unpublished: number }
    /** A model is called. `CallCompleted` or `CallFailed` follows. */
    | {
        readonly _tag: "CallStarted"
        readonly provider: string
        readonly model: string
        readonly call: "complete" | "decide"
        readonly phase: "reason" | "introspect"
      }
    | {
        readonly _tag: "CallCompleted"
        /** The provider that answered. It may differ from the one that was called. */
        readonly provider: string
        readonly model: string
        readonly call: "complete" | "decide"
        readonly phase: "reason" | "introspect"
        /** The sampling that was sent. */
        readonly sampling: SamplingSent
        /** What the model has read and written, as its vendor counts and bills it. */
        readonly usage: Usage
        /**
         * About how many tokens were sent for that, if the provider reports it: those of the whole request (`"all"`), of the
         * part that the connection did not have (`"rest"`), or of the whole request once more (`"again"`).
         */
        readonly sent?: { readonly tokens: number; readonly what: "all" | "rest" | "again" }
        /** The cost in US dollars, if the tokens and the model's prices are known. */
        readonly usd?: number
        /** Whether this is an earlier answer to an equal request, so that nothing was sent. */
        readonly cached?: boolean
        /** Set if a resumed run took the answer from the ledger. */
        readonly replayed?: true
        readonly durationMillis: number
      }
    | {
        readonly _tag: "CallFailed"
        readonly provider: string
        readonly model: string
        readonly call: "complete" | "decide"
        readonly phase: "reason" | "introspect"
        /** The tag of the reason. `"Interrupted"` or `"Defect"` for ends without an error. */
        readonly error: string
        readonly sampling: SamplingSent
        readonly usage: Usage
        /** Set if a resumed run took the failure from the ledger. */
        readonly replayed?: true
        readonly durationMillis: number
      }
    | {
        readonly _tag: "AnswerRejected"
        /** Number of repairs that are left. */
        readonly repairsLeft: number
        readonly issues: number
      }
    /** An answer was read after changes to its text. */
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
        /** The search: `seek` finds notes, `survey` finds tasks. */
        readonly search: (typeof foundSource)[keyof typeof foundSource]
        /** Number of notes found, over all tasks in a survey. */
        readonly matches: number
        /** Number of notes in the scope that have no vector yet. */
        readonly pending: number
      }
    /** An embedder has returned the vectors of texts: of notes, in the background, or of a query. */
    | {
        readonly _tag: "EmbeddingCompleted"
        /** The id of the embedder. */
        readonly embedder: string
        readonly texts: number
        readonly durationMillis: number
      }
    /** A call of an embedder failed or was interrupted. Notes without a vector are found by their words. */
    | {
        readonly _tag: "EmbeddingFailed"
        readonly embedder: string
        readonly texts: number
        readonly durationMillis: number
        /** The error's tag. `"Interrupted"` or `"Defect"` for ends without an error. */
        readonly error: string
        readonly retryable: boolean
      }
    /** A condition or an answer selected the step with this name, or no step. */
    | {
        readonly _tag: "Routed"
        readonly route: string | undefined
        /** How sure the model is of its answer, from 0 to 1, if a model selected it. */
        readonly confidence?: number
      }
    /** Amplify has refined a text, and asked whether the text meets the criteria. */
    | {
        readonly _tag: "RoundCompleted"
        /** From 1. */
        readonly round: number
        readonly accepted: boolean
        /** How sure the model is of that, from 0 to 1. */
        readonly confidence: number
        /** Whether another round follows. */
        readonly again: boolean
      }
    /** The branches of a convergence have ended, and a model summarises what this number of them has found. */
    | { readonly _tag: "SynthesisStarted"; readonly branches: number }
    /** An attempt or an alternative failed and the next one follows, after this wait. */
    | {
        readonly _tag: "AttemptFailed"
        /** From 1. */
        readonly attempt: number
        /** The error's tag, or `"NotAccepted"` for an alternative that succeeded but was rejected. */
        readonly error: string
        readonly waitMillis: number
      }
    /**
     * A failure that does not fail the step: of an optional step, of a branch while enough others succeed or another
     * one wins, or of an observer.
     */
    | {
        readonly _tag: "FailureIgnored"
        readonly step: string
        /**
         * The error's tag, or `"NotAccepted"` for a branch that succeeded but was rejected, while another one was
         * accepted.
         */
        readonly error: string
      }
    /** The branch whose result the run continues with. */
    | { readonly _tag: "Won"; readonly branch: string }
    /** Branches have ended. A branch that was interrupted because another one failed counts as neither. */
    | { readonly _tag: "BranchesCompleted"; readonly succeeded: number; readonly failed: number }
    /** A durable run waits for an answer to the question with this key. */
    | { readonly _tag: "Waiting"; readonly key: string }
    | { readonly _tag: "TimedOut"; readonly limitMillis: number }
    /** A run waits because of a rate or concurrency limit. */
    | { readonly _tag: "Throttled"; readonly waitMillis: number | undefined }
    | { readonly _tag: "CircuitChanged"; readonly state: "closed" | "open" | "half-open" }
    /** A budget's limit was reached: a call was refused, was stopped, or used more than was reserved for it. */
    | {
        readonly _tag: "BudgetCrossed"
        readonly budget: string
        readonly limit: "calls" | "tokens" | "usd" | "time"
        readonly how: "refused" | "stopped" | "overrun"
      }
    /** A step continues in the background, on its own thought. */
    | { readonly _tag: "Dispatched"; readonly backgroundId: string }
    | { readonly _tag: "BackgroundEnded"; readonly backgroundId: string; readonly error: string | undefined }
    /** The reader of a `Signal.stream` was too slow for this number of signals. Only that stream has this signal. */
    | { readonly _tag: "SignalsDropped"; readonly dropped: number }
  )

/**
 * Tags of signals.
 *
 * @category models
 */
export type Tag = Signal["_tag"]

/**
 * The signal with a tag.
 *
 * @category models
 */
export type Of<T extends Tag> = Extract<Signal, { readonly _tag: T }>
