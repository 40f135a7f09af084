/** Use of a database without changes to its schema and, if required, to its rows. */
import * as Effect from "effect/Effect"
import { type Kysely, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { SchemaNotCurrent } from "../../memory/model/schemaState.ts"
import type { Database, Transaction } from "../database/database.ts"
import { attempt, corrupt } from "../database/failure.ts"
import { migrations } from "./migrations.ts"
import { stateOf, taken, unusable } from "./state.ts"

const messages = {
  ...unusable,
  missing: "There is no memory here: check the name of the database, or make one with cogito memory migrate.",
  older: "The memory's schema is older than this version of cogito: run cogito memory migrate."
}

/** Whether the schema is this version's; only reads. */
export const isCurrent = (db: Kysely<unknown>): Effect.Effect<boolean, MemoryError> =>
  Effect.map(
    attempt(() => taken(db)),
    (names) => stateOf(names ?? [], migrations) === "current"
  )

/** Fails unless the schema is this version's; only reads. */
export const requireCurrent = (db: Kysely<unknown>): Effect.Effect<void, MemoryError | SchemaNotCurrent> =>
  Effect.flatMap(
    attempt(() => taken(db)),
    (names): Effect.Effect<void, MemoryError | SchemaNotCurrent> => {
      const state = stateOf(names ?? [], migrations)
      if (state === "current") return Effect.void
      if (state === "torn") return Effect.fail(corrupt(messages.torn))
      return Effect.fail(new SchemaNotCurrent({ state: state === "early" ? "older" : state, message: messages[state] }))
    }
  )

const restricted =
  (transaction: Transaction): Transaction =>
  (tenant, run) =>
    transaction(tenant, (trx) =>
      Effect.andThen(
        attempt(() => sql`set transaction read only`.execute(trx)),
        run(trx)
      )
    )

/** The same database, which refuses every change. */
export const readOnly = ({ alone, reading, transaction, unhurried }: Database): Database => ({
  alone,
  transaction: restricted(transaction),
  unflushed: restricted(transaction),
  reading,
  unhurried: restricted(unhurried),
  vacuum: Effect.void,
  deleted: Effect.void
})
