/** A client of the Anthropic package for one server, whose answers the transport reads: never retried, within its time. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import { deadlinesOf, longestTimer } from "../http/deadlines.ts"
import { type Endpoint, fail } from "../http/Endpoint.ts"
import { guarded } from "../http/guarded.ts"
import { serverOf } from "../http/server.ts"
import { type Body as Answer, body, events, type ServerEvent, type ToError } from "../http/transport.ts"
import type { ProviderError } from "../Provider.ts"
import { fromSdk } from "./failure.ts"
import type { Body } from "./request.ts"

/** Where the server is, and with which key: as `Anthropic.Options` has them. */
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

export interface Client {
  readonly endpoint: Endpoint
  /** Whether it is Anthropic's own server. */
  readonly official: boolean
  /** Makes a call and reads its whole answer. Interrupting it closes its connection. */
  readonly ask: (request: Body) => Effect.Effect<Answer, ProviderError>
  /** Makes a call and reads its answer as events. */
  readonly listen: (request: Body) => Stream.Stream<ServerEvent, ProviderError>
}

const defaultBaseUrl = "https://api.anthropic.com"
const placeholderKey = "no-key"

const loadSdk = (endpoint: Endpoint) =>
  Effect.tryPromise({
    try: () => import("@anthropic-ai/sdk"),
    catch: () => {
      const message = "the @anthropic-ai/sdk package cannot be loaded: run npm install @anthropic-ai/sdk"
      return fail(endpoint, { _tag: "Unsupported", message })
    }
  })

/** Nothing is sent yet. */
export const connect = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Client, ProviderError> {
  const { fetch = globalThis.fetch, headers = {} } = options
  const baseUrl = options.baseUrl || defaultBaseUrl
  const server = { ...options, baseUrl, ownHost: "api.anthropic.com", keyName: "ANTHROPIC_API_KEY" }
  const { endpoint, key, official } = yield* serverOf(server)
  const assumed = deadlinesOf(options)
  // A server of one's own loads its model before it begins to answer.
  const deadlines = official || options.connectTimeout !== undefined ? assumed : { ...assumed, connect: assumed.total }
  // Deadlines are kept by the transport.
  const timeout = Math.min(Math.ceil(Duration.toMillis(deadlines.total)) + 1000, longestTimer)
  const sdk = yield* loadSdk(endpoint)
  const client = yield* Effect.try({
    try: () =>
      new sdk.Anthropic({
        // A key and an address in code keep the SDK from reading others in the environment and in files.
        apiKey: key || placeholderKey,
        baseURL: baseUrl,
        webhookKey: null,
        maxRetries: 0,
        logLevel: "off",
        openTelemetry: false,
        timeout,
        defaultHeaders: headers,
        ...(fetch && { fetch: guarded(fetch) })
      }),
    catch: () => fail(endpoint, { _tag: "Unsupported", message: "the @anthropic-ai/sdk package does not start here" })
  })
  // The SDK has added those of ANTHROPIC_CUSTOM_HEADERS, which may be meant for another server.
  const settings: unknown = Reflect.get(client, "_options")
  if (typeof settings === "object" && settings !== null) Reflect.set(settings, "defaultHeaders", headers)
  const toError: ToError = (cause, now) => fromSdk(cause, endpoint, now)
  // `messages.create` sends the same, but writes to the console for some models and refuses long answers in one piece.
  const call = (request: Body) => (signal: AbortSignal) =>
    client.post("/v1/messages", { body: request, signal, stream: request.stream ?? false }).asResponse()
  return {
    endpoint,
    official,
    ask: (request) => body(endpoint, deadlines, call(request), toError),
    listen: (request) => events(endpoint, deadlines, call(request), toError)
  }
})
