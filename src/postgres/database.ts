/**
 * A pool of connections. A transaction has one of them to itself for as long as it runs; the wait for one can be
 * interrupted and ends after a time.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Kysely } from "kysely"
import type { MemoryError } from "../Memory.ts"
import { type Database, isolation, type Transaction } from "../sql/database/database.ts"
import { attempt, connection, timeout } from "../sql/database/failure.ts"
import { enter, type Settings } from "../sql/database/tenant.ts"
import { vacuum } from "../sql/database/vacuum.ts"

export interface Limits {
  /** Connections at a time. */
  readonly connections: number
  /** How long to wait for a free one. */
  readonly waitMillis: number
  /** What holds in each transaction. */
  readonly settings?: Settings
}

/** `slow`: for what takes long, connections of its own with other settings. */
export const make = (
  db: Kysely<unknown>,
  limits: Limits,
  slow: { readonly db: Kysely<unknown> } & Pick<Limits, "connections" | "settings"> = { db, connections: 1 }
): Database => {
  const quick = pool(db, limits)
  const patient = pool(slow.db, { ...slow, waitMillis: limits.waitMillis })
  return {
    transaction: quick(isolation.changes),
    reading: quick(isolation.reads),
    unhurried: patient(isolation.changes),
    vacuum: vacuum(slow.db),
    deleted: Effect.void
  }
}

const pool = (
  db: Kysely<unknown>,
  { connections, settings, waitMillis }: Limits
): ((level: (typeof isolation)[keyof typeof isolation]) => Transaction) => {
  const free = Semaphore.makeUnsafe(connections)
  const permit = free.take(1).pipe(
    Effect.timeoutOrElse({
      duration: waitMillis,
      orElse: () =>
        Effect.fail(
          timeout(`No connection was free within ${waitMillis} ms: allow for more connections, or more time.`)
        )
    })
  )
  const connected = <A, E>(use: Effect.Effect<A, E>) =>
    Effect.acquireUseRelease(
      permit,
      () => use,
      () => free.release(1)
    )
  return ({ accessMode, isolationLevel }) => {
    const level = db.startTransaction().setIsolationLevel(isolationLevel)
    const begin = accessMode === undefined ? level : level.setAccessMode(accessMode)
    return (tenant, run) =>
      connected(
        Effect.acquireUseRelease(
          attempt(() => begin.execute()),
          (trx) =>
            Effect.gen(function* () {
              yield* enter(trx, tenant, settings)
              const done = yield* run(trx)
              // whether it was committed must be known, so nothing cuts it off
              yield* Effect.uninterruptible(
                Effect.mapError(
                  attempt(() => trx.commit().execute()),
                  unanswered
                )
              )
              return done
            }),
          (trx, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(attempt(() => trx.rollback().execute())))
        )
      )
  }
}

/** Of a commit that was not answered in time it is not known whether it was made: as when the connection breaks. */
const unanswered = (error: MemoryError): MemoryError =>
  error.reason._tag === "Timeout"
    ? connection("The database did not say in time whether it has stored this: try again.")
    : error
