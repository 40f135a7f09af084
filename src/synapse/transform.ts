import { whole } from "../arguments/checked.ts"
import * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { Confidence, type Declaration, stating } from "./Declaration.ts"
import { defined, type Details, detailsOf, type Input, merge, override, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { optionForms, askOptions, call, makeTextual, type Options, type Synapse } from "./make.ts"

/**
 * A text made from another one. `changes` lists what was done and `reasoning` why. Both may be empty.
 *
 * @category models
 */
export const Transformation = Schema.Struct({
  output: Schema.NonEmptyString,
  confidence: Confidence,
  changes: Schema.Array(Schema.String),
  reasoning: Schema.Array(Schema.String)
})
/**
 * A text made from another one.
 *
 * @category models
 */
export interface Transformation extends Schema.Schema.Type<typeof Transformation> {}

/**
 * Details of a transformation. Examples map texts to their results.
 *
 * @category models
 */
export interface TransformDetails extends Details<Readonly<Record<string, string>>> {
  /** The style of the new text. */
  readonly style?: string
  /** The maximum number of characters of the new text, from 1. A longer text is invalid. */
  readonly maxLength?: number
}

/** Declares a transformation of the notes into a text, for a kind of step. */
const declareTransform = (kind: string, schema: Schema.Codec<Transformation, any>): Declaration<Transformation> => ({
  kind,
  wants: "text",
  form: compile("transformation", schema, (value) => value),
  request: (prompt) => ({
    instruction: prompt,
    questions: [],
    task: prompt,
    how: `Give the new text and what you changed. ${stating}`,
    sections: []
  })
})

/**
 * Transforms a text into another one, such as a summary, a translation, or the same in another tone.
 *
 * **Details**
 *
 * Throws if `maxLength` is not a whole number from 1.
 *
 * **Example** (A shorter text)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const shorten = Synapse.transform({ prompt: "Say it in three words" })
 * const provider = Testing.scripted([{ output: "Refund, please now", confidence: 0.9, changes: [], reasoning: [] }])
 *
 * const value = await Effect.runPromise(shorten("I would like my money back.").pipe(Effect.provide(provider.layer)))
 * assert.equal(value.output, "Refund, please now")
 * ```
 *
 * @category synapses
 */
export const transform = taking("Synapse.transform", {
  options: 0,
  known: {
    ...others("prompt", "style", "maxLength"),
    ...detailForms,
    repairs: optionForms.repairs,
    parsing: optionForms.parsing
  },
  texts: ["prompt"]
})((
  options: Omit<Options, "via" | "reasons"> & TransformDetails & { readonly prompt: string }
): Synapse<Transformation, Input<TransformDetails>, TransformDetails> => {
  const asking = askOptions(options)
  return makeTextual<Transformation, TransformDetails>({
    kind: "transform",
    defaults: { ...detailsOf(options), ...defined({ style: options.style, maxLength: options.maxLength }) },
    merge: (defaults, given) => ({
      ...merge(defaults, given, (first, second) => ({ ...first, ...second })),
      ...defined({
        style: override(defaults.style, given.style),
        maxLength: given.maxLength ?? defaults.maxLength
      })
    }),
    prepare: (details) => {
      const { examples = {}, maxLength, style } = details
      const declaration = declarationFor(maxLength)
      const guides = [
        { heading: "Style", items: style === undefined ? [] : [style] },
        { heading: "Length", items: maxLength === undefined ? [] : [`at most ${maxLength} characters`] }
      ]
      const lines = Object.entries(examples).map(
        ([from, to]) => `${JSON.stringify(from)} becomes ${JSON.stringify(to)}`
      )
      return (input) => call({ declaration, question: options.prompt, input, details, guides, examples: lines, asking })
    }
  })
})

const unbounded = declareTransform("transform", Transformation)

const declarationFor = (maxLength: number | undefined): Declaration<Transformation> => {
  if (maxLength === undefined) return unbounded
  whole("A transformation", "maxLength", 1, maxLength)
  const output = Schema.NonEmptyString.check(Schema.isMaxLength(maxLength))
  return declareTransform("transform", Schema.Struct({ ...Transformation.fields, output }))
}
