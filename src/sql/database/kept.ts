/** Statements that are run so often that planning them counts. */
import { type RawBuilder, sql } from "kysely"
import { mark } from "./keptMark.ts"

/**
 * Marks a statement whose best plan does not depend on its values. A database with one connection plans it once; for any other
 * the mark is a comment.
 */
export const kept = <A>(statement: RawBuilder<A>): RawBuilder<A> => sql<A>`${sql.raw(mark)} ${statement}`
