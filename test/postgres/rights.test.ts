/** What a first start says to a user who may not do what it needs, and on a server that lacks what it needs. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { commit, thought } from "../../src/testing/contract/stage/rows.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

describe.skipIf(!available)("a first start on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  /** Runs statements as the superuser of a database. */
  const admin = (url: string, ...statements: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const answers = []
      for (const statement of statements) answers.push((await client.query(statement)).rows)
      await client.end()
      return answers.at(-1) ?? []
    })
  const failing = (url: string) => Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url })))
  const works = (url: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const store = yield* PostgresMemory.makeStore({ url })
        assert.strictEqual(yield* store.commit("scope", commit(thought())), 1)
      })
    )
  /** The server as one that no memory was ever on: those of other tests keep the role under another name. */
  const withoutTenants = `do $$ begin
    if exists (select from pg_roles where rolname = 'cogito_tenant') then
      execute format('alter role cogito_tenant rename to %I', 'tenants_' || gen_random_uuid());
    end if; end $$`
  const nameOf = (url: string) => new URL(url).username

  // the role of tenants is made once for the whole server, so databases that know nothing of each other meet there
  it.live.each(["a superuser", "another user"])(
    "works on four databases of a fresh server at the same moment for %s",
    (who) =>
      Effect.gen(function* () {
        const urls = yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.promise(() => database(server)))
        if (who !== "a superuser") {
          yield* admin(server.url, "create role app login createrole", withoutTenants)
          for (const url of urls) {
            const name = url.slice(url.lastIndexOf("/") + 1)
            yield* admin(url, "create extension vector", `grant create on database ${name} to app`)
          }
        }
        assert.deepStrictEqual(yield* admin(server.url, "select from pg_roles where rolname = 'cogito_tenant'"), [])
        const as = (url: string) => (who === "a superuser" ? url : url.replace("postgres@", "app@"))
        yield* Effect.forEach(urls, (url) => works(as(url)), { concurrency: "unbounded" })
        const member = "select from pg_auth_members where member = 'app'::regrole and roleid = 'cogito_tenant'::regrole"
        if (who !== "a superuser") assert.lengthOf(yield* admin(server.url, member), 1)
      })
  )

  it.live("names every right that a user lacks, and what an administrator then runs is enough", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const own = yield* Effect.promise(() => ordinary(url, "none"))
      yield* admin(url, withoutTenants)
      const error = yield* failing(own)
      assert.deepInclude(error.reason, { _tag: "Query", code: "42501" })
      assert.isFalse(error.isRetryable)
      const me = nameOf(own)
      const name = url.slice(url.lastIndexOf("/") + 1)
      assert.strictEqual(
        error.message,
        `The database user ${me} lacks the right to create the extension vector, to create a schema, ` +
          "to create the role cogito_tenant, to act as the role cogito_tenant (SQLSTATE 42501). " +
          `An administrator runs, in the database ${name}: create extension vector; ` +
          `grant create on database ${name} to ${me}; create role cogito_tenant nologin; grant cogito_tenant to ${me};`
      )
      assert.isUndefined(error.cause)
      yield* admin(url, error.message.slice(error.message.indexOf("create extension vector;")))
      yield* works(own)
      yield* works(own)
      assert.deepStrictEqual(
        yield* admin(url, `select rolsuper, rolcreaterole from pg_roles where rolname = '${me}'`),
        [{ rolsuper: false, rolcreaterole: false }]
      )
    })
  )

  it.live("names only what is missing, one right at a time", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const own = yield* Effect.promise(() => ordinary(url, "none"))
      // the role is the whole server's
      yield* admin(url, withoutTenants, "create role cogito_tenant nologin")
      const said: Array<string> = []
      for (let i = 0; i < 4; i++) {
        const result = yield* Effect.result(Effect.scoped(PostgresMemory.makeStore({ url: own })))
        if (result._tag === "Success") break
        const statements = result.failure.message.slice(result.failure.message.indexOf(": ") + 2).split("; ")
        said.push(...statements.slice(0, 1))
        assert.lengthOf(
          result.failure.message.split(";").filter((part) => part.trim() !== ""),
          3 - i
        )
        yield* admin(url, statements[0]!)
      }
      const name = url.slice(url.lastIndexOf("/") + 1)
      assert.deepStrictEqual(said, [
        "create extension vector",
        `grant create on database ${name} to ${nameOf(own)}`,
        `grant cogito_tenant to ${nameOf(own)};`
      ])
      yield* works(own)
    })
  )

  it.live("asks for no right to create a schema if the user has an empty one of its name", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const own = yield* Effect.promise(() => ordinary(url, "none"))
      yield* admin(
        url,
        withoutTenants,
        "create role cogito_tenant nologin",
        `create schema cogito authorization ${nameOf(own)}`
      )
      const { message } = yield* failing(own)
      assert.include(message, "lacks the right to create the extension vector, to act as the role cogito_tenant (")
      yield* admin(url, message.slice(message.indexOf("create extension vector;")))
      yield* works(own)
    })
  )

  it.live("says whose the memory is to a user that it does not belong to", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const first = yield* Effect.promise(() => ordinary(url))
      yield* works(first)
      const second = yield* Effect.promise(() => ordinary(url, "none"))
      const error = yield* failing(second)
      assert.deepInclude(error.reason, { _tag: "Query", code: "42501" })
      const says = `belongs to the user ${nameOf(first)} (SQLSTATE 42501): connect as that user`
      assert.include(error.message, says)
      // also if only the tables are not its own
      yield* admin(url, `alter schema cogito owner to ${nameOf(second)}`)
      assert.include((yield* failing(second)).message, says)
    })
  )

  it.live("refuses a user, a password and a database that the server does not know, not to be tried again", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const nobody = new URL(url)
      nobody.username = "nobody_knows"
      const nowhere = new URL(url)
      nowhere.pathname = "/nowhere"
      for (const [at, code, says] of [
        [nobody.href, "28000", "user"],
        [nowhere.href, "3D000", "no such database"]
      ] as const) {
        const error = yield* failing(at)
        assert.deepInclude(error.reason, { _tag: "Query", code })
        assert.include(error.message, says)
        assert.isFalse(error.isRetryable)
      }
    })
  )

  // What an old server answers is put before what this one does; its own functions and views give way to another schema.
  const pretending = (url: string, ...statements: ReadonlyArray<string>) =>
    admin(
      url,
      "create schema old",
      ...statements,
      `do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public', current_database()); end $$`
    )
  const nothingMade = (url: string) =>
    Effect.map(admin(url, "select nspname from pg_namespace where nspname = 'cogito'"), (rows) =>
      assert.deepStrictEqual(rows, [])
    )

  it.live("refuses a server that is too old, and makes nothing on it", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      yield* pretending(
        url,
        `create function old.current_setting(text) returns text language sql as
          $$ select case $1 when 'server_version_num' then '140012' else '14.12 (Debian)' end $$`
      )
      const error = yield* failing(url)
      assert.deepInclude(error.reason, { _tag: "Query", code: "0A000" })
      assert.strictEqual(error.message, "The server is Postgres 14.12 (Debian): version 15 or newer is needed.")
      assert.isFalse(error.isRetryable)
      yield* nothingMade(url)
    })
  )

  it.live("refuses a server without pgvector, says how to install it, and makes nothing on it", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      yield* pretending(
        url,
        "create view old.pg_available_extensions as select * from pg_catalog.pg_available_extensions where name <> 'vector'"
      )
      const error = yield* failing(url)
      assert.deepInclude(error.reason, { _tag: "Query", code: "0A000" })
      assert.match(error.message, /^The server does not have pgvector: .*apt install postgresql-\d+-pgvector/)
      assert.isFalse(error.isRetryable)
      yield* nothingMade(url)
    })
  )

  it.live("refuses a pgvector that is too old, and says how to update it", () =>
    Effect.gen(function* () {
      const inDatabase = yield* Effect.promise(() => database(server))
      yield* admin(
        inDatabase,
        "create extension vector",
        "update pg_extension set extversion = '0.7.4' where extname = 'vector'"
      )
      const older = yield* failing(inDatabase)
      assert.deepInclude(older.reason, { _tag: "Query", code: "0A000" })
      assert.strictEqual(
        older.message,
        "The server has pgvector 0.7.4: pgvector 0.8 or newer is needed; " +
          "run in the database, as its owner: alter extension vector update;"
      )
      assert.isFalse(older.isRetryable)
      yield* nothingMade(inDatabase)

      const onServer = yield* Effect.promise(() => database(server))
      yield* pretending(
        onServer,
        "create view old.pg_available_extensions as select 'vector'::name as name, '0.5.1'::text as default_version"
      )
      const oldest = yield* failing(onServer)
      assert.deepInclude(oldest.reason, { _tag: "Query", code: "0A000" })
      assert.match(oldest.message, /^The server has pgvector 0\.5\.1: pgvector 0\.8 or newer is needed; install it/)
      yield* nothingMade(onServer)
    })
  )

  it.live.each(["SQL_ASCII", "LATIN1"])(
    "refuses a database that keeps texts as %s, says which one to make, and makes nothing in it",
    (encoding) =>
      Effect.gen(function* () {
        const name = `made_${randomUUID().replaceAll("-", "")}`
        yield* admin(server.url, `create database ${name} encoding '${encoding}' locale 'C' template template0`)
        const url = server.url.replace(/\/[^/]*$/, `/${name}`)
        const error = yield* failing(url)
        assert.deepInclude(error.reason, { _tag: "Query", code: "0A000" })
        assert.include(error.message, `has the encoding ${encoding},`)
        assert.include(error.message, "create database … encoding 'UTF8' template template0")
        assert.isFalse(error.isRetryable)
        yield* nothingMade(url)
        yield* admin(server.url, `create database ${name}_right encoding 'UTF8' template template0`)
        yield* works(`${url}_right`)
      })
  )
})
