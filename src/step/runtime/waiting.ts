/** Steps that wait for an answer from outside: where they may stand. */
import * as Effect from "effect/Effect"
import { changed, Run } from "../../run/run.ts"
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
  if (waiter !== undefined) throw new Error(cutOff(waiter.name, { kind, name }))
}

/** Runs what a connector may cut off: a generator inside it does not list its steps, so they are refused when they wait. */
export const cuttable = <A, E, R>(cutBy: Connector, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Run, (run) => Effect.provideService(self, Run, changed(run, { cutBy })))

type Connector = NonNullable<Run["cutBy"]>

/** Why a step cannot wait there. */
export const cutOff = (waiter: string, { kind, name }: Connector): string =>
  `The step ${quoted(waiter)} waits for an answer, which ${kind} ${quoted(name)} does not allow inside it: ask before or after it.`

/** Throws if a step within waits, as only a durable run can. */
export const refuseWaits = (step: { readonly node: Node }): void => {
  const waiter = waiterIn(step.node)
  if (waiter === undefined) return
  throw new Error(
    `The step ${quoted(waiter.name)} waits for an answer, so its run must be durable: Pipeline.run(step, thought, { durable: true }).`
  )
}
