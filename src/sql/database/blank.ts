/** Blank notes, which are not embedded: their escaped text is white space only. */
import { type RawBuilder, sql } from "kysely"
import { encode } from "./text.ts"

/** What `String.trim` takes away. */
const white =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

/** Whether a column's text is blank. The index of blank notes has the same expression, so that the planner uses it. */
export const isBlank = (column: string): RawBuilder<unknown> =>
  sql`btrim(${sql.ref(column)}, ${sql.lit(white)}) in ('', ${sql.lit(encode("\ufeff"))})`
