import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import { type Watcher, Watching } from "./call.ts"
import type { Synapse } from "./make.ts"
import type { Partial } from "./answer/partial/Partial.ts"
import type { ResponseError } from "./answer/ResponseError.ts"
import { tellerOf, watchedBy } from "./teller.ts"

/**
 * A piece of a typed answer that is being written.
 *
 * - `Text`: the model's next words, as it writes them
 * - `Partial`: what there is of the value now; a field that is `done` is complete and fits its schema. The last one before
 *   the end has the value's own fields, also where the answer was read otherwise than its beginning looked
 * - `Discarded`: forget the answer so far; the model is asked again, the stream fails, or the answer is read as a value of
 *   which a field that was `done` is another one, and the fields of that value follow
 * - `Done`: the whole value, the last piece. It is what the call gives without a stream
 *
 * @category models
 */
export type Part<A> =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Partial"; readonly partial: Partial<A> }
  | { readonly _tag: "Discarded" }
  | { readonly _tag: "Done"; readonly value: A }

/**
 * Asks, and gives the answer while it is being written.
 *
 * A closed question that is answered natively has nothing but its end, and so has a provider that does not stream. Partial
 * values come for answers that begin with plain JSON, perhaps after prose or thinking; of an answer that has to be mended
 * to be read, the value comes at the end. Fails as the synapse does. To stop reading closes the connection.
 *
 * **Example** (Fields as they come)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema, Stream } from "effect"
 * import { Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Invoice = Schema.Struct({ number: Schema.String, total: Schema.Finite })
 * const invoice = Synapse.extract(Invoice, { prompt: "Extract the invoice's number and total" })
 * const model = Testing.scripted([{ number: "A-1", total: 12.5 }])
 *
 * const parts = await Effect.runPromise(
 *   Synapse.stream(invoice, "Invoice A-1, total 12.50").pipe(Stream.runCollect, Effect.provide(model.layer))
 * )
 * const last = parts.at(-1)
 * assert.deepEqual(last, { _tag: "Done", value: { number: "A-1", total: 12.5 } })
 * ```
 *
 * @category streaming
 */
export const stream = <A, I, D, E>(
  synapse: Synapse<A, I, D, E>,
  input: I
): Stream.Stream<Part<A>, ProviderError | ResponseError | E, Provider> =>
  Stream.callback<Part<A>, ProviderError | ResponseError | E, Provider>(
    Effect.fnUntraced(function* (queue) {
      const teller = tellerOf<Part<A>, ProviderError | ResponseError | E>(queue)
      const watcher: Watcher = {
        begin: ({ form }) =>
          Effect.sync(() =>
            watchedBy<Part<A>>(teller, form, {
              text: (delta) => ({ _tag: "Text", delta }),
              // the reader is that of the synapse's own form, whose fields are those of its value
              partial: (partial) => ({ _tag: "Partial", partial: partial as Partial<A> }),
              discarded: { _tag: "Discarded" }
            })
          )
      }
      const value = yield* Effect.provideService(synapse(input), Watching, watcher)
      yield* teller.tell({ _tag: "Done", value })
      yield* Queue.end(queue)
    }),
    { bufferSize: 64, strategy: "suspend" }
  )
