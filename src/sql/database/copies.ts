/** Notes that repeat the text of others as it is. */
import { type RawBuilder, sql } from "kysely"

/**
 * Whether the note `made` repeats the note `original` that it is derived from: it is what `seek` or `survey` found, or the
 * copy that a fork keeps. A copy has the same moment, step and key; of a branch whose keys got its name, the end of the key.
 */
export const repeats: RawBuilder<boolean> = sql`(made.source in ('seek', 'survey') or (made.source = original.source
  and made.step = original.step and made.created_at = original.created_at
  and (made.key = original.key or right(original.key, length(made.key) + 1) = '.' || made.key)))`
