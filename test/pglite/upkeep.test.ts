/** What a database without a server does by itself between the transactions of its users. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Kysely, PGliteDialect, sql } from "kysely"
import * as Database from "../../src/pglite/database.ts"
import type { Upkeep } from "../../src/pglite/engine/upkeep.ts"
import { rowsOf } from "../../src/sql/database/database.ts"
import { query } from "../../src/sql/database/failure.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import * as Sql from "../../src/sql/store.ts"
import { call, newRun } from "../../src/testing/contract/ledger/rows.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import { commit, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { openFrom, template } from "./template.ts"

/** A database with the schema, and the statements that it has run since. */
const opened = Effect.gen(function* () {
  const pglite = yield* openFrom(template)
  const statements: Array<string> = []
  const db = new Kysely<unknown>({
    dialect: new PGliteDialect({ pglite }),
    log: ({ query: { sql: text } }) => void statements.push(text)
  })
  yield* migrate(db)
  statements.length = 0
  return { db, pglite, statements }
})

describe("the log of a database without a server", () => {
  /** Says that the log has grown, until a checkpoint is recorded. */
  const upkeepOf = () => {
    const state = { due: false, done: 0, rooms: [] as Array<boolean> }
    const room = (rooms: ReadonlyArray<boolean>) =>
      rooms.at(0) === false ? Effect.fail(query("no room")) : Effect.void
    const upkeep: Upkeep = {
      room: Effect.suspend(() => room([state.rooms.shift() ?? true])),
      roomToSave: Effect.void,
      isDue: () => state.due,
      done: () => {
        state.due = false
        state.done++
      }
    }
    return { state, upkeep }
  }
  const sessions = sql<{ readonly role: string }>`select current_user as role`
  const fails = sql`select 1 / 0 as failed`

  it.effect("is written to the tables after any statement by which it has grown, in a transaction or not", () =>
    Effect.gen(function* () {
      const { db, statements } = yield* opened
      const { state, upkeep } = upkeepOf()
      const database = Database.make(db, { upkeep })
      for (const [name, run] of [
        ["transaction", database.transaction],
        ["unflushed", database.unflushed]
      ] as const) {
        for (const statement of [sessions, fails]) {
          for (const due of [false, true]) {
            statements.length = 0
            state.due = due
            const before = state.done
            yield* Effect.exit(run("acme", (trx) => rowsOf<unknown>(trx, statement)))
            const saved = statements.filter((text) => text === "checkpoint").length
            assert.deepStrictEqual([saved, state.done - before], due ? [1, 1] : [0, 0], `${name}, due: ${due}`)
          }
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is written to the tables as well if there is no room for a change otherwise", () =>
    Effect.gen(function* () {
      const { db, statements } = yield* opened
      const { state, upkeep } = upkeepOf()
      const database = Database.make(db, { upkeep })
      for (const run of [database.transaction, database.unflushed]) {
        statements.length = 0
        state.rooms = [false, true]
        const [row] = yield* run("acme", (trx) => rowsOf(trx, sessions))
        assert.strictEqual(row?.role, "cogito_tenant")
        assert.strictEqual(statements.filter((text) => text === "checkpoint").length, 1)
        state.rooms = [false, false]
        assert.include((yield* Effect.flip(run("acme", (trx) => rowsOf(trx, sessions)))).message, "no room")
      }
      state.rooms = [false]
      assert.lengthOf(yield* database.reading("acme", (trx) => rowsOf(trx, sessions)), 1)
    }).pipe(Effect.scoped)
  )
})

describe("the log of a database in memory", () => {
  it.effect("does not grow with what was ever written", () =>
    Effect.gen(function* () {
      const { db } = yield* opened
      const database = Database.make(db)
      const files = sql<{ readonly files: number }>`select count(*)::int as files from pg_ls_waldir()`
      const round = Effect.gen(function* () {
        // begins the next file
        yield* database.transaction(undefined, (trx) =>
          rowsOf(trx, sql`select pg_current_xact_id()::text, pg_switch_wal()::text`)
        )
        yield* Effect.forEach(Array.from({ length: 8 }), () =>
          database.reading("acme", (trx) => rowsOf(trx, sql`select 1`))
        )
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => round)
      const [row] = yield* database.reading(undefined, (trx) => rowsOf(trx, files))
      assert.isAtMost(row?.files ?? 0, 10)
    }).pipe(Effect.scoped)
  )
})

describe("the statistics of a database without a server", () => {
  it.effect("are brought up to date when a table has grown, whoever has written to it", () =>
    Effect.gen(function* () {
      const { db, pglite } = yield* opened
      const store = Sql.make(Database.make(db))
      const row = thought()
      const long = notes(
        row.id,
        1,
        Array.from({ length: 200 }, (_, i) => ({ content: `note ${i} ${"x".repeat(1500)}` }))
      )
      yield* store.commit("acme", commit(row, { notes: long }))
      for (let i = 0; i < 8; i++) yield* store.commit("acme", commit(thought()))
      const { rows } = yield* Effect.promise(() =>
        pglite.query<{ readonly rows: number }>(
          "select reltuples::int as rows from pg_class where oid = 'cogito.note'::regclass"
        )
      )
      assert.deepStrictEqual(rows, [{ rows: 200 }])
    }).pipe(Effect.scoped)
  )
})

describe("the tables of a database without a server", () => {
  const sizes = sql<{ readonly bytes: number }>`select sum(pg_table_size(oid))::int as bytes from pg_class
    where relkind = 'r'`
  const sizeOf = (db: Kysely<unknown>) => Effect.map(rowsOf(db, sizes), ([row]) => row?.bytes ?? 0)

  it.effect("do not grow with what was changed", () =>
    Effect.gen(function* () {
      const { db, statements } = yield* opened
      const database = Database.make(db)
      const store = Sql.make(database)
      const row = thought()
      yield* store.commit("acme", commit(row))
      const run = newRun(row.id)
      yield* store.ledger.record("acme", { runId: run.id, epoch: 1, begins: [run] })
      const { below } = random(1)
      // which cannot be made shorter
      const long = () => Array.from({ length: 20_000 }, () => String.fromCharCode(33 + below(90))).join("")
      const answered = (n: number) =>
        Effect.forEach(
          [long(), undefined],
          (response) =>
            store.ledger.record("acme", {
              runId: run.id,
              epoch: 1,
              calls: [call("/a@0", n, { state: "answered", response })]
            }),
          { discard: true }
        )
      /** Records answers and deletes them, and lets so many transactions pass that the room is due. */
      const round = Effect.gen(function* () {
        yield* Effect.forEach(Array.from({ length: 20 }), (_, n) => answered(n), { discard: true })
        yield* rowsOf(
          db,
          sql`do $$ begin
            create temp table passed(n int);
            for i in 1..1200 loop begin insert into passed values (i); exception when others then null; end; end loop;
            drop table passed;
          end $$`
        )
        yield* Effect.forEach(
          Array.from({ length: 128 }),
          () => database.reading("acme", (trx) => rowsOf(trx, sql`select 1`)),
          { discard: true }
        )
        return yield* sizeOf(db)
      })
      yield* round
      const first = yield* round
      statements.length = 0
      yield* Effect.forEach(Array.from({ length: 5 }), () => round)
      // each round has written 400,000 bytes
      assert.isAtMost(yield* sizeOf(db), first + 100_000)
      // and not each time that something is read
      assert.lengthOf(
        statements.filter((text) => text.startsWith("vacuum")),
        5
      )
    }).pipe(Effect.scoped)
  )

  it.effect("do not grow with how often something is deleted", () =>
    Effect.gen(function* () {
      const { db } = yield* opened
      const store = Sql.make(Database.make(db))
      const rows = Array.from({ length: 90 }, () => thought())
      for (const row of rows) {
        const drafts = Array.from({ length: 5 }, (_, i) => ({ content: `What the note ${i} of ${row.id} says` }))
        yield* store.commit("acme", commit(row, { notes: notes(row.id, 1, drafts) }))
      }
      const removed = (some: typeof rows) =>
        Effect.forEach(some, ({ id }) => store.remove("acme", { id }, { materialize: false }))
      yield* removed(rows.slice(0, 20))
      const first = yield* sizeOf(db)
      yield* removed(rows.slice(20, 80))
      assert.isAtMost(yield* sizeOf(db), first + 50_000)
    }).pipe(Effect.scoped)
  )
})
