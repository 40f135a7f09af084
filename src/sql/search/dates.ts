/** The bonus of a search for notes of the times that the question names. */
import { type RawBuilder, sql } from "kysely"
import type { StoreQuery } from "../../Store.ts"
import type { Ask } from "./arms.ts"
import { moment } from "../database/values.ts"

type Fragment = RawBuilder<unknown>

/** Whether a note of `allowed` is of one of these times. */
const isDated = ({ periods }: NonNullable<StoreQuery["dates"]>): Fragment => {
  const inside = periods.map(
    ({ fromMillis, untilMillis }) =>
      sql`(allowed.created_at >= ${moment(fromMillis)} and allowed.created_at < ${moment(untilMillis)})`
  )
  return inside.length === 0 ? sql`false` : sql`(${sql.join(inside, sql` or `)})`
}

const unitOf = ({ unit }: Ask): Fragment => sql.join(unit.map((column) => sql.ref(column)))

/** `dated`: the units with a note of these times. */
export const datedUnits = (ask: Ask): ReadonlyArray<Fragment> => {
  const { dates } = ask.query
  return dates === undefined
    ? []
    : [sql`dated as materialized (select distinct ${unitOf(ask)} from allowed where ${isDated(dates)})`]
}

/** A unit's score with the bonus. */
export const dated = (ask: Ask, score: Fragment): Fragment => {
  const { dates } = ask.query
  if (dates === undefined) return score
  const times = sql`case when (${unitOf(ask)}) in (select ${unitOf(ask)} from dated) then ${1 + dates.weight}::float8 else 1 end`
  return sql`(${score} * (${times}))`
}

/** The beginning of an order of notes that has those of these times first. */
export const datedFirst = ({ dates }: StoreQuery): Fragment =>
  dates === undefined ? sql`` : sql`${isDated(dates)} desc,`
