/**
 * The room of rows that were changed or deleted, such as recorded answers that are not needed any more. A server frees it by itself,
 * PGlite does not.
 */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import { type Handle, rowsOf } from "../sql/database/database.ts"
import { vacuumOf } from "../sql/database/vacuum.ts"
import { fewestPages } from "./statistics.ts"

/** Fewest transactions, of any process, between two times that the room of a table is freed. Large tables are left for longer. */
const fewest = 1000

/**
 * Frees the room in tables that have not been looked after for many transactions, as the owner of the session. The age of a
 * table's statistics, which are stored, says for how many. A failure is tried again later.
 */
export const tidy = (db: Handle, others: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.ignore(
    Effect.gen(function* () {
      const due = yield* rowsOf(
        db,
        sql<{ readonly name: string }>`select c.oid::regclass::text as name from pg_class c
          where c.relnamespace = to_regnamespace('cogito') and c.relkind = 'r'
            and pg_table_size(c.oid) / current_setting('block_size')::int >= ${fewestPages}::int
            and coalesce((select min(age(s.xmin)) from pg_statistic s where s.starelid = c.oid) >= greatest(${fewest}::int, c.reltuples / 5), true)`
      )
      if (due.length > 0) yield* vacuumOf(db, [...due.map(({ name }) => name), ...others])
    })
  )
