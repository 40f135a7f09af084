/**
 * A provider over Anthropic's Messages API with the `@anthropic-ai/sdk` package, for Claude models and for every server
 * that speaks the same API.
 *
 * The package is loaded when the layer is built, so that only programs that use it need it. Calls are made once: no
 * retry happens here, but for a call that the model refuses for one parameter, which is made again without it.
 */
import * as Clock from "effect/Clock"
import type * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { checkPrices } from "../provider/capabilities.ts"
import { taking } from "../arguments/taking.ts"
import { checkTimes } from "../http/deadlines.ts"
import { type Configured, readConfigured } from "../http/configured.ts"
import { fail } from "../http/Endpoint.ts"
import { type Capabilities, learning, Provider, type ProviderError, type Request, type Shape } from "../Provider.ts"
import { quoted } from "../text/legible.ts"
import { type Cache, capabilitiesOf } from "./capabilities.ts"
import { connect } from "./client.ts"
import { limitsOf } from "./limits.ts"
import { sentOf, toBody } from "./request.ts"
import { decode } from "./response.ts"
import { toParts } from "./stream.ts"

/**
 * Which model, where, and with which key.
 *
 * - `model`: as the server names it, such as `"claude-sonnet-5-5"`
 * - `apiKey`: needed for Anthropic; sent to every other server too when given, else a placeholder is
 * - `baseUrl`: what stands before `/v1/messages`, default `https://api.anthropic.com`; http or https, without user name or
 *   query
 * - `timeout`: total time for a call, until the last byte of its answer; default 60 seconds. Node's own `fetch` waits at
 *   most 300 seconds for an answer to begin; give a `fetch` of your own for more
 * - `connectTimeout`: time until a stream begins; default 10 seconds at Anthropic, else as long as `timeout`
 * - `idleTimeout`: time between two pieces of an answer; default half of `timeout`, but at least 30 seconds and at most 5
 *   minutes
 * - `cache`: how long the server keeps the beginning of a prompt, which the next call repeats: `"5m"` (default), `"1h"`,
 *   or `false` for not at all. Writing costs more than other input, reading less
 * - `capabilities`: replace what is assumed by the model's name, field by field. Prices are assumed at Anthropic's own
 *   server alone, those of the date that they tell, and only for models that have one price whatever the prompt's length
 * - `name`: name of the provider in errors and reports, default `"anthropic"`
 * - `headers`: sent with every call
 * - `allowInsecureHttp`: allow a key or `headers` to go over `http` to another machine, where anyone on the way can read
 *   them; default `false`. This machine (`localhost`, `127.0.0.0/8`, `[::1]`) needs no permission
 * - `fetch`: used instead of the global one
 *
 * Nothing is read from the environment or from files of the Anthropic package.
 *
 * @category models
 */
export interface Options {
  readonly model: string
  readonly apiKey?: Redacted.Redacted | string
  readonly baseUrl?: string
  readonly timeout?: Duration.Input
  readonly connectTimeout?: Duration.Input
  readonly idleTimeout?: Duration.Input
  readonly cache?: false | "5m" | "1h"
  readonly capabilities?: Partial<Capabilities>
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowInsecureHttp?: boolean
  readonly fetch?: typeof globalThis.fetch
}

/**
 * The same, where every option may be a `Config` to be read when the layer is built.
 *
 * @category models
 */
export type ConfigOptions = Configured<Options>

const caches: ReadonlySet<unknown> = new Set<Cache>([false, "5m", "1h"])

/** The names of all options. */
const known = [
  "allowInsecureHttp",
  "apiKey",
  "baseUrl",
  "cache",
  "capabilities",
  "connectTimeout",
  "fetch",
  "headers",
  "idleTimeout",
  "model",
  "name",
  "timeout"
] as const

/**
 * Builds the provider.
 *
 * Fails with `Authentication` when Anthropic's key is missing or cannot be a header, with `InvalidRequest` when `baseUrl`
 * is not one or would take a key or headers unencrypted to another machine, with `Unsupported` when the `@anthropic-ai/sdk` package is not installed. Throws if `cache` is not one of its
 * values, or a time is not above 0. Nothing is sent yet.
 *
 * **Example** (A key that is missing)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { Anthropic } from "cogito/anthropic"
 *
 * const error = await Effect.runPromise(Effect.flip(Anthropic.make({ model: "claude-sonnet-5-5" })))
 * assert.equal(error.reason._tag, "Authentication")
 * ```
 *
 * @category constructors
 */
