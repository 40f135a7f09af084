/** Rows as parameters of a statement. */
import { type RawBuilder, sql } from "kysely"

/** The columns of rows: each with its type, and what it has of a row. */
type Columns<A> = Readonly<Record<string, readonly [type: string, of: (row: A) => string | number | boolean | null]>>

/**
 * Rows as a table with the name `given`. Of several rows, each column is one parameter: with one for each value, there would be a
 * thousand for a hundred notes. One row is a row of parameters, which saves the database most of the work.
 */
export const tableOf = <A>(rows: ReadonlyArray<A>, columns: Columns<A>): RawBuilder<unknown> => {
  const [row] = rows
  const all = Object.entries(columns)
  if (row !== undefined && rows.length === 1) {
    const values = all.map(([name, [type, of]]) => sql`${of(row)}::${sql.raw(type)} as ${sql.ref(name)}`)
    return sql`(select ${sql.join(values)}) as given`
  }
  const values = all.map(([, [type, of]]) => sql`${rows.map(of)}::${sql.raw(type)}[]`)
  return sql`unnest(${sql.join(values)}) as given(${sql.join(all.map(([name]) => sql.ref(name)))})`
}
