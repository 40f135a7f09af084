/** What goes wrong between a store and its server: told as what it is, to be tried again where that helps, and never half. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Client } from "pg"
import type { MemoryError } from "../../src/Memory.ts"
import type { Commit } from "../../src/Store.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { commit, entry, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { proxy } from "./proxy.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

describe.skipIf(!available)("on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const connected = (url: string) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        // a restart of the server ends it too
        client.on("error", () => {})
        await client.connect()
        return client
      }),
      (client) => Effect.promise(() => client.end().catch(() => {}))
    )
  const rowsOf = (client: Client, text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.promise(() => client.query(text, [...values]).then(({ rows }) => rows as ReadonlyArray<any>))

  /** A thought with notes and entries, as written at once. */
  const filled = (): Commit => {
    const row = thought()
    const written = notes(row.id, 1, [{}, {}])
    return commit(row, { notes: written, entries: [entry(0, { carries: written.map(({ id }) => id) })], nextIndex: 1 })
  }

  /** A fresh database with its schema, and a superuser on it. */
  const opened = Effect.gen(function* () {
    const url = yield* Effect.promise(() => database(server))
    yield* Effect.scoped(PostgresMemory.makeStore({ url }))
    const admin = yield* connected(url)
    /** All rows of a thought, in whichever table. */
    const stored = ({ thought: { id } }: Commit) =>
      Effect.map(
        rowsOf(
          admin,
          `select (select count(*)::int from cogito.thought where id = $1) as thoughts,
            (select count(*)::int from cogito.note where thought_id = $1) as notes,
            (select count(*)::int from cogito.entry where thought_id = $1) as entries`,
          [id]
        ),
        ([row]) => [row.thoughts, row.notes, row.entries] as const
      )
    return { url, admin, stored }
  })
  const nothing = [0, 0, 0] as const
  const everything = [1, 2, 1] as const

  /** Stops commits in the middle: the thought and its notes are written, its entries wait. */
  const barred = (url: string) =>
    Effect.gen(function* () {
      const client = yield* connected(url)
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "lock table cogito.entry in access exclusive mode")
      return { open: rowsOf(client, "rollback"), client }
    })
  const waiting = (admin: Client, count = 1) =>
    Effect.gen(function* () {
      for (;;) {
        const found = yield* rowsOf(
          admin,
          `select pid from pg_stat_activity
            where datname = current_database() and application_name = 'cogito' and wait_event_type = 'Lock'`
        )
        if (found.length >= count) return found.map(({ pid }) => pid as number)
        yield* Effect.sleep("10 millis")
      }
    })

  const retryable = (error: MemoryError, tag: "Connection" | "Timeout", says: string) => {
    assert.strictEqual(error.reason._tag, tag, error.message)
    assert.isTrue(error.isRetryable)
    assert.include(error.message, says)
    assert.isUndefined(error.cause)
  }

  it.live("a pool without a free connection is a timeout, and nothing was begun", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      const store = yield* PostgresMemory.makeStore({ url, connections: 1, waitTimeout: "1 second" })
      const bar = yield* barred(url)
      const [first, second] = [filled(), filled()]
      const writing = yield* Effect.forkChild(store.commit("scope", first))
      yield* waiting(admin)
      retryable(yield* Effect.flip(store.commit("scope", second)), "Timeout", "No connection was free within 1000 ms")
      yield* bar.open
      assert.strictEqual(yield* Fiber.join(writing), 1)
      assert.deepStrictEqual(yield* stored(first), everything)
      assert.deepStrictEqual(yield* stored(second), nothing)
      assert.strictEqual(yield* store.commit("scope", second), 1)
    }).pipe(Effect.scoped)
  )

  it.live("a server without a free connection is unavailable for now", () =>
    Effect.gen(function* () {
      const limited = yield* Effect.promise(() => database(server).then((fresh) => ordinary(fresh)))
      const superuser = yield* connected(limited.replace(/\/\/[^@]*@/, "//postgres@"))
      yield* rowsOf(superuser, `alter role ${new URL(limited).username} connection limit 3`)
      const store = yield* PostgresMemory.makeStore({ url: limited, connections: 10 })
      const all = Array.from({ length: 10 }, filled)
      const results = yield* Effect.forEach(all, (one) => Effect.result(store.commit("scope", one)), {
        concurrency: "unbounded"
      })
      const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      assert.isNotEmpty(failures)
      for (const failure of failures) retryable(failure, "Connection", "53300")
      for (const [i, result] of results.entries()) {
        const loaded = yield* store.load("scope", { id: all[i]!.thought.id })
        assert.strictEqual(loaded?.notes.length, result._tag === "Success" ? 2 : undefined)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a statement that takes too long is a timeout, and undone", () =>
    Effect.gen(function* () {
      const { stored, url } = yield* opened
      const store = yield* PostgresMemory.makeStore({ url, connections: 1, statementTimeout: "1 second" })
      const bar = yield* barred(url)
      const one = filled()
      retryable(yield* Effect.flip(store.commit("scope", one)), "Timeout", "57014")
      yield* bar.open
      assert.deepStrictEqual(yield* stored(one), nothing)
      assert.strictEqual(yield* store.commit("scope", one), 1)
    }).pipe(Effect.scoped)
  )

  it.live("a lock that somebody keeps too long is to be tried again", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      const [{ name }] = yield* rowsOf(admin, "select current_database() as name")
      yield* rowsOf(admin, `alter database ${name} set lock_timeout = '200ms'`)
      const store = yield* PostgresMemory.makeStore({ url, connections: 1 })
      const bar = yield* barred(url)
      const one = filled()
      retryable(yield* Effect.flip(store.commit("scope", one)), "Connection", "55P03")
      yield* bar.open
      assert.deepStrictEqual(yield* stored(one), nothing)
      assert.strictEqual(yield* store.commit("scope", one), 1)
    }).pipe(Effect.scoped)
  )

  it.live("two that wait for each other: one of them is to be tried again", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      const [{ name }] = yield* rowsOf(admin, "select current_database() as name")
      yield* rowsOf(admin, `alter database ${name} set deadlock_timeout = '3s'`)
      const store = yield* PostgresMemory.makeStore({ url, connections: 1 })
      const bar = yield* barred(url)
      yield* rowsOf(bar.client, "set deadlock_timeout = '60s'")
      const one = filled()
      const writing = yield* Effect.forkChild(Effect.flip(store.commit("scope", one)))
      yield* waiting(admin)
      // waits for the thought that is being written
      const crossing = yield* Effect.forkChild(rowsOf(bar.client, "lock table cogito.thought in access exclusive mode"))
      retryable(yield* Fiber.join(writing), "Connection", "40P01")
      yield* Fiber.join(crossing)
      yield* bar.open
      assert.deepStrictEqual(yield* stored(one), nothing)
      assert.strictEqual(yield* store.commit("scope", one), 1)
    }).pipe(Effect.scoped)
  )

  it.live("a transaction that cannot be serialized can be retried", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      // The store's own isolation levels do not lead there; a standby or another kind of server may. Twice, then no more.
      yield* rowsOf(
        admin,
        `create sequence tried;
        create function out_of_order() returns trigger language plpgsql security definer as $$ begin
          if nextval('tried') <= 2 then raise exception 'out of order' using errcode = 'serialization_failure'; end if;
          return new;
        end $$;
        create trigger out_of_order before insert on cogito.entry for each row execute function out_of_order()`
      )
      const store = yield* PostgresMemory.makeStore({ url, connections: 1 })
      const one = filled()
      retryable(yield* Effect.flip(store.commit("scope", one)), "Connection", "40001")
      assert.deepStrictEqual(yield* stored(one), nothing)
      const again = Effect.retry(store.commit("scope", one), { times: 2, while: (error) => error.isRetryable })
      assert.strictEqual(yield* again, 1)
      assert.deepStrictEqual(yield* stored(one), everything)
    }).pipe(Effect.scoped)
  )

  const ends: ReadonlyArray<
    readonly [how: string, says: string, end: (admin: Client, pid: number) => Effect.Effect<unknown>]
  > = [
    ["an administrator ends", "57P01", (admin, pid) => rowsOf(admin, "select pg_terminate_backend($1)", [pid])],
    ["a restart of the server ends", "", () => Effect.sync(() => server.restart())]
  ]
  it.live.each(ends)("a connection that %s in the middle of a transaction leaves nothing of it", ([, says, end]) =>
    Effect.gen(function* () {
      const { admin, url } = yield* opened
      const store = yield* PostgresMemory.makeStore({ url, connections: 1 })
      const bar = yield* barred(url)
      const one = filled()
      const writing = yield* Effect.forkChild(Effect.flip(store.commit("scope", one)))
      const [pid] = yield* waiting(admin)
      yield* end(admin, pid!)
      retryable(yield* Fiber.join(writing), "Connection", says)
      yield* Effect.ignore(Effect.tryPromise(() => bar.client.end()))
      assert.isUndefined(yield* Effect.retry(store.load("scope", { id: one.thought.id }), { times: 5 }))
      assert.strictEqual(yield* store.commit("scope", one), 1)
      assert.strictEqual((yield* store.load("scope", { id: one.thought.id }))?.notes.length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("a network that breaks in the middle of a transaction leaves nothing of it", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      const network = yield* proxy(url)
      const store = yield* PostgresMemory.makeStore({ url: network.url, connections: 1 })
      const bar = yield* barred(url)
      const one = filled()
      const writing = yield* Effect.forkChild(Effect.flip(store.commit("scope", one)))
      yield* waiting(admin)
      network.cut()
      retryable(yield* Fiber.join(writing), "Connection", "cannot be reached")
      yield* bar.open
      assert.strictEqual(yield* store.commit("scope", one), 1)
      assert.deepStrictEqual(yield* stored(one), everything)
    }).pipe(Effect.scoped)
  )

  it.live.each(["before", "after"] as const)(
    "a network that breaks %s the server hears of the end of a transaction leaves it whole or not at all",
    (when) =>
      Effect.gen(function* () {
        const { stored, url } = yield* opened
        const network = yield* proxy(url)
        const store = yield* PostgresMemory.makeStore({ url: network.url, connections: 1 })
        const one = filled()
        // the whole statement, as the wire has it
        network.cutAt("commit\u0000", when)
        retryable(yield* Effect.flip(store.commit("scope", one)), "Connection", "cannot be reached")
        assert.deepStrictEqual(yield* stored(one), when === "before" ? nothing : everything)
        // who tries again learns which
        const again = yield* Effect.result(store.commit("scope", one))
        if (when === "before") assert.strictEqual(again._tag, "Success")
        else assert.strictEqual(again._tag === "Failure" && again.failure.reason._tag, "ConcurrencyConflict")
        assert.deepStrictEqual(yield* stored(one), everything)
      }).pipe(Effect.scoped)
  )

  it.live.each(["idle", "in a transaction"])(
    "a connection that is %s when the network no longer answers is given up, and others work",
    (state) =>
      Effect.gen(function* () {
        const { admin, stored, url } = yield* opened
        const network = yield* proxy(url)
        const store = yield* PostgresMemory.makeStore({
          url: network.url,
          connections: 1,
          statementTimeout: "700 millis",
          waitTimeout: "700 millis"
        })
        const one = filled()
        if (state === "idle") {
          yield* store.commit("scope", filled())
          network.stall()
          retryable(yield* Effect.flip(store.commit("scope", one)), "Timeout", "did not answer in time")
        } else {
          const bar = yield* barred(url)
          const writing = yield* Effect.forkChild(Effect.flip(store.commit("scope", one)))
          yield* waiting(admin)
          network.stall()
          retryable(yield* Fiber.join(writing), "Timeout", "did not answer in time")
          yield* bar.open
        }
        assert.deepStrictEqual(yield* stored(one), nothing)
        assert.strictEqual(yield* store.commit("scope", one), 1)
        assert.deepStrictEqual(yield* stored(one), everything)
      }).pipe(Effect.scoped)
  )

  it.live("a network that no longer answers at the end of a transaction leaves it unknown whether it was made", () =>
    Effect.gen(function* () {
      const { stored, url } = yield* opened
      const network = yield* proxy(url)
      const times = { statementTimeout: "700 millis", waitTimeout: "300 millis" } as const
      const store = yield* PostgresMemory.makeStore({ url: network.url, connections: 1, ...times })
      const one = filled()
      network.muteAt("commit\u0000")
      const says = "did not say in time whether it has stored this: try again"
      retryable(yield* Effect.flip(store.commit("scope", one)), "Connection", says)
      assert.deepStrictEqual(yield* stored(one), everything)
      // who tries again learns that it was made
      const { reason } = yield* Effect.flip(store.commit("scope", one))
      assert.strictEqual(reason._tag, "ConcurrencyConflict")
    }).pipe(Effect.scoped)
  )

  it.live("a commit that must not be interrupted says how it ended, also if it is interrupted at its end", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      // a commit waits for the lock
      yield* rowsOf(
        admin,
        `create function hold() returns trigger language plpgsql as $$ begin
          perform pg_advisory_xact_lock(1);
          return null;
        end $$;
        create constraint trigger hold after insert on cogito.thought deferrable initially deferred
          for each row execute function hold();
        select pg_advisory_lock(1)`
      )
      const store = yield* PostgresMemory.makeStore({ url, connections: 1 })
      const one = filled()
      const writing = yield* Effect.forkChild(store.commit("scope", one), { uninterruptible: true })
      yield* waiting(admin)
      yield* Effect.forkChild(Fiber.interrupt(writing), { startImmediately: true })
      yield* rowsOf(admin, "select pg_advisory_unlock(1)")
      assert.strictEqual(yield* Fiber.join(writing), 1)
      assert.deepStrictEqual(yield* stored(one), everything)
    }).pipe(Effect.scoped)
  )

  it.live("a transaction that the server ends because it was idle for too long leaves nothing", () =>
    Effect.gen(function* () {
      const { admin, stored, url } = yield* opened
      const [{ name }] = yield* rowsOf(admin, "select current_database() as name")
      yield* rowsOf(admin, `alter database ${name} set idle_in_transaction_session_timeout = '500ms'`)
      const network = yield* proxy(url)
      const store = yield* PostgresMemory.makeStore({ url: network.url, connections: 1 })
      const one = filled()
      network.delay(1500)
      const error = yield* Effect.flip(store.commit("scope", one))
      retryable(error, "Connection", "")
      network.delay(0)
      assert.deepStrictEqual(yield* stored(one), nothing)
      assert.strictEqual(yield* Effect.retry(store.commit("scope", one), { times: 3 }), 1)
    }).pipe(Effect.scoped)
  )
})
