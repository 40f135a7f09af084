import * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { Confidence, type Declaration } from "./Declaration.ts"
import { defined, type Details, detailsOf, type Input, merge, override, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { optionForms, askOptions, call, makeTextual, type Options, type Synapse } from "./make.ts"

/**
 * A text made of another one. `changes` says what was done, `reasoning` why; both may be empty.
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
 * A text made of another one.
 *
 * @category models
 */
export interface Transformation extends Schema.Schema.Type<typeof Transformation> {}

/**
 * What a transformation may be given: examples are texts and what becomes of them, by text.
 *
 * @category models
 */
export interface TransformDetails extends Details<Readonly<Record<string, string>>> {
  /** How the new text is to be written. */
  readonly style?: string
  /** The most characters that the new text may have, from 1; a longer one is refused. */
  readonly maxLength?: number
}

/** A text to be made of the notes, for a kind of step. */
const declareTransform = (kind: string, schema: Schema.Codec<Transformation, any>): Declaration<Transformation> => ({
  kind,
  wants: "text",
  form: compile("transformation", schema, (value) => value),
  put: (prompt) => ({
    instruction: prompt,
    questions: [],
    sections: [
      {
        heading: "Task",
        body: `${prompt}\n\nGive the new text, how sure you are of it from 0 to 1, what you changed, and why.`
      }
    ]
  })
})

/**
 * Makes a text of another one: a summary, a translation, another tone.
 *
 * Throws when `maxLength` is no whole number from 1.
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
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    throw new Error(`maxLength must be a whole number from 1: ${maxLength}`)
  }
  const output = Schema.NonEmptyString.check(Schema.isMaxLength(maxLength))
  return declareTransform("transform", Schema.Struct({ ...Transformation.fields, output }))
}
