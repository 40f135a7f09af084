/** What runs statements, whichever driver is behind it. */
import type * as Effect from "effect/Effect"
import type { Kysely } from "kysely"
import type { MemoryError } from "../Memory.ts"
import type { Tables } from "./schema.ts"

/** What a statement is run on. */
export type Handle = Kysely<Tables>

/** Whose rows a transaction may see: one scope's, or those of all for upkeep. */
export type Tenant = string | undefined

export interface Database {
  /** Statements that take effect together or not at all, and see the rows of one scope only. */
  readonly transaction: <A>(
    tenant: Tenant,
    run: (trx: Handle) => Effect.Effect<A, MemoryError>
  ) => Effect.Effect<A, MemoryError>
  /** The same for upkeep that may take minutes. */
  readonly unhurried: <A>(run: (trx: Handle) => Effect.Effect<A, MemoryError>) => Effect.Effect<A, MemoryError>
}
