/** The durable runs of the scope that a program runs in. */
import type * as Effect from "effect/Effect"
import type { MemoryError } from "./error.ts"
import type { Claiming, Lease, LedgerRows, RunRow, RunSketch, RunsQuery, StoredRun, WaitRow } from "./Ledger.ts"
import type { History } from "./Store.ts"

/**
 * The ledger of durable runs in the scope of the program. See `Store.ledger` for each operation.
 *
 * **Details**
 *
 * Fails with `TooLarge` before writing if a text is too long: a run's id has 1 to 200 characters, a frame or name at most 2,000, a
 * response at most 16,000,000. An operation whose response was lost is repeated once, without effect if it had succeeded.
 *
 * @category models
 */
export interface LedgerShape {
  /** Whether only one process at a time can open the store. */
  readonly exclusive: boolean
  /** Writes rows of a run that this process holds. */
  readonly record: (rows: LedgerRows) => Effect.Effect<void, MemoryError>
  /** Claims a run. Returns undefined if the run does not exist. */
  readonly claim: (
    runId: string,
    lease: Lease & Claiming
  ) => Effect.Effect<{ readonly run: RunRow; readonly claimed: boolean } | undefined, MemoryError>
  /** Extends a lease. Returns whether the run was still held. */
  readonly renew: (runId: string, epoch: number, lease: Lease) => Effect.Effect<boolean, MemoryError>
  /** All rows of a run. */
  readonly load: (runId: string) => Effect.Effect<StoredRun | undefined, MemoryError>
  /** Runs without their texts, in the order of the ids. Runs that do not exist are left out. */
  readonly sketches: (runIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<RunSketch>, MemoryError>
  /** Runs, the newest first. */
  readonly runs: (query: RunsQuery) => Effect.Effect<ReadonlyArray<RunRow>, MemoryError>
  /** Questions without an answer, the oldest first. */
  readonly waits: (query: {
    readonly runId?: string
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<WaitRow>, MemoryError>
  /** Answers a question that has no answer yet. */
  readonly answer: (
    wait: { readonly runId: string; readonly frame: string },
    answer: { readonly json: string; readonly by: string | undefined; readonly millis: number }
  ) => Effect.Effect<{ readonly wait: WaitRow; readonly first: boolean } | undefined, MemoryError>
  /** Deletes a run that no process holds. Returns whether a run was deleted. */
  readonly remove: (runId: string) => Effect.Effect<boolean, MemoryError>
  /** A thought with its removed entries. Undefined if the thought does not exist. */
  readonly history: (thoughtId: string) => Effect.Effect<History | undefined, MemoryError>
}
