/** Notes that have nothing to be embedded: their text, written escaped, has no character that is not white space. */
import { type RawBuilder, sql } from "kysely"
import { encode } from "./text.ts"

/** What `String.trim` takes away. */
const white =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

/** Whether a column's text is blank. Said as the index of blank notes says it, so that this is used. */
export const isBlank = (column: string): RawBuilder<unknown> =>
  sql`btrim(${sql.ref(column)}, ${sql.lit(white)}) in ('', ${sql.lit(encode("\ufeff"))})`
