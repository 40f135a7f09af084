import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import type { Space } from "../../src/Memory.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { ask, fill, optimizing, recall, selectivities } from "../memory/optimizing.ts"
import { available, database, makeStore, type Server, start } from "./server.ts"

describe.skipIf(!available)("on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  optimizing(
    "Postgres",
    makeStore(() => server)
  )

  it.effect(
    "uses the index from other connections, and takes longer to make it than a statement may",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => database(server))
        const space: Space = { embedder: "clustered", dimensions: 256, metric: "cosine" }
        const filled = yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMemory.makeStore({ url })
            return yield* fill(store, "many", space, 4000)
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const hasty = yield* PostgresMemory.makeStore({ url, statementTimeout: "150 millis" })
            const [done] = yield* hasty.optimize({ index: "create" })
            assert.deepStrictEqual([done?.vectors, done?.index], [4000, "hnsw"])
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* PostgresMemory.makeStore({ url })
            yield* store.openSpace(space)
            for (const [percent, keys] of selectivities) {
              assert.isAtLeast(yield* recall(store, "many", space, filled.rows, keys), 0.99, `${percent} %`)
            }
            for (const { vector } of filled.rows.slice(0, 20)) {
              assert.strictEqual((yield* store.search("many", space, ask(vector, 10, {}))).matches.length, 10)
            }
          })
        )
        // the closed connections have told the server's statistics
        const scans = yield* Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          const { rows } = await client.query<{ readonly scans: number }>(
            "select idx_scan::int as scans from pg_stat_user_indexes where indexrelname like 'nearest_%'"
          )
          await client.end()
          return rows.map(({ scans }) => scans)
        })
        assert.strictEqual(scans.length, 1)
        assert.isAtLeast(scans[0]!, 20)
      }),
    { timeout: 300_000 }
  )
})
