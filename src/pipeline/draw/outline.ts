import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { cut, item, legible } from "../../text/legible.ts"
import type * as Step from "../../step/runtime/model.ts"
import { steps } from "./steps.ts"

/**
 * A pipeline as text, with one line for each step; inner steps are indented.
 *
 * **Details**
 *
 * A line has the name of the step, route or branch, its kind, its settings, and the keys that it reads, writes and
 * updates. A key with `?` may or may not be written. The lines are a Markdown list, so that they keep their form in
 * issues and documents. Names other than plain words are quoted, and long texts are cut. It needs no run and no model.
 *
 * **Example** (What a pipeline does)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Pipeline, Primitive, Step } from "cogito"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const spam = Primitive.sift("ham", { question: "Is this no spam?", step: urgent })
 * const mail = Pipeline.sequence("mail", [spam, Primitive.reflect("gist").pipe(Step.retry({ times: 1 }))])
 *
 * assert.equal(Pipeline.outline(mail), `
 * - mail: sequence; writes ham, urgent?, gist
 *   - ham: sift; writes ham, urgent?
 *     - urgent: decide; writes urgent
 *   - retry(gist): retry (times 1); writes gist
 *     - gist: reflect (unpublishedOnly false); writes gist
 * `.trim())
 * ```
 *
 * @category sight
 */
export const outline = taking("Pipeline.outline", { args: [kinds.step] })((step: Step.Any): string =>
  Array.from(steps(step), ({ depth, node }) => `${"  ".repeat(depth)}- ${line(node)}`).join("\n")
)

export const line = (node: Step.Node): string => {
  const { kind, name, reads, surely, updates = [], writes } = node
  const mark = (key: string): string => (surely.includes(key) ? item(key) : `${item(key)}?`)
  return [
    `${legible(name)}: ${legible(kind)}${settingsOf(node)}`,
    ...keys("reads", reads.map(item)),
    ...keys("writes", writes.filter((key) => !updates.includes(key)).map(mark)),
    ...keys("updates", updates.map(mark))
  ].join("; ")
}

const keys = (verb: string, shown: ReadonlyArray<string>): ReadonlyArray<string> =>
  shown.length === 0 ? [] : [`${verb} ${shown.join(", ")}`]

/** In code points; a setting may be a long text. */
const mostText = 60

/** The settings of a step, in parentheses. */
const settingsOf = ({ settings = {} }: Step.Node): string => {
  const options = Object.entries(settings).map(
    ([name, value]) => `${item(name)} ${typeof value === "string" ? item(cut(value, mostText)) : String(value)}`
  )
  return options.length === 0 ? "" : ` (${options.join(", ")})`
}
