import { it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { OpenAi } from "cogito/openai"
import { Provider, type Request } from "cogito/Provider"
import { beyond, listen, wire } from "../http/wire.ts"
import { transcribe } from "../transcript.ts"
import { completion, reply } from "./server.ts"
import { forms, request, withForm } from "./requests.ts"

type Options = Partial<OpenAi.Options>

const answered = {
  chat: reply(200, completion("fine")),
  responses: reply(200, {
    id: "resp_7",
    model: "gpt-7",
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: "fine" }] }]
  })
}
const events = (text: string) => reply(200, text, { "content-type": "text/event-stream" })
const done = events("data: [DONE]\n\n")

/** What one call sends, and what a streamed one sends otherwise. */
const sent = (api: "chat" | "responses", options: Options, asked: Request) =>
  Effect.gen(function* () {
    const make = (fetch: typeof globalThis.fetch) =>
      OpenAi.make({ model: "house-1", apiKey: "sk-house", baseUrl: "https://model.test/v1", api, fetch, ...options })
    const whole = yield* wire(answered[api], (fetch) =>
      Effect.flatMap(make(fetch), (provider) => provider.complete(asked))
    )
    const streamed = yield* wire(done, (fetch) => Effect.flatMap(make(fetch), (provider) => listen(provider, asked)))
    const [one, two] = [whole.sent[0], streamed.sent[0]]
    return { body: one?.body, streamed: one && two && beyond(two.body, one.body), answer: whole.outcome }
  })

const both = (options: Options, asked: Request) =>
  Effect.all({ chat: sent("chat", options, asked), responses: sent("responses", options, asked) })

const all = { temperature: 0.3, effort: "high", maxTokens: 301, seed: 17, stop: ["END", "ENOUGH"] }

it.effect("what is sent of messages, sampling and forms", () =>
  transcribe("requests", {
    "Messages of every role, and nothing else": both({}, request()),
    "All sampling": both({}, request({ sampling: all })),
    "Sampling of zeros and empty lists": both(
      {},
      request({ sampling: { temperature: 0, maxTokens: 1, seed: 0, stop: [] } })
    ),
    "All sampling at OpenAI itself": both({ baseUrl: "https://api.openai.com/v1" }, request({ sampling: all })),
    "Introspection, with a cache key": both(
      { cacheKey: "team-4" },
      request({ phase: "introspect", sampling: { effort: "minimal" } })
    ),
    "A model that reasons, elsewhere": both(
      { model: "openai/gpt-5-mini" },
      request({ sampling: { maxTokens: 52, effort: "low" } })
    ),
    "A model that reasons, fine-tuned": both({ model: "ft:o3-mini:org" }, request({ sampling: { maxTokens: 53 } })),
    "A form of every kind of value": both({}, withForm("a ticket, of 2026", forms.every)),
    "A form at OpenAI itself, with a cache key and sampling": both(
      { baseUrl: "https://api.openai.com/v1", cacheKey: "team-5" },
      withForm("reply", forms.optional, { sampling: { maxTokens: 54, effort: "low" } })
    ),
    "A form with optional properties": both({}, withForm("optional", forms.optional)),
    "A form with limits that strict mode does not take": both({}, withForm("limited", forms.limited)),
    "A form with definitions that hold themselves": both({}, withForm("tree", forms.tree)),
    "A form whose root is a reference": both({}, withForm("reference", forms.reference)),
    "A form with a record in it": both({}, withForm("record", forms.record)),
    "A form with a tuple in it": both({}, withForm("tuple", forms.tuple)),
    "A form that is no object": both({}, withForm("list", forms.list)),
    "A form of a long name without letters that are allowed": both({}, withForm("é".repeat(70), forms.small)),
    "A form without a name": both({}, withForm("", forms.small)),
    "A form as JSON": both({ capabilities: { structuredOutput: "json" } }, withForm("small", forms.small)),
    "A form in words": both({ capabilities: { structuredOutput: "none" } }, withForm("small", forms.small)),
    "A form for an old model, in words": both({ model: "gpt-3.5-turbo" }, withForm("small", forms.small)),
    Tools: both({}, request({ tools: [{ name: "look", description: "Looks", parameters: {} }] }))
  })
)

const headersOf = (options: Options) =>
  wire([answered.chat], (fetch) =>
    Effect.flatMap(OpenAi.make({ model: "house-2", baseUrl: "https://model.test/v1", fetch, ...options }), (provider) =>
      Effect.as(provider.complete(request({ messages: [{ role: "user", text: "Hello" }] })), {
        name: provider.name,
        model: provider.model,
        capabilities: provider.capabilities,
        decides: provider.decide !== undefined,
        order: provider.order
      })
    )
  )

const configured = ConfigProvider.layer(
  ConfigProvider.fromUnknown({
    KEY: "sk-read",
    MODEL: "house-4",
    TIME: "8 seconds",
    OPENAI_API_KEY: "sk-environment",
    OPENAI_BASE_URL: "https://other.test/v3"
  })
)
const read = { apiKey: Config.Redacted("KEY"), model: Config.String("MODEL"), timeout: Config.Duration("TIME") }

it.effect("what is sent by the options, and what the provider says of itself", () =>
  transcribe("options", {
    "No key": headersOf({}),
    "A key in text, with space around it": headersOf({ apiKey: "  sk-text " }),
    "A redacted key, headers, a name and a time": headersOf({
      apiKey: Redacted.make("sk-redacted"),
      headers: { "x-team": "blue", "X-Other": "green" },
      name: "house",
      timeout: "7 seconds"
    }),
    "An endless time": headersOf({ timeout: "Infinity" }),
    "An address with a path and a slash at its end": headersOf({ baseUrl: "https://model.test/other/v2/" }),
    "An empty address, which is OpenAI's": headersOf({ baseUrl: "", api: "chat", apiKey: "sk-own" }),
    "An address below OpenAI's": headersOf({ baseUrl: "https://eu.api.openai.com/v1", api: "chat", apiKey: "sk-eu" }),
    "An address of this machine without encryption": wire(answered.chat, (_, port) =>
      Effect.flatMap(
        OpenAi.make({ model: "house-3", apiKey: "sk-plain", baseUrl: `http://127.0.0.1:${port}/v1` }),
        (provider) => provider.complete(request({ messages: [{ role: "user", text: "Here" }] }))
      )
    ),
    "An address without encryption, which is allowed": headersOf({
      baseUrl: "https://model.test/v1",
      allowInsecureHttp: true,
      capabilities: { contextTokens: 1, outputTokens: 2, seed: false, prices: { input: 3, output: 4, asOf: "2026" } }
    }),
    "Options from configuration": wire(answered.chat, (fetch) =>
      Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(
          Layer.provide(
            OpenAi.layerConfig({ ...read, fetch, baseUrl: "https://model.test/v1", cacheKey: "team-6" }),
            configured
          )
        )
      )
    ),
    "Key and address from the environment": wire(answered.chat, (fetch) =>
      Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(Layer.provide(OpenAi.layerConfig({ model: "house-5", fetch }), configured))
      )
    )
  })
)
