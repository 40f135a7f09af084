/** Restores a thought as it was in another store, with its version and its redactions. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { StoredThought } from "../../Store.ts"
import { write } from "../thoughts/commit.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { guarded } from "../database/guard.ts"
import { encode } from "../database/text.ts"

export const restore = (
  trx: Handle,
  tenant: string,
  { entries, nextIndex, notes, thought, usage, version }: StoredThought
): Effect.Effect<void, MemoryError> =>
  guarded(
    trx,
    "redact",
    Effect.gen(function* () {
      yield* write(trx, tenant, {
        thought,
        version: 0,
        notes,
        entries,
        removed: [],
        nextIndex,
        usage,
        parent: undefined
      })
      if (version === 1) return
      yield* rowsOf(
        trx,
        sql`update cogito.thought set version = ${version}::int where scope = ${encode(tenant)} and id = ${thought.id}`
      )
    })
  )
