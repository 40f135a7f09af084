/** The memory behind PgBouncer in transaction mode, where each transaction may get another connection to the server. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { Client } from "pg"
import { Memory, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { storeContract } from "../contract/run.ts"
import { available, pooled } from "./pgbouncer.ts"
import { database, migrated, type Server, start } from "./server.ts"

describe.skipIf(!available)("behind PgBouncer", () => {
  let server: Server
  let through: (url: string) => string
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    server = start()
    through = await Effect.runPromise(Scope.provide(pooled(server, "transaction"), scope))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    server.stop()
  })

  const fresh = Effect.promise(() => database(server))

  const ask = (url: string, statement: string) =>
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(statement)
      await client.end()
      return rows as ReadonlyArray<Record<string, unknown>>
    })

  // what the contract asks is proved without the pooler; here it would prove it once more
  if (process.env["COGITO_STORE_CONTRACTS"] === "all") {
    storeContract(
      "Postgres behind PgBouncer in transaction mode",
      Effect.flatMap(
        Effect.promise(() => migrated(server)),
        (url) => PostgresMemory.makeStore({ url: through(url) })
      )
    )
  }

  it.live("several memories start at once, embed, search and optimize, and leave nothing on the connections", () =>
    Effect.gen(function* () {
      const url = yield* fresh
      const open = PostgresMemory.layer({ url: through(url), scope: "local", connections: 5 })
      const work = (name: string) =>
        Effect.gen(function* () {
          const notes = { a: `The parcel of ${name} was lost`, b: `Refunded the goods of ${name}` }
          const thought = yield* Memory.commit(yield* Thought.make("triage", notes, { taskId: name }))
          yield* Memory.flush
          const { arms, matches } = yield* Memory.search(`refund ${name}`, { limit: 1 })
          assert.deepInclude(arms, { vector: "ok", lexical: "ok" })
          assert.include(matches[0]?.note.content, name)
          yield* Memory.optimize()
          yield* Memory.remove(thought.id)
        }).pipe(Memory.withScope(name), Effect.provide(Layer.provide(open, Testing.embedder)))
      const names = Array.from({ length: 4 }, (_, i) => `tenant${i}`)
      yield* Effect.forEach(names, work, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* ask(url, "select * from pg_locks where locktype = 'advisory'"), [])
      // each of the pooler's connections, as the next program would get it
      const kept = `select current_user <> session_user as role, coalesce(current_setting('cogito.scope', true), '') as scope,
        coalesce(current_setting('cogito.upkeep', true), '') as upkeep, current_setting('statement_timeout') as timeout,
        current_setting('lock_timeout') as lock, current_setting('client_connection_check_interval') as interval,
        current_setting('jit') = (select boot_val from pg_settings where name = 'jit') as jit, pg_sleep(0.2)::text as slept`
      for (const row of yield* Effect.all(
        Array.from({ length: 3 }, () => ask(through(url), kept)),
        { concurrency: 3 }
      )) {
        assert.deepStrictEqual(row, [
          { role: false, scope: "", upkeep: "", timeout: "0", lock: "0", interval: "0", jit: true, slept: "" }
        ])
      }
    }).pipe(Effect.scoped)
  )

  it.live("a statement that takes too long is ended by the server", () =>
    Effect.gen(function* () {
      const url = yield* fresh
      const store = yield* PostgresMemory.makeStore({ url: through(url), statementTimeout: "300 millis" })
      yield* ask(
        url,
        `create function cogito.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(5); return new; end $$;
          create trigger slow before insert on cogito.thought for each row execute function cogito.slow()`
      )
      const memory = yield* Effect.provide(Memory.make({ store, scope: "local" }), Testing.embedder)
      const error = yield* Effect.flip(memory.commit(yield* Thought.make("triage", { a: "b" })))
      assert.strictEqual(error.reason._tag, "Timeout")
      assert.include(error.message, "57014")
    }).pipe(Effect.scoped)
  )

  it.live("in statement mode is refused by name, and nothing is made", () =>
    Effect.gen(function* () {
      const url = yield* fresh
      const other = yield* pooled(server, "statement")
      const error = yield* Effect.flip(PostgresMemory.makeStore({ url: other(url) }))
      assert.strictEqual(error.reason._tag, "Query")
      assert.include(error.message, "set its pool_mode to transaction or session")
      assert.isFalse(error.isRetryable)
      assert.deepStrictEqual(yield* ask(url, "select to_regnamespace('cogito') as schema"), [{ schema: null }])
    }).pipe(Effect.scoped)
  )

  it.live("a parameter of the url that it does not take is refused by name", () =>
    Effect.gen(function* () {
      const url = through(yield* fresh)
      const error = yield* Effect.flip(PostgresMemory.makeStore({ url: `${url}?statement_timeout=1000` }))
      assert.strictEqual(error.reason._tag, "Query")
      assert.include(error.message, "ignore_startup_parameters")
    }).pipe(Effect.scoped)
  )
})
