/**
 * The planner's statistics. A server updates them by itself, PGlite does not. With the statistics of an empty table the planner
 * would compare each new row with all others.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../Memory.ts"
import { type Handle, rowsOf } from "../sql/database/database.ts"

/** Smaller tables, in pages, need no upkeep. */
export const fewestPages = 16

/**
 * Updates the statistics of tables that have doubled in size since the last update, as their owner, whom `become` makes the
 * session. A failure is tried again later.
 */
export const refresh = (db: Handle, become: Effect.Effect<void, MemoryError>): Effect.Effect<void> =>
  Effect.ignore(
    Effect.gen(function* () {
      const grown = yield* rowsOf(
        db,
        sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
          where relnamespace = to_regnamespace('cogito') and relkind = 'r'
            and pg_relation_size(oid) / current_setting('block_size')::int >= greatest(${fewestPages}::int, 2 * relpages)`
      )
      if (grown.length === 0) return
      yield* become
      yield* rowsOf(db, sql`analyze ${sql.join(grown.map(({ name }) => sql.raw(name)))}`)
    })
  )
