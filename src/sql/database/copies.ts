/** Notes that repeat the text of others as it is. */
import { type RawBuilder, sql } from "kysely"

/**
 * Whether the note `made` repeats the note `original` that it is derived from: it is a result of `seek` or `survey`, or the copy
 * that a fork keeps. A copy has the same moment, step and key. If a branch put its name before its keys, the ends are compared.
 */
export const repeats: RawBuilder<boolean> = sql`(made.source in ('seek', 'survey') or (made.source = original.source
  and made.step = original.step and made.created_at = original.created_at
  and (made.key = original.key or right(original.key, length(made.key) + 1) = '.' || made.key)))`
