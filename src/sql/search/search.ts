/** A search: always one statement, after those that query the index, if there is one. */
import { type RawBuilder, sql } from "kysely"
import type { Space } from "../../Memory.ts"
import type { Found, StoreQuery } from "../../Store.ts"
import { aged, arms, type Ask, ask, fused, newestOf, pending } from "./arms.ts"
import { dated, datedUnits } from "./dates.ts"
import type { Handle } from "../database/database.ts"
import { found, type MatchRow, matchOf } from "./match.ts"
import { nearest } from "./nearest.ts"
import type { Table } from "../vectors/spaces.ts"

type Fragment = RawBuilder<unknown>

interface Row extends MatchRow {
  readonly pending: number
  readonly terms: number
}

/** The best of an arm with their ranks, and as many of the times that the question names. */
const candidatesOf = ({ query: { candidates, dates } }: Ask, arm: Fragment, order: Fragment): Fragment => {
  const ranked = sql`select hash, rank() over (order by ${order}) as rank from ${arm}`
  const first = sql`${ranked} order by ${order} fetch first (${candidates}::int) rows with ties`
  if (dates === undefined) return first
  return sql`(${first}) union (
    select hash, rank from (${ranked}) of_arm where hash in (select hash from dated)
    order by rank fetch first (${candidates}::int) rows with ties)`
}

/** The best notes of a scope, each content once. Uses the index only if it returns enough candidates to rank. */
export const search = async (
  db: Handle,
  table: Table | undefined,
  space: Space | undefined,
  tenant: string,
  query: StoreQuery
): Promise<Found> => {
  const exact = ask(table, tenant, query, ["hash"])
  const asked = { ...exact, nearest: await nearest(db, space, exact) }
  const { limit } = query
  return sql<Row>`
    with ${sql.join([...arms(asked), ...datedUnits(asked)])},
    gap_rank as (${candidatesOf(asked, sql`gap`, sql`distance`)}),
    weight_rank as (${candidatesOf(asked, sql`weight`, sql`score desc`)}),
    ranked as materialized (
      select hash, gap.distance, gap_rank.rank::int as vector_rank, weight_rank.rank::int as lexical_rank,
        weight.score as lexical_score, ${aged(asked, dated(asked, fused(asked)), newestOf(asked, "gap", "weight"))}::float8 as worth
      from gap_rank full join weight_rank using (hash) left join gap using (hash) left join weight using (hash)
      left join own_task on own_task.task = coalesce(gap.task, weight.task)
      left join task_gap on task_gap.task = coalesce(gap.task, weight.task)
      cross join spread),
    best as materialized (
      select *, (select min(array[allowed.id]) from allowed where allowed.hash = top.hash) as first
      from (select *, rank() over (order by worth desc) as tie from ranked) top
      where tie <= ${limit}::int order by worth desc, first limit ${limit}::int),
    ${found(asked)}
    select ${pending(asked)} as pending, (select count(*) from term)::int as terms, found.*
    from (select) as always left join found on true
    order by found.score desc, found.id`
    .execute(db)
    .then(({ rows }) => ({
      matches: rows.flatMap((row) => (row.id === null ? [] : [matchOf(row)])),
      pending: rows[0]?.pending ?? 0,
      terms: rows[0]?.terms ?? 0
    }))
}
