/** What an embedded database sends on its only connection, and in which order. No database is needed. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Kysely, sql } from "kysely"
import * as Database from "../../src/pglite/database.ts"
import { dialectOf } from "../../src/pglite/dialect.ts"
import type { Connection, Result } from "../../src/pglite/engine/connection.ts"
import type { Upkeep } from "../../src/pglite/engine/upkeep.ts"
import { rowsOf } from "../../src/sql/database/database.ts"
import * as Sql from "../../src/sql/store.ts"

const nothing: Result = { rows: [], affectedRows: undefined }

/** Settings of the session by their names, and the first words of other statements. */
const shown = (statement: string, values: ReadonlyArray<unknown>): string => {
  if (!statement.startsWith("select set_config(")) return statement.split(/\s+/).slice(0, 5).join(" ").trim()
  const texts = values.filter((value) => typeof value === "string")
  return texts.flatMap((name, i) => (i % 2 === 0 ? [`${name}=${texts[i + 1]}`] : [])).join(" ")
}

/** A database on a connection that replies to each statement with `answer`. */
const opened = (answer: (statement: string) => Promise<Partial<Result>> = () => Promise.resolve({}), due = false) => {
  const sent: Array<string> = []
  const connection: Connection = {
    query: async (statement, values) => {
      sent.push(shown(statement, values))
      return { ...nothing, ...(await answer(statement)) }
    },
    sendBytes: () => Promise.resolve(),
    close: () => Promise.resolve(),
    disk: () => ({ full: false, segments: 0 })
  }
  let isDue = due
  const upkeep: Upkeep = {
    room: Effect.void,
    roomToSave: Effect.void,
    isDue: () => isDue,
    done: () => {
      isDue = false
    }
  }
  const db = new Kysely<unknown>({ dialect: dialectOf(connection) })
  return { db, sent, database: Database.make(db, { upkeep }) }
}

const one = sql`select 1`
const acme = "role=cogito_tenant cogito.upkeep=off cogito.scope=acme"
const none = "role=none cogito.upkeep=on cogito.scope="
const begin = "begin isolation level read committed"
// the first of every few transactions checks the statistics
const grown = "select oid::regclass::text as name from"

const refused = (code: string) => Promise.reject(Object.assign(new Error("a text"), { code }))

