/** What migrations must do on whichever database. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Scope from "effect/Scope"
import { sql } from "kysely"
import type { MemoryError } from "../../src/Memory.ts"
import type { Store } from "../../src/Store.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import { migrations as steps } from "../../src/sql/migrations/migrations.ts"
import { catalog, taken } from "./catalog.ts"
import { guards, reads, writes } from "./checks.ts"
import { type Db, few, many, migrateTo, plant } from "./states.ts"

const names = Object.keys(steps)

interface Fresh {
  /** An empty database. */
  readonly db: Db
  /** The store on it, once its schema is there. */
  readonly store: Effect.Effect<Store, MemoryError, Scope.Scope>
}

const timeout = 60_000

/** Steps of a version to come: one that works and one that does not. */
const half = { up: (db: Db) => sql`create table cogito.half(id int)`.execute(db).then(() => {}) }
const failing = { up: (db: Db) => sql`select 1 / 0`.execute(db).then(() => {}) }

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

  it.live.each(names)(
    "from %s keep all rows, found and guarded, in the schema that a fresh database has",
    (state) =>
      Effect.gen(function* () {
        const { db, store } = yield* fresh
        yield* migrateTo(db, state)
        yield* plant(db, state)
        assert.deepStrictEqual(yield* migrate(db), names.slice(names.indexOf(state) + 1))
        assert.deepStrictEqual(
          (yield* taken(db)).map(({ name }) => name),
          names
        )
        assert.deepStrictEqual(yield* catalog(db), yield* made)
        yield* guards(db)
        const opened = yield* store
        yield* reads(opened, state)
        yield* writes(opened)
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

  it.live.each(["nothing", ...names])(
    "leave nothing half done when one fails, after %s",
    (state) =>
      Effect.gen(function* () {
        const { db } = yield* fresh
        // a database without any step has the tables of the migrator all the same
        yield* state === "nothing" ? migrate(db, {}) : Effect.andThen(migrateTo(db, state), plant(db, state))
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
        const some = Object.fromEntries(Object.entries(steps).slice(0, 2))
        yield* migrate(db, { ...some, "9999_later": half })
        const before = yield* catalog(db)
        for (const known of [steps, some]) {
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
