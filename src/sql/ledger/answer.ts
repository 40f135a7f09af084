/** Answers the question that a run waits for. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { WaitRow } from "../../memory/model/Ledger.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { moment } from "../database/values.ts"
import { encode } from "../database/text.ts"
import { waitColumns, waitOf, type WaitRecord } from "./rows.ts"

/** The question with its answer, and whether that is this one: the first one counts. Nothing if there is no such question. */
export const answer = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  { frame, runId }: { readonly runId: string; readonly frame: string },
  { by, json, millis }: { readonly json: string; readonly by: string | undefined; readonly millis: number }
): Effect.fn.Return<{ readonly wait: WaitRow; readonly first: boolean } | undefined, MemoryError> {
  const self = sql`w.scope = ${encode(scope)} and w.run_id = ${encode(runId)}
    and w.frame_hash = md5(${encode(frame)})::uuid`
  const [answered] = yield* rowsOf(
    trx,
    sql<WaitRecord>`update cogito.wait w set answer = ${encode(json)},
        answered_by = ${by === undefined ? null : encode(by)}, answered_at = ${moment(millis)}
      where ${self} and w.answer is null returning ${waitColumns}`
  )
  if (answered !== undefined) return { wait: waitOf(answered), first: true }
  // the statement above has waited for whoever was first
  const [known] = yield* rowsOf(trx, sql<WaitRecord>`select ${waitColumns} from cogito.wait w where ${self}`)
  return known === undefined ? undefined : { wait: waitOf(known), first: false }
})
