/**
 * Tenants stay apart, twice: by the conditions of every statement, and by the database when those are taken away.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import type { Store } from "../../src/Memory.ts"
import * as Database from "../../src/postgres/database.ts"
import type { Tables } from "../../src/sql/schema.ts"
import * as Sql from "../../src/sql/store.ts"
import { nearby } from "../../src/testing/contract/query.ts"
import { random } from "../../src/testing/contract/random.ts"
import { commit, notes, thought } from "../../src/testing/contract/rows.ts"
import { available, database, makeStore, type Server, start } from "./server.ts"

const operations = Number(process.env["COGITO_TENANCY_OPERATIONS"] ?? 2000)

const space = { embedder: "e", dimensions: 2, metric: "cosine" } as const
const scopes = Array.from({ length: 20 }, (_, i) => `tenant ${i}`)

/** The statements of a client without their conditions on the scope; their parameters stay, so that their number holds. */
const careless = (url: string, removed: { count: number }): Pool => {
  class Careless extends Client {
    // the driver's own type has a dozen overloads for what is passed on as it is
    override query(...args: ReadonlyArray<any>): any {
      const [config, ...rest] = args
      const strip = (text: string) =>
        text.replaceAll(/(?:"?\w+"?\.)?"?scope"? = (\$\d+)/g, (_, parameter: string) => {
          removed.count++
          return `${parameter}::text is not null`
        })
      const stripped = typeof config === "string" ? strip(config) : { ...config, text: strip(config.text) }
      return (super.query as (...all: ReadonlyArray<any>) => any)(stripped, ...rest)
    }
  }
  return new Pool({ connectionString: url, max: 4, Client: Careless })
}

/** Random work of all tenants on one store. Whatever comes back is the asking tenant's own. */
const work = Effect.fnUntraced(function* (store: Store, strict: boolean, seed: number) {
  const { below, pick } = random(seed)
  const thoughts = new Map(scopes.map((scope) => [scope, new Array<{ id: string; version: number; seq: number }>()]))
  const own = new Map(scopes.map((scope) => [scope, new Set<string>()]))
  const everywhere = () => scopes.flatMap((scope) => thoughts.get(scope)!)
  yield* store.openSpace(space)
  let foreign = 0
  const check = (scope: string, ids: ReadonlyArray<string>) => {
    foreign += ids.filter((id) => !own.get(scope)!.has(id)).length
  }
  for (let i = 0; i < operations; i++) {
    const scope = pick(scopes)
    const mine = thoughts.get(scope)!
    const kind = mine.length === 0 ? 0 : below(7)
    if (kind === 0) {
      const row = thought()
      const written = notes(row.id, 1, [{ content: `${scope} says ${i}` }])
      yield* store.commit(scope, commit(row, { notes: written }))
      mine.push({ id: row.id, version: 1, seq: 1 })
      for (const { id } of written) own.get(scope)!.add(id)
      own.get(scope)!.add(row.id)
      const vector = Float32Array.of(Math.cos(i), Math.sin(i))
      yield* store.putVectors(
        scope,
        space,
        written.map(({ id }) => ({ noteId: id, vector }))
      )
    } else if (kind === 1) {
      // another tenant's id is the id of nothing
      const { id } = pick(everywhere())
      const found = yield* store.load(scope, { id })
      if (found !== undefined) check(scope, [found.thought.id, ...found.notes.map((note) => note.id)])
    } else if (kind === 2) {
      const { id } = pick(everywhere())
      for (const list of [
        yield* store.children(scope, { id }, { limit: 5, after: undefined }),
        yield* store.ancestors(scope, { id })
      ]) {
        check(
          scope,
          (list ?? []).map((row) => row.id)
        )
      }
    } else if (kind === 3) {
      const found = yield* nearby(store, scope, space, Float32Array.of(1, 0), { limit: 10 })
      check(
        scope,
        found.flatMap(({ note, thought: { id } }) => [note.id, id])
      )
    } else if (kind === 4) {
      check(
        scope,
        (yield* store.pending(space, { scope, limit: 10 })).map(({ id }) => id)
      )
    } else if (kind === 5) {
      const other = pick(everywhere())
      // a vector for another tenant's note has nowhere to go
      yield* store.putVectors(scope, space, [{ noteId: other.id, vector: Float32Array.of(0, 1) }])
    } else {
      // nobody can go on from another tenant's thought
      const row = thought({ parent: { id: pick(everywhere()).id, seq: 1 } })
      const exit = yield* Effect.exit(store.commit(scope, commit(row)))
      const allowed = mine.some(({ id }) => id === row.parent!.id)
      if (strict) assert.strictEqual(exit._tag, allowed ? "Success" : "Failure")
      else if (!allowed) assert.strictEqual(exit._tag, "Failure")
      if (exit._tag === "Success") {
        mine.push({ id: row.id, version: 1, seq: 1 })
        own.get(scope)!.add(row.id)
      }
    }
  }
  assert.strictEqual(foreign, 0)
  assert.isAbove(everywhere().length, operations / 50)
})

describe.skipIf(!available)("tenants on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  it.live("never see each other's rows", () =>
    Effect.gen(function* () {
      yield* work(yield* makeStore(() => server), true, 1)
    }).pipe(Effect.scoped)
  )

  it.live("never do so either when every statement forgets its condition on the scope", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const { PostgresMemory } = yield* Effect.promise(() => import("../../src/postgres/index.ts"))
      yield* PostgresMemory.makeStore({ url })
      const removed = { count: 0 }
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => careless(url, removed)),
        (made) => Effect.promise(() => made.end())
      )
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
      const store = Sql.make(Database.make(db, { connections: 4, waitMillis: 10_000 }))
      yield* work(store, false, 2)
      assert.isAbove(removed.count, operations / 2)
    }).pipe(Effect.scoped)
  )

  it.live("see nothing at all where no scope was set", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const { PostgresMemory } = yield* Effect.promise(() => import("../../src/postgres/index.ts"))
      const store = yield* PostgresMemory.makeStore({ url })
      const row = thought()
      yield* store.commit("one", commit(row, { notes: notes(row.id, 1, [{}]) }))
      const counts = yield* Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query("set role cogito_tenant")
        const seen = []
        for (const table of ["thought", "note", "entry"]) {
          const { rows } = await client.query(`select count(*)::int as n from cogito.${table}`)
          seen.push(rows[0].n)
        }
        await client.end()
        return seen
      })
      assert.deepStrictEqual(counts, [0, 0, 0])
    }).pipe(Effect.scoped)
  )
})
