/** The durable runs of the scope that a program runs in. */
import type * as Effect from "effect/Effect"
import type { MemoryError } from "./error.ts"
import type { Claiming, Lease, LedgerRows, RunRow, RunsQuery, StoredRun, WaitRow } from "./Ledger.ts"
import type { History } from "./Store.ts"

/**
 * What a memory keeps of durable runs, as `Store.ledger` has it. Every call works in the scope of the program.
 *
 * **Details**
 *
 * A text that is too long is refused with `TooLarge` before anything is written: a run's id has 1 to 200 characters, a frame or
 * a name at most 2,000, a response 16,000,000. A call whose answer was lost is repeated once, and is known as the same.
 *
 * @category models
 */
export interface LedgerShape {
  /** Whether no other process can have the store open. */
  readonly exclusive: boolean
  /** Writes rows of a run, unless another process has it. */
  readonly record: (rows: LedgerRows) => Effect.Effect<void, MemoryError>
  /** Takes a run. Undefined if there is no such run. */
  readonly claim: (
    runId: string,
    lease: Lease & Claiming
  ) => Effect.Effect<{ readonly run: RunRow; readonly claimed: boolean } | undefined, MemoryError>
  /** Renews a lease, and says whether the run was still held. */
  readonly renew: (runId: string, epoch: number, lease: Lease) => Effect.Effect<boolean, MemoryError>
  /** All rows of a run. */
  readonly load: (runId: string) => Effect.Effect<StoredRun | undefined, MemoryError>
  /** Runs, the newest first. */
  readonly runs: (query: RunsQuery) => Effect.Effect<ReadonlyArray<RunRow>, MemoryError>
  /** Questions without an answer, the oldest first. */
  readonly waits: (query: {
    readonly runId?: string
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<WaitRow>, MemoryError>
  /** Answers a question, unless it is answered. */
  readonly answer: (
    wait: { readonly runId: string; readonly frame: string },
    answer: { readonly json: string; readonly by: string | undefined; readonly millis: number }
  ) => Effect.Effect<{ readonly wait: WaitRow; readonly first: boolean } | undefined, MemoryError>
  /** Deletes a run that nobody has, and says whether there was one. */
  readonly remove: (runId: string) => Effect.Effect<boolean, MemoryError>
  /** A thought with the entries that are no longer live. Undefined if it does not exist. */
  readonly history: (thoughtId: string) => Effect.Effect<History | undefined, MemoryError>
}
