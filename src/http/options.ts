import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Where a model's server is, with which key it is called, and how long a call may take.
 *
 * - `model`: as the server names it
 * - `apiKey`: needed for the vendor's own server. A key goes to any other server too; without one, a placeholder goes there
 * - `baseUrl`: where the API begins, http or https, without user name or query. Default: the vendor's own server
 * - `timeout`: total time for a call, until the last byte of its answer, streamed or not; default 60 seconds. The time
 *   that the reader of a stream takes between its pieces counts too. Node's own `fetch` waits at most 300 seconds for an
 *   answer to begin: give a `fetch` of your own for more
 * - `connectTimeout`: time until a stream begins; default 10 seconds at the vendor's own server, elsewhere as long as
 *   `timeout`, as such a server may load its model first. An answer in one piece only begins when it is written: there
 *   `timeout` alone counts
 * - `idleTimeout`: time between two pieces of an answer; default half of `timeout`, but at least 30 seconds and at most 5
 *   minutes, as a model may reason in silence
 * - `name`: name of the provider in errors and reports; default the vendor's
 * - `headers`: sent with every call
 * - `allowInsecureHttp`: allow a key or `headers` to go over `http` to another machine, where anyone on the way can read
 *   them; default `false`. This machine (`localhost`, `127.0.0.0/8`, `[::1]`) needs no permission
 * - `fetch`: used instead of the global one
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

/** The names of the options that every call needs, of one for calls with a name, and of one for streams. */
export const callOptions = ["allowInsecureHttp", "apiKey", "baseUrl", "fetch", "headers", "model", "timeout"] as const
export const namedOptions = [...callOptions, "idleTimeout", "name"] as const
export const serverOptions = [...namedOptions, "connectTimeout"] as const
