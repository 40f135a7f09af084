/** A memory in the hands of another user than the one who made it: handed over, or restored from a dump of it. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Store } from "cogito"
import { Embedder, Memory } from "cogito"
import { Effect, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Client, Pool } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import { migrations } from "../../src/sql/migrations/migrations.ts"
import { plant } from "../../src/testing/contract/stage/forest.ts"
import { nearby } from "../../src/testing/contract/stage/query.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import { commit, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

const docs = join(import.meta.dirname, "../../docs/memory.md")
const scope = "acme"
const space = { embedder: "by hand", dimensions: 2, metric: "cosine" } as const
const another = { ...space, embedder: "another" } as const

/** That of the space, which is never to be had. */
const embedder: Embedder.Shape = {
  id: space.embedder,
  dimensions: space.dimensions,
  metric: space.metric,
  maxTokens: 100,
  embedMany: () => Effect.never
}

describe.skipIf(!available)("a memory on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const admin = (url: string, ...statements: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      for (const statement of statements) await client.query(statement)
      await client.end()
    })
  const nameOf = (url: string) => new URL(url).username
  /** A database, and a plain user who may have a memory in it. */
  const prepared = Effect.promise(async () => {
    const url = await database(server)
    return { url, own: await ordinary(url) }
  })
  /** Three notes, two of them with vectors. */
  const fill = Effect.fnUntraced(function* (store: Store.Store) {
    const row = thought()
    const written = notes(row.id, 1, [{}, {}, {}])
    yield* store.openSpace(space)
    yield* store.commit(scope, commit(row, { notes: written }))
    yield* store.putVectors(
      scope,
      space,
      written.slice(0, 2).map(({ id }) => ({ noteId: id, vector: Float32Array.of(1, 0) }))
    )
    return written.map(({ id }) => id)
  })
  const linesOf = (store: Store.Store) =>
    Effect.flatMap(Memory.make({ store, scope }).pipe(Effect.provideService(Embedder.Embedder, embedder)), (memory) =>
      Stream.runCollect(memory.exportLines())
    )
  /** Tenants see their rows and upkeep sees all: each would be empty where the policies name somebody else. */
  const works = Effect.fnUntraced(function* (store: Store.Store, ids: ReadonlyArray<string>) {
    yield* store.openSpace(space)
    assert.deepStrictEqual(
      (yield* store.pending(space, { limit: 10 })).map(({ id }) => id),
      ids.slice(2)
    )
    assert.strictEqual((yield* nearby(store, scope, space, Float32Array.of(1, 0))).length, 2)
    assert.deepStrictEqual(yield* nearby(store, "globex", space, Float32Array.of(1, 0)), [])
    assert.deepStrictEqual(
      (yield* store.optimize({ index: "create" })).map(({ vectors }) => vectors),
      [2]
    )
    // a table that is made now is the new owner's from the start
    yield* store.openSpace(another)
    assert.lengthOf(yield* store.pending(another, { limit: 10 }), 3)
    const refused = yield* Effect.flip(store.activateSpace(another))
    assert.strictEqual(refused.reason._tag, "Query")
  })

  it.live("is the next owner's as it was the first one's", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      const ids = yield* Effect.scoped(Effect.flatMap(PostgresMemory.makeStore({ url: own }), fill))
      const next = yield* Effect.promise(() => ordinary(url, "none"))
      const [before, after] = [nameOf(own), nameOf(next)]
      const lost = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: next })))
      assert.include(lost.message, `belongs to the user ${before}`)
      yield* admin(url, `grant cogito_tenant to ${after}`, `reassign owned by ${before} to ${after}`)
      yield* works(yield* PostgresMemory.makeStore({ url: next }), ids)
      const gone = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: own })))
      assert.include(gone.message, `belongs to the user ${after}`)
    }).pipe(Effect.scoped)
  )

  it.live("stays its owner's if an administrator brings it up to date, or embeds in it", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new Pool({ connectionString: own })),
        (made) => Effect.promise(() => made.end())
      )
      const [first = "", ...later] = Object.keys(migrations)
      assert.isNotEmpty(later)
      const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
      yield* migrate(db, { [first]: migrations[first]! })
      const administrator = yield* PostgresMemory.makeStore({ url })
      const ids = yield* fill(administrator)
      yield* works(yield* PostgresMemory.makeStore({ url: own }), ids)
      const owners = yield* Effect.promise(() =>
        sql<{ readonly owner: string }>`select distinct pg_get_userbyid(owner) as owner from (
          select relowner as owner from pg_class where relnamespace = 'cogito'::regnamespace
          union select proowner from pg_proc where pronamespace = 'cogito'::regnamespace) made`.execute(db)
      )
      assert.deepStrictEqual(owners.rows, [{ owner: nameOf(own) }])
    }).pipe(Effect.scoped)
  )

  it.live("is handed over from the first superuser by the statements of docs/memory.md", () =>
    Effect.gen(function* () {
      const { url } = yield* prepared
      const ids = yield* Effect.scoped(Effect.flatMap(PostgresMemory.makeStore({ url }), fill))
      const next = yield* Effect.promise(() => ordinary(url, "none"))
      const [, statements = ""] = /often `postgres`[^]*?```sql\n([^]*?)```/.exec(readFileSync(docs, "utf8")) ?? []
      yield* admin(url, statements.replaceAll("app2", nameOf(next)))
      yield* works(yield* PostgresMemory.makeStore({ url: next }), ids)
    }).pipe(Effect.scoped)
  )

  it.live("is refused to who would see no rows of it, whatever else they may", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      yield* Effect.scoped(Effect.flatMap(PostgresMemory.makeStore({ url: own }), fill))
      const guest = yield* Effect.promise(() => ordinary(url, "none"))
      const name = nameOf(guest)
      yield* admin(
        url,
        `grant cogito_tenant to ${name}`,
        `grant usage, create on schema cogito to ${name}`,
        `grant all on all tables in schema cogito to ${name}`
      )
      const error = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: guest })))
      assert.deepInclude(error.reason, { _tag: "Query", code: "42501" })
      assert.include(error.message, `belongs to the user ${nameOf(own)} (SQLSTATE 42501): connect as that user`)
      yield* admin(url, "drop policy upkeep on cogito.note")
      const blind = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: own })))
      assert.strictEqual(blind.reason._tag, "Corrupt")
      assert.include(blind.message, "cogito.note has lost its policy")
    })
  )

  it.live("is refused to its owner until tenants may use pgvector", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      const ids = yield* Effect.scoped(Effect.flatMap(PostgresMemory.makeStore({ url: own }), fill))
      yield* admin(
        url,
        'create schema "my types"',
        'alter extension vector set schema "my types"',
        `grant usage on schema "my types" to ${nameOf(own)}`
      )
      const { reason } = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: own })))
      const statement = 'grant usage on schema "my types" to cogito_tenant;'
      assert.deepStrictEqual(reason, {
        _tag: "Query",
        code: "42501",
        message:
          "The role cogito_tenant may not use pgvector (SQLSTATE 42501). " +
          `An administrator runs, in the database ${new URL(own).pathname.slice(1)}: ${statement}`
      })
      yield* admin(url, statement)
      yield* works(yield* PostgresMemory.makeStore({ url: own }), ids)
    }).pipe(Effect.scoped)
  )

  it.live("shows a tenant nothing of others, also one that calls itself upkeep", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      yield* Effect.scoped(Effect.flatMap(PostgresMemory.makeStore({ url: own }), fill))
      const member = yield* Effect.promise(() => ordinary(url, "none"))
      yield* admin(url, `grant cogito_tenant to ${nameOf(member)}`)
      for (const [user, role] of [
        [own, "cogito_tenant"],
        [url, "cogito_tenant"],
        [member, "none"]
      ] as const) {
        const seen = yield* Effect.promise(async () => {
          const client = new Client({ connectionString: user })
          await client.connect()
          await client.query(`set role ${role}; set cogito.upkeep = on; set cogito.scope = 'globex'`)
          const { rows } = await client.query("select from cogito.note")
          await client.end()
          return rows.length
        })
        assert.strictEqual(seen, 0)
      }
    })
  )

  it.live("needs no right on the schema public where tenants are given the one of pgvector", () =>
    Effect.gen(function* () {
      const { own, url } = yield* prepared
      yield* admin(url, "revoke all on schema public from public", `grant usage on schema public to ${nameOf(own)}`)
      const error = yield* Effect.flip(Effect.scoped(PostgresMemory.makeStore({ url: own })))
      assert.deepInclude(error.reason, { _tag: "Query", code: "42501" })
      assert.include(error.message, "grant usage on schema public to cogito_tenant;")
      yield* admin(url, error.message.slice(error.message.indexOf("grant usage")))
      yield* works(
        yield* PostgresMemory.makeStore({ url: own }),
        yield* Effect.flatMap(PostgresMemory.makeStore({ url: own }), fill)
      )
      // who may grant it does so at the first start
      const other = yield* Effect.promise(() => database(server))
      yield* admin(other, "revoke all on schema public from public")
      const store = yield* PostgresMemory.makeStore({ url: other })
      yield* works(store, yield* fill(store))
    }).pipe(Effect.scoped)
  )

  it.live("is whole in a dump that its owner made, and another user restored", () =>
    Effect.gen(function* () {
      const { own } = yield* prepared
      const store = yield* PostgresMemory.makeStore({ url: own })
      const ids = yield* fill(store)
      const planted = yield* plant(store, scope, random(5), 8)
      const secret = planted.flatMap((stored) => stored.notes)[0]
      if (secret !== undefined) yield* store.redact(scope, secret.id, 1_800_000_000_000)
      const run = (program: string, args: ReadonlyArray<string>, options: { input?: string; settings?: string }) => {
        const { status, stderr, stdout } = spawnSync(join(server.programs, program), [...args], {
          encoding: "utf8",
          input: options.input ?? "",
          env: { ...process.env, ...(options.settings === undefined ? {} : { PGOPTIONS: options.settings }) }
        })
        assert.deepStrictEqual([status, stderr.replaceAll(/^.*NOTICE.*\n/gm, "")], [0, ""])
        return stdout
      }
      const dump = run("pg_dump", ["--enable-row-security", "--schema=cogito", "--no-owner", own], {
        settings: "-c cogito.upkeep=on"
      })
      const { own: there } = yield* prepared
      run("psql", ["--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", "--output=/dev/null", there], {
        input: dump
      })
      const restored = yield* PostgresMemory.makeStore({ url: there })
      yield* store.openSpace(space)
      yield* restored.openSpace(space)
      const pending = (of: Store.Store) => of.pending(space, { limit: 1000 })
      assert.deepStrictEqual(yield* pending(restored), yield* pending(store))
      assert.include(
        (yield* pending(restored)).map(({ id }) => id),
        ids[2]
      )
      assert.strictEqual((yield* nearby(restored, scope, space, Float32Array.of(1, 0))).length, 2)
      // last, as a memory embeds: it gives a note the vector of another with the same text, in its own time
      assert.deepStrictEqual(yield* linesOf(restored), yield* linesOf(store))
      const row = thought()
      assert.strictEqual(yield* restored.commit(scope, commit(row, { notes: notes(row.id, 1, [{}]) })), 1)
    }).pipe(Effect.scoped)
  )
})
