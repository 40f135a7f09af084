import type * as Schema from "effect/Schema"
import { others } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { schemaOf } from "../schema/schemaOf.ts"
import type { AnySchema } from "../thought/Note.ts"
import type { Declaration } from "./Declaration.ts"
import { type Details, detailsOf, type Input, merge, detailForms } from "./details.ts"
import { compile } from "./form.ts"
import { optionForms, askOptions, call, makeTextual, type Options, type Synapse } from "./make.ts"

/** Declares an open question whose answer has a schema, for a kind of step. */
export const declareExtract = <A>(kind: string, schema: Schema.Codec<A, any>): Declaration<A> => ({
  kind,
  form: compile("extraction", schema, (value) => value),
  request: (prompt) => ({
    instruction: prompt,
    questions: [],
    task: prompt,
    how: "Take only what is there: do not invent anything.",
    sections: []
  })
})

/**
 * Extracts a typed value from a text.
 *
 * **Details**
 *
 * The schema is an Effect Schema, or a Standard Schema with its JSON Schema, such as one of Zod. Throws if it is
 * neither. Examples that come with an input replace the default examples.
 *
 * **Example** (A typed value)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Invoice = Schema.Struct({ number: Schema.String, total: Schema.Finite })
 * const invoice = Synapse.extract(Invoice, { prompt: "Extract the invoice's number and total" })
 * const provider = Testing.scripted([{ number: "A-1", total: 12.5 }])
 *
 * const value = await Effect.runPromise(invoice("Invoice A-1, total 12.50").pipe(Effect.provide(provider.layer)))
 * assert.equal(value.total, 12.5)
 * ```
 *
 * @category synapses
 */
export const extract = taking("Synapse.extract", {
  options: 1,
  known: { ...others("prompt"), ...detailForms, repairs: optionForms.repairs, parsing: optionForms.parsing },
  texts: ["prompt"]
})(<A>(
  schema: AnySchema<A>,
  options: Omit<Options, "via" | "reasons"> & Details & { readonly prompt: string }
): Synapse<A, Input<Details>, Details> => {
  const asking = askOptions(options)
  const declaration = declareExtract("extract", schemaOf("Synapse.extract", schema))
  return makeTextual<A, Details>({
    kind: "extract",
    defaults: detailsOf(options),
    merge: (defaults, given) => merge(defaults, given, (_, examples) => examples),
    prepare: (details) => (input) =>
      call({ declaration, question: options.prompt, input, details, examples: details.examples ?? [], asking })
  })
})
