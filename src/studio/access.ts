/** Who may see the studio: the browser on this machine that has opened its address. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** The secret part of an address, and the folder of the pages. */
export interface Access {
  /**
   * The path that all pages are in, with a slash at its end. It is random too, and the cookie belongs to it: browsers send
   * a cookie to every port of a host, but only within its path, so no other server on this machine gets to see the token.
   */
  readonly base: string
  readonly token: string
  readonly cookie: string
}

const cookieName = "cogito-studio"

export const makeAccess = (): Access => {
  const base = `/${randomBytes(9).toString("base64url")}/`
  const token = randomBytes(32).toString("base64url")
  return { base, token, cookie: `${cookieName}=${token}; Path=${base}; HttpOnly; SameSite=Strict` }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares in a time that says nothing about the token, nor about its length. */
const isEqual = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token))

const cookiesOf = ({ cookie = "" }: IncomingHttpHeaders): ReadonlyArray<string> =>
  cookie.split(";").flatMap((part) => {
    const [name, ...value] = part.trim().split("=")
    return name === cookieName ? [value.join("=")] : []
  })

/** Whether a request has the token in its cookie. */
export const hasCookie = ({ token }: Access, headers: IncomingHttpHeaders): boolean =>
  cookiesOf(headers).some((given) => isEqual(given, token))

/** Whether an address has the token. */
export const hasToken = ({ token }: Access, url: URL): boolean => {
  const given = url.searchParams.get("token")
  return given !== null && isEqual(given, token)
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a request names this machine. A page of another site that has its own name point to 127.0.0.1 (DNS rebinding) sends
 * that name. Any port will do, as a tunnel may begin at another one.
 */
export const isLoopback = ({ host }: IncomingHttpHeaders): boolean => host !== undefined && loopback.test(host)

/** Whether a page of the studio itself has sent a request that changes something. */
export const isOwnPage = ({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean =>
  host !== undefined && origin === `http://${host}` && (site === undefined || site === "same-origin")
