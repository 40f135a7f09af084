/** Conditions on the notes `n` that a search may find. Both arms apply them before ranking. */
import type * as DateTime from "effect/DateTime"
import { type RawBuilder, sql } from "kysely"
import type { Filter } from "../../Memory.ts"
import { isId, moment } from "../database/values.ts"
import { encode, encodeMap } from "../database/text.ts"

// a single parameter for all values, as a statement can have only 65,535
const texts = (values: ReadonlyArray<string>) => sql`${values.map(encode)}::text[]`
const ids = (values: ReadonlyArray<string>) => sql`${values}::uuid[]`

/** The earliest moment that the database supports, in November 4714 BC; nothing is older. */
const firstMillis = -210_866_803_200_000
const bound = ({ epochMilliseconds }: DateTime.Utc) => moment(Math.max(firstMillis, epochMilliseconds))

/** The thoughts with these ids, their ancestors and their descendants. */
const lineageOf = (scope: string, thoughts: ReadonlyArray<string>) => sql`
  (with recursive above(id, parent_id) as (
    select id, parent_id from cogito.thought where scope = ${scope} and id = any(${ids(thoughts)})
    union select t.id, t.parent_id from above join cogito.thought t on t.scope = ${scope} and t.id = above.parent_id),
  below(id) as (
    select id from cogito.thought where scope = ${scope} and id = any(${ids(thoughts)})
    union select t.id from below join cogito.thought t on t.scope = ${scope} and t.parent_id = below.id)
  select id from above union select id from below)`

/** The conditions of the filters in use. */
export const conditions = (scope: string, filter: Filter): ReadonlyArray<RawBuilder<unknown>> => {
  const { excludeLineageOf = [], excludeSources = [], excludeThoughts = [], keys, metadata, since, sources } = filter
  const { taskId, trust, until } = filter
  const thoughts = excludeThoughts.filter(isId)
  const relatives = excludeLineageOf.filter(isId)
  return [
    ...(keys === undefined ? [] : [sql`n.key = any(${texts(keys)})`]),
    ...(sources === undefined ? [] : [sql`n.source = any(${texts(sources)})`]),
    ...(excludeSources.length === 0 ? [] : [sql`n.source <> all(${texts(excludeSources)})`]),
    ...(thoughts.length === 0 ? [] : [sql`n.thought_id <> all(${ids(thoughts)})`]),
    ...(relatives.length === 0 ? [] : [sql`n.thought_id not in ${lineageOf(scope, relatives)}`]),
    ...(since === undefined ? [] : [sql`n.created_at >= ${bound(since)}`]),
    ...(until === undefined ? [] : [sql`n.created_at < ${bound(until)}`]),
    ...(trust === undefined ? [] : [sql`n.trust = ${trust}`]),
    ...(metadata === undefined || Object.keys(metadata).length === 0
      ? []
      : [sql`n.metadata::jsonb @> ${encodeMap(metadata)}::jsonb`]),
    ...(taskId === undefined
      ? []
      : [
          sql`n.thought_id = any(array(select id from cogito.thought where scope = ${scope} and task_id = ${encode(taskId)}))`
        ])
  ]
}
