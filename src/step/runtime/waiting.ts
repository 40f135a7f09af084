/** Steps that wait for an answer from outside: where they may stand. */
import { quoted } from "../../text/legible.ts"
import type { Node } from "./model.ts"
import { descendants } from "./nodes.ts"

const known = new WeakMap<Node, Node | false>()

/** The first step within that waits. */
const waiterIn = (root: Node): Node | undefined => {
  const before = known.get(root)
  if (before !== undefined) return before === false ? undefined : before
  let found: Node | undefined
  for (const node of descendants(root)) {
    if (node.waits !== true) continue
    found = node
    break
  }
  known.set(root, found ?? false)
  return found
}

/** Throws if a step within waits: it would be cut off, or its answer discarded. */
export const refuseWaiting = (kind: string, name: string, inner: Node): void => {
  const waiter = waiterIn(inner)
  if (waiter === undefined) return
  throw new Error(
    `The step ${quoted(waiter.name)} waits for an answer, which ${kind} ${quoted(name)} does not allow inside it: ask before or ` +
      `after it.`
  )
}

/** Throws if a step within waits, as only a durable run can. */
export const refuseWaits = (step: { readonly node: Node }): void => {
  const waiter = waiterIn(step.node)
  if (waiter === undefined) return
  throw new Error(
    `The step ${quoted(waiter.name)} waits for an answer, so its run must be durable: Pipeline.run(step, thought, { durable: true }).`
  )
}
