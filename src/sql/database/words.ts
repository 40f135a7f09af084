/**
 * The words of a text that is written escaped. What cannot be stored stands between words, and so do signs, of which the
 * parser would make paths, addresses, tags and numbers below zero; of a huge text the beginning counts.
 */
import { type RawBuilder, sql } from "kysely"
import { encode } from "./text.ts"

/** In code points. What has more distinct words than these can hold would not fit a tsvector. */
const most = 100_000

/** A query's text, to be given to `to_tsvector`. */
export const searchable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- how unstorable characters are written
  encode(text.slice(0, most)).replace(/\u001a[0-9a-f]{4}|[\ufeff!-/:-@[-`{-~]/g, " ")

/** The words of a column whose text is written escaped. */
export const wordsOf = (column: string): RawBuilder<unknown> =>
  sql`to_tsvector('english'::regconfig, regexp_replace(left(${sql.ref(column)}, ${sql.lit(most)}),
    chr(26) || '[0-9a-f]{4}|[!-/:-@[-\`{-~' || chr(65279) || ']', ' ', 'g'))`
