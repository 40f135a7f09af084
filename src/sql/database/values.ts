/** Moments and ids in the form of the database. */
import { type RawBuilder, sql } from "kysely"

/** Milliseconds since 1970 as a moment, exact to the millisecond. */
export const moment = (millis: number): RawBuilder<Date> => sql<Date>`to_timestamp(${millis}::float8 / 1000)`

/** A column's moment as milliseconds since 1970. */
export const millisOf = (column: string): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is an id as the database writes it. No row has another one. */
export const isId = (text: string): boolean => uuid.test(text)
