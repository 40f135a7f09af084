/** What a report contains, as plain data that survives JSON. */
import type { CallKind, RunStatus, StepRow } from "../memory/model/Ledger.ts"
import type { Entry } from "../thought/Entry.ts"
import type { Note } from "../thought/Note.ts"
import type { Usage } from "../thought/tokens.ts"

/**
 * Everything that the memory has of a thought, of its relatives, and of the durable runs on them. Plain JSON.
 *
 * **Details**
 *
 * - `focus`: the thought that the report is about, and the run, if there is one
 * - `thoughts`: that thought first, then those that it descends from, the oldest first, its descendants, and its siblings with theirs
 * - `notes`: the notes of these thoughts, each once
 * - `runs`: the durable runs on these thoughts, the newest first
 * - `messages`: the texts that calls were sent, each once. Only runs that keep answers have them
 * - `leftOut`: whether there are more thoughts or runs than the limit of `collect` allows
 *
 * Times are milliseconds since 1970. A field without a value is absent.
 *
 * @category models
 */
export interface RunReport {
  readonly format: "cogito-report/1"
  readonly collectedMillis: number
  readonly focus: { readonly thoughtId: string; readonly runId?: string }
  readonly thoughts: ReadonlyArray<ThoughtReport>
  readonly notes: ReadonlyArray<NoteReport>
  readonly runs: ReadonlyArray<RunRecord>
  readonly messages: ReadonlyArray<MessageReport>
  readonly leftOut: { readonly thoughts: boolean; readonly runs: boolean }
}

/**
 * A thought. `notes` are indexes into the notes of the report, and `entries` the messages of its conversation, removed ones
 * included.
 *
 * @category models
 */
export interface ThoughtReport {
  readonly id: string
  readonly traceId: string
  readonly taskId?: string
  readonly intent: string
  readonly createdMillis: number
  readonly version: number
  readonly relation: "focus" | "ancestor" | "descendant" | "sibling"
  readonly parent?: { readonly id: string; readonly seq: number }
  /** By key, the number of the last note that the thought does not see. */
  readonly hidden: Readonly<Record<string, number>>
  readonly notes: ReadonlyArray<number>
  readonly entries: ReadonlyArray<EntryReport>
}

/**
 * A note. One that was redacted has neither content nor metadata.
 *
 * @category models
 */
export interface NoteReport extends Omit<Note, "created" | "redacted"> {
  readonly createdMillis: number
  readonly redactedMillis?: number
}

/**
 * A message of a conversation. `removedBy` is the version of the thought that removed it, and absent while the message is live.
 *
 * @category models
 */
export interface EntryReport extends Entry {
  readonly removedBy?: number
}

/**
 * A message of a request.
 *
 * @category models
 */
export interface MessageReport {
  readonly role: string
  readonly text: string
}

/**
 * A durable run with what it did.
 *
 * - `outline`: the steps of its pipeline, as a tree
 * - `startSeq`, `endSeq`: number of the last note at its start and end
 * - `parent`: the run that it repeats, or that started it in the background
 * - `keep`: whether requests and answers were kept
 *
 * @category models
 */
export interface RunRecord {
  readonly id: string
  readonly status: RunStatus
  /** The process of a run with the status `"running"` has ended without a trace: nobody works on the run until it is resumed. */
  readonly isLeft?: true
  readonly pipeline: string
  readonly fingerprint: string
  readonly outline?: OutlineNode
  readonly startThoughtId: string
  readonly startSeq: number
  readonly endThoughtId?: string
  readonly endSeq?: number
  readonly parent?: {
    readonly runId: string
    readonly relation: "rerun" | "background"
    /** The step from which a rerun asked again. */
    readonly from?: string
  }
  readonly keep: "answers" | "nothing"
  readonly error?: string
  readonly createdMillis: number
  readonly endedMillis?: number
  /** Number of processes that executed it. */
  readonly epoch: number
  readonly steps: ReadonlyArray<StepRecord>
  readonly calls: ReadonlyArray<CallRecord>
  readonly waits: ReadonlyArray<WaitRecord>
}

/**
 * A step of a pipeline. `path` has the names from the pipeline to the step, joined with `/`; `asks` is the question or task where it
 * is a fixed text.
 *
 * @category models
 */
export interface OutlineNode {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly asks?: string
  readonly settings: Readonly<Record<string, string>>
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly children: ReadonlyArray<OutlineNode>
}

/**
 * An entry into a step. `path` has the names from the pipeline to the step; `frame` also tells repeated entries apart.
 * A step that the run is in has the outcome `"running"`, and began when the first thing in it did.
 *
 * @category models
 */
export interface StepRecord {
  readonly frame: string
  readonly path: ReadonlyArray<string>
  readonly kind: string
  readonly outcome: StepRow["outcome"]
  readonly error?: string
  readonly startedMillis: number
  readonly endedMillis?: number
}

/**
 * A call of a step: of a model, a search, an effect, or a decision of a connector.
 *
 * - `sent`: the messages of the request, as indexes into the messages of the report
 * - `usage`, `usd`: what it used, or, with `isBound`, the most that it can have used: its outcome is not known
 * - `task`: the kind of the task, and its instruction
 * - `tools`: names of the tools that the request offers
 * - `answer`: the answer of the model, as text or as JSON
 * - `called`: names of the tools that the answer calls
 * - `failure`: why it failed, without texts of notes
 *
 * @category models
 */
export interface CallRecord {
  readonly frame: string
  readonly path: ReadonlyArray<string>
  readonly n: number
  readonly kind: CallKind
  readonly state: "due" | "begun" | "answered" | "failed" | "interrupted"
  readonly attempt: number
  readonly provider?: string
  readonly model?: string
  readonly usage?: Usage
  readonly usd?: number
  readonly isBound?: true
  readonly startedMillis: number
  readonly endedMillis?: number
  readonly sent?: ReadonlyArray<number>
  readonly task?: { readonly kind: string; readonly instruction?: string }
  readonly sampling?: string
  readonly tools?: ReadonlyArray<string>
  readonly answer?: string
  readonly called?: ReadonlyArray<string>
  readonly failure?: string
}

/**
 * A question to a person or another program.
 *
 * @category models
 */
export interface WaitRecord {
  readonly frame: string
  readonly path: ReadonlyArray<string>
  readonly key: string
  readonly prompt: string
  readonly createdMillis: number
  readonly dueMillis?: number
  /** The answer as JSON. */
  readonly answer?: string
  readonly answeredBy?: string
  readonly answeredMillis?: number
}
