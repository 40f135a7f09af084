/** Migrations from nothing and from a database of an earlier version, in an embedded database. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { Kysely, PGliteDialect, sql } from "kysely"
import * as Database from "../../src/pglite/database.ts"
import * as Sql from "../../src/sql/store.ts"
import { openFrom, template } from "../pglite/template.ts"
import { migrations } from "./migrations.ts"
import { dump } from "./states.ts"

/** A fresh database and, once its steps are taken, the store on it. */
const fresh = Effect.gen(function* () {
  const pglite = yield* openFrom(template)
  const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }) })
  const store = Effect.promise(async () => {
    const { rows } = await sql<{ readonly oid: number }>`select 'vector'::regtype::oid::int as oid`.execute(db)
    // as the store itself has it: bytes go as they are, although PGlite's type says text
    for (const { oid } of rows) pglite.serializers[oid] = (bytes: unknown) => bytes as string
    return Sql.make(Database.make(db))
  })
  const restore = Effect.promise(async () => {
    await pglite.exec(`create extension vector; create role cogito_tenant; ${dump}`)
  })
  return { db, restore, store }
})

describe("migrations in PGlite", () => {
  migrations(fresh)
})
