import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Client } from "pg"
import { vi } from "vitest"
import { Memory, Thought } from "../../src/index.ts"
import type { MemoryError } from "../../src/Memory.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { call, newRun } from "../../src/testing/contract/ledger/rows.ts"
import { commit, thought } from "../../src/testing/contract/stage/rows.ts"
import { Testing } from "../../src/testing/index.ts"
import { soon } from "../soon.ts"
import { available, database, makeStore, migrated, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

describe.skipIf(!available)("starting on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  it.live("makes the schema once, however many start at the same time", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const stores = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => PostgresMemory.makeStore({ url, connections: 2 }),
        { concurrency: "unbounded" }
      )
      const row = thought()
      assert.strictEqual(yield* stores[0]!.commit("scope", commit(row)), 1)
      const space = { embedder: "e", dimensions: 3, metric: "cosine" } as const
      yield* Effect.forEach(stores, (store) => store.openSpace(space), { concurrency: "unbounded", discard: true })
      for (const store of stores) {
        assert.strictEqual((yield* store.load("scope", { id: row.id }))?.thought.id, row.id)
        assert.strictEqual(yield* store.countPending("scope", space), 0)
      }
    }).pipe(Effect.scoped)
  )

  it.live("fails with what is wrong where there is no server, within its time", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        PostgresMemory.makeStore({ url: "postgres://nobody@127.0.0.1:1/none", waitTimeout: "2 seconds" })
      )
      assert.strictEqual(error.reason._tag, "Connection")
      assert.isTrue(error.isRetryable)
      assert.include(error.message, "ECONNREFUSED")
    }).pipe(Effect.scoped)
  )

  it.live("fails at once when no connection is free for its time, and works when one is", () =>
    Effect.gen(function* () {
      const store = yield* makeStore(() => server, { connections: 1, waitTimeout: "200 millis" })
      const row = thought()
      const many = yield* Effect.forEach(
        Array.from({ length: 50 }, () => thought()),
        (one) => Effect.exit(store.commit("scope", commit(one))),
        { concurrency: "unbounded" }
      )
      assert.isTrue(many.some((exit) => exit._tag === "Success"))
      assert.strictEqual(yield* store.commit("scope", commit(row)), 1)
    }).pipe(Effect.scoped)
  )

  it.live("limits the time of each transaction, and only the wait for locks of those that may take minutes", () =>
    Effect.gen(function* () {
      const spy = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(Client.prototype, "query")),
        (own) => Effect.sync(() => own.mockRestore())
      )
      /** The settings of the server that transactions of an effect begin with, besides those of the scope. */
      const settingsIn = (effect: Effect.Effect<unknown, MemoryError>) =>
        Effect.suspend(() => {
          spy.mockClear()
          return Effect.map(effect, () => {
            const sent = spy.mock.calls as ReadonlyArray<ReadonlyArray<unknown>>
            const all = sent.flatMap(([text, values]) => {
              if (!String(text).startsWith("select set_config($1,")) return []
              const flat = (values as ReadonlyArray<string>).filter((value) => typeof value === "string")
              const pairs = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]] as const] : []))
              return [pairs.filter(([name]) => name !== "role" && !name.startsWith("cogito."))]
            })
            return all.map((pairs) => Object.fromEntries(pairs))
          })
        })
      const own = {
        row_security: "on",
        standard_conforming_strings: "on",
        array_nulls: "on",
        extra_float_digits: "1",
        search_path: "public"
      }
      const quick = { ...own, statement_timeout: "9001ms", idle_in_transaction_session_timeout: "4501ms" }
      const patient = { ...own, statement_timeout: "0", lock_timeout: "300s", client_connection_check_interval: "1s" }
      const store = yield* makeStore(() => server, { statementTimeout: 9001 })
      const row = thought()
      const run = newRun(row.id)
      const rows = { runId: run.id, epoch: 1 }
      assert.deepStrictEqual(
        yield* settingsIn(store.commit("scope", commit(row, { ledger: { ...rows, begins: [run] } }))),
        [quick]
      )
      assert.deepStrictEqual(yield* settingsIn(store.load("scope", { id: row.id })), [quick])
      const unflushed = { ...quick, synchronous_commit: "off" }
      const calls = [call("/a@0", 0)]
      assert.deepStrictEqual(yield* settingsIn(store.ledger.record("scope", { ...rows, calls })), [unflushed])
      assert.deepStrictEqual(yield* settingsIn(store.ledger.record("scope", { ...rows, calls, urgent: true })), [quick])
      yield* store.openSpace({ embedder: "e", dimensions: 3, metric: "cosine" })
      assert.deepInclude(yield* settingsIn(store.optimize({})), patient)
      for (const removal of [store.remove("scope", { id: row.id }, { materialize: false }), store.purge("scope")]) {
        assert.deepStrictEqual(yield* settingsIn(removal), [patient])
      }
    }).pipe(Effect.scoped)
  )

  it.live("works where the database has other settings, and pgvector is in a schema of its own", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const admin = (...statements: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          for (const statement of statements) await client.query(statement)
          await client.end()
        })
      const setting = (name: string, value: string) =>
        `do $$ begin execute format('alter database %I set ${name} to ${value}', current_database()); end $$`
      yield* admin(
        'create schema "my types"',
        'create extension vector schema "my types"',
        // the schema of another program
        "create schema other",
        "create table other.migration(name text)",
        setting("search_path", "pg_temp"),
        setting("row_security", "off"),
        setting("standard_conforming_strings", "off"),
        setting("array_nulls", "off"),
        setting("extra_float_digits", "-15")
      )
      const text = "back \\' slash"
      const found = Effect.gen(function* () {
        const made = yield* Memory.commit(yield* Thought.make("triage", { message: text }))
        const loaded = yield* Memory.load(made.id)
        assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(made))
        yield* Memory.optimize()
        const { arms, matches } = yield* Memory.search(text)
        assert.deepStrictEqual([arms.vector, arms.lexical], ["ok", "ok"])
        return matches.map(({ note }) => note.content)
      })
      const memory = PostgresMemory.layer({ url, scope: "acme" }).pipe(Layer.provide(Testing.embedder))
      assert.deepStrictEqual(yield* Effect.provide(found, memory), [text])
    }).pipe(Effect.scoped)
  )

  it.live("works with as many connections as it may have, and with no more", () =>
    Effect.gen(function* () {
      const spy = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(Client.prototype, "query")),
        (own) => Effect.sync(() => own.mockRestore())
      )
      const url = yield* Effect.promise(() => migrated(server))
      for (const [options, most] of [
        [{ connections: 3 }, 3],
        [{}, 10],
        [{ connections: 12 }, 12]
      ] as const) {
        const store = yield* PostgresMemory.makeStore({ url, ...options })
        spy.mockClear()
        yield* Effect.forEach(
          Array.from({ length: 20 }, () => thought()),
          (one) => store.commit("scope", commit(one)),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual(new Set(spy.mock.contexts).size, most)
      }
    }).pipe(Effect.scoped)
  )

  it.live("needs no second connection if the schema is current", () =>
    Effect.gen(function* () {
      const { limited, url } = yield* Effect.promise(async () => {
        const all = await database(server)
        return { url: all, limited: await ordinary(all) }
      })
      yield* Effect.scoped(PostgresMemory.makeStore({ url: limited }))
      yield* Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query(`alter role ${new URL(limited).username} connection limit 1`)
        await client.end()
      })
      const store = yield* PostgresMemory.makeStore({ url: limited, connections: 1 })
      assert.strictEqual(yield* store.commit("scope", commit(thought())), 1)
    }).pipe(Effect.scoped)
  )

  it.live("ends when the scope closes, though somebody uses the memory meanwhile, who is refused", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* Effect.promise(() => migrated(server))
      const store = yield* Scope.provide(PostgresMemory.makeStore({ url, waitTimeout: "1 hour" }), scope)
      const loads = yield* Effect.forkChild(
        Effect.flip(Effect.forever(store.load("scope", { id: "01981f5e-0000-7000-8000-000000000001" })))
      )
      // while it waits for a connection, while it has one, and between
      yield* Effect.sleep("20 millis")
      yield* soon("the store is closed")(Scope.close(scope, Exit.void))
      const { message, reason } = yield* soon("the next load is refused")(Fiber.join(loads))
      assert.deepStrictEqual([reason._tag, message.split(":")[0]], ["Connection", "The memory is closed"])
    })
  )

  it.live("survives a restart of the server: what runs fails typed and retryable, what comes after works", () =>
    Effect.gen(function* () {
      const store = yield* makeStore(() => server, { connections: 4 })
      const before = thought()
      yield* store.commit("scope", commit(before))
      const restarting = Effect.sync(() => server.restart())
      const writing = Effect.forEach(
        Array.from({ length: 200 }, () => thought()),
        (one) => Effect.map(Effect.exit(store.commit("scope", commit(one))), (exit) => ({ one, exit })),
        { concurrency: 4 }
      )
      const [written] = yield* Effect.all([writing, Effect.delay(restarting, "20 millis")], { concurrency: 2 })
      const after = thought()
      yield* Effect.retry(store.commit("scope", commit(after)), { times: 5 })
      for (const { exit, one } of written) {
        const stored = yield* store.load("scope", { id: one.id })
        // what was acknowledged is there; what was not may be, whole
        if (exit._tag === "Success") assert.strictEqual(stored?.version, 1)
        else {
          const reason = exit.cause.reasons[0]
          assert.isTrue(reason?._tag === "Fail" && reason.error.isRetryable, JSON.stringify(exit.cause))
        }
      }
      assert.strictEqual((yield* store.load("scope", { id: before.id }))?.version, 1)
    }).pipe(Effect.scoped)
  )
})
