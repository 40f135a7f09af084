import type * as Schema from "effect/Schema"
import type { Declaration } from "./ask.ts"
import { compile } from "./form.ts"
import { make, type Options, type Synapse } from "./make.ts"

/** An open question whose answer has a schema, for a kind of step. */
export const declareExtract = <A>(kind: string, schema: Schema.Codec<A, any>): Declaration<A> => ({
  kind,
  form: compile("extraction", schema, (value) => value),
  put: (prompt) => ({
    instruction: prompt,
    questions: [],
    sections: [
      {
        heading: "Task",
        body: `${prompt}\n\nTake what is there and nothing else: do not invent or complete anything.`
      }
    ]
  })
})

/**
 * Extracts a typed value from a text.
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
export const extract = <A>(
  schema: Schema.Codec<A, any>,
  options: Omit<Options, "via" | "reasons"> & { readonly prompt: string }
): Synapse<A> => make(declareExtract("extract", schema), options.prompt, options)
