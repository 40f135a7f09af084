/** What runs statements, whichever driver is behind it. */
import * as Effect from "effect/Effect"
import type { Kysely, RawBuilder } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { attempt } from "./failure.ts"

/** What a statement is run on. */
export type Handle = Kysely<unknown>

/** The rows of a statement. */
export const rowsOf = <A>(db: Handle, statement: RawBuilder<A>): Effect.Effect<ReadonlyArray<A>, MemoryError> =>
  Effect.map(
    attempt(() => statement.execute(db)),
    ({ rows }) => rows
  )

/** Whose rows a transaction may see: one scope's, or those of all for upkeep. */
export type Tenant = string | undefined

/** Runs statements as one. */
export type Transaction = <A>(
  tenant: Tenant,
  run: (trx: Handle) => Effect.Effect<A, MemoryError>
) => Effect.Effect<A, MemoryError>

/** What begins a transaction says how it is kept from others, as a server or a user may have another default. */
export const isolation = {
  /** Each statement sees what is committed then, and waits for a row that another one has locked. */
  changes: { isolationLevel: "read committed", accessMode: undefined },
  /** All statements see what was committed when the first one began. */
  reads: { isolationLevel: "repeatable read", accessMode: "read only" }
} as const

export interface Database {
  /** Statements that take effect together or not at all, and see the rows of one scope only. */
  readonly transaction: Transaction
  /** Statements that change nothing, and see one state of these rows. */
  readonly reading: Transaction
  /** As `transaction`, for what may take minutes. */
  readonly unhurried: Transaction
  /** Frees the room of rows that are no longer, and takes statistics. In no transaction. */
  readonly vacuum: Effect.Effect<void, MemoryError>
  /** To be run after rows were deleted or emptied: nothing where the server does so by itself. */
  readonly deleted: Effect.Effect<void>
}
