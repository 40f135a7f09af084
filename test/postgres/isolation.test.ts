/** Transactions are what the store wants them to be, whatever the defaults are. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Client } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { commit, note, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { available, database, type Server, start } from "./server.ts"

describe.skipIf(!available)("transactions on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  it.live.each(["serializable", "repeatable read"])("wait for each other where the default is %s", (level) =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const first = yield* PostgresMemory.makeStore({ url })
      const row = thought()
      yield* first.commit("scope", commit(row, { notes: notes(row.id, 1, [{}]) }))
      yield* Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query(
          `do $$ begin execute format($q$alter database %I set default_transaction_isolation = '${level}'$q$, current_database()); end $$`
        )
        await client.end()
      })
      const store = yield* PostgresMemory.makeStore({ url })
      const append = Effect.suspend(() => {
        const { seq: _seq, thoughtId: _thoughtId, ...draft } = note("", 1)
        return store.append("scope", { id: row.id }, [draft])
      })
      yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.repeat(append, { times: 9 })),
        { concurrency: "unbounded" }
      )
      const loaded = yield* store.load("scope", { id: row.id })
      assert.deepStrictEqual([loaded?.notes.length, loaded?.version], [81, 81])
    }).pipe(Effect.scoped)
  )

  it.live("that remove or purge may take longer than a statement", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const store = yield* PostgresMemory.makeStore({ url, statementTimeout: "200 millis" })
      for (const deletion of ["remove", "purge"] as const) {
        const row = thought()
        yield* store.commit("scope", commit(row, { notes: notes(row.id, 1, [{}]) }))
        const holder = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const client = new Client({ connectionString: url })
            await client.connect()
            await client.query("begin")
            await client.query("select from cogito.note for update")
            return client
          }),
          (client) => Effect.promise(() => client.end())
        )
        const deleting = yield* Effect.forkChild(
          deletion === "remove" ? store.remove("scope", { id: row.id }, { materialize: false }) : store.purge("scope")
        )
        yield* Effect.sleep("800 millis")
        yield* Effect.promise(() => holder.query("commit"))
        yield* Fiber.join(deleting)
        assert.isUndefined(yield* store.load("scope", { id: row.id }))
      }
    }).pipe(Effect.scoped)
  )
})
