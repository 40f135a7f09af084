/** The thoughts of a report: those that a thought descends from, its forks, and its siblings. */
import * as Effect from "effect/Effect"
import type { MemoryError, Shape } from "../Memory.ts"
import type { ThoughtReport } from "./model.ts"

interface Member extends Pick<ThoughtReport, "id" | "relation"> {}

interface Family {
  /** The thought that the report is about. */
  readonly id: string
  readonly members: ReadonlyArray<Member>
  readonly isCut: boolean
}

type Reader = Pick<Shape, "load" | "ancestors" | "children">

/** At most `limit` thoughts. The nearest come first, so that these remain where there are more. */
export const familyOf = Effect.fnUntraced(function* (
  memory: Reader,
  ref: string | { readonly traceId: string },
  limit: number
): Effect.fn.Return<Family, MemoryError> {
  const { id, parent } = yield* memory.load(ref)
  const ancestors = yield* memory.ancestors(id)
  // the oldest first, and the thought itself has a place
  const nearest = ancestors.slice(Math.max(0, ancestors.length - limit + 1))
  const above = nearest.map(({ id }) => ({ id, relation: "ancestor" as const }))
  const below = yield* descendants(memory, id, "descendant", limit)
  const known = new Set([id, ...above.map(({ id }) => id)])
  // a run that forked its thought, and a repetition of it, have the same parent
  const beside = parent === undefined ? [] : yield* descendants(memory, parent.id, "sibling", limit, known)
  const all = [{ id, relation: "focus" as const }, ...above, ...below, ...beside]
  return { id, members: all.slice(0, limit), isCut: all.length > limit || nearest.length < ancestors.length }
})

/** Forks, forks of forks and so on, level by level; one more than the limit if there are more. */
const descendants = Effect.fnUntraced(function* (
  memory: Reader,
  root: string,
  relation: Member["relation"],
  limit: number,
  except: ReadonlySet<string> = new Set()
): Effect.fn.Return<ReadonlyArray<Member>, MemoryError> {
  const found: Array<Member> = []
  const todo = [root]
  for (let id = todo.shift(); id !== undefined && found.length <= limit; id = todo.shift()) {
    const children = yield* memory.children(id, { limit: Math.min(limit + 1 - found.length, 500) })
    for (const child of children) {
      if (except.has(child.id)) continue
      found.push({ id: child.id, relation })
      todo.push(child.id)
    }
  }
  return found
})
