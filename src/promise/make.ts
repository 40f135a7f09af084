import type * as Layer from "effect/Layer"
import { maybe, notEmpty, others } from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type * as Memory from "../Memory.ts"
import type { Cogito } from "./model.ts"
import { Client } from "./Client.ts"
import { type Lacking, type Layers, type Provided, together } from "./layers.ts"
import { type CallOptions, Running } from "./running.ts"

/**
 * Makes a client of layers: a provider, a memory and whatever else its programs need.
 *
 * **Details**
 *
 * Each layer may need what those after it in the list provide. They are built at the first call and released by `close`. If
 * building fails, that call rejects, and the next one tries again. If
 * none of them provides a memory, notes are kept in the process until then.
 *
 * `onSignal` and `onUsage` hear every call, before listeners of its own. One that fails keeps neither the call nor the others from
 * going on, and its failure is logged as an error. `scope` is the tenant of calls that name none.
 *
 * **Example** (A pipeline and a single call)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Synapse } from "cogito"
 * import { Local } from "cogito/local"
 * import { PgliteMemory } from "cogito/pglite"
 * import { Cogito } from "cogito/promise"
 *
 * const urgent = Primitive.decide("urgent", { question: "Does this need an answer today?" })
 * const topic = Synapse.classification({
 *   question: "What is this about?",
 *   categories: { billing: "payments, invoices, refunds", technical: "errors and outages" }
 * })
 *
 * await using ai = Cogito.make([Local.extractive, PgliteMemory.layer({}), Local.embedder])
 * const message = "I was charged twice, please refund me today!"
 * const done = await ai.run(urgent, { intent: "triage", notes: { message } })
 * const { primary } = await ai.call(topic, message)
 *
 * assert.equal(done.get("urgent").decision, true)
 * assert.equal(primary, "billing")
 * ```
 *
 * @category constructors
 */
export const make: {
  <A>(layer: Layer.Layer<A, any>, options?: Omit<CallOptions, "signal">): Cogito<Memory.Memory | A>
  <const L extends Layers>(
    layers: L &
      ([Lacking<L>] extends [never]
        ? unknown
        : { readonly "a layer needs what no layer after it provides": Lacking<L> }),
    options?: Omit<CallOptions, "signal">
  ): Cogito<Memory.Memory | Provided<L>>
} = taking("Cogito.make", {
  args: [kinds.layers],
  options: 1,
  optional: true,
  known: { ...others("onSignal", "onUsage"), scope: maybe("The tenant.", notEmpty) }
})(
  (layers: Layers | Layers[number], options: Omit<CallOptions, "signal"> = {}): Cogito<any> =>
    // the types have checked that nothing is missing
    new Client(new Running(together("pipe" in layers ? [layers] : layers) as Layer.Layer<any, any>), options)
)
