import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Options of a model's server: its address, the key, and the time limits of a call.
 *
 * **Details**
 *
 * - `model`: its name at the server
 * - `apiKey`: required for the vendor's own server. Any other server receives it too; without a key it receives a
 *   placeholder
 * - `baseUrl`: where the API begins, with http or https, without user name or query. Default: the vendor's own server
 * - `timeout`: total time for a call, until the last byte of its answer, streamed or not; default 60 seconds. The time
 *   that the reader of a stream takes between pieces counts too. Node's own `fetch` waits at most 300 seconds for an
 *   answer to begin: pass a `fetch` of your own for more
 * - `connectTimeout`: time until a stream begins. Default: 10 seconds at the vendor's own server, elsewhere `timeout`,
 *   as such a server may load its model first. An answer that is not streamed begins only when it is complete, so there
 *   `timeout` alone counts
 * - `idleTimeout`: time between two pieces of an answer. Default: half of `timeout`, but at least 30 seconds and at
 *   most 5 minutes, as a model may reason without sending anything
 * - `name`: name of the provider in errors and reports. Default: the vendor's
 * - `headers`: sent with every call
 * - `allowInsecureHttp`: allows a key or `headers` to go over `http` to another machine, where anyone on the way can
 *   read them. Default: `false`. This machine (`localhost`, `127.0.0.0/8`, `[::1]`) needs no permission
 * - `fetch`: replaces the global one
 *
 * Nothing else is read from the environment or the files of the vendor's package.
 *
 * @category models
 */
export interface ServerOptions {
  readonly model: string
  readonly apiKey?: Redacted.Redacted | string
  readonly baseUrl?: string
  readonly timeout?: Duration.Input
  readonly connectTimeout?: Duration.Input
  readonly idleTimeout?: Duration.Input
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowInsecureHttp?: boolean
  readonly fetch?: typeof globalThis.fetch
}

/**
 * How a conversation goes over the wire.
 *
 * **Details**
 *
 * - `"replay"`: every call sends all of it, over HTTP
 * - `"resume"`: over a socket that keeps it, so that a call sends only what is new. Where that is not possible, building
 *   the layer fails
 * - `"auto"`: as `"resume"` where it is possible, and otherwise as `"replay"`
 *
 * @category models
 */
export type Mode = "resume" | "replay" | "auto"

/** Names of options: those of every call, those of calls with a name, and those of streams. */
export const callOptions = ["allowInsecureHttp", "apiKey", "baseUrl", "fetch", "headers", "model", "timeout"] as const
export const namedOptions = [...callOptions, "idleTimeout", "name"] as const
export const serverOptions = [...namedOptions, "connectTimeout"] as const
