/**
 * The words of an escaped text.
 *
 * Characters that cannot be stored separate words. So do punctuation signs, from which the parser would make paths, addresses,
 * tags and negative numbers. Only the beginning of a huge text counts.
 */
import { type RawBuilder, sql } from "kysely"
import { encode } from "./text.ts"

/** In code points. A longer text may have more distinct words than a tsvector can hold. */
const most = 100_000

/** A query's text as an argument of `to_tsvector`. */
export const searchable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- how unstorable characters are written
  encode(text.slice(0, most)).replace(/\u001a[0-9a-f]{4}|[\ufeff!-/:-@[-`{-~]/g, " ")

/** The words of a column of escaped text. */
export const wordsOf = (column: string): RawBuilder<unknown> =>
  sql`to_tsvector('english'::regconfig, regexp_replace(left(${sql.ref(column)}, ${sql.lit(most)}),
    chr(26) || '[0-9a-f]{4}|[!-/:-@[-\`{-~' || chr(65279) || ']', ' ', 'g'))`
