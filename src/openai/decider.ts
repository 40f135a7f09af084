/** Providers that only decide. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkPrices } from "../provider/capabilities.ts"
import { onlyDecides } from "../provider/decisions.ts"
import { checkModel } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import { checkTimes } from "../http/deadlines.ts"
import { fail } from "../http/Endpoint.ts"
import { namedOptions } from "../http/options.ts"
import { make, Provider, type ProviderError, type Shape } from "../Provider.ts"
import { connect } from "./api/client.ts"
import { decideOf, onlyDeciding } from "./decisions/decide.ts"
import type { Options } from "./options.ts"

/**
 * Options of `decider`: which model decides, where, and with which key. Each is as for a provider.
 *
 * @category models
 */
export interface DeciderOptions extends Pick<Options, (typeof namedOptions)[number] | "cacheKey"> {
  /** What a million tokens cost. No price is assumed. */
  readonly prices?: NonNullable<Shape["capabilities"]["prices"]>
}

const makeDecider = Effect.fnUntraced(function* (options: DeciderOptions): Effect.fn.Return<Shape, ProviderError> {
  const { cacheKey, model, prices } = options
  const client = yield* connect(options)
  const { endpoint, official } = client
  const target = { provider: endpoint.provider, model, reasons: false, official, cacheKey, formInText: false } as const
  const caller = onlyDeciding(endpoint.provider, model, prices)
  return make({
    ...caller,
    complete: () => Effect.fail(fail(client.endpoint, { _tag: "Unsupported", message: onlyDecides })),
    ...decideOf(client, target, caller, true)
  })
})

/**
 * Provides a model that only decides closed questions, over OpenAI's decisions API.
 *
 * **Details**
 *
 * - Combine it with a provider of text, by `Provider.combine`: any other call fails with `Unsupported`.
 * - A call holds up to 400 questions. More take several calls, one after the other.
 * - A choice has 1 to 255 labels; any other number fails with `Unsupported` before anything is sent. A single label is
 *   chosen without a call.
 * - Building the layer fails as `make` does. Throws if a time is zero or negative, or a price is negative.
 *
 * **Example** (One vendor's decisions, another one's text)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { OpenAi } from "cogito/openai"
 *
 * const layer = Provider.combine({
 *   decide: OpenAi.decider({ model: "gpt-6-luna", apiKey: "sk-example" }),
 *   complete: OpenAi.layer({ model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1" })
 * })
 *
 * const provider = await Effect.runPromise(Effect.provide(Provider.Provider, layer))
 * assert.equal(provider.model, "qwen3:8b")
 * assert.ok(provider.decide)
 * ```
 *
 * @category layers
 */
export const decider = taking("OpenAi.decider", {
  options: 0,
  known: [...namedOptions, "cacheKey", "prices"]
})((options: DeciderOptions): Layer.Layer<Provider, ProviderError> => {
  checkModel("OpenAi.decider", options)
  checkTimes("OpenAi.decider", options)
  checkPrices("OpenAi.decider", options.prices)
  return Layer.effect(Provider, makeDecider(options))
})
