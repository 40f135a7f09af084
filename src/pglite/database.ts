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
import type { MemoryError } from "../Memory.ts"
import { type Kysely, type RawBuilder, sql } from "kysely"
import * as Shared from "../sql/database/database.ts"
import { attempt } from "../sql/database/failure.ts"
import { enter } from "../sql/database/tenant.ts"
import { vacuum } from "../sql/database/vacuum.ts"
import { refresh } from "./statistics.ts"

export interface Database extends Shared.Database {
  /** Anything else that must not run beside them. */
  readonly exclusive: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** What a database on a disk needs beside its statements. */
export interface Upkeep {
  /** Fails when the disk has no room for a change. */
  readonly room: Effect.Effect<void, MemoryError>
  /** Fails when the disk has no room for a checkpoint. */
  readonly roomToSave: Effect.Effect<void, MemoryError>
  /** Whether the log has grown so far that what it holds is to be written where it belongs. */
  readonly isDue: () => boolean
  /** To be run when that was done. */
  readonly done: () => void
}

/** Transactions from one look at the statistics to the next. */
const between = 8

export const make = (db: Kysely<unknown>, upkeep?: Upkeep): Database => {
  let transactions = 0
  const connection = Semaphore.makeUnsafe(1)
  const exclusive: Database["exclusive"] = (effect) => connection.withPermit(Effect.uninterruptible(effect))
  const control = (statement: RawBuilder<unknown>) => attempt(() => statement.execute(db))
  /** Nobody else writes the log's rows to their tables: there is only this process. What fails is tried again later. */
  const checkpoint = Effect.suspend(() => {
    upkeep?.done()
    return Effect.ignore(control(sql`checkpoint`))
  })
  /** A checkpoint may give back what the log has taken. */
  const room =
    upkeep === undefined
      ? Effect.void
      : Effect.catch(upkeep.room, () => Effect.andThen(Effect.andThen(upkeep.roomToSave, checkpoint), upkeep.room))
  const begun = (level: (typeof Shared.isolation)[keyof typeof Shared.isolation]): Shared.Transaction => {
    const before = "accessMode" in level && level.accessMode === "read only" ? Effect.void : room
    const begin = sql.raw(`begin isolation level ${level.isolationLevel} ${level.accessMode ?? ""}`)
    return (tenant, run) =>
      exclusive(
        Effect.gen(function* () {
          yield* before
          yield* control(begin)
          const exit = yield* Effect.exit(Effect.andThen(enter(db, tenant), run(db)))
          // The failure that led to a rollback matters more than one of the rollback itself.
          yield* Exit.isSuccess(exit) ? control(sql`commit`) : Effect.ignore(control(sql`rollback`))
          if (transactions++ % between === 0) yield* refresh(db)
          if (upkeep?.isDue() === true) yield* checkpoint
          return yield* exit
        })
      )
  }
  const transaction = begun(Shared.isolation.changes)
  const vacuumed = exclusive(Effect.andThen(room, vacuum(db)))
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
