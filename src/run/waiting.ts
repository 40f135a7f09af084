/** Thoughts of runs on forks that a connector may still discard: they wait with the thought of the step that ran on them. */
import { merged, stateOf, withState } from "../thought/state.ts"
import type { Thought } from "../thought/model.ts"

/** The newest values of such thoughts, by id, in the order in which the runs on them ended. */
export type Waiting = Map<string, Thought<any>>

/**
 * Hands over what there is to store of a thought, and of those that wait with it. The thought that remains has neither these
 * nor effects that wait, so that whatever goes on with it does nothing twice.
 */
export const handOver = (thought: Thought<any>, to: Waiting): Thought<any> => {
  for (const one of [...stateOf(thought).left, withState(thought, { left: [] })]) {
    const before = to.get(one.id)
    // the last one also determines the order
    to.delete(one.id)
    to.set(one.id, before === undefined ? one : merged(before, one))
  }
  return withState(thought, { left: [], deferred: [] })
}

/** The thought of a step, with those of runs on forks within it. */
export const withWaiting = (thought: Thought<any>, waiting: Waiting): Thought<any> =>
  waiting.size === 0 ? thought : withState(thought, { left: [...stateOf(thought).left, ...waiting.values()] })
