import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import type { AnySchema, Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { declareExtract } from "../synapse/extract.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"
import { stating } from "../step/runtime/stated.ts"

const { reasons: _, via: __, ...extracting } = optionForms

/**
 * Extracts a typed value from the notes and writes it under the key.
 *
 * **Details**
 *
 * The schema says what to extract; field descriptions (`annotate({ description })`) help the model. It is an Effect
 * Schema, or a Standard Schema with its JSON Schema, such as one of Zod. Throws if it is neither. Fails with
 * `ProviderError` if the call fails, and with `ResponseError` if no answer fits the schema, repairs included.
 *
 * **Example** (Extracting a ticket)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const ticket = Primitive.analyze("ticket", {
 *   schema: Schema.Struct({ customer: Schema.String, issue: Schema.String }),
 *   prompt: "Extract the customer and the issue"
 * })
 * const provider = Testing.scripted([{ customer: "Ada", issue: "charged twice" }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "Ada here. I was charged twice!" })
 *   const done = yield* Pipeline.run(ticket, thought)
 *   assert.equal(done.get("ticket").customer, "Ada")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const analyze = taking("Primitive.analyze", {
  options: 1,
  known: {
    schema: forms.option("Name of the registered schema of the value.", forms.schema),
    prompt: forms.option("What to extract.", forms.text),
    ...extracting
  }
})(<const K extends string, A, const Q extends Text>(
  key: K,
  options: Omit<Options, "via" | "reasons"> & { readonly schema: AnySchema<A>; readonly prompt: Q }
): Keyed<K, A, Text.In<Q>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> => {
  const schema = writableSchemaOf(`The step ${quoted(key)}`, options.schema)
  const step = makeReasoning(key, schema, declareExtract("analyze", schema), options.prompt, options)
  stating(step.node, schema)
  return step
})
