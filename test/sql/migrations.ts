/** What migrations must do on whichever database. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Scope from "effect/Scope"
import { sql } from "kysely"
import type { MemoryError } from "../../src/Memory.ts"
import type { Store } from "../../src/Store.ts"
import { requireCurrent } from "../../src/sql/migrations/asItIs.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import { migrations as steps } from "../../src/sql/migrations/migrations.ts"
import { catalog, taken } from "./catalog.ts"
import { entry, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { fillLedger, guards, reads, writes } from "./checks.ts"
import { type Db, few, many } from "./states.ts"

const names = Object.keys(steps)

interface Fresh {
  /** An empty database. */
  readonly db: Db
  /** Fills it as the version with ten steps left it. */
  readonly restore: Effect.Effect<void>
  /** The store on it, once its schema is there. */
  readonly store: Effect.Effect<Store, MemoryError, Scope.Scope>
}

const timeout = 60_000

/** Steps of a version to come: one that works and one that does not. */
const half = { up: (db: Db) => sql`create table cogito.half(id int)`.execute(db).then(() => {}) }
const failing = { up: (db: Db) => sql`select 1 / 0`.execute(db).then(() => {}) }

/** The table of steps, without one. */
const noStep = (db: Db) =>
  Effect.promise(async () => {
    await sql`create schema cogito`.execute(db)
    await sql`create table cogito.migration(name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
      db
    )
  })

/** A catalog without parentheses: the server writes fewer of them for an expression that it read from a dump. */
const bare = (lines: ReadonlyArray<string>) => lines.map((line) => line.replaceAll(/[()]/g, ""))

/** How many rows each table has. */
const counts = (db: Db) =>
  Effect.promise(() =>
    db.transaction().execute(async (trx) => {
      await sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
      const found = await sql<{ readonly name: string; readonly count: number }>`
        select relname as name, (xpath('/row/count/text()', query_to_xml(format('select count(*) from cogito.%I', relname),
          false, true, '')))[1]::text::int as count
        from pg_class where relnamespace = 'cogito'::regnamespace and relkind = 'r' order by 1`.execute(trx)
      return found.rows
    })
  )

/** Declares the tests for a way to make a fresh database. */
export const migrations = (fresh: Effect.Effect<Fresh, MemoryError, Scope.Scope>): void => {
  /** What a schema is that was made at once. */
  const made = Effect.gen(function* () {
    const { db, store } = yield* fresh
    assert.deepStrictEqual(yield* migrate(db), names)
    const opened = yield* store
    yield* opened.openSpace(many)
    yield* opened.openSpace(few)
    return yield* catalog(db)
  }).pipe(Effect.scoped, Effect.cached, Effect.runSync)

  it.live(
    "of ten steps carry over all rows, found and guarded, in the schema that a fresh database has",
    () =>
      Effect.gen(function* () {
        const { db, restore, store } = yield* fresh
        yield* restore
        const rows = yield* counts(db)
        assert.deepStrictEqual(yield* migrate(db), names)
        const before = { catalog: yield* catalog(db), taken: yield* taken(db) }
        assert.deepStrictEqual(
          before.taken.map(({ name }) => name),
          names
        )
        assert.deepStrictEqual(bare(before.catalog), bare(yield* made))
        const isOurs = ({ name }: { readonly name: string }) => !name.startsWith("migration")
        const after = (yield* counts(db)).filter(isOurs)
        const isOld = ({ name }: { readonly name: string }) => rows.some((row) => row.name === name)
        assert.deepStrictEqual(after.filter(isOld), rows.filter(isOurs))
        // what came later is empty
        assert.deepStrictEqual(
          after.filter((row) => !isOld(row)),
          ["call", "run", "step", "wait"].map((name) => ({ name, count: 0 }))
        )
        assert.deepStrictEqual(yield* migrate(db), [])
        assert.deepStrictEqual({ catalog: yield* catalog(db), taken: yield* taken(db) }, before)
        yield* fillLedger(db)
        yield* guards(db)
        const opened = yield* store
        yield* reads(opened)
        yield* writes(opened)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "carry over which entries of a conversation were removed, as of the version that the thought has",
    () =>
      Effect.gen(function* () {
        const { db, store } = yield* fresh
        const before = Object.fromEntries(Object.entries(steps).slice(0, 3))
        yield* migrate(db, before)
        const rows = [thought(), thought()]
        yield* Effect.promise(() =>
          db.transaction().execute(async (trx) => {
            await sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
            for (const [i, { id, traceId }] of rows.entries()) {
              await sql`insert into cogito.thought(scope, id, trace_id, intent, fork_seq, hidden, checkpoints, created_at, version,
                  last_seq, next_index) values (${`scope ${i}`}, ${id}, ${traceId}, 'a', 0, '[]', '[]', now(), ${5 + i}, 0, 3)`.execute(
                trx
              )
              await sql`insert into cogito.entry(scope, thought_id, index, kind, role, text, carries, covers, live)
                select ${`scope ${i}`}, ${id}, n, 'message', 'user', 'text ' || n, '{}', '{}', n = 1 from generate_series(0, 2) n`.execute(
                trx
              )
            }
          })
        )
        assert.deepStrictEqual(yield* migrate(db), names.slice(3))
        const opened = yield* store
        for (const [i, { id }] of rows.entries()) {
          const stored = yield* opened.history(`scope ${i}`, id)
          assert.deepStrictEqual(stored?.entries, [entry(1)])
          assert.deepStrictEqual(
            stored?.removed,
            [0, 2].map((index) => ({ entry: entry(index), version: 5 + i }))
          )
        }
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "carry over conversations with calls whose texts are whole, and runs that have what they no longer need",
    () =>
      Effect.gen(function* () {
        const { db, store } = yield* fresh
        yield* migrate(db, Object.fromEntries(Object.entries(steps).slice(0, 7)))
        const row = thought()
        const called = note(row.id, 1, { content: "{}", metadata: { tool: "read", tool_call: "1" } })
        const start = { thoughtId: row.id, seq: 0, version: 1, nextIndex: 0, usage: undefined }
        yield* Effect.promise(() =>
          db.transaction().execute(async (trx) => {
            const [scope, frames] = ["acme", ["^0", "/a", "/a^0", "/a^1"]]
            await sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
            await sql`insert into cogito.thought(scope, id, trace_id, intent, fork_seq, hidden, checkpoints, created_at, version,
                last_seq, next_index) values (${scope}, ${row.id}, ${row.traceId}, 'a', 0, '[]', '[]', now(), 2, 1, 2)`.execute(
              trx
            )
            await sql`insert into cogito.note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at)
              values (${scope}, ${called.id}, ${row.id}, 1, 'a', '{}', ${JSON.stringify(called.metadata)}, '', '', 'trusted',
                now())`.execute(trx)
            await sql`insert into cogito.entry(scope, thought_id, index, kind, role, text, carries, covers)
              values (${scope}, ${row.id}, 0, 'message', 'assistant', '[calls read with {}]', ${[called.id]}::uuid[], '{}'),
                (${scope}, ${row.id}, 1, 'message', 'assistant', null, ${[called.id]}::uuid[], '{}')`.execute(trx)
            await sql`insert into cogito.run(scope, id, seed, pipeline, fingerprint, outline, start_position, start_hash, fork,
                keep, status, epoch, created_at)
              values (${scope}, 'run', '', '', '', '', ${JSON.stringify(start)}, '', false, 'nothing', 'running', 1, now())`.execute(
              trx
            )
            await sql`insert into cogito.step(scope, run_id, frame, kind, outcome, position, started_at, epoch)
              select ${scope}, 'run', frame, case when frame like '%^%' then 'commit' else 'agent' end, 'committed',
                ${JSON.stringify(start)}::json, now(), 1 from unnest(${frames}::text[]) frame`.execute(trx)
            await sql`insert into cogito.call(scope, run_id, frame, n, kind, attempt, hash, parts, state, started_at, epoch)
              values (${scope}, 'run', '/a', 0, 'complete', 1, 'cafe', '{"task":"beef"}', 'answered', now(), 1)`.execute(
              trx
            )
          })
        )
        assert.deepStrictEqual(yield* migrate(db), names.slice(7))
        const opened = yield* store
        assert.deepStrictEqual(
          (yield* opened.history("acme", row.id))?.entries.map(({ kind, text }) => [kind, text]),
          [
            ["message", "[calls read with {}]"],
            ["message", "{}"]
          ]
        )
        const before = yield* opened.ledger.load("acme", "run")
        const rows = { runId: "run", epoch: 1, drops: [{ frame: "/a", n: 0 }], passes: ["/a^0", "/a^1"] }
        yield* opened.ledger.record("acme", rows)
        const after = yield* opened.ledger.load("acme", "run")
        assert.deepStrictEqual(
          before?.calls.map(({ hash, parts }) => [hash, parts]),
          [["cafe", { task: "beef" }]]
        )
        assert.deepStrictEqual(
          after?.calls.map(({ hash, parts }) => [hash, parts]),
          [["-", {}]]
        )
        assert.sameMembers(before?.steps.map(({ frame }) => frame) ?? [], ["^0", "/a", "/a^0", "/a^1"])
        assert.sameMembers(after?.steps.map(({ frame }) => frame) ?? [], ["^0", "/a"])
        assert.deepStrictEqual(after?.steps[0]?.position, start)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "refuse a database that has only some of the ten steps, and say what to do with it",
    () =>
      Effect.gen(function* () {
        const { db, restore } = yield* fresh
        yield* restore
        for (const last of ["0010_copies", "0004_spaces", "0001_thoughts"]) {
          yield* Effect.promise(() =>
            sql`delete from cogito.migration where name >= ${last} and name <> '0001_thoughts'`.execute(db)
          )
          const before = { catalog: yield* catalog(db), taken: yield* taken(db), rows: yield* counts(db) }
          const error = yield* Effect.flip(migrate(db))
          assert.strictEqual(error.reason._tag, "Corrupt")
          assert.include(error.message, "early version of cogito")
          assert.include(error.message, "cogito memory export")
          assert.isFalse(error.isRetryable)
          const same = yield* Effect.flip(requireCurrent(db))
          assert.deepInclude(same, { _tag: "SchemaNotCurrent", state: "older", message: error.message })
          assert.deepStrictEqual(
            { catalog: yield* catalog(db), taken: yield* taken(db), rows: yield* counts(db) },
            before
          )
        }
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "are taken once: a second time changes nothing",
    () =>
      Effect.gen(function* () {
        const { db } = yield* fresh
        yield* migrate(db)
        const before = { catalog: yield* catalog(db), taken: yield* taken(db) }
        assert.deepStrictEqual(yield* migrate(db), [])
        assert.deepStrictEqual({ catalog: yield* catalog(db), taken: yield* taken(db) }, before)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live.each(["nothing", "ten steps", names[4] ?? "", names.at(-1) ?? ""])(
    "leave nothing half done when one fails, after %s",
    (state) =>
      Effect.gen(function* () {
        const { db, restore } = yield* fresh
        const until = Object.fromEntries(Object.entries(steps).filter(([name]) => name <= state))
        yield* state === "nothing" ? noStep(db) : state === "ten steps" ? restore : Effect.asVoid(migrate(db, until))
        const before = { catalog: yield* catalog(db), taken: yield* taken(db), rows: yield* counts(db) }
        const broken = { ...steps, "9998_half": half, "9999_broken": failing }
        const error = yield* Effect.flip(migrate(db, broken))
        assert.deepStrictEqual([error.reason._tag, error.reason], ["Query", { ...error.reason, code: "22012" }])
        assert.isFalse(error.isRetryable)
        assert.deepStrictEqual(
          { catalog: yield* catalog(db), taken: yield* taken(db), rows: yield* counts(db) },
          before
        )
        // and once it is mended, nothing is in the way
        yield* migrate(db)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "refuse a database that has steps of a newer version, however many of these are known",
    () =>
      Effect.gen(function* () {
        const { db } = yield* fresh
        yield* migrate(db, { ...steps, "9999_later": half })
        const before = yield* catalog(db)
        for (const known of [steps, { ...steps, "0002_other": half }]) {
          const error = yield* Effect.flip(migrate(db, known))
          assert.strictEqual(error.reason._tag, "Corrupt")
          assert.include(error.message, "newer version")
          assert.isFalse(error.isRetryable)
        }
        assert.deepStrictEqual(yield* catalog(db), before)
      }).pipe(Effect.scoped),
    timeout
  )
}
