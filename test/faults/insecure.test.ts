import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { Provider, type ProviderError } from "cogito/Provider"
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { assertClean, key } from "./clean.ts"

interface Options {
  readonly baseUrl: string
  readonly apiKey?: string | Redacted.Redacted
  readonly headers?: Readonly<Record<string, string>>
  readonly allowInsecureHttp?: boolean
}

const builders: Readonly<Record<string, (options: Options) => Effect.Effect<unknown, ProviderError>>> = {
  "OpenAi.make": (options) => OpenAi.make({ model: "m", ...options }),
  "OpenAi.layer": (options) => Effect.provide(Provider, OpenAi.layer({ model: "m", ...options })),
  "OpenAi.makeEmbedder": (options) => OpenAi.makeEmbedder({ model: "m", dimensions: 3, ...options }),
  "OpenAi.decider": (options) => Effect.provide(Provider, OpenAi.decider({ model: "m", ...options })),
  "Anthropic.make": (options) => Anthropic.make({ model: "m", ...options }),
  "Anthropic.layer": (options) => Effect.provide(Provider, Anthropic.layer({ model: "m", ...options }))
}

const far = [
  "http://model.example/v1",
  "http://10.0.0.7:8000",
  "http://0.0.0.0:1",
  "http://localhost.example",
  "http://api.localhost"
]
const near = ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "127.1", "[::1]", "[0:0:0:0:0:0:0:1]"]

describe("a key over http", () => {
  for (const [name, build] of Object.entries(builders)) {
    it.effect(`is refused by ${name}, and so are headers`, () =>
      Effect.gen(function* () {
        for (const baseUrl of far) {
          for (const [options, what] of [
            [{ apiKey: key }, "the API key would go unencrypted"],
            [{ apiKey: Redacted.make(key) }, "the API key would go unencrypted"],
            [{ headers: { "x-gateway": "canary" } }, "headers would go unencrypted"]
          ] as const) {
            const error = yield* Effect.flip(build({ baseUrl, ...options }))
            assertClean(error)
            assert.deepInclude(error.reason, { _tag: "InvalidRequest", parameter: "baseUrl" })
            assert.include(error.message, `${what} to ${new URL(baseUrl).host}`)
            assert.include(error.message, "use https in baseUrl, or set allowInsecureHttp to true")
          }
        }
      })
    )

    it.effect(`is taken by ${name} where it stays on this machine, is encrypted, is allowed, or is none`, () =>
      Effect.gen(function* () {
        const secret = { apiKey: key, headers: { "x-gateway": "canary" } }
        for (const host of near) yield* build({ baseUrl: `http://${host}:9/v1`, ...secret })
        yield* build({ baseUrl: "https://model.example/v1", ...secret })
        for (const baseUrl of far) {
          yield* build({ baseUrl, ...secret, allowInsecureHttp: true })
          yield* build({ baseUrl, headers: {} })
          yield* build({ baseUrl, apiKey: " " })
        }
      })
    )
  }

  const layers = { OPENAI: OpenAi.layerConfig, ANTHROPIC: Anthropic.layerConfig }
  for (const vendor of ["OPENAI", "ANTHROPIC"] as const) {
    it.effect(`from the environment is refused as well: ${vendor}`, () =>
      Effect.gen(function* () {
        const environment = { [`${vendor}_API_KEY`]: key, [`${vendor}_BASE_URL`]: "http://model.example", OPEN: "true" }
        const build = (options: { readonly allowInsecureHttp?: Config.Config<boolean> }) =>
          Effect.provide(
            Provider,
            layers[vendor]({ model: "m", ...options }).pipe(
              Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
            )
          )
        const error = yield* Effect.flip(build({}))
        assert.include(error.message, "unencrypted to model.example")
        const { model } = yield* build({ allowInsecureHttp: Config.Boolean("OPEN") })
        assert.strictEqual(model, "m")
      })
    )
  }
})
