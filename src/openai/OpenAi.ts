/**
 * A provider over OpenAI's Responses API, chat completions or Realtime API, with the `openai` package. It serves OpenAI's own models
 * and every server that speaks the same API, such as Ollama, vLLM, llama.cpp and LM Studio.
 *
 * The package is loaded when the layer is built, so only programs that use it need it. Calls are made once, with one
 * exception: if the model refuses a parameter by name, the call is made once more without that parameter.
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkPrices } from "../provider/capabilities.ts"
import { checkFormInText, leastCached } from "../provider/placement.ts"
import { checkModel } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import { checkTimes } from "../http/deadlines.ts"
import { readConfigured } from "../http/configured.ts"
import { serverOptions } from "../http/options.ts"
import { limitsOf } from "../provider/resumable/resumable.ts"
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
import type { ConfigOptions, Options } from "./options.ts"
import { apiOver } from "./api/api.ts"
import { type Client, connect, type Target } from "./api/client.ts"
import { decideOf, onlyDeciding } from "./decisions/decide.ts"
import { exchangeOf } from "./exchange.ts"

export { type ConfigOptions, type Options } from "./options.ts"

const taken = {
  options: 0,
  known: [...serverOptions, "api", "cacheKey", "capabilities", "connections", "decisions", "formInText", "mode"]
} as const

/**
 * Builds the provider. Nothing is sent yet.
 *
 * **Details**
 *
 * It fails with a `ProviderError` whose reason is:
 *
 * - `Authentication` if OpenAI's key is missing, or a key cannot be sent in a header
 * - `InvalidRequest` if `baseUrl` or `mode` is invalid, or a key or headers would go unencrypted to another machine
 * - `Unsupported` if the `openai` package is not installed, or `mode` is not possible with `api`
 *
 * Throws if `api` is not one of its values, a time is zero or negative, a price or `formInText` is negative, or
 * `connections` is out of range.
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
    throw new Error(`api must be "responses", "chat" or "realtime", not ${quoted(api)}.`)
  }
  checkModel("OpenAi.make", options)
  checkPrices("OpenAi.make", options.capabilities?.prices)
  if (typeof options.decisions === "object") checkPrices("OpenAi.make", options.decisions.prices)
  checkTimes("OpenAi", options)
  checkFormInText("OpenAi.make", options.formInText)
  limitsOf("OpenAi.make", options.connections)
  return build(options)
})

const apis: ReadonlySet<unknown> = new Set(["responses", "chat", "realtime"])

/** Models of the Realtime API are made for speech: they take no temperature and no form of the answer. */
const spoken: Partial<Capabilities> = { temperature: "never", efforts: [], structuredOutput: "none", tools: true }

const build = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Shape, ProviderError> {
  const { cacheKey, decisions, model } = options
  const client = yield* connect(options)
  const { endpoint, official } = client
  const { provider: name } = endpoint
  const api = options.api ?? (official ? "responses" : "chat")
  const capabilities: Capabilities = {
    ...capabilitiesOf(model, official),
    // Only chat completions have a seed.
    ...(api !== "chat" && { seed: false }),
    ...(api === "realtime" && spoken),
    ...options.capabilities
  }
  const target = {
    provider: name,
    model,
    reasons: capabilities.temperature !== "free" || capabilities.efforts.length > 0,
    official,
    cacheKey,
    formInText: options.formInText ?? (official && leastCached)
  }
  const { exchange, wire } = yield* exchangeOf(api, options, client, target, capabilities)
  const calls = apiOver(endpoint, wire, exchange, target.formInText)

  const deciding =
    typeof decisions === "object"
      ? byOther(yield* connect({ ...options, model: decisions.model }), target, name, decisions.prices)
      : decideOf(client, target, { name, model, capabilities }, decisions)

  const provider = learning({ name, model, capabilities, ...calls })
  // Its calls are counted in budgets already, one by one.
  return extend(provider, deciding)
})

/** Decisions by another model than the one that writes. They carry its name, and are priced and counted as its own. */
const byOther = (client: Client, target: Target, name: string, prices: Prices | undefined): Pick<Shape, "decide"> => {
  const { model } = client.endpoint
  const { decide } = decideOf(client, { ...target, model }, onlyDeciding(name, model, prices), true)
  if (decide === undefined) return {}
  return { decide: (request) => Effect.map(decide(request), (response) => ({ provider: name, model, ...response })) }
}

/**
 * Provides a model behind OpenAI's Responses API, chat completions or Realtime API. Building the layer fails as `make` does.
 *
 * **Details**
 *
 * - An output form is sent as `json_schema`, as `json_object` with its instructions, or as instructions alone,
 *   depending on `capabilities.structuredOutput` and `formInText`.
 * - The Responses API has neither seed nor stop words. The answer's `sampling` then says what was sent.
 * - OpenAI is asked not to store the conversation.
 * - If the model refuses a parameter by its name, or the system role, the call is made once more without it. Later
 *   calls leave it out.
 * - An answer that was cut off, refused or empty fails with a `ProviderError` that holds the tokens billed. So does a
 *   stream that ends before its last event.
 * - Tools are sent as functions, strict if their parameters follow the rules of strict mode as they are. The Responses API
 *   gives encrypted reasoning with calls: it goes back with them in the `carry` of their message.
 * - Interrupting a call closes its connection.
 * - With `mode`, conversations may go over WebSockets that keep them. The sockets close with the scope of the layer.
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
 * Provides a model, with key and address from configuration: `OPENAI_API_KEY`, and `OPENAI_BASE_URL` if it is set.
 *
 * **Details**
 *
 * The key goes to any server that `baseUrl` names. Use `layer` for a server that must not see it. Building the layer
 * fails as `make` does, and with a `ConfigError` if an option given as a `Config` cannot be read.
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
