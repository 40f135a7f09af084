import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { declareBinary, Decision } from "../synapse/binary.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"

const declaration = declareBinary("decide")

/**
 * Asks a yes/no question and writes a `Decision`: yes or no, a confidence in [0, 1], and reasons.
 *
 * **Details**
 *
 * There is no threshold: a low confidence is an answer too, and the step that reads it decides what to do. Fails with
 * `ProviderError` if the call fails, and with `ResponseError` if no answer was valid, repairs included.
 *
 * **Example** (Escalating a ticket)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const escalate = Primitive.decide("escalate", { question: "Should a senior agent take this?" })
 * const provider = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["Charged twice."] }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "I was charged twice!" })
 *   const done = yield* Pipeline.run(escalate, thought)
 *   assert.equal(done.get("escalate").decision, true)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const decide = taking("Primitive.decide", {
  options: 1,
  known: { question: forms.option("The question.", forms.text), ...optionForms }
})(
  <const K extends string, const Q extends Text>(
    key: K,
    options: Options & { readonly question: Q }
  ): Keyed<K, Decision, Text.In<Q>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> =>
    makeReasoning(key, Decision, declaration, options.question, options)
)
