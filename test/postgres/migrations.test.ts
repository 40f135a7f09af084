/** Migrations from nothing and from a database of an earlier version, on a server: for an ordinary user, and by several processes at once. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Client, Pool } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import { migrations as allSteps } from "../../src/sql/migrations/migrations.ts"
import { spawnChild } from "../pglite/process.ts"
import { catalog, taken } from "../sql/catalog.ts"
import { migrations } from "../sql/migrations.ts"
import { dump, rows, scope } from "../sql/states.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

const steps = Object.keys(allSteps)

/** Runs statements on a connection of its own. */
const execute = (url: string, statements: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(statements)
    await client.end()
  })

const makeRole = "do $$ begin create role cogito_tenant nologin; exception when duplicate_object then null; end $$;"

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
      (pool) => new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
    )

  // not a superuser, for whom row-level security would not hold
  migrations(
    Effect.gen(function* () {
      const url = yield* Effect.promise(async () => ordinary(await database(server)))
      return { db: yield* connect(url), restore: execute(url, dump), store: PostgresMemory.makeStore({ url }) }
    })
  )

  it.live.each([3])(
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
        assert.deepStrictEqual(names, steps)
        const alone = yield* Effect.promise(() => database(server))
        const other = yield* connect(alone)
        yield* migrate(other)
        assert.deepStrictEqual(yield* catalog(db), yield* catalog(other))
      }).pipe(Effect.scoped),
    60_000
  )

  /** A client that is in a transaction and has a lock. */
  const locking = (url: string, statement: string) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query("set deadlock_timeout = '60s'")
        await client.query("begin")
        await client.query(statement)
        return client
      }),
      (client) => Effect.promise(() => client.end())
    )

  const waitsForLock = (db: Kysely<unknown>) =>
    Effect.promise(async () => {
      const found = await sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'cogito' and wait_event_type = 'Lock'`.execute(db)
      return found.rows.length > 0
    }).pipe(Effect.repeat({ until: (waits) => waits, schedule: Schedule.spaced("10 millis") }))

  /** A database that an earlier version filled. */
  const earlier = Effect.gen(function* () {
    const url = yield* Effect.promise(() => database(server))
    yield* execute(url, `create extension vector; ${makeRole} ${dump}`)
    return url
  })

  it.live("take as long as they need, also longer than a statement may", () =>
    Effect.gen(function* () {
      const url = yield* earlier
      const holder = yield* locking(url, "lock table cogito.migration in share mode")
      const starting = yield* Effect.forkChild(PostgresMemory.makeStore({ url, statementTimeout: "500 millis" }))
      yield* Effect.sleep("1200 millis")
      yield* Effect.promise(() => holder.query("commit"))
      const store = yield* Fiber.join(starting)
      assert.strictEqual((yield* store.load(scope, { id: rows.root.id }))?.notes.length, 3)
      assert.deepStrictEqual(
        (yield* taken(yield* connect(url))).map(({ name }) => name),
        steps
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { from: "nothing", lock: "create schema cogito", notes: undefined },
    { from: "ten steps", lock: "lock table cogito.migration in share mode", notes: 3 }
  ])("from $from are taken again after a deadlock, which ended the start's transaction", ({ from, lock, notes }) =>
    Effect.gen(function* () {
      const url = yield* from === "nothing" ? Effect.promise(() => database(server)) : earlier
      const db = yield* connect(url)
      yield* Effect.promise(() =>
        sql`do $$ begin execute format('alter database %I set deadlock_timeout = ''100ms''', current_database()); end $$`.execute(
          db
        )
      )
      const other = yield* locking(url, lock)
      const starting = yield* Effect.forkChild(PostgresMemory.makeStore({ url }))
      yield* waitsForLock(db)
      // granted only when the start's transaction, which has this lock and waits for the other one, has been ended
      yield* Effect.promise(() => other.query("select pg_advisory_xact_lock(3853314791062309107)"))
      yield* Effect.promise(() => other.query("rollback"))
      const store = yield* Fiber.join(starting)
      assert.strictEqual((yield* store.load(scope, { id: rows.root.id }))?.notes.length, notes)
      assert.deepStrictEqual(
        (yield* taken(db)).map(({ name }) => name),
        steps
      )
    }).pipe(Effect.scoped)
  )

  it.live("fail after six deadlocks in a row, and nothing is changed", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const db = yield* connect(url)
      yield* migrate(db)
      yield* Effect.promise(() => sql`create sequence tried`.execute(db))
      const step = {
        up: (trx: Kysely<unknown>) =>
          sql`do $$ begin perform nextval('tried'); raise exception 'deadlock' using errcode = 'deadlock_detected'; end $$`
            .execute(trx)
            .then(() => {})
      }
      const before = yield* catalog(db)
      const error = yield* Effect.flip(migrate(db, { ...allSteps, "9999_meets": step }))
      assert.deepInclude(error.reason, { _tag: "Connection", code: "40P01" })
      assert.isTrue(error.isRetryable)
      const tries = yield* Effect.promise(() =>
        sql<{ readonly n: number }>`select last_value::int as n from tried`.execute(db)
      )
      assert.strictEqual(tries.rows[0]?.n, 6)
      assert.deepStrictEqual(yield* catalog(db), before)
    }).pipe(Effect.scoped)
  )
})
