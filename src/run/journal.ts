/** What a durable run records, and takes from an earlier execution of it instead of asking or deciding again. */
import type * as Effect from "effect/Effect"
import type { CallKind, CallRow, Lease, NewRun, StepRow, WaitRow } from "../memory/model/Ledger.ts"
import type { Thought } from "../thought/model.ts"
import type { Note } from "../thought/Note.ts"
import type { Source } from "../thought/origin.ts"
import type { Usage } from "../thought/tokens.ts"

/** The place of a call or decision: the n-th of its frame. */
export interface Place {
  readonly frame: string
  readonly n: number
}

/** One entry into a step. */
export interface Frame {
  /** The frame around it, followed by the name of the step, and by `@k` for the k-th entry of that name from the second on. */
  readonly key: string
  /** How often the steps of each name were entered. */
  readonly entered: Map<string, number>
  /** How many calls and decisions it has made, thoughts it has stored, and ids it has drawn. */
  calls: number
  commits: number
  ids: number
  /** Calls within it whose responses the ledger still has. */
  readonly open: Array<Place>
  /** The step that was entered. Absent for the frame of the whole run. */
  readonly step?: Entered
  /** Whether its result is stored, and that it is completed. */
  isStored: boolean
}

/** What is known of a step before it runs. Only the library reads more of it. */
export interface Described {
  readonly name: string
  readonly kind: string
}

/** A step in its place: what describes it, the names of the steps around it, and whether its note is read as soon as it returns. */
export interface Placed {
  readonly node: Described
  readonly path: ReadonlyArray<string>
  readonly isRead: boolean
}

/** A step that has begun. */
export interface Entered {
  /** Absent for a part of a step. */
  readonly step?: Placed
  readonly kind: string
  readonly given: Thought<any>
  readonly startedMillis: number
}

/** Something that is recorded: how it is recognised, and how its outcome becomes JSON and is read again. */
export interface Entry<A, E> {
  readonly kind: CallKind
  /** What is asked for. Computed in durable runs only. Default: what the step does is known by its place. */
  readonly request?: Effect.Effect<RequestKey>
  /** Default: the outcome is JSON. */
  readonly value?: Codec<A>
  /** Default: errors of this library are read as such, and others as errors with the same fields. */
  readonly failure?: Codec<E>
  /** The notes that its code has got, by which a redaction must find how it has failed or what it has decided. */
  readonly got?: ReadonlyArray<Source>
  /** What the call has used, of an answer or of an error. */
  readonly spent?: (outcome: A | E) => Spent
  /** How many calls it was, if it has tried again by itself. Default: one. */
  readonly times?: () => number
  /** The most that the call can use, which counts if its outcome is never known. */
  readonly most?: () => Spent
  /**
   * Whether it acts on something outside. A `"call"` is recorded before it begins, so that it is known that it may have been
   * made, and an `"effect"` in a way that survives a power failure. Default: it only reads or decides.
   */
  readonly acts?: "call" | "effect"
  /** The outcome of an effect of which it is not known whether it was carried out. Default: as the run is set. */
  readonly lost?: () => A
  /** The outcome of a finished effect whose value a redaction has removed. Default: it is carried out again. */
  readonly emptied?: () => A
  /** Whether its outcome stands even if what it is given has changed since a redaction. Default: it counts as another effect. */
  readonly inputsMayDiffer?: boolean
  /** The outcome of an effect in a rerun, which is not to act. Default: it acts if what it is given has changed. */
  readonly inRerun?: () => A
  /** Whether it has left runs on forks that a connector may still discard: a resumed run has to make them again. */
  readonly leaves?: () => boolean
  /** Whether only a failure is recorded. A success is repeated at once where an earlier execution has gone on. */
  readonly onlyFailures?: boolean
}

/** The text that a step writes, and under which key. */
export interface Written {
  readonly step: string
  readonly key: string
  readonly content: string
}

export interface Codec<A> {
  readonly encode: (value: A) => unknown
  readonly decode: (json: unknown) => A
}

/** What is asked for: a hash, and hashes of its parts by name. */
export interface RequestKey {
  readonly hash: string
  readonly parts: Readonly<Record<string, string>>
  /** All that is asked for, as plain data. */
  readonly data?: () => unknown
  /** The ids of notes that it shows and by which a redaction must find it, even if what is asked for is not kept. */
  readonly shows?: ReadonlyArray<string>
  readonly provider?: string
  readonly model?: string
}

/** What a call has used, and who answered it, if that was not the one that was called. */
interface Spent {
  readonly provider?: string | undefined
  readonly usage?: Usage | undefined
  readonly usd?: number | undefined
}

