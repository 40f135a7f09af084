/** Steps that continue with a fork and write no note: checkpoint, restore and forget. */
import * as Effect from "effect/Effect"
import { finish } from "../../run/run.ts"
import { makeStep } from "../../step/runtime/make.ts"
import { stateOf, withState } from "../../thought/state.ts"
import { checkKey } from "../../thought/Note.ts"
import type { Node, Step } from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import { type NodeSettings, settingsOf } from "./settings.ts"

/**
 * Makes a step that continues with the fork it makes. The thought is stored completely or not at all, and none of its
 * notes again. Notes that others added to the thought are carried over, except that the fork does not see those with
 * hidden keys.
 */
export const makeOnward = <In, E, R>(
  name: string,
  kind: string,
  node: { readonly reads?: ReadonlyArray<string>; readonly settings?: NodeSettings },
  fork: (thought: Thought<any>) => Effect.Effect<Thought<any>, E, R>,
  hides: (key: string) => boolean = () => false
): Step<In, {}, E, R> =>
  makeStep(onward(checkKey(name), kind, node), (thought) =>
    Effect.flatMap(fork(thought), (forked) => finish(following(thought, forked, hides)))
  )

/**
 * The fork that replaces the thought, which is stored with it. Effects that wait for the thought to be stored still
 * run.
 */
const following = (thought: Thought<any>, forked: Thought<any>, hides: (key: string) => boolean): Thought<any> => {
  const { deferred, left } = stateOf(thought)
  const leaving = { to: forked.id, hides }
  return withState(forked, { deferred, left: [...left, withState(thought, { deferred: [], left: [], leaving })] })
}

const onward = (name: string, kind: string, { reads = [], settings = {} }: Parameters<typeof makeOnward>[2]): Node => ({
  name,
  kind,
  reads,
  writes: [],
  surely: [],
  children: [],
  leaves: true,
  ...settingsOf(settings)
})
