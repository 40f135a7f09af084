import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type CompiledQuery, Kysely, PGliteDialect, sql } from "kysely"
import type { Filter, Space } from "../../src/Memory.ts"
import * as Database from "../../src/pglite/database.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import * as Sql from "../../src/sql/store.ts"
import { ask, fill, optimizing, recall } from "../memory/optimizing.ts"
import { makeStore } from "./prefilled.ts"
import { openFrom, template } from "./template.ts"

optimizing("PGlite", makeStore())

/** Of fewer each is looked at, when half of them are gone. */
const size = 4000

/** A store, with all statements that it has run. */
const watched = Effect.gen(function* () {
  const pglite = yield* openFrom(template)
  const statements: Array<CompiledQuery> = []
  const db = new Kysely<unknown>({
    dialect: new PGliteDialect({ pglite }),
    log: ({ query }) => {
      statements.push(query)
    }
  })
  yield* migrate(db)
  const { rows: oids } = yield* Effect.promise(() =>
    sql<{ readonly oid: number }>`select 'vector'::regtype::oid::int as oid`.execute(db)
  )
  // bytes go as they are, in binary; the type says text
  for (const { oid } of oids) pglite.serializers[oid] = (bytes: Uint8Array) => bytes as unknown as string
  return { pglite, statements, store: Sql.make(Database.make(db)) }
})

describe("the plan of a search", () => {
  it.effect(
    "uses the index for as long as there is one, also when half of the notes are gone",
    () =>
      Effect.gen(function* () {
        const { pglite, statements, store } = yield* watched
        const space: Space = { embedder: "clustered", dimensions: 256, metric: "cosine" }
        const { rows, thoughts } = yield* fill(store, "many", space, size)
        const planOf = (row: (typeof rows)[number], limit: number, filter: Filter = {}) =>
          Effect.gen(function* () {
            statements.length = 0
            yield* store.search("many", space, ask(row.vector, limit, filter))
            // by the index first, if it may be of use; of what it gives, or of all
            const found = statements.filter((one) => one.sql.includes("<=>"))
            const plan = yield* Effect.promise(() =>
              pglite.transaction(async (trx) => {
                await trx.query(
                  "select set_config('role', 'cogito_tenant', true), set_config('cogito.scope', 'many', true), set_config('enable_sort', 'off', true)"
                )
                const explained = await trx.query<{ readonly "QUERY PLAN": string }>(`explain ${found[0]!.sql}`, [
                  ...found[0]!.parameters
                ])
                return explained.rows.map((line) => line["QUERY PLAN"]).join("\n")
              })
            )
            return { plan, statements: found.length }
          })
        const before = yield* planOf(rows[0]!, 10)
        assert.notInclude(before.plan, "nearest_")
        assert.strictEqual(before.statements, 1)

        yield* store.optimize({ index: "create" })
        const after = yield* planOf(rows[0]!, 10)
        assert.match(after.plan, /Index Scan using nearest_\w+ on vector_\d+/)
        assert.strictEqual(after.statements, 2)
        // few are looked at each
        assert.strictEqual((yield* planOf(rows[0]!, 10, { keys: ["one"] })).statements, 1)
        // and so is the lesser part, however large: of it the index may miss the nearest
        const part = (thoughts: number): Filter => ({
          until: DateTime.makeUnsafe(1_700_000_000_000 + thoughts * 500)
        })
        assert.strictEqual((yield* planOf(rows[0]!, 10, part(4))).statements, 1)
        assert.strictEqual((yield* planOf(rows[0]!, 10, part(5))).statements, 2)

        for (const [i, id] of thoughts.entries()) {
          if (i % 2 === 1) yield* store.remove("many", { id }, { materialize: false })
        }
        yield* Effect.promise(() => pglite.exec("vacuum analyze"))
        const left = rows.filter((_, i) => Math.floor(i / 500) % 2 === 0)
        assert.match((yield* planOf(left[0]!, 10)).plan, /Index Scan using nearest_\w+ on vector_\d+/)
        assert.isAtLeast(yield* recall(store, "many", space, left, ["one", "nine", "rest"]), 0.98)
        assert.strictEqual((yield* store.search("many", space, ask(left[0]!.vector, 200, {}))).matches.length, 200)
      }),
    { timeout: 300_000 }
  )

  it.effect(
    "uses the index also where each note has several parts",
    () =>
      Effect.gen(function* () {
        const { statements, store } = yield* watched
        const space: Space = { embedder: "clustered", dimensions: 2000, metric: "cosine" }
        const { rows } = yield* fill(store, "many", space, 240)
        const parts = rows.flatMap(({ id, vector }) => [0, 1, 2].map((chunk) => ({ noteId: id, chunk, vector })))
        yield* store.putVectors("many", space, parts)
        yield* store.optimize({ index: "create" })
        statements.length = 0
        const { matches } = yield* store.search("many", space, ask(rows[0]!.vector, 5, {}))
        assert.deepStrictEqual([matches.length, matches[0]?.note.id], [5, rows[0]!.id])
        assert.strictEqual(statements.filter((one) => one.sql.includes("order by v.embedding <=>")).length, 1)
      }),
    { timeout: 300_000 }
  )
})
