/** A client of the `openai` package for one server, and how a call of it ends: never retried, within its time, as a typed failure. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OpenAI } from "openai"
import type { ProviderError } from "../Provider.ts"
import { type Endpoint, fail, fromSdk } from "./failure.ts"

/** Where the server is, and with which key: as `OpenAi.Options` has them. */
export interface Options {
  readonly model: string
  readonly name: string
  readonly apiKey?: Redacted.Redacted | string
  readonly baseUrl?: string
  readonly timeout?: Duration.Input
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

/** The whole body of an answer with a good status. */
interface Answer {
  readonly text: string
  readonly requestId: string | null
}

/** A call of the SDK whose body is not read yet. */
interface Call {
  readonly asResponse: () => Promise<Response>
}

export interface Client {
  readonly endpoint: Endpoint
  /** Whether it is OpenAI's own server. */
  readonly official: boolean
  /** Makes a call. Interrupting it closes its connection. */
  readonly ask: (call: (client: OpenAI, signal: AbortSignal) => Call) => Effect.Effect<Answer, ProviderError>
}

const defaultBaseUrl = "https://api.openai.com/v1"
const placeholderKey = "no-key"

// The longest wait of a timer; the deadline of a call is kept here, not by the SDK.
const longestTimer = 2_147_483_647

const parseBaseUrl = (baseUrl: string): URL | undefined => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const plain = url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  return plain ? url : undefined
}

const loadSdk = (endpoint: Endpoint) =>
  Effect.tryPromise({
    try: () => import("openai"),
    catch: () =>
      fail(endpoint, { _tag: "Unsupported", message: "the openai package cannot be loaded: run npm install openai" })
  })

/** Nothing is sent yet. */
export const connect = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Client, ProviderError> {
  const { fetch, headers = {}, model, name } = options
  const key = (Redacted.isRedacted(options.apiKey) ? Redacted.value(options.apiKey) : (options.apiKey ?? "")).trim()
  const baseUrl = options.baseUrl || defaultBaseUrl
  const url = parseBaseUrl(baseUrl)
  const secrets = [key, ...Object.values(headers)].filter((secret) => secret.length > 5)
  const endpoint: Endpoint = { provider: name, model, host: url?.host ?? "", secrets }
  if (url === undefined) {
    const message = "baseUrl must be an http or https address without user name, password, query or fragment"
    return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "baseUrl" })
  }
  const official = url.hostname === "api.openai.com" || url.hostname.endsWith(".api.openai.com")
  if (official && key === "") {
    const message = "no API key: set OPENAI_API_KEY, pass apiKey, or name a server that needs none as baseUrl"
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  if (/[^\x21-\x7e]/.test(key)) {
    const message = "the API key holds a space, a line break or a letter that no key has: copy it again"
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  const deadline = Duration.fromInputUnsafe(options.timeout ?? "60 seconds")
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
        timeout: Math.min(Math.ceil(Duration.toMillis(deadline)) + 1000, longestTimer),
        defaultHeaders: headers,
        ...(fetch && { fetch })
      }),
    catch: () => {
      const message = "the openai package does not start here: it refuses browsers, and malformed OPENAI_CUSTOM_HEADERS"
      return fail(endpoint, { _tag: "Unsupported", message })
    }
  })

  const ask: Client["ask"] = Effect.fnUntraced(
    function* (call: Parameters<Client["ask"]>[0]) {
      const answer = yield* Effect.tryPromise({
        // One promise for head and body: the signal must reach the socket until the last byte. The body is read here
        // because the SDK would take HTML and null for an answer.
        try: (signal) =>
          call(client, signal)
            .asResponse()
            .then((response) => {
              const requestId = response.headers.get("x-request-id")
              return response.text().then(
                (text) => ({ text, requestId }),
                () => ({ text: undefined, requestId })
              )
            }),
        catch: (cause) => ({ cause })
      }).pipe(
        Effect.catch(({ cause }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(fromSdk(cause, endpoint, now)))
        )
      )
      const { requestId, text } = answer
      if (text === undefined) {
        const message = `the connection to ${endpoint.host} broke before the answer was complete: try again`
        return yield* fail(endpoint, { _tag: "Truncated", message }, { requestId })
      }
      return { text, requestId }
    },
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => {
        const message = `no complete answer within ${Duration.format(deadline)}: raise timeout or ask for less`
        return Effect.fail(fail(endpoint, { _tag: "Timeout", message }))
      }
    })
  )

  return { endpoint, official, ask }
})
