/** What steps take over from earlier executions of a durable run, also those that are passed over in a later one. */
import type * as Effect from "effect/Effect"
import type { Journal } from "../../run/journal.ts"
import { knownOf } from "./make.ts"
import type { Node } from "./model.ts"

/** Takes over what earlier executions have done in a frame of the step. */
type TakesOver = (
  journal: Pick<Journal, "callsWithin" | "epoch" | "holders" | "runId">,
  frame: string
) => Effect.Effect<void>

const all = new WeakMap<Node, TakesOver>()

/** Keeps what the step of a node takes over. */
export const takingOver = (node: Node, takesOver: TakesOver): Node => {
  all.set(node, takesOver)
  return node
}

/** What the step of a node takes over, if anything. */
export const takesOver = (node: Node): TakesOver | undefined => knownOf(all, node)