describe("the session of an embedded database", () => {
  it.effect("is limited to the scope before each transaction, and to no scope for upkeep", () =>
    Effect.gen(function* () {
      const { database, sent } = opened()
      yield* database.transaction("acme", (trx) => rowsOf(trx, one))
      yield* database.reading("acme", (trx) => rowsOf(trx, one))
      yield* database.unflushed("glob\u0000ex", (trx) => rowsOf(trx, one))
      yield* database.transaction(undefined, (trx) => rowsOf(trx, one))
      assert.deepStrictEqual(sent, [
        acme,
        begin,
        "select 1",
        "commit",
        grown,
        "begin isolation level repeatable read",
        "select 1",
        "commit",
        "role=cogito_tenant cogito.upkeep=off cogito.scope=glob\u001a0000ex",
        "select 1",
        none,
        begin,
        "select 1",
        "commit"
      ])
    })
  )

  it.effect("belongs to the owner for the upkeep of the log and the statistics", () =>
    Effect.gen(function* () {
      for (const run of ["transaction", "unflushed"] as const) {
        const { database, sent } = opened(undefined, true)
        yield* database[run]("acme", (trx) => rowsOf(trx, one))
        assert.deepStrictEqual(sent.slice(-2), [none, "checkpoint"], run)
        yield* database[run]("acme", (trx) => rowsOf(trx, one))
        assert.include(sent.slice(sent.indexOf("checkpoint")), acme, run)
      }
      const { database, sent } = opened((statement) =>
        Promise.resolve(statement.includes("pg_relation_size") ? { rows: [{ name: "cogito.note" }] } : {})
      )
      yield* database.transaction("acme", (trx) => rowsOf(trx, one))
      assert.deepStrictEqual(sent, [acme, begin, "select 1", "commit", grown, none, "analyze cogito.note"])
      yield* database.vacuum
      assert.deepStrictEqual(sent.slice(-1), [grown])
    })
  )

  it.effect("rolls back a failed transaction and reports its failure, even if the rollback fails too", () =>
    Effect.gen(function* () {
      for (const second of ["57P01", undefined]) {
        const { database, sent } = opened((statement) =>
          statement === "select 1"
            ? refused("23505")
            : statement === "rollback" && second !== undefined
              ? refused(second)
              : Promise.resolve({})
        )
        const { reason } = yield* Effect.flip(database.transaction("acme", (trx) => rowsOf(trx, one)))
        assert.deepInclude(reason, { _tag: "Query", code: "23505" })
        assert.deepStrictEqual(sent, [acme, begin, "select 1", "rollback", grown])
      }
      const { database, sent } = opened((statement) =>
        statement === "commit" ? refused("53100") : Promise.resolve({})
      )
      const { message } = yield* Effect.flip(database.transaction("acme", (trx) => rowsOf(trx, one)))
      assert.include(message, "The disk of the database is full (SQLSTATE 53100)")
      assert.deepStrictEqual(sent, [acme, begin, "select 1", "commit"])
    })
  )

  it.effect("is set again if the statement that sets it fails", () =>
    Effect.gen(function* () {
      let fails = true
      const { database, sent } = opened((statement) =>
        fails && statement.startsWith("select set_config") ? refused("57P01") : Promise.resolve({})
      )
      const failure = yield* Effect.flip(database.transaction("acme", (trx) => rowsOf(trx, one)))
      assert.strictEqual(failure.reason._tag, "Connection")
      fails = false
      yield* database.transaction("acme", (trx) => rowsOf(trx, one))
      assert.deepStrictEqual(sent, [acme, acme, begin, "select 1", "commit", grown])
    })
  )

  it.effect(
    "ends an interrupted transaction before the next one begins, and skips one interrupted while it waits",
    () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const { promise, resolve } = Promise.withResolvers<Partial<Result>>()
        const { database, sent } = opened((statement) => {
          if (statement !== "select 2") return Promise.resolve({})
          Deferred.doneUnsafe(asked, Effect.void)
          return promise
        })
        const two = sql`select 2`
        const slow = yield* Effect.forkChild(database.transaction("acme", (trx) => rowsOf(trx, two)))
        yield* Deferred.await(asked)
        const waiting = yield* Effect.forkChild(database.transaction("acme", (trx) => rowsOf(trx, sql`select 3`)))
        const next = yield* Effect.forkChild(database.transaction("acme", (trx) => rowsOf(trx, one)))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(waiting)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(slow))
        yield* Effect.yieldNow
        assert.deepStrictEqual(sent, [acme, begin, "select 2"])
        resolve({})
        yield* Fiber.join(interrupting)
        yield* Fiber.join(next)
        assert.deepStrictEqual(sent, [acme, begin, "select 2", "commit", grown, begin, "select 1", "commit"])
      })
  )

  it.effect("frees space after each kind of deletion, but not after one that failed", () =>
    Effect.gen(function* () {
      let fails = false
      const { database, sent } = opened((statement) => {
        if (fails && statement.startsWith("begin")) return refused("08006")
        const isVacuum = statement.includes("pg_class") && !statement.includes("pg_relation_size")
        return Promise.resolve(
          isVacuum && statement.includes("relkind = 'r'") ? { rows: [{ name: "cogito.note" }] } : {}
        )
      })
      const store = Sql.make(database)
      const id = "01981f5e-0000-7000-8000-000000000001"
      const all = {
        remove: Effect.asVoid(store.remove("acme", { id }, { materialize: false })),
        redact: Effect.asVoid(store.redact("acme", id, 0)),
        purge: Effect.asVoid(store.purge("acme"))
      }
      for (fails of [false, true]) {
        for (const [name, deletion] of Object.entries(all)) {
          sent.length = 0
          yield* Effect.exit(deletion)
          const vacuums = sent.filter((statement) => statement.startsWith("vacuum"))
          assert.deepStrictEqual(
            vacuums,
            fails ? [] : ["vacuum (analyze, skip_locked) cogito.note, pg_catalog.pg_statistic"],
            name
          )
        }
      }
    })
  )

  it.effect("reports how many rows a statement has changed, if the database does", () =>
    Effect.gen(function* () {
      for (const affectedRows of [0, 3, undefined]) {
        const { db } = opened(() => Promise.resolve({ affectedRows, rows: [{ a: 1 }] }))
        const { numAffectedRows, rows } = yield* Effect.promise(() => one.execute(db))
        assert.deepStrictEqual(
          [numAffectedRows, rows],
          [affectedRows === undefined ? undefined : BigInt(affectedRows), [{ a: 1 }]]
        )
      }
    })
  )
})
