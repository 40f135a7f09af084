/** Which servers are refused and with what advice, according to what they report. No server is needed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely"
import { explainRights, pgvectorSchema, requireServer } from "../../src/postgres/readiness.ts"
import { query } from "../../src/sql/database/failure.ts"

/** A database that returns these rows for every statement, or fails with a code. */
const saying = (answer: ReadonlyArray<unknown> | string) =>
  new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: () => Promise.resolve(),
        acquireConnection: () =>
          Promise.resolve({
            executeQuery: () =>
              typeof answer === "string"
                ? Promise.reject(Object.assign(new Error("a text"), { code: answer }))
                : Promise.resolve({ rows: [...answer] as Array<never> }),
            streamQuery: () => {
              throw new Error("nothing is streamed")
            }
          }),
        beginTransaction: () => Promise.resolve(),
        commitTransaction: () => Promise.resolve(),
        rollbackTransaction: () => Promise.resolve(),
        releaseConnection: () => Promise.resolve(),
        destroy: () => Promise.resolve()
      })
    }
  })

const server = { number: 150_018, version: "15.18", encoding: "UTF8", installed: null, available: "0.8.0" }
const needed = "pgvector 0.8 or newer is needed"
const install = "install it on the server (Debian: apt install postgresql-15-pgvector)"
const update = "run in the database, as its owner: alter extension vector update;"

describe("a server", () => {
  const cases: ReadonlyArray<readonly [Partial<Record<keyof typeof server, unknown>>, string | undefined]> = [
    [{}, undefined],
    [{ number: 180_000, version: "18.0" }, undefined],
    [{ number: 149_999, version: "14.20" }, "The server is Postgres 14.20: version 15 or newer is needed."],
    [
      { encoding: "SQL_ASCII" },
      "The database has the encoding SQL_ASCII, which cannot store every character: create one with create database … encoding 'UTF8' template template0."
    ],
    [{ available: "0.8.1" }, undefined],
    [{ available: "0.10.0" }, undefined],
    [{ available: "1.0.0" }, undefined],
    [{ available: "1.0" }, undefined],
    [{ installed: "1.2.3", available: "0.7.4" }, undefined],
    [{ installed: "0.8.0", available: null }, undefined],
    [{ available: null }, `The server does not have pgvector: ${needed}; ${install}.`],
    [{ available: "0.7.4" }, `The server has pgvector 0.7.4: ${needed}; ${install}`],
    [{ installed: "0.7.4" }, `The server has pgvector 0.7.4: ${needed}; ${update}`],
    [
      { installed: "0.5.1", available: "0.7.4" },
      `The server has pgvector 0.5.1: ${needed}; ${install}, then ${update}`
    ],
    [{ installed: "0.5.1", available: null }, `The server has pgvector 0.5.1: ${needed}; ${install}, then ${update}`]
  ]

  it.effect.each(cases)("that reports %j is refused if necessary, with advice: %s", ([said, message]) =>
    Effect.gen(function* () {
      const checked = requireServer(saying([{ ...server, ...said }]))
      if (message === undefined) return assert.isUndefined(yield* checked)
      const { isRetryable, reason } = yield* Effect.flip(checked)
      assert.deepStrictEqual(reason, { _tag: "Query", code: "0A000", message })
      return assert.isFalse(isRetryable)
    })
  )

  it.effect("whose schema of pgvector is unknown has it in public", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pgvectorSchema(saying([{ schema: '"my types"' }])), '"my types"')
      assert.strictEqual(yield* pgvectorSchema(saying([])), "public")
    })
  )
})

describe("a start that is denied", () => {
  const denied = query("The database refused a statement (SQLSTATE 42501).", "42501")
  const rights = {
    me: "app",
    database: "app",
    exists: false,
    owner: null,
    extension: true,
    create: true,
    tenant: true,
    member: true
  }
  const lacks = (what: string, statements: string) =>
    `The database user app lacks the right ${what} (SQLSTATE 42501). An administrator runs, in the database app: ${statements}`

  it.effect.each([
    [{ extension: false }, lacks("to create the extension vector", "create extension vector;")],
    [{ create: false }, lacks("to create a schema", "grant create on database app to app;")],
    [{ create: false, exists: true }, denied.message],
    [{ tenant: false }, lacks("to create the role cogito_tenant", "create role cogito_tenant nologin;")],
    [{ member: false }, lacks("to act as the role cogito_tenant", "grant cogito_tenant to app;")],
    [
      { extension: false, create: false, tenant: false, member: false },
      lacks(
        "to create the extension vector, to create a schema, to create the role cogito_tenant, to act as the role cogito_tenant",
        "create extension vector; grant create on database app to app; create role cogito_tenant nologin; grant cogito_tenant to app;"
      )
    ],
    [
      { owner: '"Other"', member: false },
      'The memory in the database app belongs to the user "Other" (SQLSTATE 42501): connect as that user, not as app.'
    ],
    [{}, denied.message]
  ] as const)("for lack of rights names them: %j", ([some, message]) =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(explainRights(saying([{ ...rights, ...some }]))(denied))
      assert.deepStrictEqual(reason, { _tag: "Query", code: "42501", message })
    })
  )

  it.effect("keeps its error if the rights cannot be read, or if it failed for another reason", () =>
    Effect.gen(function* () {
      for (const code of ["42501", "57P01", "08006"]) {
        assert.strictEqual(yield* Effect.flip(explainRights(saying(code))(denied)), denied)
      }
      assert.strictEqual(yield* Effect.flip(explainRights(saying([]))(denied)), denied)
      const other = query("another", "42601")
      assert.strictEqual(yield* Effect.flip(explainRights(saying([{ ...rights, member: false }]))(other)), other)
    })
  )
})
