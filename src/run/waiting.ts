/** Finds thoughts of a run that are not stored yet because a connector may still discard them. */
import * as Effect from "effect/Effect"
import type { Thought } from "../thought/model.ts"
import { Run } from "./run.ts"
import { stateOf } from "../thought/state.ts"

/**
 * The innermost run with a connector that may still discard notes of this thought or of its ancestors. Undefined if the
 * thought does not belong to such a run.
 */
export const settledBy = (thought: Thought<any>, run: Run): Run | undefined => {
  for (let one: Run | undefined = run; one !== undefined; one = one.around) {
    if (one.speculative && descends(thought, one.thoughts)) return one
  }
  return undefined
}

/** Whether the thought is one of these or a known fork of one. */
const descends = (thought: Thought<any>, ids: ReadonlySet<string>): boolean => {
  for (let one: Thought<any> | undefined = thought; one !== undefined; one = stateOf(one).unstoredParent) {
    if (ids.has(one.id) || (one.parent !== undefined && ids.has(one.parent.id))) return true
  }
  return false
}

/**
 * The newest value of the thought with this id, if it may not be stored completely yet: the given thought itself, a thought
 * of a run on a fork, one that the run left for the given thought (by `checkpoint`, `restore` or `forget`), or an ancestor.
 * Otherwise undefined.
 */
export const inHand = (thought: Thought<any>, id: string): Effect.Effect<Thought<any> | undefined> =>
  Effect.map(Run, (run) => {
    if (thought.id === id) return thought
    let newest: Thought<any> | undefined
    for (let one: Run | undefined = run; one !== undefined; one = one.around) {
      for (const waiting of one.waiting) newest = newer(newest, waiting.get(id))
      if (one.given !== undefined) newest = newer(newest, among(stateOf(one.given).left, id))
    }
    return newer(newest, among(stateOf(thought).left, id)) ?? ancestor(thought, id)
  })

/** Of two values of a thought, the one with more notes. */
const newer = (one: Thought<any> | undefined, other: Thought<any> | undefined): Thought<any> | undefined =>
  one === undefined || (other !== undefined && other.length > one.length) ? other : one

const among = (left: ReadonlyArray<Thought<any>>, id: string): Thought<any> | undefined => {
  for (const one of left.toReversed()) {
    const found = one.id === id ? one : among(stateOf(one).left, id)
    if (found !== undefined) return found
  }
  return undefined
}

const ancestor = (thought: Thought<any>, id: string): Thought<any> | undefined => {
  const above = stateOf(thought).unstoredParent
  return above === undefined || above.id === id ? above : ancestor(above, id)
}
