import * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import type { AnySchema } from "../thought/Note.ts"
import { Confidence, type Declaration, stating } from "./Declaration.ts"
import { defined, type Details, detailsOf, merge, override, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { optionForms, askOptions, call, type Options, type Synapse } from "./make.ts"
import { makeTyped } from "./typed.ts"

/**
 * A model's analysis of a value: a text, single findings and reasons. Findings and reasons may be empty.
 *
 * `confidence` is in [0, 1], as the model states it.
 *
 * @category models
 */
export const Analysis = Schema.Struct({
  analysis: Schema.NonEmptyString,
  confidence: Confidence,
  findings: Schema.Array(Schema.String),
  reasoning: Schema.Array(Schema.String)
})
/**
 * A model's analysis of a value.
 *
 * @category models
 */
export interface Analysis extends Schema.Schema.Type<typeof Analysis> {}

/**
 * Details of an analysis.
 *
 * @category models
 */
export interface AnalyzeDetails extends Details {
  /** What to look at in particular. */
  readonly focus?: string
}

const declaration: Declaration<Analysis> = {
  // not "analyze": that is an extraction
  kind: "analysis",
  wants: "text",
  form: compile("analysis", Analysis, (value) => value),
  request: (prompt) => ({
    instruction: prompt,
    questions: [],
    task: prompt,
    how: `Give the analysis and what you found one by one. ${stating}`,
    sections: []
  })
}

/**
 * Analyses a typed value in words.
 *
 * **Details**
 *
 * The input is the value itself, which the model sees as JSON. Pass details with `with`. A value that does not fit its
 * schema is a defect.
 *
 * **Example** (What an order says)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Order = Schema.Struct({ items: Schema.Array(Schema.String), paid: Schema.Boolean })
 * const risk = Synapse.analyze(Order, { prompt: "Say what is unusual about this order" })
 * const provider = Testing.scripted([{
 *   analysis: "It was sent before it was paid.",
 *   confidence: 0.7,
 *   findings: ["not paid"],
 *   reasoning: []
 * }])
 *
 * const value = await Effect.runPromise(risk({ items: ["lamp"], paid: false }).pipe(Effect.provide(provider.layer)))
 * assert.deepEqual(value.findings, ["not paid"])
 * ```
 *
 * @category synapses
 */
export const analyze = taking("Synapse.analyze", {
  options: 1,
  known: { ...others("prompt", "focus"), ...detailForms, repairs: optionForms.repairs, parsing: optionForms.parsing },
  texts: ["prompt"]
})(<A>(
  schema: AnySchema<A>,
  options: Omit<Options, "via" | "reasons"> & AnalyzeDetails & { readonly prompt: string }
): Synapse<Analysis, A, AnalyzeDetails> => {
  const asking = askOptions(options)
  return makeTyped<A, Analysis, AnalyzeDetails>({
    kind: declaration.kind,
    data: writableSchemaOf("Synapse.analyze", schema),
    defaults: { ...detailsOf(options), ...defined({ focus: options.focus }) },
    merge: (defaults, given) => ({
      ...merge(defaults, given, (first, second) => [...first, ...second]),
      ...defined({ focus: override(defaults.focus, given.focus) })
    }),
    prepare: (details) => {
      const { examples = [], focus } = details
      const guides = [{ heading: "Focus", items: focus === undefined ? [] : [focus] }]
      return (input) => call({ declaration, question: options.prompt, input, details, guides, examples, asking })
    }
  })
})
