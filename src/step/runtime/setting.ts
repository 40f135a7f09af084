/** Steps that set something for those inside them. Steps that these begin in the background have it too, in any process. */
import type * as Effect from "effect/Effect"
import type { Thought } from "../../thought/model.ts"
import { allKnownOf, makeTransparent, saidAnew } from "./make.ts"
import { type Any, type Node, TypeId } from "./model.ts"

type Running = Effect.Effect<Thought<any>, any, any>

const settings = new WeakMap<Node, (step: Any) => Any>()

/** The step, inside which something is set. It keeps its place in paths; `node` says more of it, if anything. */
export const setting = (step: Any, node: Node, set: (running: Running, step: Any) => Running): Any => {
  const own = saidAnew(node === step.node ? { ...node } : node, step.node)
  settings.set(own, (other) => setting(other, other.node, set))
  return makeTransparent(own, (thought) => set(step[TypeId].run(thought), step))
}

/** What the step of a node sets for those inside it, the outermost first. */
export const settingsOf = (node: Node): ReadonlyArray<(step: Any) => Any> => allKnownOf(settings, node)
