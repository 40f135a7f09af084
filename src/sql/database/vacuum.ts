/** Frees the room of deleted rows. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { type Handle, rowsOf } from "./database.ts"

/** Frees the room in all tables of the memory, and in these `others`, on a connection outside a transaction. */
export const vacuum = (db: Handle, others: ReadonlyArray<string> = []): Effect.Effect<void, MemoryError> =>
  Effect.flatMap(
    rowsOf(
      db,
      sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
        where relnamespace = to_regnamespace('cogito') and relkind = 'r'`
    ),
    (rows) => vacuumOf(db, rows.length === 0 ? [] : [...rows.map(({ name }) => name), ...others])
  )

/**
 * Frees the room in tables, on a connection outside a transaction. It skips a table that another transaction has locked: limits
 * apply within transactions only, so a wait for the lock would have no end.
 */
export const vacuumOf = (db: Handle, names: ReadonlyArray<string>): Effect.Effect<void, MemoryError> =>
  names.length === 0
    ? Effect.void
    : Effect.asVoid(rowsOf(db, sql`vacuum (analyze, skip_locked) ${sql.join(names.map((name) => sql.raw(name)))}`))
