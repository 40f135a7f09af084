/** All thoughts of a scope or of a task, page by page. */
import { sql } from "kysely"
import type { ThoughtRow, ThoughtsRow } from "../../Store.ts"
import type { Handle } from "../database/database.ts"
import { type ThoughtRecord, thoughtColumns, thoughtOf } from "../thoughts/load.ts"
import { moment } from "../database/values.ts"
import { encode } from "../database/text.ts"

// ids as text, so that any text can be compared with them; in the order that their bytes have
const id = sql`t.id::text collate "C"`

export const thoughts = (
  db: Handle,
  tenant: string,
  { after, limit, order, taskId }: ThoughtsRow
): Promise<ReadonlyArray<ThoughtRow & { readonly lastSeq: number }>> => {
  const [beyond, direction] = order === "oldest" ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  const task = taskId === undefined ? sql`` : sql`and t.task_id = ${encode(taskId)}`
  // the moment alone first: it has an index
  const rest =
    after === undefined
      ? sql``
      : sql`and t.created_at ${beyond}= ${moment(after.createdMillis)}
          and (t.created_at, ${id}) ${beyond} (${moment(after.createdMillis)}, ${encode(after.id)} collate "C")`
  return sql<ThoughtRecord & { readonly last_seq: number }>`
    select ${thoughtColumns}, t.last_seq from cogito.thought t where t.scope = ${encode(tenant)} ${task} ${rest}
    order by t.created_at ${direction}, ${id} ${direction} limit ${limit}::int`
    .execute(db)
    .then(({ rows }) => rows.map((row) => ({ ...thoughtOf(row), lastSeq: row.last_seq })))
}
