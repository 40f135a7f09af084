/**
 * The planner's statistics. A server takes them by itself; here nobody does, and on those of an empty table each new row
 * would be checked against all others.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { Handle } from "../sql/database/database.ts"

/** Pages of a table from which on it is worth it. */
const fewestPages = 16

/** Takes the statistics of tables that have grown to twice their size since. What fails here is tried again later. */
export const refresh = (db: Handle): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise(async () => {
      const { rows } = await sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
        where relnamespace = to_regnamespace('cogito') and relkind = 'r'
          and pg_relation_size(oid) / current_setting('block_size')::int >= greatest(${fewestPages}::int, 2 * relpages)`.execute(
        db
      )
      if (rows.length > 0) await sql`analyze ${sql.join(rows.map(({ name }) => sql.raw(name)))}`.execute(db)
    })
  )
