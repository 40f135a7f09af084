/** Stores on SQL in which a process can end within a transaction, and in which every run has a scope of its own. */
import * as Effect from "effect/Effect"
import { Kysely, PGliteDialect, PostgresDialect } from "kysely"
import { randomUUID } from "node:crypto"
import { Pool } from "pg"
import type { Store } from "cogito"
import * as Pglite from "../../src/pglite/database.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import * as Postgres from "../../src/postgres/database.ts"
import type { Database, Transaction } from "../../src/sql/database/database.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import * as Sql from "../../src/sql/store.ts"
import { archive } from "../pglite/prefilled.ts"
import { openFrom } from "../pglite/template.ts"
import type { MakeStore } from "./enumerate.ts"
import { InTransaction } from "./process.ts"

/** The database, in which something happens before a transaction is committed. */
const watched = (database: Database): Database => {
  const within =
    (transaction: Transaction): Transaction =>
    (tenant, run) =>
      transaction(tenant, (trx) => Effect.tap(run(trx), () => Effect.flatten(InTransaction)))
  return { ...database, transaction: within(database.transaction), unflushed: within(database.unflushed) }
}

/** What is read and written in the scope `local`, in a scope of its own. */
const inScope = <A extends object>(part: A, scope: string): A =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (first: unknown, ...rest: ReadonlyArray<unknown>) => value(first === "local" ? scope : first, ...rest)
        : value
    ])
    // each function takes what it took
  ) as A

/** A new scope of a store, which only one process at a time uses. */
const apart = (store: Store.Store): MakeStore =>
  Effect.sync(() => {
    const scope = `run ${randomUUID()}`
    return { ...inScope(store, scope), ledger: { ...inScope(store.ledger, scope), exclusive: true } }
  })

/** Makes stores in an embedded database, of which `rows` gives every row of every table as JSON. */
export const openPglite = Effect.gen(function* () {
  const pglite = yield* openFrom(archive)
  const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }) })
  yield* migrate(db)
  // as the owner of the tables, whom no policy hides a row from
  const rows = Effect.promise(() =>
    pglite.transaction(async (owner) => {
      await owner.query("set local role none")
      const { rows: tables } = await owner.query<{ readonly name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname !~ '^(pg_|information_schema)'`
      )
      const found: Array<string> = []
      for (const { name } of tables) {
        const { rows: all } = await owner.query<{ readonly row: string }>(`select t::text as row from ${name} t`)
        for (const { row } of all) found.push(`${name}: ${row}`)
      }
      return found
    })
  )
  return { makeStore: apart(Sql.make(watched(Pglite.make(db)))), rows }
})

/** Makes stores in an embedded database. */
export const inPglite = Effect.map(openPglite, ({ makeStore }) => makeStore)

/** Makes stores in a database of a server. */
export const inPostgres = Effect.fnUntraced(function* (url: string) {
  yield* Effect.scoped(PostgresMemory.makeStore({ url }))
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool({ connectionString: url, max: 4 })),
    (made) => Effect.promise(() => made.end())
  )
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  return Sql.make(watched(yield* Postgres.make(db, { connections: 4, waitMillis: 10_000 })))
}, Effect.map(apart))
