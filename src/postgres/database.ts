/**
 * A pool of connections. A transaction has one of them to itself for as long as it runs; the wait for one can be
 * interrupted and ends after a time.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Kysely } from "kysely"
import type { Database } from "../sql/database.ts"
import { attempt, timeout } from "../sql/failure.ts"
import type { Tables } from "../sql/schema.ts"
import { enter } from "../sql/tenant.ts"

export interface Limits {
  /** Connections at a time. */
  readonly connections: number
  /** How long to wait for a free one. */
  readonly waitMillis: number
}

/** `slow`: for what takes long, a connection of its own without a limit to a statement's time. */
export const make = (db: Kysely<Tables>, limits: Limits, slow: Kysely<Tables> = db): Database => {
  const unhurried = pool(slow, { ...limits, connections: 1 })
  return { transaction: pool(db, limits), unhurried: (run) => unhurried(undefined, run) }
}

const pool = (db: Kysely<Tables>, { connections, waitMillis }: Limits): Database["transaction"] => {
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
  return (tenant, run) =>
    connected(
      Effect.acquireUseRelease(
        attempt(() => db.startTransaction().execute()),
        (trx) =>
          Effect.gen(function* () {
            yield* enter(trx, tenant)
            const done = yield* run(trx)
            // whether it was committed must be known, so nothing cuts it off
            yield* Effect.uninterruptible(attempt(() => trx.commit().execute()))
            return done
          }),
        (trx, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(attempt(() => trx.rollback().execute())))
      )
    )
}
