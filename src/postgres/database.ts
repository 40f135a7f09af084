/**
 * A pool of connections. A transaction has one of them to itself for as long as it runs; the wait for one can be
 * interrupted and ends after a time.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Kysely } from "kysely"
import type { MemoryError } from "../Memory.ts"
import { type Database, isolation, type Transaction } from "../sql/database/database.ts"
import { attempt, connection, timeout } from "../sql/database/failure.ts"
import { enter, type Settings } from "../sql/database/tenant.ts"
import { vacuum } from "../sql/database/vacuum.ts"

export interface Limits {
  /** The most connections at a time. */
  readonly connections: number
  /** The longest wait for a free connection. */
  readonly waitMillis: number
  /** Settings of each transaction. */
  readonly settings?: Settings
}

/**
 * Makes a database of connections; `slow` are those for operations that take long, with their own settings. When the scope
 * closes, it waits for the transactions that have begun, and begins no other.
 */
export const make = Effect.fnUntraced(function* (
  db: Kysely<unknown>,
  limits: Limits,
  slow: { readonly db: Kysely<unknown> } & Pick<Limits, "connections" | "settings"> = { db, connections: 1 }
): Effect.fn.Return<Database, never, Scope.Scope> {
  const quick = yield* pool(db, limits)
  const patient = yield* pool(slow.db, { ...slow, waitMillis: limits.waitMillis })
  return {
    alone: false,
    transaction: quick(isolation.changes),
    // the server has it, and flushes it within a second
    unflushed: quick(isolation.changes, { synchronous_commit: "off" }),
    reading: quick(isolation.reads),
    unhurried: patient(isolation.changes),
    vacuum: vacuum(slow.db),
    deleted: Effect.void
  }
})

const closed = connection("The memory is closed: use it before the scope of its layer closes.")

type Begin = (level: (typeof isolation)[keyof typeof isolation], more?: Settings) => Transaction

const pool = Effect.fnUntraced(function* (
  db: Kysely<unknown>,
  { connections, settings, waitMillis }: Limits
): Effect.fn.Return<Begin, never, Scope.Scope> {
  const free = Semaphore.makeUnsafe(connections)
  let isClosed = false
  // the driver would let a transaction that is about to begin wait for a connection of a closed pool until its time is up
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosed = true
      return free.withPermits(connections)(Effect.void)
    })
  )
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
      (): Effect.Effect<A, E | MemoryError> => (isClosed ? Effect.fail(closed) : use),
      () => free.release(1)
    )
  return ({ accessMode, isolationLevel }, more) => {
    const all = { ...settings, ...more }
    const level = db.startTransaction().setIsolationLevel(isolationLevel)
    const begin = accessMode === undefined ? level : level.setAccessMode(accessMode)
    return (tenant, run) =>
      connected(
        Effect.acquireUseRelease(
          attempt(() => begin.execute()),
          (trx) =>
            Effect.gen(function* () {
              yield* enter(trx, tenant, all)
              const done = yield* run(trx)
              // an interruption here would leave it unknown whether the transaction was committed
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
})

/** The failure of a commit without an answer in time: as after a broken connection, it may have been made or not. */
const unanswered = (error: MemoryError): MemoryError =>
  error.reason._tag === "Timeout"
    ? connection("The database did not say in time whether it has stored this: try again.")
    : error
