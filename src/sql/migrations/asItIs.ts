/** A database that is used as it is found: its schema is looked at and left alone, and so are its rows where they are to be. */
import * as Effect from "effect/Effect"
import { type Kysely, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { SchemaNotCurrent } from "../../memory/model/schemaState.ts"
import type { Database, Transaction } from "../database/database.ts"
import { attempt } from "../database/failure.ts"
import { steps } from "./migrations.ts"
import type { Tables } from "../database/schema.ts"

const messages = {
  missing: () => "There is no memory here: check the name of the database, or make one with cogito memory migrate.",
  older: (made: number) =>
    `The memory's schema is older than this version of cogito (${made} of ${steps.length} steps): run cogito memory migrate.`,
  newer: () => "The memory's schema was written by a newer version of cogito: use that version."
}

/** Fails unless the schema is this version's; only reads. */
export const requireCurrent = Effect.fnUntraced(function* (
  db: Kysely<Tables>
): Effect.fn.Return<void, MemoryError | SchemaNotCurrent> {
  const { rows } = yield* attempt(() =>
    sql<{ readonly there: boolean }>`select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'cogito' and c.relname = 'migration') as there`.execute(db)
  )
  const made = rows.some(({ there }) => there)
    ? yield* attempt(() => sql<{ readonly name: string }>`select name from cogito.migration`.execute(db))
    : { rows: [] }
  const names = made.rows.map(({ name }) => name)
  const count = steps.filter((step) => names.includes(step)).length
  const state =
    count < names.length ? "newer" : count === 0 ? "missing" : count < steps.length ? "older" : ("current" as const)
  yield* state === "current"
    ? Effect.void
    : Effect.fail(new SchemaNotCurrent({ state, message: messages[state](count) }))
})

const restricted =
  (transaction: Transaction): Transaction =>
  (tenant, run) =>
    transaction(tenant, (trx) =>
      Effect.andThen(
        attempt(() => sql`set transaction read only`.execute(trx)),
        run(trx)
      )
    )

/** The same database, which now refuses to change anything. */
export const readOnly = ({ reading, transaction, unhurried }: Database): Database => ({
  transaction: restricted(transaction),
  reading,
  unhurried: restricted(unhurried),
  vacuum: Effect.void,
  deleted: Effect.void
})
