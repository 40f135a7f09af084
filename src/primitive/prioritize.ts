import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { finish } from "../run/run.ts"
import { makeKeyed } from "../step/runtime/make.ts"
import type { NotEmpty } from "../thought/types.ts"
import type { Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import type { Ranking } from "../synapse/ranking.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Items, poseRanking } from "./reasoning/items.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { reasoner } from "./reasoning/reason.ts"
import { listed } from "./reasoning/settings.ts"

/**
 * Ranks items by what the notes say, and writes a `Ranking`: every item exactly once, best first, a confidence in [0,
 * 1], and reasons.
 *
 * **Details**
 *
 * The items are fixed, or read from notes: the handle of a note that is a list of texts, or a reader. Items that differ
 * only in spaces and line breaks are equal. Throws if the list of fixed items is empty, or if an item is blank or
 * occurs twice. If that is true of items that are read, fails with `InvalidItems` before any call.
 *
 * Fails with `ProviderError` if the call fails, and with `ResponseError` if no answer was valid, repairs included.
 *
 * **Example** (What to do first)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const order = Primitive.prioritize("order", {
 *   criteria: "what helps the customer soonest",
 *   items: ["send the newsletter", "refund the charge"]
 * })
 * const provider = Testing.scripted([{
 *   ranked: ["refund the charge", "send the newsletter"],
 *   confidence: 0.9,
 *   reasoning: ["The customer was charged twice."]
 * }])
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("triage", { message: "I was charged twice!" })
 *   const done = yield* Pipeline.run(order, thought)
 *   assert.equal(done.get("order").ranked[0], "refund the charge")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const prioritize = taking("Primitive.prioritize", {
  options: 1,
  known: {
    criteria: forms.option('What to rank by; completes "Rank by …".', forms.text),
    items: forms.option(
      "The items: a list, a reader of one, or the key of a note that is one.",
      forms.either(
        'a list of texts, { reader: "<name>" } or { note: "<key>" }',
        forms.some("", forms.notEmpty),
        forms.textsReader,
        forms.fields("", { note: forms.option("Key of the note: a list of texts.", forms.textsHandle) })
      )
    ),
    ...optionForms
  }
})(<const K extends string, const Q extends Text, const I extends Items>(
  key: K,
  options: Options & {
    /** What to rank by; completes the sentence "Rank by …". */
    readonly criteria: Q
    readonly items: I & NotEmpty<I, string>
  }
): Keyed<
  K,
  Ranking<Items.Item<I>>,
  Text.In<Q> & Items.In<I>,
  ProviderError | ResponseError | Text.Err<Q> | Items.Err<I>,
  Provider | Text.Req<Q> | Items.Req<I>
> => {
  const { declared, schema } = poseRanking("prioritize", key, options.items)
  const { ask, handle, node } = reasoner(key, schema, declared, options.criteria, options, {
    items: "length" in options.items ? listed(options.items) : undefined
  })
  return makeKeyed(handle, node, (thought) => Effect.map(ask(thought, finish), (answered) => answered.thought))
})
