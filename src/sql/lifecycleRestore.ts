/** Writes a thought as it was in another store: with its version, and with its notes redacted where they were. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError, StoredThought } from "../Memory.ts"
import { write } from "./commit.ts"
import type { Handle } from "./database.ts"
import { attempt } from "./failure.ts"
import { guarded } from "./lifecycle.ts"
import { moment } from "./schema.ts"
import { encode } from "./text.ts"

export const restore = Effect.fnUntraced(function* (
  trx: Handle,
  tenant: string,
  { entries, nextIndex, notes, thought, usage, version }: StoredThought
): Effect.fn.Return<void, MemoryError> {
  const scope = encode(tenant)
  yield* write(trx, tenant, { thought, version: 0, notes, entries, removed: [], nextIndex, usage, parent: undefined })
  const redacted = notes.filter((note) => note.redacted !== undefined)
  if (version === 1 && redacted.length === 0) return
  yield* guarded(
    trx,
    "redact",
    Effect.gen(function* () {
      yield* attempt(() =>
        sql`update cogito.thought set version = ${version}::int where scope = ${scope} and id = ${thought.id}`.execute(
          trx
        )
      )
      for (const { id, redacted: at } of redacted) {
        if (at === undefined) continue
        yield* attempt(() =>
          sql`update cogito.note set redacted_at = ${moment(DateTime.toEpochMillis(at))}
            where scope = ${scope} and id = ${id}`.execute(trx)
        )
      }
    })
  )
})
