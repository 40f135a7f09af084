/** The server that a provider's options name, checked before anything is sent. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ProviderError } from "../Provider.ts"
import { type Endpoint, fail } from "./Endpoint.ts"

export interface ServerOptions {
  /** The provider's name, for errors. */
  readonly name: string
  readonly model: string
  readonly apiKey?: Redacted.Redacted | string | undefined
  readonly baseUrl: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether key and headers may go unencrypted to another machine. */
  readonly allowInsecureHttp?: boolean | undefined
  /** The host of the vendor's own API, which needs a key; hosts below it count too. */
  readonly ownHost: string
  /** The environment variable that usually holds the key, to be told when there is none. */
  readonly keyName: string
}

export interface Server {
  readonly endpoint: Endpoint
  /** Empty when there is none. */
  readonly key: string
  /** Whether it is the vendor's own. */
  readonly official: boolean
}

const parseBaseUrl = (baseUrl: string): URL | undefined => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const plain = url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  return plain ? url : undefined
}

/**
 * Whether an address is this machine's own; the parts of a URL are in their one written form. Names under `localhost` do not
 * count: some resolvers ask the network for them.
 */
const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** What would go unencrypted to another machine. */
const exposed = (url: URL, key: string, headers: Readonly<Record<string, string>>): string | undefined => {
  if (url.protocol !== "http:" || isLoopback(url)) return undefined
  if (key !== "") return "the API key"
  return Object.keys(headers).length > 0 ? "headers" : undefined
}

/** Fails with `InvalidRequest` for a bad address and for one to which a key would go unencrypted, with `Authentication` for a missing or malformed key. */
export const serverOf = Effect.fnUntraced(function* (options: ServerOptions): Effect.fn.Return<Server, ProviderError> {
  const { baseUrl, headers = {}, keyName, model, name, ownHost } = options
  const key = (Redacted.isRedacted(options.apiKey) ? Redacted.value(options.apiKey) : (options.apiKey ?? "")).trim()
  const url = parseBaseUrl(baseUrl)
  const secrets = [key, ...Object.values(headers)].filter((secret) => secret.length > 5)
  const endpoint: Endpoint = { provider: name, model, host: url?.host ?? "", secrets }
  if (url === undefined) {
    const message = "baseUrl must be an http or https address without user name, password, query or fragment"
    return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "baseUrl" })
  }
  const open = options.allowInsecureHttp === true ? undefined : exposed(url, key, headers)
  if (open !== undefined) {
    const message = `${open} would go unencrypted to ${url.host}: use https in baseUrl, or set allowInsecureHttp to true`
    return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "baseUrl" })
  }
  const official = url.hostname === ownHost || url.hostname.endsWith(`.${ownHost}`)
  if (official && key === "") {
    const message = `no API key: set ${keyName}, pass apiKey, or name a server that needs none as baseUrl`
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  if (/[^\x21-\x7e]/.test(key)) {
    const message = "the API key holds a space, a line break or a letter that no key has: copy it again"
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  return { endpoint, key, official }
})
