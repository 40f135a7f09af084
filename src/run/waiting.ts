/** Thoughts of a run that the store does not have yet, as a connector that may throw them away has still to settle it. */
import * as Effect from "effect/Effect"
import type { Thought } from "../thought/model.ts"
import { Run } from "./run.ts"
import { stateOf } from "../thought/state.ts"

/**
 * The run with a connector that has still to settle whether notes of this thought, or of one that it descends from, are
 * stored; the innermost one. Nothing when the thought has nothing to do with such a run.
 */
export const settledBy = (thought: Thought<any>, run: Run): Run | undefined => {
  for (let one: Run | undefined = run; one !== undefined; one = one.around) {
    if (one.speculative && descends(thought, one.thoughts)) return one
  }
  return undefined
}

/** Whether the thought is one of these or a fork of one, as far as that is known. */
const descends = (thought: Thought<any>, ids: ReadonlySet<string>): boolean => {
  for (let one: Thought<any> | undefined = thought; one !== undefined; one = stateOf(one).unstoredParent) {
    if (ids.has(one.id) || (one.parent !== undefined && ids.has(one.parent.id))) return true
  }
  return false
}

/**
 * The newest value of a thought that the store may lack something of: of this one, of those it descends from, of those
 * that were left for it, and of those that runs on forks have gone through. `undefined` if it is not one of them.
 */
export const inHand = (thought: Thought<any>, id: string): Effect.Effect<Thought<any> | undefined> =>
  Effect.map(Run, (run) => {
    if (thought.id === id) return thought
    for (let one: Run | undefined = run; one !== undefined; one = one.around) {
      for (const waiting of one.waiting) {
        const waits = waiting.get(id)
        if (waits !== undefined) return waits
      }
    }
    return among(stateOf(thought).left, id) ?? ancestor(thought, id)
  })

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
