/** Deletes a run. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { guarded } from "../database/guard.ts"
import { encode } from "../database/text.ts"

/** Deletes a run that no process has or is to begin, with its rows, and returns whether there was one. */
export const remove = (trx: Handle, scope: string, runId: string): Effect.Effect<boolean, MemoryError> =>
  Effect.map(
    guarded(
      trx,
      "purge",
      rowsOf(
        trx,
        sql`delete from cogito.run where scope = ${encode(scope)} and id = ${encode(runId)}
          and status not in ('pending', 'running') returning id`
      )
    ),
    (rows) => rows.length > 0
  )
