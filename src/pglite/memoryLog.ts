/** The log of a database in memory. Only a checkpoint frees its room, which a server takes by itself and PGlite does not. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../Memory.ts"
import { type Handle, rowsOf } from "../sql/database/database.ts"

/** Bytes of the log after which a checkpoint is due. */
const most = 2 ** 25

/** Takes a checkpoint each time the log has grown by so much. A failure is tried again later. */
export const shorten = (db: Handle, checkpoint: Effect.Effect<void, MemoryError>): Effect.Effect<void> => {
  let before: number | undefined
  return Effect.ignore(
    Effect.gen(function* () {
      const [log] = yield* rowsOf(
        db,
        sql<{ readonly bytes: number }>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
      )
      if (log === undefined) return
      before ??= log.bytes
      if (log.bytes - before < most) return
      before = log.bytes
      yield* checkpoint
    })
  )
}
