import * as Effect from "effect/Effect"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { byName, canonicalJson } from "../../schema/canonicalJson.ts"
import { sha256 } from "../../schema/sha256.ts"
import type * as Step from "../../step/runtime/model.ts"
import { statedIn } from "../../step/runtime/stated.ts"

/**
 * The SHA-256 of a pipeline's outline, as 64 hexadecimal digits.
 *
 * **Details**
 *
 * It changes with every name, kind, setting, fixed question or prompt, with the schema that a step was given for its note, as
 * far as JSON Schema shows it, with the keys that are read, written or updated, and with the order of steps, routes and
 * branches. It does not depend on the process or on the order of options.
 *
 * It does not cover function bodies, readers, effects, or a provider beyond its name. Compare only
 * fingerprints made by the same version of the library.
 *
 * **Example** (Another question is another pipeline)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive } from "cogito"
 *
 * const asking = (question: string) => Pipeline.fingerprint(Primitive.decide("urgent", { question }))
 *
 * const program = Effect.gen(function*() {
 *   assert.equal(yield* asking("Is this urgent?"), yield* asking("Is this urgent?"))
 *   assert.notEqual(yield* asking("Is this urgent?"), yield* asking("Can this wait?"))
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @category sight
 */
export const fingerprint = taking("Pipeline.fingerprint", { args: [kinds.step] })(
  (step: Step.Any): Effect.Effect<string> => Effect.suspend(() => sha256(canonical(step.node)))
)

/** The outline as compact JSON with sorted keys. `JSON.stringify` would overflow the stack on deep pipelines. */
const canonical = (root: Step.Node): string => {
  const parts: Array<string> = []
  const todo: Array<string | Step.Node> = [root]
  for (let item = todo.pop(); item !== undefined; item = todo.pop()) {
    if (typeof item === "string") parts.push(item)
    else for (const part of partsOf(item).toReversed()) todo.push(part)
  }
  return parts.join("")
}

/** Fields that follow from the kind and the settings of a step. */
const implied: ReadonlySet<string> = new Set<keyof Step.Node>(["afterCommit", "layout", "leaves", "transparent"])

/** The JSON of a node, with its children not yet converted. */
const partsOf = (node: Step.Node): ReadonlyArray<string | Step.Node> => {
  const all = Object.entries({ ...node, schema: statedIn(node) })
  const fields = all.filter(([field, value]) => value !== undefined && !implied.has(field))
  const parts = fields.toSorted(byName).flatMap(([field, value], i): ReadonlyArray<string | Step.Node> => {
    const named = `${i === 0 ? "" : ","}${JSON.stringify(field)}:`
    if (field !== "children") return [named + canonicalJson(value)]
    return [`${named}[`, ...node.children.flatMap((child, at) => (at === 0 ? [child] : [",", child])), "]"]
  })
  return ["{", ...parts, "}"]
}
