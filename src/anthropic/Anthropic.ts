/**
 * A provider over Anthropic's Messages API, with the `@anthropic-ai/sdk` package. It serves Claude models and every
 * server that speaks the same API.
 *
 * The package is loaded when the layer is built, so only programs that use it need it. Calls are made once, with one
 * exception: if the model refuses a parameter, the call is made once more without that parameter.
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { checkModel } from "../arguments/checked.ts"
import { taking } from "../arguments/taking.ts"
import { readWhole } from "../http/answers.ts"
import { readConfigured } from "../http/configured.ts"
import { checkTimes } from "../http/deadlines.ts"
import { fail } from "../http/Endpoint.ts"
import { wantsSockets } from "../http/mode.ts"
import { type Mode, type ServerOptions, serverOptions } from "../http/options.ts"
import { streamed } from "../http/streamed.ts"
import { checkPrices } from "../provider/capabilities.ts"
import { checkFormInText, leastCached } from "../provider/placement.ts"
import { saying } from "../provider/sent.ts"
import { errorAfter } from "../provider/spent.ts"
import {
  addUsage,
  type Capabilities,
  learning,
  Provider,
  type ProviderError,
  type Reason,
  type Request,
  type Response,
  type Shape,
  type StreamPart
} from "../Provider.ts"
import { quoted } from "../text/legible.ts"
import { type Cache, capabilitiesOf } from "./capabilities.ts"
import { call, connect } from "./client.ts"
import { toBody } from "./request.ts"
import { reading } from "./response.ts"
import { type Paused, reader } from "./stream.ts"

/**
 * Options of the provider: which model, where, and with which key.
 *
 * **Details**
 *
 * The options of the server, its key and the time of a call are the same for every vendor. `baseUrl` is the part of the
 * address before `/v1/messages`, by default `https://api.anthropic.com`. `name` is by default `"anthropic"`. In
 * addition there are:
 *
 * - `cache`: how long the server keeps the beginning of a prompt, which the next call repeats: `"5m"` (default),
 *   `"1h"`, or `false` for not at all. Writing to the cache costs more than other input, reading from it less
 * - `formInText`: from how many tokens of a thought's conversation on an answer's form is described at the end of the
 *   request instead of as a JSON Schema. Anthropic's cache holds a conversation for one schema only, so without this each
 *   other kind of step pays for the whole conversation again. The tokens are estimated from the length. Default: 1024 at
 *   Anthropic itself, as no shorter prompt is cached; elsewhere, and with `cache: false`, `false`, for never
 * - `mode`: `"replay"` (default) or `"auto"`, which are the same here: every call sends the whole conversation. The API has
 *   no sockets, so building the layer with `"resume"` fails
 * - `capabilities`: override what is assumed by the model's name, field by field. Prices are assumed only at
 *   Anthropic's own server, as of the date that they state, and only for models with a single price for every prompt
 *   length
 *
 * @category models
 */
export interface Options extends ServerOptions {
  readonly cache?: Cache
  readonly formInText?: number | false
  readonly mode?: Mode
  readonly capabilities?: Partial<Capabilities>
}

/**
 * The same options. Each may be a `Config` that is read when the layer is built.
 *
 * @category models
 */
export type ConfigOptions = {
  readonly [K in keyof Options]: Required<Options>[K] | Config.Config<Required<Options>[K]>
}

const caches: ReadonlySet<unknown> = new Set<Cache>([false, "5m", "1h"])

const taken = { options: 0, known: [...serverOptions, "cache", "capabilities", "formInText", "mode"] } as const

/**
 * Builds the provider. Nothing is sent yet.
 *
 * **Details**
 *
 * It fails with a `ProviderError` whose reason is:
 *
 * - `Authentication` if Anthropic's key is missing, or a key cannot be sent in a header
 * - `InvalidRequest` if `baseUrl` or `mode` is invalid, or a key or headers would go unencrypted to another machine
 * - `Unsupported` if the `@anthropic-ai/sdk` package is not installed, or `mode` is `"resume"`
 *
 * Throws if `cache` is not one of its values, a time is zero or negative, or a price or `formInText` is negative.
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
export const make = taking(
  "Anthropic.make",
  taken
)((options: Options): Effect.Effect<Shape, ProviderError> => {
  const { cache = "5m" } = options
  if (!caches.has(cache)) throw new Error(`cache must be false, "5m" or "1h", not ${quoted(cache)}.`)
  checkModel("Anthropic.make", options)
  checkTimes("Anthropic", options)
  checkFormInText("Anthropic.make", options.formInText)
  checkPrices("Anthropic.make", options.capabilities?.prices)
  return build(options, cache)
})

/** Adds the sampling that was sent, if it differs from the request: the API has no seed. */
const finish = (response: Response, { sampling }: Request): Response => {
  const { seed: _, ...sent } = sampling
  return saying(response, sampling, sent)
}

