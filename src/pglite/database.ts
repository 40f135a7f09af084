/**
 * One connection for all fibers, which queue for it.
 *
 * A statement cannot be stopped, so only the wait for the connection is interruptible. Statements begin and end a transaction, as its fiber alone holds the connection. Unlike the transactions of
 * Kysely and PGlite, these fail, and do not hang, on a database that is closed or has stopped.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { MemoryError } from "../Memory.ts"
import { type Kysely, type RawBuilder, sql } from "kysely"
import * as Shared from "../sql/database/database.ts"
import { attempt } from "../sql/database/failure.ts"
import { stay } from "../sql/database/tenant.ts"
import { vacuum } from "../sql/database/vacuum.ts"
import type { Upkeep } from "./engine/upkeep.ts"
import { tidy } from "./deadRows.ts"
import { shorten } from "./memoryLog.ts"
import { refresh } from "./statistics.ts"

export interface Database extends Shared.Database {
  /** Runs something else that must not run beside transactions. */
  readonly exclusive: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Transactions between two checks of the statistics, and of the log in memory. */
const between = 8

/** Tables of the system whose rows each vacuum writes anew. A server frees their room by itself, PGlite does not. */
const rewritten = ["pg_catalog.pg_statistic"]

/** Transactions between two checks of the room of dead rows, the first of them soon, as a process may be short. */
const betweenRooms = 128

interface Options {
  /** Without it the database is in memory. */
  readonly upkeep?: Upkeep | undefined
  /** The same connection, where what a statement commits reaches the system, and the disk with the next commit. */
  readonly late?: Kysely<unknown>
}

export const make = (db: Kysely<unknown>, { late = db, upkeep }: Options = {}): Database => {
  let transactions = 0
  const connection = Semaphore.makeUnsafe(1)
  const exclusive: Database["exclusive"] = (effect) => connection.withPermit(Effect.uninterruptible(effect))
  const control = (statement: RawBuilder<unknown>) => attempt(() => statement.execute(db))
  /** The scope to which the session is limited. Most transactions are of the same one as that before. */
  let current: { readonly tenant: Shared.Tenant } | undefined
  const enter = (tenant: Shared.Tenant): Effect.Effect<void, MemoryError> =>
    Effect.suspend(() => {
      if (current !== undefined && current.tenant === tenant) return Effect.void
      current = undefined
      return Effect.tap(stay(db, tenant), () => Effect.sync(() => (current = { tenant })))
    })
  const leave = enter(undefined)
  /** Writes the log's rows to their tables, as no other process does it. A failure is tried again later. */
  const checkpoint = Effect.suspend(() => {
    upkeep?.done()
    return Effect.ignore(Effect.andThen(leave, control(sql`checkpoint`)))
  })
  /** A checkpoint may free room that the log has taken. */
  const room =
    upkeep === undefined
      ? Effect.void
      : Effect.catch(upkeep.room, () => Effect.andThen(Effect.andThen(upkeep.roomToSave, checkpoint), upkeep.room))
  const saved = Effect.suspend(() => (upkeep?.isDue() === true ? checkpoint : Effect.void))
  const tidied = Effect.ignore(Effect.andThen(Effect.andThen(room, leave), tidy(db, rewritten)))
  const checked = Effect.andThen(refresh(db, leave), upkeep === undefined ? shorten(db, checkpoint) : Effect.void)
  /** What is due after every few transactions, and after many rows. */
  const after = Effect.andThen(
    Effect.suspend(() => {
      const before = transactions++
      const checks = before % between === 0 ? checked : Effect.void
      return before % betweenRooms === between ? Effect.andThen(checks, tidied) : checks
    }),
    saved
  )
  const begun = (level: (typeof Shared.isolation)[keyof typeof Shared.isolation]): Shared.Transaction => {
    const before = "accessMode" in level && level.accessMode === "read only" ? Effect.void : room
    const begin = sql.raw(`begin isolation level ${level.isolationLevel} ${level.accessMode ?? ""}`)
    return (tenant, run) =>
      exclusive(
        Effect.gen(function* () {
          yield* before
          yield* enter(tenant)
          yield* control(begin)
          const exit = yield* Effect.exit(run(db))
          // The failure that led to a rollback matters more than one of the rollback itself.
          yield* Exit.isSuccess(exit) ? control(sql`commit`) : Effect.ignore(control(sql`rollback`))
          yield* after
          return yield* exit
        })
      )
  }
  const transaction = begun(Shared.isolation.changes)
  // a statement by itself is a transaction, which saves two more
  const unflushed: Shared.Transaction = (tenant, run) =>
    exclusive(
      Effect.gen(function* () {
        yield* room
        yield* enter(tenant)
        const exit = yield* Effect.exit(run(late))
        // others follow soon, which look after the statistics
        yield* saved
        return yield* exit
      })
    )
  const vacuumed = exclusive(Effect.andThen(Effect.andThen(room, leave), vacuum(db, rewritten)))
  return {
    alone: true,
    exclusive,
    transaction,
    unflushed,
    reading: begun(Shared.isolation.reads),
    unhurried: transaction,
    vacuum: vacuumed,
    // a failure is made up for after the next deletion
    deleted: Effect.ignore(vacuumed)
  }
}
