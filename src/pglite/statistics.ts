/**
 * The planner's statistics. A server updates them by itself, PGlite does not. With the statistics of an empty table the planner
 * would compare each new row with all others.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { Handle } from "../sql/database/database.ts"

/** Smaller tables, in pages, need no statistics. */
const fewestPages = 16

/** Updates the statistics of tables that have doubled in size since the last update. A failure is tried again later. */
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
