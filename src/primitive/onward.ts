/** Steps that write no note and go on with a fork: checkpoint, restore and forget. */
import * as Effect from "effect/Effect"
import { commit, emit } from "../internal/run.ts"
import { makeStep } from "../internal/step.ts"
import { checkKey } from "../Note.ts"
import type { Node, Step } from "../Step.ts"
import type { Thought } from "../Thought.ts"
import { type Told, told } from "./settings.ts"

/** A step that goes on with the fork it is given. Its row is written whole or not at all, and none of its notes again. */
export const makeOnward = <In, E, R>(
  name: string,
  kind: string,
  node: { readonly reads?: ReadonlyArray<string>; readonly settings?: Told },
  fork: (thought: Thought<any>) => Effect.Effect<Thought<any>, E, R>
): Step<In, {}, E, R> =>
  makeStep(onward(checkKey(name), kind, node), (thought) =>
    Effect.flatMap(fork(thought), (forked) =>
      Effect.tap(commit(forked), (stored) => emit(stored, { _tag: "ThoughtCreated" }))
    )
  )

const onward = (name: string, kind: string, { reads = [], settings = {} }: Parameters<typeof makeOnward>[2]): Node => ({
  name,
  kind,
  reads,
  writes: [],
  surely: [],
  children: [],
  ...told(settings)
})
