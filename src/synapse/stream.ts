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
 * - `Text`: the next words of the model
 * - `Partial`: the current fields of the value. A field that is `done` is complete and fits its schema. The last event
 *   of an accepted answer has the fields of the value
 * - `Discarded`: drop the answer so far. It was not accepted and is asked for again or the stream fails, or it was read
 *   anew with another value for a field that was `done`; in this case the new fields follow
 * - `Done`: the last piece, with the whole value, which the call returns without a stream
 *
 * @category models
 */
export type Part<A> =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Partial"; readonly partial: Partial<A> }
  | { readonly _tag: "Discarded" }
  | { readonly _tag: "Done"; readonly value: A }

/**
 * Asks, and emits the answer while it is being written.
 *
 * **Details**
 *
 * A native answer has only the last piece, and so has the answer of a provider that does not stream. Partial values
 * come from answers that begin with valid JSON, perhaps after prose or thinking. An answer that must be repaired to be
 * read has its value at the end only. Fails like the synapse. If the reader stops, the connection is closed.
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
              // the form of the synapse has the fields of its value
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