/** A question to somebody outside, which the run waits for. */
interface Question extends Pick<WaitRow, "key" | "prompt" | "schema" | "bound"> {
  /** Milliseconds after which the run goes on without an answer. */
  readonly limitMillis: number | undefined
  /** Why an answer does not fit, if it does not: then the question is asked again. */
  readonly misfit: (json: unknown) => string | undefined
}

/** How a question ended: with an answer as JSON, or without one in time. */
export type Reply =
  | { readonly _tag: "Answered"; readonly json: unknown; readonly by: string | undefined }
  | { readonly _tag: "Late" }

export interface Journal {
  readonly runId: string
  /** How often the run was taken. */
  readonly epoch: number
  /** Ids for code of the caller, which may run again and then must not make the same ids. */
  readonly foreignIds: (millis: number) => string
  /** The thoughts of tools within the run, by their ids. The run is not at one of them, whatever it has stored last. */
  readonly apart: Set<string>
  readonly nextId: (frame: Frame) => string
  /** The providers whose budgets have counted what earlier executions have used. */
  readonly counted: WeakSet<object>
  /** What knows of the run, and forgets it once it is completed. */
  readonly holders: Set<{ readonly forget: (runId: string) => void }>
  /** The frame of the whole run, and the next entry into a step with this name. */
  readonly root: Frame
  readonly enter: (frame: Frame, name: string, step: Entered) => Frame
  /** Whether an earlier execution has made that entry. */
  readonly isNextKnown: (frame: Frame, name: string) => boolean
  /** Whether an outcome or a thought was taken from an earlier execution. */
  readonly isReplayed: (value: object) => boolean
  /** Whether an earlier execution has begun something within the frame: then nothing waits. */
  readonly isKnown: (frame: string) => boolean
  /** What earlier executions have recorded within a frame. */
  readonly callsWithin: (frame: string) => ReadonlyArray<CallRow>
  /** The result of a step that an earlier execution has completed, if it can be taken as a whole. */
  readonly done: (frame: Frame, thought: Thought<any>) => Effect.Effect<Thought<any> | undefined>
  /** The note with this id that an earlier execution has stored for the step of the frame. Undefined if it was redacted. */
  readonly storedNote: (frame: Frame, id: string, thought: Thought<any>) => Effect.Effect<Note | undefined>
  /** In a rerun: the ids of the notes of the run that it repeats, of which this one is a copy. */
  readonly originals: (note: Written) => ReadonlyArray<string>
  /** The outcome of an earlier execution, or that of the effect, which is recorded. `free`: by what is asked, in any order. */
  readonly take: <A, E, R>(
    frame: Frame,
    free: boolean,
    entry: Entry<A, E>,
    live: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Marks what was taken or recorded as no use: a failed run that is resumed asks again. */
  readonly unusable: (answers: ReadonlyArray<object>) => void
  /** Records the answers that wait to be, before anything outside can depend on them. */
  readonly answered: Effect.Effect<void>
  /** The kind of what an earlier execution has recorded next in the frame. */
  readonly peek: (frame: Frame) => CallKind | undefined
  /** An effect that waits for the commit: registered with it, and run at most once. */
  readonly later: (frame: Frame) => Later
  /** A run of its own that begins with the commit, on a fork of the thought. */
  readonly background: (frame: Frame, shape: PipelineShape) => Later & { readonly runId: string }
  /** How runs that this one begins are set. */
  readonly settings: { readonly onInterrupted: "rerun" | "fail" | undefined; readonly lease: Lease }
  /** Reports the end of a step. */
  readonly ended: (frame: Frame, within: Frame, step: Ended) => void
  readonly ask: (frame: Frame, question: Question) => Effect.Effect<Reply>
}

/** What a run remembers of its pipeline, to notice that it has changed. */
export type PipelineShape = Pick<NewRun, "pipeline" | "fingerprint" | "outline">

/** How a step ended. `thought` is what it returned, if it can no longer be discarded. */
export interface Ended {
  readonly outcome: StepRow["outcome"]
  readonly thought: Thought<any> | undefined
  readonly error: string | undefined
  readonly endedMillis: number
}

/** An effect that waits for a commit: the row to write with it, and how it is carried out. */
export interface Later {
  readonly row: CallRow
  /** The run that begins with the commit, given the thought as it is stored. */
  readonly begins?: (stored: Thought<any>) => NewRun
  readonly run: (effect: Effect.Effect<unknown>) => Effect.Effect<unknown>
}
