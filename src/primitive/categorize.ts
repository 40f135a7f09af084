import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import {
  type Categories,
  categoriesForm,
  type Classification,
  declareClassification
} from "../synapse/classification.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"
import { described } from "./reasoning/settings.ts"

/**
 * Classifies the notes into one of several categories, optionally with a second one, and writes a `Classification`.
 *
 * **Details**
 *
 * Categories are names, or names with a sentence that says what belongs there. An answer outside the set is invalid.
 * Throws if there is no category, or if one is empty or occurs twice. Fails with `ProviderError` if the call fails, and
 * with `ResponseError` if no answer was valid, repairs included.
 *
 * **Example** (Sorting a ticket)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const category = Primitive.categorize("category", {
 *   question: "What kind of support issue is this?",
 *   categories: { billing: "payments, invoices, refunds", technical: "errors and outages" }
 * })
 * const provider = Testing.scripted([{ primary: "billing", confidence: 0.9, reasoning: ["It is about a charge."] }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "I was charged twice!" })
 *   const done = yield* Pipeline.run(category, thought)
 *   const primary: "billing" | "technical" = done.get("category").primary
 *   assert.equal(primary, "billing")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const categorize = taking("Primitive.categorize", {
  options: 1,
  known: {
    question: forms.option("The question.", forms.text),
    categories: categoriesForm,
    ...optionForms
  }
})(<const K extends string, const C extends string, const Q extends Text>(
  key: K,
  options: Options & { readonly question: Q; readonly categories: Categories<C> }
): Keyed<K, Classification<C>, Text.In<Q>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> => {
  const { declaration, schema } = declareClassification("categorize", options.categories)
  return makeReasoning(key, schema, declaration, options.question, options, {
    categories: described(options.categories)
  })
})
