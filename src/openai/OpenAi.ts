/**
 * A provider over the Responses API or chat completions with the `openai` package, for OpenAI's own models and for every
 * server that speaks the same API, such as Ollama, vLLM, llama.cpp and LM Studio.
 *
 * The package is loaded when the layer is built, so that only programs that use it need it. Calls are made once: no
 * retry happens here, but for a parameter that the model refuses by name, without which the call is made once more.
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { checkPrices } from "../provider/capabilities.ts"
import { taking } from "../arguments/taking.ts"
import { checkTimes } from "../http/deadlines.ts"
import { readConfigured } from "../http/configured.ts"
import { serverOptions } from "../http/options.ts"
import { withoutTools } from "../provider/sent.ts"
import {
  type Capabilities,
  extend,
  learning,
  type Prices,
  Provider,
  type ProviderError,
  type Shape
} from "../Provider.ts"
import { quoted } from "../text/legible.ts"
import { capabilitiesOf } from "./api/capabilities.ts"
import { chat } from "./chat/chat.ts"
import type { ConfigOptions, Options } from "./options.ts"
import { apiOver } from "./api/api.ts"
import { type Client, connect, type Target } from "./api/client.ts"
import { decideOf, onlyDeciding } from "./decisions/decide.ts"
import { responses } from "./responses/responses.ts"

export { type ConfigOptions, type Options } from "./options.ts"

const taken = {
  options: 0,
  known: [...serverOptions, "api", "cacheKey", "capabilities", "decisions"]
} as const

/**
 * Builds the provider.
 *
 * Fails with `Authentication` when OpenAI's key is missing or cannot be a header, with `InvalidRequest` when `baseUrl`
 * is not one or would take a key or headers unencrypted to another machine, with `Unsupported` when the `openai` package is not installed. Throws if `api` is not one of
 * its values, or a time is not above 0. Nothing is sent yet.
 *
 * **Example** (A key that is missing)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { OpenAi } from "cogito/openai"
 *
 * const error = await Effect.runPromise(Effect.flip(OpenAi.make({ model: "gpt-5-mini" })))
 * assert.equal(error.reason._tag, "Authentication")
 * ```
 *
 * @category constructors
 */
export const make = taking(
  "OpenAi.make",
  taken
)((options: Options): Effect.Effect<Shape, ProviderError> => {
  const { api } = options
  if (api !== undefined && !apis.has(api)) {
    throw new Error(`api must be "responses" or "chat", not ${quoted(api)}.`)
  }
  checkPrices("OpenAi.make", options.capabilities?.prices)
  if (typeof options.decisions === "object") checkPrices("OpenAi.make", options.decisions.prices)
  checkTimes("OpenAi", options)
  return build(options)
})

const apis: ReadonlySet<unknown> = new Set(["responses", "chat"])

const build = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Shape, ProviderError> {
  const { cacheKey, decisions, model } = options
  const client = yield* connect(options)
  const { endpoint, official } = client
  const { provider: name } = endpoint
  const isResponses = (options.api ?? (official ? "responses" : "chat")) === "responses"
  const capabilities: Capabilities = {
    ...capabilitiesOf(model, official),
    // The Responses API has none.
    ...(isResponses && { seed: false }),
    ...options.capabilities
  }
  const target = { model, official, cacheKey }
  const api = isResponses ? apiOver(client, responses(target)) : apiOver(client, chat(target))

  const deciding =
    typeof decisions === "object"
      ? byOther(yield* connect({ ...options, model: decisions.model }), target, name, decisions.prices)
      : decideOf(client, target, { name, model, capabilities }, decisions)

  const provider = learning({
    name,
    model,
    capabilities,
    complete: (request, known) => Effect.andThen(withoutTools(name, model, request), api.complete(request, known)),
    stream: (request, known) => Stream.unwrap(Effect.as(withoutTools(name, model, request), api.stream(request, known)))
  })
  // Its calls are counted in budgets already, one by one.
  return extend(provider, deciding)
})

/** Decisions of another model than the one that answers in words: told, priced and counted as that one's. */
const byOther = (client: Client, target: Target, name: string, prices: Prices | undefined): Pick<Shape, "decide"> => {
  const { model } = client.endpoint
  const { decide } = decideOf(client, { ...target, model }, onlyDeciding(name, model, prices), true)
  if (decide === undefined) return {}
  return { decide: (request) => Effect.map(decide(request), (response) => ({ provider: name, model, ...response })) }
}

