/** The database that is measured on: PGlite in this process, or a new database of a server. */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { Effect, Exit, Scope } from "effect"
import type { Store } from "cogito"
import { type CompiledQuery, Kysely, PGliteDialect, PostgresDialect } from "kysely"
import { randomUUID } from "node:crypto"
import { Client, Pool } from "pg"
import * as Embedded from "../../src/pglite/database.ts"
import * as Pooled from "../../src/postgres/database.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import * as Sql from "../../src/sql/store.ts"

export interface Place {
  readonly name: string
  /** What can be measured of it: of a server's work this process sees the time only. */
  readonly measures: ReadonlyArray<"cpu" | "wall">
  readonly store: Store.Store
  /** What the store has asked for since it was last emptied. */
  readonly asked: Array<CompiledQuery>
  readonly query: (sql: string, parameters?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Statements that no others come between, as there may be one connection for all. */
  readonly alone: <A>(run: () => Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

const logging = () => {
  const asked: Array<CompiledQuery> = []
  const log = ({ query }: { readonly query: CompiledQuery }) => {
    asked.push(query)
  }
  return { asked, log }
}

export const embedded = async (): Promise<Place> => {
  const pglite = await PGlite.create({ extensions: { vector } })
  const { asked, log } = logging()
  const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }), log })
  await Effect.runPromise(migrate(db))
  const { rows: types } = await pglite.query<{ readonly oid: number }>("select 'vector'::regtype::oid::int as oid")
  // bytes go as they are, in binary; the type says text
  for (const { oid } of types) pglite.serializers[oid] = (bytes: Uint8Array) => bytes as unknown as string
  const database = Embedded.make(db)
  return {
    name: "PGlite",
    measures: ["cpu", "wall"],
    store: Sql.make(database),
    asked,
    query: async (sql, parameters = []) => {
      const { rows } = await pglite.query<Record<string, unknown>>(sql, [...parameters])
      return rows
    },
    alone: (run) => Effect.runPromise(database.exclusive(Effect.promise(run))),
    close: () => pglite.close()
  }
}

export const server = async (url: string): Promise<Place> => {
  const name = `bench_${randomUUID().replaceAll("-", "")}`
  const command = async (sql: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await command(`create database ${name}`)
  const connectionString = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const { asked, log } = logging()
  const pool = new Pool({ connectionString })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }), log })
  await Effect.runPromise(migrate(db))
  const raw = new Client({ connectionString })
  await raw.connect()
  const scope = Scope.makeUnsafe()
  const database = Pooled.make(db, { connections: 4, waitMillis: 10_000 })
  return {
    name: "a server",
    measures: ["wall"],
    store: Sql.make(await Effect.runPromise(Scope.provide(database, scope))),
    asked,
    query: async (sql, parameters = []) => {
      const { rows } = await raw.query<Record<string, unknown>>(sql, [...parameters])
      return rows
    },
    alone: (run) => run(),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await raw.end()
      await pool.end()
      await command(`drop database ${name} with (force)`)
    }
  }
}