const build = Effect.fnUntraced(function* (options: Options, cache: Cache): Effect.fn.Return<Shape, ProviderError> {
  const { model } = options
  const { ask, endpoint, listen, official } = yield* connect(options)
  const { provider: name } = endpoint
  yield* wantsSockets(options.mode, endpoint, `${name} is called by Anthropic's Messages API, which has no sockets`)
  const { formInText = official && cache !== false && leastCached } = options
  const bodyOf = (request: Request, capabilities: Capabilities, { blocks }: Paused, stream: boolean) =>
    call(toBody(request, { provider: name, model, capabilities, cache, formInText, paused: blocks, stream }))
  return learning({
    name,
    model,
    capabilities: { ...capabilitiesOf(model, official, cache), ...options.capabilities },
    complete: Effect.fnUntraced(function* (request, capabilities) {
      let before = begun
      for (let pauses = 0; ; pauses++) {
        const { usage } = before
        const { paused, ...response } = yield* ask(bodyOf(request, capabilities, before, false)).pipe(
          Effect.flatMap((answer) => readWhole(reading(hasTools(request), before.blocks), answer, endpoint)),
          Effect.mapError((error) => errorAfter(error, usage))
        )
        const all = addUsage(usage, response.usage)
        if (paused === undefined) return finish({ ...response, usage: all }, request)
        if (pauses === mostPauses) return yield* fail(endpoint, tooManyPauses, { usage: all })
        before = { blocks: paused, usage: all }
      }
    }),
    stream: (request, capabilities) => {
      const from = (before: Paused, pauses: number): Stream.Stream<StreamPart, ProviderError> => {
        let paused: Paused["blocks"] | undefined
        const read = () => reader(endpoint, hasTools(request), before, (blocks) => (paused = blocks))
        return streamed(listen(bodyOf(request, capabilities, before, true)), endpoint, read).pipe(
          Stream.flatMap((part): Stream.Stream<StreamPart, ProviderError> => {
            if (part._tag !== "Done") return Stream.succeed(part)
            const { usage } = part.response
            if (paused === undefined) return Stream.succeed({ ...part, response: finish(part.response, request) })
            if (pauses === mostPauses) return Stream.fail(fail(endpoint, tooManyPauses, { usage }))
            return from({ blocks: paused, usage }, pauses + 1)
          })
        )
      }
      return from(begun, 0)
    }
  })
})

const hasTools = ({ tools = [] }: Request): boolean => tools.length > 0

const begun: Paused = { blocks: [], usage: {} }

/** How often a model may pause one turn. */
const mostPauses = 10

const tooManyPauses: Reason = {
  _tag: "InvalidResponse",
  message: `the model paused its turn more than ${mostPauses} times: ask for less`
}

/**
 * Provides a model behind Anthropic's Messages API. Building the layer fails as `make` does.
 *
 * **Details**
 *
 * - An output form is sent as a JSON Schema if `capabilities.structuredOutput` is `"json-schema"` and Anthropic's rules
 *   allow it; otherwise it is described in the prompt. If the server finds the schema too large, the call is repeated with
 *   the description in the prompt, and later calls are made in the same way.
 * - `max_tokens` is the request's `maxTokens`, otherwise `capabilities.outputTokens`, otherwise 4096. There is no seed.
 * - The stable parts of the prompt are marked for the prompt cache, so that a growing conversation is read from it.
 * - An answer that was cut off, refused or empty fails with a `ProviderError` that holds the tokens billed.
 * - Thinking that comes with calls of tools goes back with them unchanged, in the `carry` of their message. A turn that the
 *   model pauses goes on, with one more call.
 * - Interrupting a call closes its connection.
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
export const layer = taking(
  "Anthropic.layer",
  taken
)((options: Options): Layer.Layer<Provider, ProviderError> => Layer.effect(Provider, make(options)))

const variables = { apiKey: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" }

/**
 * Provides a model, with key and address from configuration: `ANTHROPIC_API_KEY`, and `ANTHROPIC_BASE_URL` if it is
 * set.
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
export const layerConfig = taking(
  "Anthropic.layerConfig",
  taken
)((options: ConfigOptions): Layer.Layer<Provider, ProviderError | Config.ConfigError> =>
  Layer.effect(Provider, Effect.flatMap(readConfigured<Options>(options, variables), make))
)