/**
 * Provides a model behind OpenAI's Responses or chat completions API.
 *
 * An output form is sent as `json_schema`, or as `json_object` and its instructions, or as its instructions alone, after
 * `capabilities.structuredOutput`; a form whose root is no object always goes as instructions. The schema is strict
 * unless a record, a tuple or a value of any form is in it, or it is larger than OpenAI takes: for that an optional property is asked for as null, which is
 * taken from the answer again, and a limit such as a minimum length is told in a description. In chat completions,
 * `maxTokens` is sent as `max_completion_tokens` to OpenAI, and to others for OpenAI's models that reason, else as
 * `max_tokens`. The Responses API has neither
 * seed nor stop words: there they are not sent, and the answer's `sampling` says so. OpenAI is told not to store the
 * conversation.
 *
 * Interrupting a call closes its connection. The answer counts only when it is finished: one that was cut off, refused
 * or empty fails with a `ProviderError` that holds the tokens billed all the same; so does a stream that ends before its
 * last event, which is never a shorter answer. The pieces of a stream add up to what the model wrote; its whole answer, at
 * the end, is what the unstreamed call gives. A request with tools fails with `Unsupported`. Where the model refuses a
 * parameter by its name (temperature, effort, seed, stop, output form) or the system role, the call is made once more without it, and later
 * ones leave it out; so it is with `stream_options` of chat completions, and with the name of the limit, which is then sent
 * by its other name. Building the layer fails as `make` does.
 *
 * Closed questions are decided as `decisions` says. Natively, a call holds up to 400 questions; more go in several calls,
 * one after the other, and budgets count each; a choice has 1 to 255 labels, and what cannot be asked so fails with
 * `Unsupported`, before anything is sent. By log-probabilities each question is a call of its own over chat completions,
 * which asks for the letter of one of at most 20 labels, or yes or no. The probabilities are those of the first token,
 * made to sum to 1 over the labels. A label that the server does not list has at most as much as the least of those it
 * lists, and all missing ones together at most what the list leaves: it gets the smaller bound. A server that tells no
 * log-probabilities, or a model that gives its labels less than half of the probability, fails with `Unsupported`.
 *
 * **Example** (A model on this machine)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { OpenAi } from "cogito/openai"
 *
 * const local = OpenAi.layer({ model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434/v1", timeout: "2 minutes" })
 *
 * const program = Effect.gen(function*() {
 *   const provider = yield* Provider.Provider
 *   assert.equal(provider.model, "qwen3:8b")
 *   assert.equal(provider.capabilities.structuredOutput, "json-schema")
 * })
 * await Effect.runPromise(Effect.provide(program, local))
 * ```
 *
 * @category layers
 */
export const layer = taking(
  "OpenAi.layer",
  taken
)((options: Options): Layer.Layer<Provider, ProviderError> => Layer.effect(Provider, make(options)))

const variables = { apiKey: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" }

/**
 * Provides a model with key and address from configuration: `OPENAI_API_KEY`, and `OPENAI_BASE_URL` where it is set.
 *
 * The key goes to whatever server `baseUrl` names; use `layer` for one that must not see it. Fails like `layer`, and with
 * a `ConfigError` when an option given as a `Config` cannot be read.
 *
 * **Example** (Key from the environment)
 *
 * ```ts
 * import { ConfigProvider, Effect, Layer } from "effect"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { OpenAi } from "cogito/openai"
 *
 * const environment = ConfigProvider.layer(ConfigProvider.fromUnknown({ OPENAI_API_KEY: "sk-example" }))
 * const model = OpenAi.layerConfig({ model: "gpt-5-mini" }).pipe(Layer.provide(environment))
 *
 * const capabilities = await Effect.runPromise(Effect.provide(Provider.Provider.use((p) => Effect.succeed(p.capabilities)), model))
 * assert.equal(capabilities.temperature, "never")
 * ```
 *
 * @category layers
 */
export const layerConfig = taking(
  "OpenAi.layerConfig",
  taken
)((options: ConfigOptions): Layer.Layer<Provider, ProviderError | Config.ConfigError> =>
  Layer.effect(Provider, Effect.flatMap(readConfigured<Options>(options, variables), make))
)

export { decider, type DeciderOptions } from "./decider.ts"
export { embedder, type EmbedderOptions, makeEmbedder } from "./embedder.ts"
