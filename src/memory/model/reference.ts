/** References to thoughts, pages of thoughts, and the public form of a thought's row. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Shape, Relative } from "./Shape.ts"
import type { PageRow, ThoughtRow } from "./Store.ts"
import { quoted } from "../../text/legible.ts"
import { countUpTo, fail, type MemoryError } from "./error.ts"

export type Ref = string | { readonly traceId: string }

export const keyOf = (ref: Ref) => (typeof ref === "string" ? { id: ref } : ref)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const identifier = /^[\w.:-]{1,64}$/

/** The failure for an unknown thought. It shows the id only if that has the form of an id: any other text may be private. */
export const unknown = (ref: Ref) => {
  const [named, id, form] = typeof ref === "string" ? ["id", ref, uuid] : ["trace id", ref.traceId, identifier]
  const which = form.test(id) ? `the ${named} ${quoted(id)}` : `the ${named} that was given`
  return fail({ _tag: "NotFound", message: `There is no thought with ${which} in this scope.` })
}

export const relativeOf = ({ createdMillis, id, intent, parent, taskId, traceId }: ThoughtRow): Relative => ({
  id,
  traceId,
  taskId,
  intent,
  created: DateTime.makeUnsafe(createdMillis),
  parent
})

const maxLimit = 500

export const pageOf = ({
  after,
  limit = 100
}: NonNullable<Parameters<Shape["children"]>[1]>): Effect.Effect<PageRow, MemoryError> =>
  Effect.map(countUpTo("A page's limit", maxLimit, limit), (counted) => ({
    limit: counted,
    after: after === undefined ? undefined : { id: after.id, createdMillis: after.created.epochMilliseconds }
  }))
