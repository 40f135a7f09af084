/** The rows of durable runs: what a run has done, so that another process can go on with it. */
import type * as Effect from "effect/Effect"
import type { MemoryError } from "./error.ts"
import type { Usage } from "../../thought/tokens.ts"

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
 * The status of a run.
 *
 * - `"pending"`: stored but not started, such as a background step
 * - `"running"`: a process is executing it, or died while executing it
 * - `"waiting"`: for an answer or a timeout
 * - `"interrupted"`: its process stopped it before the end
 * - `"failed"` and `"completed"`: ended
 *
 * @category ledger
 */
export type RunStatus = "pending" | "running" | "waiting" | "interrupted" | "failed" | "completed"

/**
 * A durable run when it begins.
 *
 * - `seed`: the ids of the run's notes are derived from it. It is random for each run. Inserting a run with the id and seed of a
 *   stored run is a repeated insert after a lost response
 * - `pipeline`, `fingerprint`, `outline`: the name of the step, the hash of its outline, and the outline
 * - `start`: the thought as the run received it, which must be stored; `startHash` is a hash of its intent and notes
 * - `fork`: whether it runs on a fork of that thought
 * - `parent`: the run and frame that started it in the background, or the run that it reruns
 * - `keep`: whether answers stay in the ledger after their step is stored
 * - `onInterrupted`: what a resumed run does with an effect whose outcome is unknown, unless the resume says otherwise
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
  readonly onInterrupted: "rerun" | "fail" | undefined
  readonly status: "pending" | "running"
  readonly createdMillis: number
}

/**
 * A durable run as the store has it.
 *
 * - `owner`: the process that executes it, or did so last; undefined before the first claim
 * - `epoch`: number of claims; every row carries the epoch of its writer
 * - `leaseUntilMillis`: no other process can claim the run before this time; undefined while no process holds it
 * - `end`: the thought that it returned, or the last one that it stored
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
 * A step of a run. `frame` identifies the entry into the step; `position` is the thought that it stored.
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
 * A call or decision of a step: the `n`-th of its frame.
 *
 * - `kind`: a call of a model in text or natively, a search, an effect, a decision of a connector, or an effect after a commit
 * - `attempt`: number of attempts, from 1, including retries inside a provider layer
 * - `hash`: a hash of the request, to detect a changed request; `parts` has a hash of each part. Once the response is no longer
 *   needed, `hash` is `"-"` and `parts` is empty. Both are empty after a redaction of a note that the request may repeat; the call
 *   is then made again
 * - `request`: the request as JSON, if the run keeps answers
 * - `state`: `"due"` while an effect waits for its commit, `"begun"` until the outcome is known, `"interrupted"` when the run
 *   went on without it
 * - `usage`, `usd`: the total of all attempts. An attempt without a known outcome counts as the most that it can use
 * - `response`: the outcome as JSON; undefined once it is no longer needed. A redaction removes requests and responses that may
 *   repeat the note, but leaves a whole number as the response of a `"decision"`: the place of one of the pipeline's own words
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
 * The kind of a call in the ledger.
 *
 * @category ledger
 */
export type CallKind = "complete" | "decide" | "search" | "effect" | "decision" | "once"

/**
 * A question to a person or another program, which a run waits for.
 *
 * - `prompt`: the question; empty after a redaction of a note that it may repeat, until the run asks it again
 * - `schema`: the JSON Schema of the answer
 * - `bound`: a hash of the prompt that the answer belongs to
 * - `dueMillis`: when the run continues without an answer. An answer from then on counts as none
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
 * Rows of a run that are written together. Fails with `LeaseLost` unless the run has this epoch and is running.
 *
 * - `begins`: runs to insert. The run itself starts with this epoch and its lease; any other run with epoch 0, or 1 if it has a
 *   lease
 * - `steps`: replace the rows of the same frame, except their start times
 * - `calls`: replace the rows of the same frame and number. The last of several rows for one place wins
 * - `waits`: inserted unless they exist. One whose prompt a redaction has emptied, and that has no answer, becomes the given one, but
 *   for its times. The first of several rows for one frame wins
 * - `drops`: frame and number of calls whose responses and hashes are no longer needed, including calls written in the same batch
 * - `passes`: frames of steps of the kind `"commit"` that are no longer needed. Their rows are deleted, except those of the same batch
 * - `ends`: ends the run, and its lease
 * - `urgent`: whether the rows must survive a power failure. Default: they survive the death of the process only
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
  readonly passes?: ReadonlyArray<string>
  readonly ends?: {
    readonly status: Exclude<RunStatus, "pending" | "running">
    readonly end: Position | undefined
    readonly error: string | undefined
    readonly endedMillis: number
  }
  readonly urgent?: boolean
}

/**
 * The process that holds a run, and how long no other process can claim it.
 *
 * @category ledger
 */
