/** References to a thought, by id or by trace id. */
import { type RawBuilder, sql } from "kysely"
import { isId } from "../database/values.ts"
import { encode } from "../database/text.ts"

export type Ref = { readonly id: string } | { readonly traceId: string }

/** The condition that the thought `t` is the one referred to. */
export const refersTo = (ref: Ref): RawBuilder<unknown> =>
  "traceId" in ref ? sql`t.trace_id = ${encode(ref.traceId)}` : isId(ref.id) ? sql`t.id = ${ref.id}` : sql`false`
