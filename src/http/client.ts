/**
 * A client of a vendor's SDK for one server. It makes each call once, within its time limits, and fails with typed
 * errors.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ProviderError } from "../Provider.ts"
import { type Deadlines, deadlinesOf, longestTimer } from "./deadlines.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import { guarded } from "./guarded.ts"
import type { ServerOptions } from "./options.ts"
import { serverOf, type Vendor } from "./server.ts"
import { type Body, body, events, type ServerEvent } from "./transport.ts"
import { type Opened, openSocket, socketUrl } from "./webSocket.ts"

/** The settings of every SDK. */
interface Settings {
  readonly apiKey: string
  readonly baseURL: string
  readonly maxRetries: number
  readonly logLevel: "off"
  readonly timeout: number
  readonly defaultHeaders: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly dangerouslyAllowBrowser: boolean
}

/** A vendor's SDK. */
export interface Sdk<C> extends Vendor {
  /** The npm package of the SDK. */
  readonly package: string
  /** Loads the package, so only programs that use it need it. */
  readonly load: () => Promise<(settings: Settings) => C>
}

/** A call of an SDK whose body has not been read yet. */
export type Call<C> = (client: C, signal: AbortSignal) => { readonly asResponse: () => Promise<Response> }

export interface Client<C> {
  readonly endpoint: Endpoint
  /** Whether the server is the vendor's own. */
  readonly official: boolean
  /** Makes a call and reads its whole answer. Interrupting it closes its connection. */
  readonly ask: (call: Call<C>) => Effect.Effect<Body, ProviderError>
  /** Makes a call and reads its answer as events. */
  readonly listen: (call: Call<C>) => Stream.Stream<ServerEvent, ProviderError>
  /** Opens a socket to a path of the API, with the key as a bearer. */
  readonly dial: (path: string) => Effect.Effect<Opened, ProviderError, Scope.Scope>
  readonly deadlines: Deadlines
}

/** Builds a client of an SDK. Nothing is sent yet. */
export const connectTo = <C extends object>(sdk: Sdk<C>) =>
  Effect.fnUntraced(function* (options: ServerOptions): Effect.fn.Return<Client<C>, ProviderError> {
    const { connectTimeout, fetch = globalThis.fetch, headers = {} } = options
    const { baseUrl, endpoint, key, official } = yield* serverOf(options, sdk)
    const assumed = deadlinesOf(options)
    // Other servers may load the model before they begin to answer.
    const deadlines = official || connectTimeout !== undefined ? assumed : { ...assumed, connect: assumed.total }
    const build = yield* Effect.tryPromise({
      try: sdk.load,
      catch: () => {
        const message = `the ${sdk.package} package cannot be loaded: run npm install ${sdk.package}`
        return fail(endpoint, { _tag: "Unsupported", message })
      }
    })
    const client = yield* Effect.try({
      try: () =>
        build({
          apiKey: key || "no-key",
          baseURL: baseUrl,
          maxRetries: 0,
          logLevel: "off",
          // The transport enforces the deadlines.
          timeout: Math.min(Math.ceil(Duration.toMillis(deadlines.total)) + 1000, longestTimer),
          defaultHeaders: headers,
          fetch: guarded(fetch),
          // A server of the user's own adds the key. The vendor's own would need the key in the page.
          dangerouslyAllowBrowser: !official
        }),
      catch: () => {
        const message = `the ${sdk.package} package does not start here: in a browser, set baseUrl to a server of your own that adds the key; elsewhere, check the custom headers in the environment`
        return fail(endpoint, { _tag: "Unsupported", message })
      }
    })
    // The SDK has added custom headers from the environment, which may be meant for another server.
    const settings: unknown = Reflect.get(client, "_options")
    if (typeof settings === "object" && settings !== null) {
      Reflect.set(settings, "defaultHeaders", headers)
      // Only the constructor checks it. In a call it would add a header of the vendor's.
      Reflect.set(settings, "dangerouslyAllowBrowser", false)
    }
    const made = (call: Call<C>) => (signal: AbortSignal) => call(client, signal).asResponse()
    return {
      endpoint,
      official,
      ask: (call) => body(endpoint, deadlines, made(call)),
      listen: (call) => events(endpoint, deadlines, made(call)),
      dial: (path) =>
        openSocket(
          { url: socketUrl(baseUrl, path), headers: { authorization: `Bearer ${key || "no-key"}`, ...headers } },
          endpoint,
          // no server loads a model to open a socket
          assumed
        ),
      deadlines
    }
  })
