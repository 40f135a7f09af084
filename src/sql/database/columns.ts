/** Rows as parameters of a statement. */
import { type RawBuilder, sql } from "kysely"

/** A column of rows as one parameter: as rows, there would be a thousand parameters for a hundred notes. */
export const columnOf =
  <A>(rows: ReadonlyArray<A>) =>
  (type: string, of: (row: A) => string | number | boolean | null): RawBuilder<unknown> =>
    sql`${rows.map(of)}::${sql.raw(type)}[]`
