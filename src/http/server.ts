/** The server that a provider's options name, checked before anything is sent. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ProviderError } from "../Provider.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import type { ServerOptions } from "./options.ts"

/** The vendor of an API. */
export interface Vendor extends Pick<Endpoint, "keyName" | "addressEnd"> {
  /** The default name of the provider. */
  readonly name: string
  /** Where the vendor's own API begins. It requires a key. Subdomains of its host count as its own too. */
  readonly baseUrl: string
}

interface Server {
  readonly endpoint: Endpoint
  readonly baseUrl: string
  /** Empty without a key. */
  readonly key: string
  /** Whether the server is the vendor's own. */
  readonly official: boolean
}

const parseBaseUrl = (baseUrl: string): URL | undefined => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const plain = url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
  return plain ? url : undefined
}

/**
 * Whether an address is this machine's own, given that a parsed URL has a single spelling. Names under `localhost` do
 * not count: some resolvers look them up in the network.
 */
const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** What would go unencrypted to another machine. */
const exposed = (url: URL, key: string, headers: Readonly<Record<string, string>>): string | undefined => {
  if (url.protocol !== "http:" || isLoopback(url)) return undefined
  if (key !== "") return "the API key"
  return Object.keys(headers).length > 0 ? "headers" : undefined
}

/**
 * Checks the options and returns the server.
 *
 * Fails with `InvalidRequest` for an invalid address, or one to which a key or headers would go unencrypted; with
 * `Authentication` for a missing or malformed key.
 */
export const serverOf = Effect.fnUntraced(function* (
  options: ServerOptions,
  vendor: Vendor
): Effect.fn.Return<Server, ProviderError> {
  const { headers = {}, model, name = vendor.name } = options
  const { addressEnd, keyName } = vendor
  const baseUrl = options.baseUrl || vendor.baseUrl
  // of any type in a program without types
  const apiKey = options.apiKey ?? ""
  const given: unknown = Redacted.isRedacted(apiKey) ? Redacted.value(apiKey) : apiKey
  const key = typeof given === "string" ? given.trim() : ""
  const url = parseBaseUrl(baseUrl)
  const secrets = [key, ...Object.values(headers)].filter((secret) => secret.length > 5)
  const endpoint: Endpoint = { provider: name, model, host: url?.host ?? "", secrets, keyName, addressEnd }
  if (typeof given !== "string")
    return yield* fail(endpoint, { _tag: "Authentication", message: "the API key must be a text" })
  if (url === undefined) {
    const message = "baseUrl must be an http or https address without user name, password, query or fragment"
    return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "baseUrl" })
  }
  const open = options.allowInsecureHttp === true ? undefined : exposed(url, key, headers)
  if (open !== undefined) {
    const message = `${open} would go unencrypted to ${url.host}: use https in baseUrl, or set allowInsecureHttp to true`
    return yield* fail(endpoint, { _tag: "InvalidRequest", message, parameter: "baseUrl" })
  }
  const ownHost = new URL(vendor.baseUrl).hostname
  const official = url.hostname === ownHost || url.hostname.endsWith(`.${ownHost}`)
  if (official && key === "") {
    const message = `no API key: set ${keyName}, pass apiKey, or name a server that needs none as baseUrl`
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  if (/[^\x21-\x7e]/.test(key)) {
    const message = "the API key contains a space, a line break or another invalid character: copy it again"
    return yield* fail(endpoint, { _tag: "Authentication", message })
  }
  return { endpoint, baseUrl, key, official }
})
