/** Synapses that take typed values and show them as JSON. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import { make, type Synapse } from "./make.ts"
import type { ResponseError } from "./answer/ResponseError.ts"

/** Makes a synapse for values, which are shown as JSON. A value that does not fit its schema is a defect. */
export const makeTyped = <A, B, D>(definition: {
  readonly kind: string
  readonly data: Schema.Codec<A, any>
  readonly defaults: D
  readonly merge: (defaults: D, given: D) => D
  readonly prepare: (details: D) => (input: string) => Effect.Effect<B, ProviderError | ResponseError, Provider>
}): Synapse<B, A, D> => {
  const { data, prepare, ...rest } = definition
  const encode = Schema.encodeEffect(Schema.toCodecJson(data))
  return make<B, A, A, D>({
    ...rest,
    split: (value) => [value, undefined],
    prepare: (details) => {
      const ask = prepare(details)
      return (value) => Effect.flatMap(Effect.orDie(encode(value)), (json) => ask(JSON.stringify(json, undefined, 2)))
    }
  })
}
