/** Migrations from every earlier state, with rows in it, on a server: for an ordinary user, and by several processes at once. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { migrate, steps } from "../../src/sql/migrations.ts"
import type { Tables } from "../../src/sql/schema.ts"
import { spawnChild } from "../pglite/process.ts"
import { catalog, taken } from "../sql/catalog.ts"
import { migrations } from "../sql/migrations.ts"
import { migrateTo, plant, rows, scope } from "../sql/states.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

describe.skipIf(!available)("migrations on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const connect = (url: string) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Pool({ connectionString: url, max: 2 })),
        (pool) => Effect.promise(() => pool.end())
      ),
      (pool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    )

  // not a superuser, for whom row-level security would not hold
  migrations(
    Effect.gen(function* () {
      const url = yield* Effect.promise(async () => ordinary(await database(server)))
      return { db: yield* connect(url), store: PostgresMemory.makeStore({ url }) }
    })
  )

  it.live.each([2, 8])(
    "are taken once when %d processes start on a fresh database at the same moment",
    (processes) =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => database(server))
        const gate = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const client = new Client({ connectionString: url })
            await client.connect()
            await client.query("select pg_advisory_lock(1)")
            return client
          }),
          (client) => Effect.promise(() => client.end())
        )
        const children = yield* Effect.forEach(Array.from({ length: processes }), (_, i) =>
          spawnChild("starts", url, String(i))
        )
        for (const child of children) {
          assert.deepStrictEqual([yield* child.line, yield* child.line], [["started"], ["waits"]])
        }
        yield* Effect.promise(() => gate.query("select pg_advisory_unlock(1)"))
        const said = yield* Effect.forEach(children, (child) => child.line, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          said,
          children.map(() => ["acknowledged", "1"])
        )
        const db = yield* connect(url)
        const names = (yield* taken(db)).map(({ name }) => name)
        assert.deepStrictEqual(names, [...steps])
        const alone = yield* Effect.promise(() => database(server))
        const other = yield* connect(alone)
        yield* migrate(other)
        assert.deepStrictEqual(yield* catalog(db), yield* catalog(other))
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("take as long as they need, also longer than a statement may", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const db = yield* connect(url)
      yield* migrateTo(db, "0002_tenants")
      yield* plant(db, "0002_tenants")
      const holder = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          await client.query("begin")
          await client.query("lock table cogito.note in access exclusive mode")
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      const starting = yield* Effect.forkChild(PostgresMemory.makeStore({ url, statementTimeout: "1 second" }))
      yield* Effect.sleep("2500 millis")
      yield* Effect.promise(() => holder.query("commit"))
      const store = yield* Fiber.join(starting)
      assert.strictEqual((yield* store.load(scope, { id: rows.root.id }))?.notes.length, 3)
      assert.deepStrictEqual(
        (yield* taken(db)).map(({ name }) => name),
        [...steps]
      )
    }).pipe(Effect.scoped)
  )
})
