/** Which model answers: that of the module, that of a key in the environment, or the offline one. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { EmbedderError } from "../../Embedder.ts"
import * as Provider from "../../Provider.ts"
import { CommandError, UsageError } from "../console/failure.ts"

/** Where keys and servers are in the environment, and which model is asked by default. */
const vendors = {
  openai: { key: "OPENAI_API_KEY", server: "OPENAI_BASE_URL", model: "gpt-5-mini" },
  anthropic: { key: "ANTHROPIC_API_KEY", server: "ANTHROPIC_BASE_URL", model: "claude-sonnet-5-5" }
} as const

type Vendor = keyof typeof vendors

export const providers = ["openai", "anthropic", "local"] as const

export interface Wish {
  readonly provider: Option.Option<(typeof providers)[number]>
  readonly model: Option.Option<string>
}

/** The choice. `isOffline` if no language model answers. */
export interface Chosen {
  readonly name: Vendor | "local"
  readonly isOffline: boolean
  readonly notice: string | undefined
}

const variable = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.map(Option.filter((value) => value.trim() !== ""))
  )

const isSet = Effect.fnUntraced(function* (vendor: Vendor): Effect.fn.Return<boolean> {
  const { key, server } = vendors[vendor]
  return Option.isSome(yield* variable(key)) || Option.isSome(yield* variable(server))
})

const offline = "the offline model of cogito/local answers. It picks sentences out of what you write, and writes none."

/** Chooses where the module brings no provider of its own. */
export const choose = Effect.fnUntraced(function* ({ model, provider }: Wish): Effect.fn.Return<Chosen, UsageError> {
  const named = Option.getOrUndefined(provider)
  const found = named ?? ((yield* isSet("openai")) ? "openai" : (yield* isSet("anthropic")) ? "anthropic" : "local")
  if (found !== "local") return { name: found, isOffline: false, notice: undefined }
  if (Option.isSome(model)) {
    return yield* new UsageError({
      message: "--model needs a model behind a key: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or use --provider."
    })
  }
  const why = named === undefined ? "Neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set: " : ""
  return { name: "local", isOffline: true, notice: `${why}${offline}` }
})

/** A note as a request shows it. */
const message = /<note (\d+) key="message"[^>]*>\n([\s\S]*?)\n<\/note \1>/

/** The message as the text to work on. The offline model finds no text in an agent's request, only in tasks. */
const picking = ({ messages, task, ...request }: Provider.Request): Provider.Request => {
  const input = message.exec(messages.at(-1)?.text ?? "")?.[2]
  return { ...request, messages, task: input === undefined ? task : { ...task, input, wants: "summary" } }
}

const local = Effect.map(
  Effect.promise(() => import("../../local/extractive.ts")),
  ({ extractive }) =>
    Provider.transform((provider) =>
      Effect.succeed(
        Provider.extend(provider, {
          complete: (request) =>
            provider.complete(
              request.task.kind === "agent" && request.tools === undefined ? picking(request) : request
            ),
          stream: (request) =>
            provider.stream(request.task.kind === "agent" && request.tools === undefined ? picking(request) : request)
        })
      )
    )(extractive)
)

/** Builds the provider until the scope closes. */
export const build = Effect.fnUntraced(function* (
  { name }: Chosen,
  wish: Wish
): Effect.fn.Return<Provider.Shape, CommandError, Scope.Scope> {
  const layer: Layer.Layer<Provider.Provider, EmbedderError | Provider.ProviderError> =
    name === "local" ? yield* local : yield* remote(name, wish)
  return yield* Layer.build(layer).pipe(
    Effect.map((context) => Context.get(context, Provider.Provider)),
    Effect.mapError(({ message }) => new CommandError({ message: `The model cannot be used. ${message}` }))
  )
})

const remote = Effect.fnUntraced(function* (vendor: Vendor, wish: Wish) {
  const { key, model, server } = vendors[vendor]
  const apiKey = Option.map(yield* variable(key), Redacted.make)
  const baseUrl = yield* variable(server)
  const options = {
    model: Option.getOrElse(wish.model, () => model),
    ...(Option.isSome(apiKey) ? { apiKey: apiKey.value } : {}),
    ...(Option.isSome(baseUrl) ? { baseUrl: baseUrl.value } : {})
  }
  const layer =
    vendor === "openai"
      ? (yield* Effect.promise(() => import("../../openai/OpenAi.ts"))).layer(options)
      : (yield* Effect.promise(() => import("../../anthropic/Anthropic.ts"))).layer(options)
  return layer.pipe(Provider.retry())
})
