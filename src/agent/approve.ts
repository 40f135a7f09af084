import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { maybe, notEmpty } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory, MemoryError } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import { frameOf } from "./waiting.ts"

/**
 * What a person decides about a call: it is carried out, it is refused with a reason that the model sees, or it is carried out with
 * other parameters, as JSON of the tool's schema.
 *
 * @category models
 */
export type Decision = "yes" | { readonly no: string } | { readonly params: unknown }

const decided: kinds.Kind = {
  named: `"yes", { no: reason } or { params }`,
  is: (value) =>
    value === "yes" || (hasProperty(value, "no") && typeof value.no === "string") || hasProperty(value, "params")
}

/**
 * Answers for a call that waits for an approval. The run goes on when it is resumed.
 *
 * **Details**
 *
 * `callId` is that of `Agent.waiting` and of the event `Asked`. The `frame` of the question, as `Agent.waiting` lists it, may stand in its
 * place: agents that are tools have ids of their own, so several calls of a run may have the same one. Other parameters are judged by
 * the agent's policy, which may still deny them; the model sees that they were changed. `by` says who decides, and stands in the
 * metadata of the result.
 *
 * Fails as `Pipeline.answer` does: with `AlreadyAnswered`, with `AnswerTooLate` after the agent's timeout, with a `SchemaError` if the
 * parameters do not fit, and with a `MemoryError` (`NotFound`) if the run does not wait for this call, or for several with this id.
 *
 * **Example** (Refunding less than the model wanted)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema, Stream } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 * import { Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const refund = Tool.make("refund", { parameters: Schema.Struct({ eur: Schema.Finite }), success: Schema.String })
 *   .annotate(Tool.Destructive, true)
 * const toolkit = Toolkit.make(refund)
 * const support = Agent.make("support", { instructions: "You are the support of a shop.", toolkit, triage: false })
 *
 * const model = Testing.scripted([Testing.calls([{ name: "refund", params: { eur: 90 } }]), "You get 9 EUR back."])
 * const tools = toolkit.toLayer({ refund: ({ eur }) => Effect.succeed(`Paid ${eur} EUR back.`) })
 *
 * const program = Effect.gen(function*() {
 *   const said = Agent.say(support, yield* Thought.make("case 7"), "My kite is torn.", { durable: { id: "case-7" } })
 *   yield* Effect.flip(said)
 *   const [pending] = yield* Agent.waiting({ runId: "case-7" })
 *   assert.deepEqual(pending?.params, { eur: 90 })
 *   yield* Agent.approve("case-7", pending?.callId ?? "", { params: { eur: 9 } }, { by: "jane" })
 *   const events = yield* Stream.runCollect(Agent.resume(support, "case-7"))
 *   const last = events.at(-1)
 *   assert.equal(last?._tag === "Done" && last.answer, "You get 9 EUR back.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.mergeAll(model.layer, tools, Testing.memory))))
 * ```
 *
 * @category approvals
 */
export const approve = taking("Agent.approve", {
  args: [kinds.text, kinds.text, decided],
  options: 3,
  optional: true,
  known: { by: maybe("Who decides.", notEmpty) }
})(
  (
    runId: string,
    callId: string,
    decision: Decision,
    options: { readonly by?: string } = {}
  ): Effect.Effect<
    void,
    Pipeline.AlreadyAnswered | Pipeline.AnswerTooLate | MemoryError | Schema.SchemaError,
    Memory
  > =>
    Effect.gen(function* () {
      const frame = yield* frameOf(runId, callId)
      return yield* Pipeline.answer(runId, frame ?? callId, answerOf(decision), options)
    })
)

const answerOf = (decision: Decision): unknown => {
  if (decision === "yes") return { approved: true }
  return "no" in decision ? { approved: false, reason: decision.no } : { approved: true, params: decision.params }
}
