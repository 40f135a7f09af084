import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { Assessment, declareSentiment } from "../synapse/sentiment.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"
import { listed } from "./reasoning/settings.ts"

/**
 * Judges the sentiment of the notes and writes an `Assessment`: an overall tone, scores, emotions, and a tone for each
 * aspect.
 *
 * **Details**
 *
 * Throws if an aspect is empty or occurs twice. Fails with `ProviderError` if the call fails, and with `ResponseError`
 * if no answer was valid, repairs included.
 *
 * **Example** (The mood of a customer)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const mood = Primitive.assess("mood", { question: "How does the customer feel?" })
 * const provider = Testing.scripted([{
 *   overall: "negative",
 *   confidence: 0.8,
 *   scores: { positive: 0, negative: 0.9, neutral: 0.1 },
 *   emotions: ["anger"],
 *   reasoning: ["The customer shouts."]
 * }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "I WAS CHARGED TWICE!" })
 *   const done = yield* Pipeline.run(mood, thought)
 *   assert.equal(done.get("mood").overall, "negative")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const assess = taking("Primitive.assess", {
  options: 1,
  known: {
    question: forms.option("The question.", forms.text),
    aspects: forms.maybe("Aspects that are judged one by one.", forms.names, []),
    ...optionForms
  }
})(
  <const K extends string, const Q extends Text>(
    key: K,
    options: Options & { readonly question: Q; readonly aspects?: ReadonlyArray<string> }
  ): Keyed<K, Assessment, Text.In<Q>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> =>
    makeReasoning(key, Assessment, declareSentiment("assess", options.aspects ?? []), options.question, options, {
      aspects: listed(options.aspects)
    })
)
