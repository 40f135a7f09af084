import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import type * as Step from "../../step/runtime/model.ts"

/** A step that is to be gone through, with the path of the inner steps' parent. */
interface Place {
  readonly node: Step.Node
  readonly path: ReadonlyArray<string>
  readonly depth: number
  readonly around: ReadonlyArray<string>
}

/**
 * All steps of a pipeline, itself first, each before its inner steps.
 *
 * **Details**
 *
 * A step that is used twice occurs twice. The iterable is lazy, can be iterated again, and works at any depth.
 *
 * **Example** (Finding and counting)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Pipeline, Primitive } from "cogito"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const spam = Primitive.sift("spam", { question: "Is this no spam?", step: urgent })
 * const steps = [...Pipeline.steps(Pipeline.sequence("mail", [spam]))]
 *
 * assert.deepEqual(steps.find(({ node }) => node.name === "urgent")?.path, ["mail", "spam", "urgent"])
 * assert.equal(steps.filter(({ node }) => node.kind === "decide").length, 1)
 * ```
 *
 * @category sight
 */
export const steps = taking("Pipeline.steps", { args: [kinds.step] })(
  (
    step: Step.Any
  ): Iterable<{
    readonly node: Step.Node
    /** Names from the pipeline to the step, as in the path of an error; a chain of `andThen` has no name there. */
    readonly path: ReadonlyArray<string>
    /** How many steps enclose it: 0 for the pipeline itself. */
    readonly depth: number
  }> => ({
    [Symbol.iterator]: () => placesIn(step.node)
  })
)

/** A node and all nodes in it. */
export function* placesIn(root: Step.Node): Generator<Pick<Place, "depth" | "node" | "path">, undefined> {
  const todo: Array<Place> = [{ node: root, path: [root.name], depth: 0, around: [] }]
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    const { around, depth, node, path } = place
    yield { node, path, depth }
    const above = node.transparent === true ? around : path
    for (const child of node.children.toReversed()) {
      todo.push({ node: child, path: [...above, child.name], depth: depth + 1, around: above })
    }
  }
}