export const make = taking("Anthropic.make", {
  options: 0,
  known
})((options: Options): Effect.Effect<Shape, ProviderError> => {
  const { cache = "5m" } = options
  if (!caches.has(cache)) throw new Error(`cache must be false, "5m" or "1h", not ${quoted(cache)}.`)
  checkTimes("Anthropic", options)
  checkPrices("Anthropic.make", options.capabilities?.prices)
  return build(options, cache)
})

const build = Effect.fnUntraced(function* (options: Options, cache: Cache): Effect.fn.Return<Shape, ProviderError> {
  const { model, name = "anthropic" } = options
  const { ask, endpoint, listen, official } = yield* connect({ ...options, name })
  const refuseTools = ({ tools = [] }: Request) =>
    tools.length === 0
      ? Effect.void
      : Effect.fail(fail(endpoint, { _tag: "Unsupported", message: "tools cannot be called through this provider" }))

  return learning({
    name,
    model,
    capabilities: { ...capabilitiesOf(model, official, cache), ...options.capabilities },
    complete: Effect.fnUntraced(function* (request, capabilities) {
      yield* refuseTools(request)
      const answer = yield* ask(toBody(request, { model, capabilities, cache, stream: false }))
      const { headers } = answer
      const now = yield* Clock.currentTimeMillis
      const response = yield* decode(answer, endpoint, now)
      return { ...response, ...sentOf(request.sampling), ...limitsOf(headers, now) }
    }),
    stream: (request, capabilities) => {
      const sent = sentOf(request.sampling)
      const events = listen(toBody(request, { model, capabilities, cache, stream: true }))
      return Stream.fromEffectDrain(refuseTools(request)).pipe(
        Stream.concat(toParts(events, endpoint)),
        Stream.map((part) => (part._tag === "Done" ? { ...part, response: { ...part.response, ...sent } } : part))
      )
    }
  })
})

/**
 * Provides a model behind Anthropic's Messages API.
 *
 * An output form is sent as a JSON Schema where `capabilities.structuredOutput` is `"json-schema"` and Anthropic's rules
 * have room for it, else as its instructions in words: for a record, a tuple, a value of any form, a schema that holds
 * itself, more than 24 optional properties or 16 unions. A limit such as a minimum length is told in a description. A
 * schema that the server finds too large is asked for in words as well, by a second call, and from then on.
 *
 * `max_tokens` is the request's `maxTokens`, else `capabilities.outputTokens`, else 4096. System messages go as system
 * text; messages of one side that follow each other are one turn; blank ones are left out. The end of the system text and
 * that of the messages before the new one are marked for the prompt cache, so that a conversation that grows is read from
 * it. There is no seed.
 *
 * Interrupting a call closes its connection. The answer counts only when it is finished: one that was cut off, refused
 * or empty fails with a `ProviderError` that holds the tokens billed all the same. A request with tools fails with
 * `Unsupported`. Building the layer fails as `make` does.
 *
 * **Example** (A server of one's own)
 *
 * ```ts
 * import { Effect } from "effect"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { Anthropic } from "cogito/anthropic"
 *
 * const local = Anthropic.layer({ model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434", timeout: "2 minutes" })
 *
 * const program = Effect.gen(function*() {
 *   const provider = yield* Provider.Provider
 *   assert.equal(provider.model, "qwen3:8b")
 *   assert.equal(provider.capabilities.structuredOutput, "none")
 * })
 * await Effect.runPromise(Effect.provide(program, local))
 * ```
 *
 * @category layers
 */
export const layer = taking("Anthropic.layer", {
  options: 0,
  known
})((options: Options): Layer.Layer<Provider, ProviderError> => Layer.effect(Provider, make(options)))

const variables = { apiKey: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" }

/**
 * Provides a model with key and address from configuration: `ANTHROPIC_API_KEY`, and `ANTHROPIC_BASE_URL` where it is
 * set.
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
 * import { Anthropic } from "cogito/anthropic"
 *
 * const environment = ConfigProvider.layer(ConfigProvider.fromUnknown({ ANTHROPIC_API_KEY: "sk-ant-example" }))
 * const model = Anthropic.layerConfig({ model: "claude-haiku-4-5" }).pipe(Layer.provide(environment))
 *
 * const capabilities = await Effect.runPromise(Effect.provide(Provider.Provider.use((p) => Effect.succeed(p.capabilities)), model))
 * assert.equal(capabilities.temperature, "without-effort")
 * ```
 *
 * @category layers
 */
export const layerConfig = taking("Anthropic.layerConfig", {
  options: 0,
  known
})((options: ConfigOptions): Layer.Layer<Provider, ProviderError | Config.ConfigError> =>
  Layer.effect(Provider, Effect.flatMap(readConfigured<Options>(options, variables), make))
)
