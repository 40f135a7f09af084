/** Frees the room of deleted rows. */
import type * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Handle } from "./database.ts"
import { attempt } from "./failure.ts"

/**
 * Frees the room in all tables of the memory, and in these `others`, on a connection outside a transaction. It skips a table that
 * another transaction has locked: limits apply within transactions only, so a wait for the lock would have no end.
 */
export const vacuum = (db: Handle, others: ReadonlyArray<string> = []): Effect.Effect<void, MemoryError> =>
  attempt(async () => {
    const { rows } = await sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
      where relnamespace = to_regnamespace('cogito') and relkind = 'r'`.execute(db)
    if (rows.length === 0) return
    const names = [...rows.map(({ name }) => name), ...others]
    await sql`vacuum (analyze, skip_locked) ${sql.join(names.map((name) => sql.raw(name)))}`.execute(db)
  })
