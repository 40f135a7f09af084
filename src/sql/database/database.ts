/** Running statements on a database, whatever its driver. */
import * as Effect from "effect/Effect"
import type { Kysely, RawBuilder } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { attempt } from "./failure.ts"

/** A connection, or a pool of them, that runs statements. */
export type Handle = Kysely<unknown>

/** The rows of a statement. */
export const rowsOf = <A>(db: Handle, statement: RawBuilder<A>): Effect.Effect<ReadonlyArray<A>, MemoryError> =>
  Effect.map(
    attempt(() => statement.execute(db)),
    ({ rows }) => rows
  )

/** The scope whose rows a transaction may see; undefined for upkeep, which sees all rows. */
export type Tenant = string | undefined

/** Runs statements in a transaction. */
export type Transaction = <A>(
  tenant: Tenant,
  run: (trx: Handle) => Effect.Effect<A, MemoryError>
) => Effect.Effect<A, MemoryError>

/** Isolation levels. Each transaction states its own, as a server or a user may have another default. */
export const isolation = {
  /** Each statement sees what is committed when it begins, and waits for rows that another transaction has locked. */
  changes: { isolationLevel: "read committed", accessMode: undefined },
  /** All statements see what was committed when the first one began. */
  reads: { isolationLevel: "repeatable read", accessMode: "read only" }
} as const

export interface Database {
  /** Whether no other process can have the database open. */
  readonly alone: boolean
  /** Statements that take effect together or not at all, and see the rows of one scope only. */
  readonly transaction: Transaction
  /**
   * One statement that changes rows, and nothing if it is refused. It survives the end of this process; a failure of the power may
   * take it back, with all such statements after it.
   */
  readonly unflushed: Transaction
  /** Statements that change nothing, and see one state of these rows. */
  readonly reading: Transaction
  /** As `transaction`, for operations that may take minutes. */
  readonly unhurried: Transaction
  /** Frees the room of deleted rows and updates statistics, outside a transaction. */
  readonly vacuum: Effect.Effect<void, MemoryError>
  /** Frees room after rows were deleted or emptied. It does nothing where the server does so by itself. */
  readonly deleted: Effect.Effect<void>
}
