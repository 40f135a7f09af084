import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { go, yesOrNo } from "../step/runtime/route.ts"
import { inTurn, makeHandled, maybe, refuseShared } from "../step/runtime/make.ts"
import type { Missing, Simplify, Writes } from "../thought/types.ts"
import type { Handle, Text } from "../thought/Note.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type * as Step from "../step/runtime/model.ts"
import { declareBinary, Decision } from "../synapse/binary.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { reasoner } from "./reasoning/reason.ts"

const declaration = declareBinary("sift")

/**
 * Asks a yes/no question, writes the `Decision` under the key, and runs a step if the answer is yes.
 *
 * **Details**
 *
 * The decision is stored before the step runs, and stays if the step fails. The step may read it. What the step writes
 * is optional afterwards. Throws if the step writes a key of this step. Fails with `ProviderError` if the call fails,
 * with `ResponseError` if no answer was valid, repairs included, and with the errors of the step.
 *
 * **Example** (A refund that is checked only where one is asked for)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const limit = Step.make("limit", { schema: Schema.Finite, run: () => 50 })
 * const refund = Primitive.sift("refund", { question: "Does the customer want money back?", step: limit })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It says so."] }])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(refund, yield* Thought.make("triage", { message: "My money back, please!" }))
 *   assert.equal(done.get("refund").decision, true)
 *   const value: number | undefined = done.get("limit")
 *   assert.equal(value, 50)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category routing
 */
export const sift = taking("Primitive.sift", {
  options: 1,
  known: {
    question: forms.option("The question.", forms.text),
    step: forms.option("The step that runs on yes.", forms.step),
    ...optionForms
  }
})(<const K extends string, const Q extends Text, const S extends Step.Any>(
  key: K,
  options: Options & { readonly question: Q; readonly step: S }
): Step.Step<
  Simplify<Text.In<Q> & Missing<Step.In<S>, Writes<K, Decision>>>,
  Simplify<Writes<K, Decision> & Partial<Step.Out<S>>>,
  ProviderError | ResponseError | Text.Err<Q> | Step.Err<S>,
  Provider | Text.Req<Q> | Step.Req<S>
> &
  Handle<K, Decision> => {
  const { question, step } = options
  const { ask, handle, node } = reasoner(key, Decision, declaration, question, options)
  refuseShared(key, [node, step.node])
  return makeHandled(
    handle,
    { ...node, ...inTurn([node, maybe(step.node)]), children: [step.node], layout: yesOrNo },
    Effect.fnUntraced(function* (thought) {
      const { thought: answered, value } = yield* ask(thought)
      return yield* go(answered, value.decision ? step : undefined, value.confidence)
    })
  )
})
