/** The steps that run in the background, by the nodes of the steps that begin them. */
import { knownOf } from "../../step/runtime/make.ts"
import { settingsOf } from "../../step/runtime/setting.ts"
import type * as Step from "../../step/runtime/model.ts"

const steps = new WeakMap<Step.Node, Step.Any>()

/** Remembers the step that a step begins in the background. */
export const keepBackground = (node: Step.Node, step: Step.Any): void => {
  steps.set(node, step)
}

/**
 * The steps, and those that they begin in the background, however deep. These have the settings of the steps around the one
 * that begins them.
 */
export const withBackground = (given: ReadonlyArray<Step.Any>): ReadonlySet<Step.Any> => {
  const all = new Set(given)
  for (const step of all) {
    const todo = [{ node: step.node, around: [] as ReturnType<typeof settingsOf> }]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const { node } = next
      const around = [...next.around, ...settingsOf(node)]
      const inner = knownOf(steps, node)
      if (inner !== undefined) all.add(around.reduceRight((within, set) => set(within), inner))
      for (const child of node.children.toReversed()) todo.push({ node: child, around })
    }
  }
  return all
}
