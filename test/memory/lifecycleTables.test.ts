/** What the database itself says: append-only without a guard, nothing left after a purge, tenants apart without conditions. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import * as Database from "../../src/postgres/database.ts"
import * as Sql from "../../src/sql/store.ts"
import type { Store } from "../../src/Store.ts"
import { answered, newRun, noon, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { loadAll, plant } from "../../src/testing/contract/stage/forest.ts"
import { random } from "../../src/testing/contract/stage/random.ts"
import { commit, entry, notes, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { available, database, type Server, start } from "../postgres/server.ts"
import { superuser } from "../postgres/superuser.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"

const spaces = [
  { embedder: "one", dimensions: 2, metric: "cosine" },
  { embedder: "two", dimensions: 3, metric: "cosine" }
] as const

const tables = `select c.relname as name from pg_class c
  where c.relnamespace = 'cogito'::regnamespace and c.relkind in ('r', 'p')`

describe.skipIf(!available)("the tables on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  /** A store, and a connection of the superuser to its database. */
  const opened = Effect.gen(function* () {
    const url = yield* Effect.promise(() => database(server))
    const store = yield* PostgresMemory.makeStore({ url })
    const { code, rows } = yield* superuser(url)
    return { url, store, rows, code }
  })

  it.live("refuse every change of what is append-only to whoever does not say why", () =>
    Effect.gen(function* () {
      const { code, rows, store } = yield* opened
      const row = thought()
      yield* store.commit("a", commit(row, { notes: notes(row.id, 1, [{}]), entries: [entry(0)], nextIndex: 1 }))
      const changes = [
        "update cogito.note set content = 'x'",
        "update cogito.note set redacted_at = now()",
        "delete from cogito.note",
        "update cogito.entry set text = 'x'",
        "delete from cogito.entry",
        "update cogito.thought set intent = 'x', version = version + 1",
        "update cogito.thought set version = version + 2",
        "delete from cogito.thought"
      ]
      const tenant = "set local role cogito_tenant; select set_config('cogito.scope', 'a', true);"
      for (const change of changes) {
        assert.strictEqual(yield* code(change), "23001", change)
        assert.include(["23001", "42501"], yield* code(`begin; ${tenant} ${change}`), change)
        yield* rows("rollback")
      }
      const guarded = (guard: string, change: string) =>
        Effect.tap(code(`begin; ${tenant} select set_config('cogito.guard', '${guard}', true); ${change}`), () =>
          rows("rollback")
        )
      assert.strictEqual(yield* guarded("redact", "delete from cogito.note"), "23001")
      assert.strictEqual(yield* guarded("redact", "delete from cogito.thought"), "23001")
      assert.strictEqual(yield* guarded("other", "update cogito.note set content = ''"), "23001")
      for (const guard of ["purge", "redact"]) {
        assert.include(["23001", "42501"], yield* guarded(guard, "truncate cogito.entry"))
        assert.strictEqual(yield* guarded(guard, "update cogito.note set seq = 2"), "42501")
      }
      assert.strictEqual(yield* guarded("purge", "delete from cogito.entry"), "done")
      // a guard ends with its transaction
      assert.isTrue(yield* store.remove("a", { id: row.id }, { materialize: false }))
      assert.deepStrictEqual(yield* rows("select coalesce(current_setting('cogito.guard', true), '') as guard"), [
        { guard: "" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("hold nothing of a scope that was purged, whichever they are", () =>
    Effect.gen(function* () {
      const { rows, store } = yield* opened
      for (const scope of ["gone", "kept"]) {
        const stored = yield* plant(store, scope, random(9), 8)
        const ids = stored.flatMap((one) => one.notes.map(({ id }) => id))
        for (const space of spaces) {
          yield* store.openSpace(space)
          const vector = new Float32Array(space.dimensions).fill(Math.sqrt(1 / space.dimensions))
          yield* store.putVectors(
            scope,
            space,
            ids.map((noteId) => ({ noteId, vector }))
          )
        }
        yield* told(store, scope, stored[0]!.thought.id, "what it was told")
      }
      // one that a later version may have
      yield* rows(`create table cogito.later(scope text not null, thought_id uuid not null, what text,
        foreign key (scope, thought_id) references cogito.thought(scope, id))`)
      yield* rows("grant select, insert on cogito.later to cogito_tenant")
      yield* rows("call cogito.guard('cogito.later')")
      yield* rows("insert into cogito.later select scope, id, 'gone kept' from cogito.thought")
      const holding = (scope: string) =>
        Effect.gen(function* () {
          const found: Array<string> = []
          for (const { name } of yield* rows(tables)) {
            const [first] = yield* rows(
              `select count(*)::int as count from cogito.${name} t where to_jsonb(t) ->> 'scope' = $1`,
              [scope]
            )
            if (first.count > 0) found.push(name)
          }
          return found.toSorted()
        })
      const before = yield* holding("gone")
      assert.includeMembers(before, ["call", "entry", "later", "note", "run", "step", "thought", "wait"])
      assert.strictEqual(before.filter((name) => name.startsWith("vector_")).length, 2)
      assert.strictEqual(yield* store.purge("gone"), 8)
      assert.deepStrictEqual(yield* holding("gone"), [])
      assert.deepStrictEqual(yield* holding("kept"), before)
    }).pipe(Effect.scoped)
  )

  it.live("hold no text of a redacted note anywhere", () =>
    Effect.gen(function* () {
      const { rows, store } = yield* opened
      const row = thought()
      const [secret, open] = notes(row.id, 1, [{ content: "zanzibar", metadata: { at: "zanzibar" } }, {}])
      const carries = [secret!.id]
      const entries = [entry(0, { text: "to zanzibar", carries }), entry(1, { text: "zanzibar!", covers: carries })]
      yield* store.commit("a", commit(row, { notes: [secret!, open!], entries, nextIndex: 2 }))
      yield* store.commit("a", commit(row, { version: 1, removed: [0], nextIndex: 2 }))
      for (const space of spaces) {
        yield* store.openSpace(space)
        const vector = new Float32Array(space.dimensions).fill(Math.sqrt(1 / space.dimensions))
        yield* store.putVectors(
          "a",
          space,
          [secret!, open!].map(({ id }) => ({ noteId: id, vector }))
        )
      }
      yield* told(store, "a", row.id, "zanzibar")
      const other = thought()
      yield* store.commit("a", commit(other))
      const found = newRun(other.id)
      const calls = [answered("/a@0", 0, { kind: "search", response: `${secret!.id}: zanzibar` })]
      yield* store.ledger.record("a", { runId: found.id, epoch: 1, begins: [found], calls })
      const holding = Effect.gen(function* () {
        let count = 0
        for (const { name } of yield* rows(tables)) {
          const condition = name.startsWith("vector_") ? "note_id::text = $1" : "t::text like '%zanzibar%' and $1 <> ''"
          const [first] = yield* rows(`select count(*)::int as count from cogito.${name} t where ${condition}`, [
            secret!.id
          ])
          count += first.count
        }
        return count
      })
      assert.strictEqual(yield* holding, 5 + 4)
      yield* store.redact("a", secret!.id, 1_800_000_000_000)
      assert.strictEqual(yield* holding, 0)
    }).pipe(Effect.scoped)
  )

  it.live("let a vector that comes while its note is redacted not stay", () =>
    Effect.gen(function* () {
      const { rows, store } = yield* opened
      const [space] = spaces
      yield* store.openSpace(space)
      const row = thought()
      const own = notes(row.id, 1, [{}])
      yield* store.commit("a", commit(row, { notes: own }))
      const [vectors] = yield* rows(`${tables} and relname like 'vector_%'`)
      // what redacting does, stopped in the middle
      yield* rows("begin")
      yield* rows("select id from cogito.note for update")
      const late = yield* Effect.forkChild(
        store.putVectors(
          "a",
          space,
          own.map(({ id }) => ({ noteId: id, vector: Float32Array.of(1, 0) }))
        )
      )
      const waiting = rows(
        "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      )
      while ((yield* waiting).length === 0) yield* Effect.sleep("10 millis")
      yield* rows("select set_config('cogito.guard', 'redact', true)")
      yield* rows("update cogito.note set content = '', redacted_at = now()")
      yield* rows("commit")
      yield* Fiber.join(late)
      assert.deepStrictEqual(yield* rows(`select note_id from cogito.${vectors.name}`), [])
    }).pipe(Effect.scoped)
  )

  it.live("keep tenants apart also when the conditions on the scope are taken away", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const careful = yield* PostgresMemory.makeStore({ url })
      const [space] = spaces
      yield* careful.openSpace(space)
      const mine = yield* plant(careful, "mine", random(4), 6)
      const theirs = yield* plant(careful, "theirs", random(4), 6)
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => careless(url)),
        (made) => Effect.promise(() => made.end())
      )
      const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
      const store = Sql.make(yield* Database.make(db, { connections: 4, waitMillis: 10_000 }))
      const foreign = theirs.flatMap((one) => one.notes)[0]!
      const other = theirs[0]!.thought
      assert.strictEqual((yield* loadAll(store, "mine")).length, mine.length)
      assert.isUndefined(yield* store.redact("mine", foreign.id, 1_800_000_000_000))
      assert.isUndefined(yield* store.append("mine", { id: other.id }, []))
      assert.isFalse(yield* store.remove("mine", { id: other.id }, { materialize: true }))
      yield* store.redact("mine", mine.flatMap((one) => one.notes)[0]!.id, 1_800_000_000_000)
      for (const { thought: one } of yield* loadAll(careful, "mine")) {
        assert.isTrue(yield* store.remove("mine", { id: one.id }, { materialize: true }))
        if ((yield* loadAll(careful, "mine")).length <= 3) break
      }
      assert.isAbove(yield* store.purge("mine"), 0)
      assert.deepStrictEqual(yield* loadAll(careful, "mine"), [])
      assert.deepStrictEqual((yield* loadAll(careful, "theirs")).map(plain), theirs.map(plain))
    }).pipe(Effect.scoped)
  )
})

/** Begins a run that has asked two questions, and was told a text by a model and a person. */
const told = (store: Store, scope: string, thoughtId: string, text: string) => {
  const run = newRun(thoughtId)
  const waits = [wait(run.id, thoughtId, "/a@0", { prompt: text }), wait(run.id, thoughtId, "/b@0")]
  const rows = { steps: [step("/a@0")], calls: [answered("/a@0", 0, { response: text })], waits }
  return Effect.andThen(
    store.ledger.record(scope, { runId: run.id, epoch: 1, begins: [run], ...rows }),
    store.ledger.answer(scope, { runId: run.id, frame: "/b@0" }, { json: text, by: "ann", millis: noon })
  )
}

/** The statements of a client without their conditions on the scope; their parameters stay, so that their number holds. */
const careless = (url: string): Pool => {
  class Careless extends Client {
    // the driver's own type has a dozen overloads for what is passed on as it is
    override query(...args: ReadonlyArray<any>): any {
      const [config, ...rest] = args
      const strip = (text: string) =>
        text.replaceAll(
          /(?:"?\w+"?\.)?"?scope"? = (\$\d+)/g,
          (_, parameter: string) => `${parameter}::text is not null`
        )
      const stripped = typeof config === "string" ? strip(config) : { ...config, text: strip(config.text) }
      return (super.query as (...all: ReadonlyArray<any>) => any)(stripped, ...rest)
    }
  }
  return new Pool({ connectionString: url, max: 4, Client: Careless })
}
