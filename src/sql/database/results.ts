/** Notes that are the results of searches. They are not embedded until a search asks for them. */
import { type RawBuilder, sql } from "kysely"
import { resultSources } from "../../memory/model/results.ts"

/** Whether a column has the source of such a note. The index of these notes has the same expression, so that the planner uses it. */
export const resultOf = (column: string): RawBuilder<unknown> =>
  sql`(${sql.ref(column)} in (${sql.join(resultSources.map((source) => sql.lit(source)))}))`
