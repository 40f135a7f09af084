/** Requests to servers of the public internet. */
import { lookup as resolve, type LookupAddress } from "node:dns"
import { type IncomingMessage, request as overHttp } from "node:http"
import { request as overHttps } from "node:https"
import type { LookupFunction } from "node:net"
import { quoted } from "../../text/legible.ts"
import { asToolFailed, ToolFailed, toolFailed } from "../kit/ToolFailed.ts"
import { type Allowed, isAllowed, isPublic, literalOf } from "./addresses.ts"

const notPublic = ({ host }: URL): ToolFailed =>
  toolFailed("Refused", `${quoted(host)} is not in the public internet, so it is not read.`)

/**
 * Resolves the name of a host for the socket itself: it connects to an address that was checked, and the name is not resolved a
 * second time.
 */
const checked =
  (url: URL): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, found: ReadonlyArray<LookupAddress>) => {
      if (error !== null) return callback(error, [])
      const usable = found.filter(({ address }) => isPublic(address))
      const [first] = usable
      if (first === undefined) return callback(notPublic(url), [])
      return options.all === true ? callback(null, usable) : callback(null, first.address, first.family)
    })

const accepted = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1"

const longestUrl = 4096

/** A URL that can be read. Throws for any other. */
export const readableUrl = (text: string, base?: URL): URL => {
  const url = URL.parse(text, base)
  if (url === null || text.length > longestUrl) throw toolFailed("Invalid", `${quoted(text)} is no address of a page.`)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw toolFailed("Refused", "Only addresses that begin with http:// or https:// are read.")
  }
  if (url.username !== "" || url.password !== "") {
    throw toolFailed("Refused", "An address with a user or a password is not read.")
  }
  return url
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name could not be resolved",
  ECONNREFUSED: "it does not accept connections",
  ECONNRESET: "it closed the connection",
  ETIMEDOUT: "it does not answer"
}

/** What went wrong with a request. */
export const requestFailed = (url: string, error: unknown): ToolFailed => {
  if (error instanceof ToolFailed) return error
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined
  if (code === undefined) return asToolFailed(error)
  return toolFailed("Failed", `${quoted(url)} could not be read: ${words[code] ?? code}.`)
}

/** Sends a request, and gives the head of the answer. */
const send = (url: URL, allowed: ReadonlyArray<Allowed>, signal: AbortSignal): Promise<IncomingMessage> => {
  const isFree = isAllowed(allowed, url)
  const literal = literalOf(url)
  // of an address that is a number, nothing is resolved
  if (!isFree && literal !== undefined && !isPublic(literal)) return Promise.reject(notPublic(url))
  const request = url.protocol === "https:" ? overHttps : overHttp
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      // a connection of its own, which no proxy of the environment takes over
      agent: false,
      signal,
      ...(isFree ? {} : { lookup: checked(url) }),
      headers: { accept: accepted, "accept-encoding": "gzip, deflate, br", "user-agent": "cogito" }
    })
    sent.once("response", resolve)
    sent.on("error", (error) => reject(requestFailed(url.href, error)))
    sent.end()
  })
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Gets a page. Each redirection is checked as the first address is. */
export const get = async (
  start: URL,
  options: { readonly allowed: ReadonlyArray<Allowed>; readonly redirects: number; readonly signal: AbortSignal }
): Promise<{ readonly url: URL; readonly response: IncomingMessage }> => {
  const { allowed, signal } = options
  let url = start
  for (let left = options.redirects; ; left--) {
    // oxlint-disable-next-line no-await-in-loop -- one leads to the next
    const response = await send(url, allowed, signal)
    const { headers, statusCode = 0 } = response
    if (!redirects.has(statusCode) || headers.location === undefined) return { url, response }
    response.destroy()
    if (left === 0) throw toolFailed("Failed", `${quoted(start.host)} redirects more than ${options.redirects} times.`)
    const next = readableUrl(headers.location, url)
    // a page of the internet leads to no page within
    if (isAllowed(allowed, next) && !isAllowed(allowed, url)) throw notPublic(next)
    url = next
  }
}
