/** The ancestors and the forks of a thought. */
import { sql } from "kysely"
import type { PageRow, ThoughtRow } from "../../Store.ts"
import type { Handle } from "../database/database.ts"
import { type ThoughtRecord, thoughtColumns, thoughtOf } from "./load.ts"
import { moment } from "../database/values.ts"
import { type Ref, refersTo } from "./reference.ts"
import { encode } from "../database/text.ts"

/** The rows after the first one, which is the thought itself: without it, the thought is unknown. */
const withoutSelf = (rows: ReadonlyArray<ThoughtRecord>): ReadonlyArray<ThoughtRow> | undefined =>
  rows.length === 0 ? undefined : rows.slice(1).map(thoughtOf)

/** The ancestors, the oldest first, or nothing if the thought does not exist. */
export const ancestors = (db: Handle, tenant: string, ref: Ref): Promise<ReadonlyArray<ThoughtRow> | undefined> =>
  sql<ThoughtRecord>`
    with recursive line(id, parent_id, distance) as (
      select t.id, t.parent_id, 0 from cogito.thought t where t.scope = ${encode(tenant)} and ${refersTo(ref)}
      union all
      select t.id, t.parent_id, line.distance + 1
      from line join cogito.thought t on t.scope = ${encode(tenant)} and t.id = line.parent_id)
    select ${thoughtColumns} from line join cogito.thought t on t.scope = ${encode(tenant)} and t.id = line.id
    order by line.distance = 0 desc, line.distance desc`
    .execute(db)
    .then(({ rows }) => withoutSelf(rows))

/** The forks by creation and then by id, or nothing if the thought does not exist. */
export const children = (
  db: Handle,
  tenant: string,
  ref: Ref,
  { after, limit }: PageRow
): Promise<ReadonlyArray<ThoughtRow> | undefined> => {
  // ids as text, so that any text can be compared with them; in the order that their bytes have
  const rest =
    after === undefined
      ? sql``
      : sql`and (t.created_at, t.id::text collate "C") > (${moment(after.createdMillis)}, ${encode(after.id)} collate "C")`
  return sql<ThoughtRecord>`
    with self as (select t.* from cogito.thought t where t.scope = ${encode(tenant)} and ${refersTo(ref)}),
    child as (
      select t.* from self join cogito.thought t on t.scope = self.scope and t.parent_id = self.id ${rest}
      order by t.created_at, t.id::text collate "C" limit ${limit}::int)
    select ${thoughtColumns} from (select true as itself, self.* from self union all select false, child.* from child) t
    order by t.itself desc, t.created_at, t.id::text collate "C"`
    .execute(db)
    .then(({ rows }) => withoutSelf(rows))
}
