/** Lists runs, and questions that wait for an answer. */
import * as Effect from "effect/Effect"
import { type RawBuilder, sql } from "kysely"
import type { MemoryError } from "../../Memory.ts"
import type { RunRow, RunsQuery, WaitRow } from "../../memory/model/Ledger.ts"
import { type Handle, rowsOf } from "../database/database.ts"
import { isId, moment } from "../database/values.ts"
import { encode } from "../database/text.ts"
import { type RunRecord, runColumns, runOf } from "./runRow.ts"
import { waitColumns, waitOf, type WaitRecord } from "./rows.ts"

/**
 * Whether the step of a question `w` has ended so. A question that is asked again has the frame of its step and `^` for each time.
 */
const hasEnded = (...outcomes: ReadonlyArray<string>) => sql`exists (select from cogito.step s where s.scope = w.scope
  and s.run_id = w.run_id and s.frame_hash = md5(rtrim(w.frame, '^'))::uuid and s.outcome = any(${outcomes}::text[]))`

const isAskedAgain = sql`exists (select from cogito.wait later where later.scope = w.scope and later.run_id = w.run_id
  and later.frame_hash = md5(w.frame || '^')::uuid)`

/**
 * Whether a run `r` can continue at a time: no process holds it, or a question that it waits for was answered, is due, or was
 * emptied by a redaction.
 */
const isDue = (millis: number): RawBuilder<unknown> => sql`r.status not in ('failed', 'completed') and case r.status
  when 'running' then r.lease_until is null or r.lease_until <= ${moment(millis)}
  when 'waiting' then exists (select from cogito.wait w where w.scope = r.scope and w.run_id = r.id
    and (w.answer is not null or w.due_at <= ${moment(millis)} or w.prompt = '')
    and not ${hasEnded("committed", "completed", "failed", "interrupted")} and not ${isAskedAgain})
  else true end`

/** Whether a run `r` has come to a thought: where it began, ended, or has stored something. */
const concerns = (thoughtId: string): RawBuilder<unknown> =>
  isId(thoughtId)
    ? sql`(r.thought_id = ${thoughtId} or r.end_thought = ${thoughtId} or exists (select from cogito.step s
        where s.scope = r.scope and s.run_id = r.id and s.thought = ${thoughtId}))`
    : sql`false`

const id = sql`r.id collate "C"`

export const runs = (
  trx: Handle,
  scope: string,
  { after, dueMillis, limit, parent, status, thoughtId }: RunsQuery
): Effect.Effect<ReadonlyArray<RunRow>, MemoryError> => {
  const conditions = [
    sql`r.scope = ${encode(scope)}`,
    ...(status === undefined ? [] : [sql`r.status = any(${[...status]}::text[])`]),
    ...(parent === undefined ? [] : [sql`r.parent_id = ${encode(parent)}`]),
    ...(thoughtId === undefined ? [] : [concerns(thoughtId)]),
    ...(dueMillis === undefined ? [] : [isDue(dueMillis)]),
    // the moment alone first: it has an index
    ...(after === undefined
      ? []
      : [
          sql`r.created_at <= ${moment(after.createdMillis)}`,
          sql`(r.created_at, ${id}) < (${moment(after.createdMillis)}, ${encode(after.id)} collate "C")`
        ])
  ]
  return Effect.map(
    rowsOf(
      trx,
      sql<RunRecord>`select ${runColumns} from cogito.run r where ${sql.join(conditions, sql` and `)}
        order by r.created_at desc, ${id} desc limit ${limit}::int`
    ),
    (rows) => rows.map(runOf)
  )
}

export const waits = (
  trx: Handle,
  scope: string,
  { limit, runId }: { readonly runId?: string; readonly limit: number }
): Effect.Effect<ReadonlyArray<WaitRow>, MemoryError> =>
  Effect.map(
    rowsOf(
      trx,
      sql<WaitRecord>`select ${waitColumns} from cogito.wait w
        join cogito.run r on r.scope = ${encode(scope)} and r.id = w.run_id and r.status <> 'completed'
        where w.scope = ${encode(scope)} and w.answer is null
          and not ${hasEnded("committed", "completed", "interrupted")} and not ${isAskedAgain}
          ${runId === undefined ? sql`` : sql`and w.run_id = ${encode(runId)}`}
        order by w.created_at, w.run_id collate "C", w.frame collate "C" limit ${limit}::int`
    ),
    (rows) => rows.map(waitOf)
  )
