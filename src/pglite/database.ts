/**
 * One connection for all fibers: who wants it queues.
 *
 * A statement blocks this process until it is done and cannot be stopped, so only the wait for the connection is
 * interruptible. A transaction is begun and ended by statements: whoever holds the connection is alone on it, and unlike
 * Kysely's and PGlite's own transactions these fail, and do not hang, on a database that is closed or has stopped.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { type Kysely, type RawBuilder, sql } from "kysely"
import * as Shared from "../sql/database.ts"
import { attempt } from "../sql/failure.ts"
import type { Tables } from "../sql/schema.ts"
import { enter } from "../sql/tenant.ts"
import { vacuum } from "../sql/vacuum.ts"
import { refresh } from "./statistics.ts"

export interface Database extends Shared.Database {
  /** Anything else that must not run beside them. */
  readonly exclusive: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Transactions from one look at the statistics to the next. */
const between = 8

export const make = (db: Kysely<Tables>): Database => {
  let transactions = 0
  const connection = Semaphore.makeUnsafe(1)
  const exclusive: Database["exclusive"] = (effect) => connection.withPermit(Effect.uninterruptible(effect))
  const control = (statement: RawBuilder<unknown>) => attempt(() => statement.execute(db))
  const begun = (level: (typeof Shared.isolation)[keyof typeof Shared.isolation]): Shared.Transaction => {
    const begin = sql.raw(`begin isolation level ${level.isolationLevel} ${level.accessMode ?? ""}`)
    return (tenant, run) =>
      exclusive(
        Effect.gen(function* () {
          yield* control(begin)
          const exit = yield* Effect.exit(Effect.andThen(enter(db, tenant), run(db)))
          // The failure that led to a rollback matters more than one of the rollback itself.
          yield* Exit.isSuccess(exit) ? control(sql`commit`) : Effect.ignore(control(sql`rollback`))
          if (transactions++ % between === 0) yield* refresh(db)
          return yield* exit
        })
      )
  }
  const transaction = begun(Shared.isolation.changes)
  const vacuumed = exclusive(vacuum(db))
  return {
    exclusive,
    transaction,
    reading: begun(Shared.isolation.reads),
    unhurried: transaction,
    vacuum: vacuumed,
    // nobody else does; what fails is done after the next ones
    deleted: Effect.ignore(vacuumed)
  }
}
