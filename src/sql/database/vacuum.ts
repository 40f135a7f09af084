/** Frees what rows took that are no longer. */
import type * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { Handle } from "./database.ts"
import { attempt } from "./failure.ts"

/**
 * For all tables of the memory, on a connection that is in no transaction. A table that somebody else holds is left for the
 * next time: limits hold within transactions only, so a wait for it would have no end.
 */
export const vacuum = (db: Handle): Effect.Effect<void, MemoryError> =>
  attempt(async () => {
    const { rows } = await sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
      where relnamespace = to_regnamespace('cogito') and relkind = 'r'`.execute(db)
    if (rows.length > 0)
      await sql`vacuum (analyze, skip_locked) ${sql.join(rows.map(({ name }) => sql.raw(name)))}`.execute(db)
  })
