import type * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { schemaOf, writableSchemaOf } from "../schema/schemaOf.ts"
import type { AnySchema } from "../thought/Note.ts"
import type { Declaration } from "./Declaration.ts"
import { defined, type Details, detailsOf, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { optionForms, askOptions, call, type Options, type Synapse } from "./make.ts"
import { makeTyped } from "./typed.ts"

/**
 * Details of a conversion.
 *
 * @category models
 */
export interface ConvertDetails extends Details {
  /** How to convert parts of the value. Later rules replace the defaults. */
  readonly rules?: ReadonlyArray<string>
}

const declareConvert = <B>(schema: Schema.Codec<B, any>): Declaration<B> => ({
  kind: "convert",
  form: compile("conversion", schema, (value) => value),
  request: (prompt) => ({
    instruction: prompt,
    questions: [],
    task: prompt,
    how: "Keep everything that the new form has a place for; do not invent anything.",
    sections: []
  })
})

/**
 * Converts a typed value into one of another type.
 *
 * **Details**
 *
 * The input is the value itself, which the model sees as JSON. Pass details with `with`. A value that does not fit its
 * schema is a defect.
 *
 * **Example** (An old form and a new one)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Old = Schema.Struct({ name: Schema.String })
 * const New = Schema.Struct({ first: Schema.String, last: Schema.String })
 * const split = Synapse.convert(Old, New, { prompt: "Split the name" })
 * const provider = Testing.scripted([{ first: "Ada", last: "Lovelace" }])
 *
 * const value = await Effect.runPromise(split({ name: "Ada Lovelace" }).pipe(Effect.provide(provider.layer)))
 * assert.equal(value.last, "Lovelace")
 * ```
 *
 * @category synapses
 */
export const convert = taking("Synapse.convert", {
  options: 2,
  known: { ...others("prompt", "rules"), ...detailForms, repairs: optionForms.repairs, parsing: optionForms.parsing },
  texts: ["prompt"]
})(<A, B>(
  from: AnySchema<A>,
  to: AnySchema<B>,
  options: Omit<Options, "via" | "reasons"> & ConvertDetails & { readonly prompt: string }
): Synapse<B, A, ConvertDetails> => {
  const asking = askOptions(options)
  const declaration = declareConvert(schemaOf("Synapse.convert", to))
  return makeTyped<A, B, ConvertDetails>({
    kind: "convert",
    data: writableSchemaOf("Synapse.convert", from),
    defaults: { ...detailsOf(options), ...defined({ rules: options.rules }) },
    merge: (defaults, given) => ({
      ...merge(defaults, given, (first, second) => [...first, ...second]),
      ...defined({ rules: given.rules ?? defaults.rules })
    }),
    prepare: (details) => {
      const { examples = [], rules = [] } = details
      const guides = [{ heading: "Rules", items: rules }]
      return (input) => call({ declaration, question: options.prompt, input, details, guides, examples, asking })
    }
  })
})
