/** A client of the `openai` package for one server: its calls are made once, within their time, and fail as typed errors. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { OpenAI } from "openai"
import { deadlinesOf, longestTimer } from "../../http/deadlines.ts"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import { guarded } from "../../http/guarded.ts"
import { serverOf } from "../../http/server.ts"
import { type Body, body, events, type ServerEvent, type ToError } from "../../http/transport.ts"
import type { ProviderError } from "../../Provider.ts"
import { fromSdk } from "./failure.ts"

/** Where the server is, and with which key: as `OpenAi.Options` has them. */
export interface Options {
  readonly model: string
  readonly name: string
  readonly apiKey?: Redacted.Redacted | string
  readonly baseUrl?: string
  readonly timeout?: Duration.Input
  readonly connectTimeout?: Duration.Input
  readonly idleTimeout?: Duration.Input
  readonly headers?: Readonly<Record<string, string>>
  readonly allowInsecureHttp?: boolean
  readonly fetch?: typeof globalThis.fetch
}

/** A call of the SDK whose body is not read yet. */
type Call = (client: OpenAI, signal: AbortSignal) => { readonly asResponse: () => Promise<Response> }

export interface Client {
  readonly endpoint: Endpoint
  /** Whether it is OpenAI's own server. */
  readonly official: boolean
  /** Makes a call and reads its whole answer. Interrupting it closes its connection. */
  readonly ask: (call: Call) => Effect.Effect<Body, ProviderError>
  /** Makes a call and reads its answer as events. */
  readonly listen: (call: Call) => Stream.Stream<ServerEvent, ProviderError>
}

const defaultBaseUrl = "https://api.openai.com/v1"
const placeholderKey = "no-key"

const loadSdk = (endpoint: Endpoint) =>
  Effect.tryPromise({
    try: () => import("openai"),
    catch: () =>
      fail(endpoint, { _tag: "Unsupported", message: "the openai package cannot be loaded: run npm install openai" })
  })

/** Nothing is sent yet. */
export const connect = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Client, ProviderError> {
  const { fetch = globalThis.fetch, headers = {} } = options
  const baseUrl = options.baseUrl || defaultBaseUrl
  const server = { ...options, baseUrl, ownHost: "api.openai.com", keyName: "OPENAI_API_KEY" }
  const { endpoint, key, official } = yield* serverOf(server)
  const assumed = deadlinesOf(options)
  // A server of one's own loads its model before it begins to answer.
  const deadlines = official || options.connectTimeout !== undefined ? assumed : { ...assumed, connect: assumed.total }
  const sdk = yield* loadSdk(endpoint)
  const client = yield* Effect.try({
    try: () =>
      new sdk.OpenAI({
        apiKey: key || placeholderKey,
        baseURL: baseUrl,
        // What the SDK would read from the environment may be meant for another server.
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        maxRetries: 0,
        logLevel: "off",
        // Deadlines are kept by the transport.
        timeout: Math.min(Math.ceil(Duration.toMillis(deadlines.total)) + 1000, longestTimer),
        defaultHeaders: headers,
        ...(fetch && { fetch: guarded(fetch) })
      }),
    catch: () => {
      const message = "the openai package does not start here: it refuses browsers, and malformed OPENAI_CUSTOM_HEADERS"
      return fail(endpoint, { _tag: "Unsupported", message })
    }
  })
  // The SDK has added those of OPENAI_CUSTOM_HEADERS, which may be meant for another server.
  const settings: unknown = Reflect.get(client, "_options")
  if (typeof settings === "object" && settings !== null) Reflect.set(settings, "defaultHeaders", headers)
  const toError: ToError = (cause, now) => fromSdk(cause, endpoint, now)
  return {
    endpoint,
    official,
    ask: (call) => body(endpoint, deadlines, (signal) => call(client, signal).asResponse(), toError),
    listen: (call) => events(endpoint, deadlines, (signal) => call(client, signal).asResponse(), toError)
  }
})
