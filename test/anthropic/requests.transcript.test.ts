import { it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { Anthropic } from "cogito/anthropic"
import { type Message, Provider, type Request } from "cogito/Provider"
import { beyond, listen, wire } from "../http/wire.ts"
import { answered, followed } from "../calls/asking.ts"
import { forms, request, withForm } from "../openai/requests.ts"
import { transcribe } from "../transcript.ts"
import { message, reply } from "./server.ts"

type Options = Partial<Anthropic.Options>

const fine = reply(200, message("fine"))
const house = { model: "house-1", apiKey: "sk-house-key", baseUrl: "https://model.test" }

/** What one call sends, and what a streamed one sends otherwise. */
const sent = (options: Options, asked: Request) =>
  Effect.gen(function* () {
    const make = (fetch: typeof globalThis.fetch) => Anthropic.make({ ...house, fetch, ...options })
    const whole = yield* wire(fine, (fetch) => Effect.flatMap(make(fetch), (provider) => provider.complete(asked)))
    const streamed = yield* wire(fine, (fetch) => Effect.flatMap(make(fetch), (provider) => listen(provider, asked)))
    const [one, two] = [whole.sent[0], streamed.sent[0]]
    return { body: one?.body, streamed: one && two && beyond(two.body, one.body), answer: whole.outcome }
  })

const all = { temperature: 0.3, effort: "high", maxTokens: 301, seed: 17, stop: ["END", "ENOUGH"] }
const user = (text: string): Message => ({ role: "user", text })
const assistant = (text: string): Message => ({ role: "assistant", text })
const system = (text: string): Message => ({ role: "system", text })
const saying = (...messages: ReadonlyArray<Message>) => request({ messages })

const look = { name: "look", description: "Looks", parameters: {} }

it.effect("what is sent of messages, sampling and forms", () =>
  transcribe("requests", {
    "Messages of every role, and nothing else": sent({}, request()),
    "All sampling": sent({}, request({ sampling: all })),
    "Sampling of zeros and empty lists": sent(
      {},
      request({ sampling: { temperature: 0, maxTokens: 1, seed: 0, stop: [] } })
    ),
    "A cache of an hour": sent({ cache: "1h" }, request()),
    "A cache of five minutes": sent({ cache: "5m" }, request()),
    "No cache": sent({ cache: false }, request()),
    "One message": sent({}, saying(user("alone"))),
    "Messages that begin with the assistant": sent({}, saying(assistant("I began"), user("go"))),
    "Messages that end with the assistant": sent({}, saying(user("go"), assistant("I end"))),
    "Several of one role after each other, and blank ones": sent(
      {},
      saying(
        system(" "),
        user("one"),
        user("\n"),
        user("two"),
        assistant("three"),
        assistant("four"),
        system("late"),
        user("five")
      )
    ),
    "No messages but of the system": sent({}, saying(system("one"), system("two"))),
    "The longest answer by the capabilities": sent({ capabilities: { outputTokens: 777 } }, saying(user("x"))),
    "The longest answer by the request": sent(
      { capabilities: { outputTokens: 777 } },
      request({ messages: [user("x")], sampling: { maxTokens: 778 } })
    ),
    "A form for a model that takes it": sent({ model: "claude-opus-5" }, withForm("every", forms.every)),
    "A form beside an effort": sent(
      { model: "claude-opus-5" },
      withForm("small", forms.small, { sampling: { effort: "max" } })
    ),
    "A form with optional properties": sent({ model: "claude-opus-5" }, withForm("optional", forms.optional)),
    "A form with limits": sent({ model: "claude-opus-5" }, withForm("limited", forms.limited)),
    "A form whose root is a reference": sent({ model: "claude-opus-5" }, withForm("reference", forms.reference)),
    "A form that holds itself, in words": sent({ model: "claude-opus-5" }, withForm("tree", forms.tree)),
    "A form with a record in it, in words": sent({ model: "claude-opus-5" }, withForm("record", forms.record)),
    "A form with a tuple in it, in words": sent({ model: "claude-opus-5" }, withForm("tuple", forms.tuple)),
    "A form that is no object": sent({ model: "claude-opus-5" }, withForm("list", forms.list)),
    "A form in words, for another model, after several messages": sent(
      {},
      withForm("small", forms.small, { messages: [user("one"), assistant("two"), user("three")] })
    ),
    "A form as JSON, which is in words": sent(
      { model: "claude-opus-5", capabilities: { structuredOutput: "json" } },
      withForm("small", forms.small)
    ),
    Tools: sent({}, request({ tools: [look] })),
    "Tools, one of which must be called": sent({}, request({ tools: [look], toolChoice: "required" })),
    "A tool that must be called": sent({}, request({ tools: [look], toolChoice: { tool: "look" } })),
    "Tools that must not be called": sent({}, request({ tools: [look], toolChoice: "none" })),
    "Tools, called one at a time": sent({}, request({ tools: [look], parallelCalls: false })),
    "Results of calls, which other calls begin with": sent(
      {},
      request({ messages: followed(answered), tools: [look] })
    ),
    "A question after results": sent(
      {},
      request({ messages: [...followed(answered), assistant("Cold"), user("Why?")], tools: [look] })
    )
  })
)

const said = (options: Options) =>
  wire(fine, (fetch) =>
    Effect.flatMap(Anthropic.make({ ...house, fetch, ...options }), (provider) =>
      Effect.as(provider.complete(saying(user("Hello"))), {
        name: provider.name,
        model: provider.model,
        capabilities: provider.capabilities,
        decides: provider.decide !== undefined
      })
    )
  )

const models = [
  "claude-opus-5.5",
  "claude-opus-5",
  "claude-sonnet-4-6",
  "claude-haiku-4-5-20251001",
  "claude-opus-4-5",
  "claude-opus-4-20250514",
  "claude-sonnet-4-1",
  "claude-haiku-5",
  "claude-fable-5.1",
  "claude-3-5-sonnet-20241022",
  "claude-instant-1.2",
  "claude-next",
  "other"
]

const configured = ConfigProvider.layer(
  ConfigProvider.fromUnknown({
    KEY: "sk-read",
    ANTHROPIC_API_KEY: "sk-environment",
    ANTHROPIC_BASE_URL: "https://other.test/v3"
  })
)
const from = (options: (fetch: typeof globalThis.fetch) => Anthropic.ConfigOptions) =>
  wire(fine, (fetch) =>
    Provider.use((provider) => provider.complete(saying(user("Hello")))).pipe(
      Effect.provide(Layer.provide(Anthropic.layerConfig(options(fetch)), configured))
    )
  )

it.effect("what is sent by the options, and what the provider says of itself", () =>
  transcribe("options", {
    "No key": said({ apiKey: "" }),
    "A redacted key, headers, a name and times": said({
      apiKey: Redacted.make(" sk-redacted "),
      headers: { "x-team": "blue", "anthropic-beta": "one" },
      name: "house",
      timeout: "7 seconds",
      connectTimeout: "3 seconds",
      idleTimeout: "2 seconds"
    }),
    "An address with a path and a slash at its end": said({ baseUrl: "https://model.test/other/" }),
    "An empty address, which is Anthropic's": said({ baseUrl: "" }),
    "Capabilities that replace those of the name": said({
      model: "claude-opus-5",
      capabilities: {
        efforts: ["low"],
        temperature: "free",
        outputTokens: 5,
        prices: { input: 3, output: 4, asOf: "2026" }
      }
    }),
    "Options from configuration": from((fetch) => ({
      apiKey: Config.Redacted("KEY"),
      model: Config.succeed("house-4"),
      baseUrl: "https://model.test",
      fetch
    })),
    "Key and address from the environment": from((fetch) => ({ model: "house-5", fetch })),
    ...Object.fromEntries(
      models.flatMap((model) => [
        [
          `The capabilities of ${model}, here and at Anthropic itself with a cache of an hour`,
          Effect.all({
            here: Effect.map(Anthropic.make({ ...house, model }), ({ capabilities }) => capabilities),
            there: Effect.map(
              Anthropic.make({ model, apiKey: "sk-own", cache: "1h" }),
              ({ capabilities }) => capabilities
            )
          })
        ]
      ])
    )
  })
)
