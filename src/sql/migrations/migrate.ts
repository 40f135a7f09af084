/** Brings the schema up to date: every missing step, all of them in one transaction, one process at a time. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Kysely, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { attempt, corrupt, isMet } from "../database/failure.ts"
import { migrations, type Steps } from "./migrations.ts"
import type { Tables } from "../database/schema.ts"

/** The lock that earlier versions held for a session. A transaction's lock also works behind a pooler, and ends with it. */
const lockId = "3853314791062309107"

/** Names of the steps that were taken, in order; undefined if there is no table of them. */
const taken = async (db: Kysely<Tables>): Promise<ReadonlyArray<string> | undefined> => {
  const found = await sql<{ readonly there: boolean }>`select exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'cogito' and c.relname = 'migration') as there`.execute(db)
  if (!found.rows.some(({ there }) => there)) return undefined
  const { rows } = await sql<{ readonly name: string }>`select name from cogito.migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The tables as the first versions made them: an older program that starts later looks for both. */
const prepare = async (trx: Kysely<Tables>): Promise<void> => {
  // "if not exists" needs the right to create also where there is nothing to create
  const schema = await sql`select where to_regnamespace('cogito') is null`.execute(trx)
  if (schema.rows.length > 0) await sql`create schema cogito`.execute(trx)
  await sql`create table cogito.migration(name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
    trx
  )
  await sql`create table if not exists cogito.migration_lock(
    id varchar(255) not null primary key, is_locked integer not null default 0)`.execute(trx)
  await sql`insert into cogito.migration_lock(id, is_locked) values ('migration_lock', 0) on conflict do nothing`.execute(
    trx
  )
}

/** Takes what is missing now, as another process may have been first. */
const takeAll = async (trx: Kysely<Tables>, known: Steps): Promise<ReadonlyArray<string>> => {
  const before = await taken(trx)
  if (before === undefined) await prepare(trx)
  const missing = Object.entries(known).filter(([name]) => before?.includes(name) !== true)
  await missing.reduce(async (done, [name, step]) => {
    await done
    await step.up(trx)
    await sql`insert into cogito.migration(name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(trx)
  }, Promise.resolve())
  return missing.map(([name]) => name)
}

/** Fails unless the steps that were taken are the first ones of those known here. */
const check = (names: ReadonlyArray<string>, known: Steps): Effect.Effect<void, MemoryError> => {
  if (names.some((name) => !Object.hasOwn(known, name))) {
    return Effect.fail(corrupt("The database was written by a newer version of cogito: use that version."))
  }
  const expected = Object.keys(known).slice(0, names.length)
  return names.every((name, i) => name === expected[i])
    ? Effect.void
    : Effect.fail(corrupt("The database lacks a step of its schema that must come before others: restore a backup."))
}

const again = Schedule.exponential("100 millis").pipe(Schedule.jittered)

/** Tries again, up to 5 times within some 6 seconds, what was rolled back because of a deadlock or a conflict. */
const retryMet = <A>(self: Effect.Effect<A, MemoryError>): Effect.Effect<A, MemoryError> =>
  Effect.retry(self, { schedule: again, times: 5, while: isMet })

/**
 * Brings the database to this version's schema, all or nothing, and returns the names of the steps that it took. Changes
 * nothing if the schema is current. `limits` runs first in the transaction.
 */
export const migrate = (
  db: Kysely<Tables>,
  known: Steps = migrations,
  limits: (trx: Kysely<Tables>) => Promise<unknown> = () => Promise.resolve()
): Effect.Effect<ReadonlyArray<string>, MemoryError> =>
  Effect.gen(function* () {
    const before = yield* attempt(() => taken(db))
    yield* check(before ?? [], known)
    if (before?.length === Object.keys(known).length) return []
    const done = yield* attempt(() =>
      db
        .transaction()
        .setIsolationLevel("read committed")
        .execute(async (trx) => {
          await limits(trx)
          await sql`select pg_advisory_xact_lock(${sql.lit(lockId)}::bigint)`.execute(trx)
          return await takeAll(trx, known)
        })
    )
    yield* check((yield* attempt(() => taken(db))) ?? [], known)
    return done
  }).pipe(retryMet)
