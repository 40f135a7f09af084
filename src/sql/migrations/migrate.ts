/** Bringing the schema up to date: all missing steps in one transaction, one process at a time. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Kysely, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { attempt, corrupt, isMet } from "../database/failure.ts"
import { handOver } from "../database/ownership.ts"
import { migrations, type Steps } from "./migrations.ts"
import { stateOf, taken, tenSteps, unusable } from "./state.ts"

/** The advisory lock of a migration. It belongs to the transaction, so that it also works behind a pooler. */
const lockId = "3853314791062309107"

/** The names of the steps that are to be taken. Throws if none may be. */
const missing = (names: ReadonlyArray<string>, known: Steps): ReadonlyArray<string> => {
  const state = stateOf(names, known)
  if (state in unusable) throw corrupt(unusable[state as keyof typeof unusable])
  return Object.keys(known).filter((name) => !names.includes(name))
}

const prepare = async (trx: Kysely<unknown>): Promise<void> => {
  // "if not exists" requires the right to create even if there is nothing to create
  const schema = await sql`select where to_regnamespace('cogito') is null`.execute(trx)
  if (schema.rows.length > 0) await sql`create schema cogito`.execute(trx)
  await sql`create table cogito.migration(name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
    trx
  )
}

/** Takes the steps that are still missing, as another process may have been first. */
const takeAll = async (trx: Kysely<unknown>, known: Steps): Promise<ReadonlyArray<string>> => {
  const before = await taken(trx)
  const names = missing(before ?? [], known)
  const hasTenSteps = before?.includes(tenSteps[0] ?? "") === true
  if (before === undefined) await prepare(trx)
  if (hasTenSteps) {
    await sql`delete from cogito.migration`.execute(trx)
    await sql`drop table cogito.migration_lock`.execute(trx)
  }
  await names.reduce(async (done, name, i) => {
    await done
    // the ten steps made what the first one makes
    if (!(hasTenSteps && i === 0)) await known[name]?.up(trx)
    await sql`insert into cogito.migration(name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(trx)
  }, Promise.resolve())
  await handOver.execute(trx)
  return names
}

const again = Schedule.exponential("100 millis").pipe(Schedule.jittered)

/**
 * Brings the database to this version's schema, all or nothing, and returns the names of the steps that it took.
 *
 * **Details**
 *
 * Changes nothing if the schema is current. `limits` runs first in the transaction. A transaction that was rolled back because
 * of a deadlock or a conflict is tried again, up to 5 times within some 6 seconds.
 */
export const migrate = (
  db: Kysely<unknown>,
  known: Steps = migrations,
  limits: (trx: Kysely<unknown>) => Promise<unknown> = () => Promise.resolve()
): Effect.Effect<ReadonlyArray<string>, MemoryError> =>
  attempt(async () => {
    if (missing((await taken(db)) ?? [], known).length === 0) return []
    return await db
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (trx) => {
        await limits(trx)
        await sql`select pg_advisory_xact_lock(${sql.lit(lockId)}::bigint)`.execute(trx)
        return await takeAll(trx, known)
      })
  }).pipe(Effect.retry({ schedule: again, times: 5, while: isMet }))
