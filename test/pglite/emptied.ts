/** One database for tests that need an empty store each: to empty it takes a tenth of the time of a start. */
import { afterAll, beforeAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Kysely, sql } from "kysely"
import { dialectOf } from "../../src/pglite/dialect.ts"
import * as Database from "../../src/pglite/database.ts"
import * as Engine from "../../src/pglite/engine/start.ts"
import * as Sql from "../../src/sql/store.ts"

/** Leaves of the schema what a first start makes: tables without rows, and no table of a space. */
const empty = sql`do $$ declare one text; begin
  -- no trigger refuses it
  perform set_config('session_replication_role', 'replica', true);
  for one in select relname from pg_class where relnamespace = 'cogito'::regnamespace and relkind = 'r' loop
    if one like 'vector\\_%' then execute format('drop table cogito.%I', one);
    elsif one not like 'migration%' then execute format('truncate cogito.%I restart identity cascade', one);
    end if;
  end loop;
end $$`

const open = Effect.fnUntraced(function* (archive: Effect.Effect<Blob>) {
  const template = yield* archive
  const { connection } = yield* Engine.start(undefined, { template, thread: false })
  yield* Effect.addFinalizer(() => Effect.promise(() => connection.close()))
  const db = new Kysely<unknown>({ dialect: dialectOf(connection) })
  const { rows } = yield* Effect.promise(() =>
    sql<{ readonly oid: number }>`select 'vector'::regtype::oid::int as oid`.execute(db)
  )
  for (const { oid } of rows) yield* Effect.promise(() => connection.sendBytes(oid))
  return db
})

/** Gives stores on one database, which starts from an archive and is emptied for each. */
export const emptying = (archive: Effect.Effect<Blob>) => {
  const scope = Scope.makeUnsafe()
  let db: Kysely<unknown>
  beforeAll(async () => {
    db = await Effect.runPromise(Scope.provide(open(archive), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.promise(async () => {
    await sql`reset role`.execute(db)
    await empty.execute(db)
    return Sql.make(Database.make(db))
  })
}
