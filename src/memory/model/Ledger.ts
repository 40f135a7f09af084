/** The rows of durable runs: what a run has done, so that another process can go on with it. */
import type * as Effect from "effect/Effect"
import type { MemoryError } from "./error.ts"
import type { Usage } from "../../thought/usage.ts"

/**
 * A state of a thought in the store: the conversation and the notes as a commit left them.
 *
 * - `seq`: number of the last note
 * - `version`: number of commits
 * - `nextIndex`: number for the next entry of the conversation
 *
 * @category ledger
 */
export interface Position {
  readonly thoughtId: string
  readonly seq: number
  readonly version: number
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/**
 * What has become of a run.
 *
 * - `"pending"`: stored, but not begun, such as a step in the background
 * - `"running"`: a process has it, or had it when it ended
 * - `"waiting"`: for answers or for a time
 * - `"interrupted"`: stopped in between by its process
 * - `"failed"` and `"completed"`: ended
 *
 * @category ledger
 */
export type RunStatus = "pending" | "running" | "waiting" | "interrupted" | "failed" | "completed"

/**
 * A durable run when it begins.
 *
 * - `seed`: from which the ids of its notes are derived. It is drawn for each run: one that begins with the id and the seed of a
 *   stored run is that run, begun again because the answer was lost
 * - `pipeline`, `fingerprint`, `outline`: the name of the step, the hash of its outline, and the outline
 * - `start`: the thought as the run received it, which must be stored; `startHash` is a hash of its intent and notes
 * - `fork`: whether it runs on a fork of that thought
 * - `parent`: the run and frame that began it in the background, or that it repeats with a change
 * - `keep`: whether answers stay in the ledger after their step is stored
 *
 * @category ledger
 */
export interface NewRun {
  readonly id: string
  readonly seed: string
  readonly pipeline: string
  readonly fingerprint: string
  readonly outline: string
  readonly start: Position
  readonly startHash: string
  readonly fork: boolean
  readonly parent: { readonly runId: string; readonly frame: string } | undefined
  readonly keep: "answers" | "nothing"
  readonly status: "pending" | "running"
  readonly createdMillis: number
}

/**
 * A durable run as the store has it.
 *
 * - `owner`: the process that has it, or had it last; undefined before the first
 * - `epoch`: how often it was taken; every row names that of its writer
 * - `leaseUntilMillis`: until when no other process may take it; undefined when nobody has it
 * - `end`: the thought that it has come to
 * - `error`: the tag of the error of a failed run
 *
 * @category ledger
 */
export interface RunRow extends Omit<NewRun, "status"> {
  readonly status: RunStatus
  readonly owner: string | undefined
  readonly epoch: number
  readonly leaseUntilMillis: number | undefined
  readonly end: Position | undefined
  readonly error: string | undefined
  readonly endedMillis: number | undefined
}

/**
 * A step in a run. `frame` says which entry into which step it is; `position` is the thought it has stored.
 *
 * @category ledger
 */
export interface StepRow {
  readonly frame: string
  readonly kind: string
  readonly outcome: "running" | "committed" | "completed" | "failed" | "interrupted" | "waiting"
  readonly position: Position | undefined
  readonly error: string | undefined
  readonly startedMillis: number
  readonly endedMillis: number | undefined
  readonly epoch: number
}

/**
 * Something that a step has asked for or decided, the `n`-th of its frame.
 *
 * - `kind`: a call of a model in text or natively, a search, an effect, a decision of a connector, or an effect after a commit
 * - `attempt`: how often it was begun, from 1, also by layers that try again
 * - `hash`: what was asked for, so that a changed request is noticed; `parts` are hashes of its parts. Empty where the request may
 *   repeat a note that was redacted, which is asked again then
 * - `request`: what was asked for as JSON, if the run keeps answers
 * - `state`: `"due"` while an effect waits for its commit, `"begun"` until the outcome is known, `"interrupted"` when the run
 *   went on without it
 * - `usage`, `usd`: what all attempts have used; of an attempt whose outcome is not known, the most that it can
 * - `response`: the outcome as JSON; undefined when it is no longer needed. It and the request are also undefined if they may repeat
 *   a note that was redacted
 *
 * @category ledger
 */
export interface CallRow {
  readonly frame: string
  readonly n: number
  readonly kind: CallKind
  readonly attempt: number
  readonly hash: string
  readonly parts: Readonly<Record<string, string>>
  readonly state: "due" | "begun" | "answered" | "failed" | "interrupted"
  readonly request: string | undefined
  readonly response: string | undefined
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly usd: number | undefined
  readonly startedMillis: number
  readonly endedMillis: number | undefined
  readonly epoch: number
}

/**
 * What a call of the ledger was for.
 *
 * @category ledger
 */
export type CallKind = "complete" | "decide" | "search" | "effect" | "decision" | "once"

/**
 * A question to a person or another program, which a run waits for.
 *
 * - `prompt`: the question; empty when it may repeat a note that was redacted, until it is asked again
 * - `schema`: the JSON Schema of the answer
 * - `bound`: a hash of what the answer is about
 * - `dueMillis`: when the run goes on without an answer
 * - `answer`: the answer as JSON. The first one counts
 *
 * @category ledger
 */
export interface WaitRow {
  readonly runId: string
  readonly thoughtId: string
  readonly frame: string
  readonly key: string
  readonly prompt: string
  readonly schema: unknown
  readonly bound: string
  readonly createdMillis: number
  readonly dueMillis: number | undefined
  readonly answer: string | undefined
  readonly answeredBy: string | undefined
  readonly answeredMillis: number | undefined
}

/**
 * What is written for a run at once. Refused with `LeaseLost` unless the run has this epoch and is running.
 *
 * - `begins`: runs to insert; if it is the run itself, it begins with this epoch and the lease. Others get the epoch 0, or 1 with a
 *   lease
 * - `steps`: replace the rows of the same frame, but keep when these began
 * - `calls`: replace the rows of the same frame and number. Of several rows of one place, the last one counts
 * - `waits`: inserted unless they are there
 * - `drops`: calls whose responses are no longer needed, by frame and number; also those that are written with them
 * - `ends`: ends the run, and its lease
 * - `urgent`: whether it must survive a power failure; otherwise it must survive the end of the process
 *
 * @category ledger
 */
export interface LedgerRows {
  readonly runId: string
  readonly epoch: number
  readonly begins?: ReadonlyArray<NewRun & { readonly lease?: Lease }>
  readonly calls?: ReadonlyArray<CallRow>
  readonly steps?: ReadonlyArray<StepRow>
  readonly waits?: ReadonlyArray<Omit<WaitRow, "answer" | "answeredBy" | "answeredMillis">>
  readonly drops?: ReadonlyArray<{ readonly frame: string; readonly n: number }>
  readonly ends?: {
    readonly status: Exclude<RunStatus, "pending" | "running">
    readonly end: Position | undefined
    readonly error: string | undefined
    readonly endedMillis: number
  }
  readonly urgent?: boolean
}

/**
 * Who has a run, and for how long no other process may take it.
 *
 * @category ledger
 */
export interface Lease {
  readonly owner: string
  readonly millis: number
}

/**
 * Whether any other owner of a run has lost it already, and which epoch the run must have.
 *
 * @category ledger
 */
export interface Claiming {
  readonly seize: boolean
  readonly epoch?: number | undefined
}

/**
 * All rows of a run.
 *
 * @category ledger
 */
export interface StoredRun {
  readonly run: RunRow
  readonly steps: ReadonlyArray<StepRow>
  readonly calls: ReadonlyArray<CallRow>
  readonly waits: ReadonlyArray<WaitRow>
}

/**
 * Which runs are listed: the newest first, those of one moment by falling id. The order of ids with other characters than ASCII is
 * the store's own.
 *
 * - `thoughtId`: only those that began on the thought, ended with it, or have a step that stored it
 * - `parent`: only those that this run began in the background, or that repeat it
 * - `dueMillis`: only those that can go on at this time. Nobody has them, as they are pending or interrupted, or the lease of who
 *   has them has ended by then. Or they wait, and a question is answered, or due by then, whose step has not gone on since: there
 *   is no row of it with the outcome `"committed"`, `"completed"` or `"failed"`. So whoever goes on from an answer records that,
 *   also where the step is in a branch that is stored later; else the run is due again at once
 *
 * @category ledger
 */
export interface RunsQuery {
  readonly status?: ReadonlyArray<RunStatus>
  readonly thoughtId?: string
  readonly parent?: string
  readonly dueMillis?: number
  readonly limit: number
  readonly after?: { readonly id: string; readonly createdMillis: number } | undefined
}

/**
 * The part of a store that keeps durable runs. Every operation is one transaction.
 *
 * @category ledger
 */
export interface Ledger {
  /**
   * Whether no other process can have this store open, as with an embedded database. Then a run that another process had is
   * free at once; otherwise it is free when its lease has ended.
   */
  readonly exclusive: boolean
  /**
   * Writes rows of a run, all or none. Fails with `LeaseLost` unless the run has this epoch and is running or begins with it, and
   * with `Query` if a run that begins has the id of another one (code 23505), or a thought that is not stored (code 23503).
   *
   * **Details**
   *
   * The run is locked while that is checked: a process that has lost it, however late it wakes, writes nothing. Rows that were
   * written before can be written again, as after a lost answer: runs with the same seed and owner have begun already, and if the
   * run has ended as `ends` says, nothing is written. Requests, responses and questions are left out of the rows where they may repeat a
   * note that was redacted; see `Store.redact`.
   */
  readonly record: (scope: string, rows: LedgerRows) => Effect.Effect<void, MemoryError>
  /**
   * Takes a run that is not completed: its epoch becomes one more, its status `"running"`, and how it ended is forgotten. Nothing
   * changes while a process has it, this one included; with `seize`, any other owner has lost it already. With `epoch`, nothing
   * changes either if somebody has taken it since it had that epoch. Gives the run as it is then, but with the status that it had, or undefined if there is no such run.
   *
   * **Details**
   *
   * Of many at once, one takes it, once what is being written for the run is there. The store's own clock says when a lease
   * ends: that of the server, if there is one.
   */
  readonly claim: (
    scope: string,
    runId: string,
    lease: Lease & Claiming
  ) => Effect.Effect<{ readonly run: RunRow; readonly claimed: boolean } | undefined, MemoryError>
  /**
   * Lets a lease end this long from now. False if the run has another epoch, or is no longer running. A power failure may take
   * it back: then the lease ends earlier.
   */
  readonly renew: (scope: string, runId: string, epoch: number, lease: Lease) => Effect.Effect<boolean, MemoryError>
  /**
   * All rows of a run: steps and calls in the order in which they began, those of one moment in the order in which they were first
   * written; waits by creation and then by frame.
   */
  readonly load: (scope: string, runId: string) => Effect.Effect<StoredRun | undefined, MemoryError>
  readonly runs: (scope: string, query: RunsQuery) => Effect.Effect<ReadonlyArray<RunRow>, MemoryError>
  /** Questions without an answer, of runs that are not completed, the oldest first, and then by run and frame. */
  readonly waits: (
    scope: string,
    query: { readonly runId?: string; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<WaitRow>, MemoryError>
  /**
   * Answers a question, unless it is answered: of many answers at once, one is `first`. Gives the row as it is then, or undefined
   * if there is no such question. Whoever has the run, and whether it runs, does not matter.
   */
  readonly answer: (
    scope: string,
    wait: { readonly runId: string; readonly frame: string },
    answer: { readonly json: string; readonly by: string | undefined; readonly millis: number }
  ) => Effect.Effect<{ readonly wait: WaitRow; readonly first: boolean } | undefined, MemoryError>
  /** Deletes a run that is neither pending nor running, with its rows, and says whether there was one. */
  readonly remove: (scope: string, runId: string) => Effect.Effect<boolean, MemoryError>
}
