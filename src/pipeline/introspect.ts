import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import { descendants, rebuilt } from "../step/runtime/nodes.ts"
import { checkSteps } from "../step/runtime/make.ts"
import { setting } from "../step/runtime/setting.ts"
import { checkKey } from "../thought/Note.ts"
import { checkSampling, checkText, stepNamed } from "../arguments/checked.ts"
import {
  DefaultIntrospection,
  type Introspection,
  introspectionForms,
  introspectionSettings
} from "../primitive/reasoning/options.ts"
import { type NodeSettings, settingsOf } from "../primitive/reasoning/settings.ts"
import type * as Step from "../step/runtime/model.ts"

/**
 * Makes every reasoning step of a pipeline review its answer, except those with an `introspect` option of their own.
 *
 * **Details**
 *
 * The option of a step, `false` included, overrides that of the pipeline. Each reply becomes the note `<key>_summary`,
 * which the outline lists among the written keys. Throws if another step inside writes that key.
 *
 * **Example** (On for a pipeline, off for one step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?", introspect: false })
 * const sort = Pipeline.introspect(Pipeline.sequence("sort", [spam, urgent]))
 *
 * const no = { decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }
 * const model = Testing.scripted([no, "Nothing hints at spam.", no])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(sort, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.equal(done.note("spam_summary")?.content, "Nothing hints at spam.")
 *   assert.equal(done.note("urgent_summary"), undefined)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category introspection
 */
export const introspect = taking("Pipeline.introspect", {
  args: [kinds.step],
  options: 1,
  optional: true,
  orBoolean: true,
  known: { ...introspectionForms, onFailure: { ...introspectionForms.onFailure, default: "fail" } }
})(<S extends Step.Any>(
  step: S,
  options: boolean | Omit<Introspection, "summaryKey"> = true
): Step.Step<Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>> => {
  checkSteps("introspect", "step", [step])
  check(step.name, options)
  if (options !== false) refuseClashes(step.node)
  return setting(step, settle(step.node, options), Effect.provideService(DefaultIntrospection, options))
})

const summaryKey = (key: string): string => checkKey(`${key}_summary`)

/** Keys of the steps inside, itself included, that have no `introspect` option. */
const undecided = (node: Step.Node): ReadonlyArray<string> =>
  Array.from(descendants(node)).flatMap(({ introspects, name }) => (introspects === undefined ? [] : [name]))

/**
 * The outline with the option applied: it has the keys of the summaries, and outer pipelines have nothing left to
 * decide.
 */
const settle = (root: Step.Node, options: boolean | Omit<Introspection, "summaryKey">): Step.Node => {
  const settings = introspectionSettings(options)
  const skips = typeof options === "object" && options.onFailure === "skip"
  /** The undecided keys inside each new node. */
  const keysOf = new Map<Step.Node, ReadonlySet<string>>()
  return rebuilt(root, (node, children) => {
    const keys = new Set(children.flatMap((child) => [...(keysOf.get(child) ?? [])]))
    if (node.introspects !== undefined) keys.add(node.name)
    if (keys.size === 0) return node
    const settled = settledNode(node, children, keys, { settings, off: options === false, skips })
    keysOf.set(settled, keys)
    return settled
  })
}

const settledNode = (
  node: Step.Node,
  children: ReadonlyArray<Step.Node>,
  keys: ReadonlySet<string>,
  options: { readonly settings: NodeSettings; readonly off: boolean; readonly skips: boolean }
): Step.Node => {
  const { introspects, ...rest } = node
  const settings = introspects === undefined ? {} : settingsOf(node.settings ?? {}, options.settings)
  const settled = { ...rest, ...settings, children }
  if (options.off) return settled
  const surely = new Set(node.surely)
  const within = children.map((child) => ({ writes: new Set(child.writes), surely: new Set(child.surely) }))
  // the summary of an own key is as sure as the key; elsewhere, if every child that writes the key always writes the
  // summary
  const sure = (key: string): boolean =>
    surely.has(key) &&
    ((introspects !== undefined && key === node.name) ||
      within.every((child) => !child.writes.has(key) || child.surely.has(summaryKey(key))))
  return {
    ...settled,
    writes: withSummaries(node.writes, keys),
    surely: options.skips ? node.surely : withSummaries(node.surely, new Set([...keys].filter(sure)))
  }
}

/** Inserts the summary key after each key. */
const withSummaries = (given: ReadonlyArray<string>, of: ReadonlySet<string>): ReadonlyArray<string> => [
  ...new Set(given.flatMap((key) => (of.has(key) ? [key, summaryKey(key)] : [key])))
]

/** Throws if another step writes the key of a summary. */
const refuseClashes = (given: Step.Node): void => {
  for (const key of undecided(given)) {
    const summary = summaryKey(key)
    const writer = writersOf(given, summary).find((node) => node.name !== key || node.introspects !== undefined)
    if (writer === undefined) continue
    const other = writer.updates?.includes(summary) === true ? "compaction of" : "step"
    throw new Error(
      `The step ${quoted(key)} would write its summary under ${quoted(summary)}, which the ${other} ` +
        `${quoted(writer.name)} writes: rename one of them, or set introspect: { summaryKey } on the first.`
    )
  }
}

/** The innermost steps that write a key. A compaction counts as the writer of its summary. */
const writersOf = (node: Step.Node, key: string): ReadonlyArray<Step.Node> => {
  const writes = (one: Step.Node): boolean => one.writes.includes(key)
  return [...descendants(node, writes)].filter((one) => writes(one) && !one.children.some(writes))
}

const check = (name: string, options: boolean | Omit<Introspection, "summaryKey">): void => {
  if (typeof options === "boolean") return
  if ("summaryKey" in options && options.summaryKey !== undefined) {
    throw new Error(
      'Pipeline.introspect has no option "summaryKey", as each step has its own: set introspect: { summaryKey } on a step.'
    )
  }
  if (options.prompt !== undefined) checkText(stepNamed(name), "prompt", options.prompt)
  checkSampling(stepNamed(name), options.sampling)
}
