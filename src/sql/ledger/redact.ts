/** Takes the texts of redacted notes out of the rows of durable runs. */
import * as Effect from "effect/Effect"
import { sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { isPlace } from "./parts.ts"

type Ids = ReadonlyArray<string>

const anyId = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

/**
 * Empties the requests, responses and questions of runs that have come to one of the thoughts, with their hashes: who goes on with
 * such a run asks again. Of runs that name one of the notes in a call, empties these calls and the questions. What the runs still
 * write is not kept until they are taken again. Transactions that write rows of the runs come before or after.
 */
export const redactRuns = Effect.fnUntraced(function* (
  trx: Handle,
  scope: string,
  { notes, thoughts }: { readonly thoughts: Ids; readonly notes: Ids }
): Effect.fn.Return<void, MemoryError> {
  const sees = sql`(r.thought_id = any(${thoughts}::uuid[]) or r.end_thought = any(${thoughts}::uuid[]) or r.id in (
      select s.run_id from cogito.step s where s.scope = ${scope} and s.thought = any(${thoughts}::uuid[])))`
  const names = sql`exists (
      select from regexp_matches(concat(c.request, ' ', c.response), ${anyId}, 'g') as named(ids)
      where named.ids[1]::uuid = any(${notes}::uuid[]))`
  const found = yield* rowsOf(
    trx,
    sql<{ readonly id: string; readonly sees: boolean }>`select r.id, coalesce(${sees}, false) as sees
      from cogito.run r where r.scope = ${scope} and (${sees} or r.id in (
        select c.run_id from cogito.call c where c.scope = ${scope} and ${names}))
      order by r.id for update`
  )
  const runs = found.map(({ id }) => id)
  const seeing = found.filter(({ sees }) => sees).map(({ id }) => id)
  const statements = [
    sql`update cogito.run set muted = true where scope = ${scope} and id = any(${runs}::text[]) and status = 'running'`,
    sql`update cogito.wait set prompt = '', answer = null, answered_by = null, answered_at = null
      where scope = ${scope} and run_id = any(${runs}::text[])`,
    sql`update cogito.call c set response = case when ${isPlace} then response end, request = null, hash = '', parts = '{}'
      where c.scope = ${scope} and (c.response is not null or c.request is not null or c.hash <> '')
        and c.run_id = any(${runs}::text[]) and (c.run_id = any(${seeing}::text[]) or ${names})`
  ]
  yield* Effect.forEach(statements, (statement) => rowsOf(trx, statement), { discard: true })
})