export interface Lease {
  readonly owner: string
  readonly millis: number
}

/**
 * Conditions of a claim: `seize` ignores the leases of other owners; `epoch` is the epoch that the run must have.
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
 * A run as a list shows it: its rows without the texts of requests, answers and questions.
 *
 * @category ledger
 */
export interface RunSketch {
  readonly run: RunRow
  readonly steps: ReadonlyArray<Pick<StepRow, "frame" | "kind" | "endedMillis">>
  readonly calls: ReadonlyArray<Pick<CallRow, "frame" | "kind" | "state" | "usage" | "usd" | "epoch">>
  readonly waits: ReadonlyArray<Pick<WaitRow, "frame" | "answeredMillis">>
}

/**
 * A filter for runs. Runs are listed newest first, and by descending id within one millisecond. The order of non-ASCII ids depends
 * on the store.
 *
 * - `thoughtId`: only runs that started from the thought, returned it, or stored it in a step
 * - `parent`: only background runs and reruns of this run
 * - `dueMillis`: only runs that can continue at this time: runs that are pending, interrupted or whose lease has expired, and
 *   waiting runs with a current question that was answered, is due or was emptied by a redaction. A question is current until its
 *   step has a row with the outcome `"committed"`, `"completed"`, `"failed"` or `"interrupted"`, and until it is asked again, with
 *   the frame of the step followed by one more `^` each time. A process that continues from an answer must therefore record the step, even in a
 *   branch that is stored later; otherwise the run is due again immediately
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
   * Whether only one process at a time can open this store, as with an embedded database. If so, runs of earlier processes can
   * be claimed immediately; otherwise after their leases expire.
   */
  readonly exclusive: boolean
  /**
   * Writes rows of a run atomically. Fails with `LeaseLost` unless the run has this epoch and is running, or is inserted with
   * it. Fails with `Query` if a new run has the id of another run (code 23505), or starts from a thought that is not stored
   * (code 23503).
   *
   * **Details**
   *
   * The check locks the run, so a process that lost its lease writes nothing, however late it wakes. Writing the same rows twice
   * is safe: a run with the same seed and owner counts as inserted, and nothing is written if the run has already ended as `ends`
   * describes. Requests, responses and prompts that may repeat a redacted note are not stored; see `Store.redact`.
   */
  readonly record: (scope: string, rows: LedgerRows) => Effect.Effect<void, MemoryError>
  /**
   * Claims a run that is not completed: increments its epoch, sets its status to `"running"` and clears its end. Changes nothing
   * while a process holds the run, including this one; `seize` overrides the leases of other owners. With `epoch`, changes
   * nothing if the run has another epoch by now. Returns the run with its previous status, or undefined if the run does not exist.
   *
   * **Details**
   *
   * Exactly one of several concurrent claims succeeds, after pending writes of the run. Leases expire by the clock of the store,
   * which is the server's clock if there is a server.
   */
  readonly claim: (
    scope: string,
    runId: string,
    lease: Lease & Claiming
  ) => Effect.Effect<{ readonly run: RunRow; readonly claimed: boolean } | undefined, MemoryError>
  /**
   * Extends a lease. Returns false if the run has another epoch or is no longer running. A power failure may undo the extension.
   */
  readonly renew: (scope: string, runId: string, epoch: number, lease: Lease) => Effect.Effect<boolean, MemoryError>
  /**
   * Loads all rows of a run, or undefined if the run does not exist. Steps and calls are ordered by start time and then by first
   * write, questions by creation and then by frame.
   */
  readonly load: (scope: string, runId: string) => Effect.Effect<StoredRun | undefined, MemoryError>
  /** Sketches of runs in the order of their ids, without those that do not exist. Their rows have the order of `load`. */
  readonly sketches: (
    scope: string,
    runIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<RunSketch>, MemoryError>
  readonly runs: (scope: string, query: RunsQuery) => Effect.Effect<ReadonlyArray<RunRow>, MemoryError>
  /**
   * Questions without an answer, in runs that are not completed and steps that are neither completed, committed nor interrupted, ordered
   * by creation, run and frame.
   */
  readonly waits: (
    scope: string,
    query: { readonly runId?: string; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<WaitRow>, MemoryError>
  /**
   * Answers a question that has no answer yet; exactly one of several concurrent answers is `first`. Returns the row, or undefined
   * if the question does not exist. Works in every status of the run.
   */
  readonly answer: (
    scope: string,
    wait: { readonly runId: string; readonly frame: string },
    answer: { readonly json: string; readonly by: string | undefined; readonly millis: number }
  ) => Effect.Effect<{ readonly wait: WaitRow; readonly first: boolean } | undefined, MemoryError>
  /** Deletes a run that is neither pending nor running, with its rows. Returns whether a run was deleted. */
  readonly remove: (scope: string, runId: string) => Effect.Effect<boolean, MemoryError>
}
