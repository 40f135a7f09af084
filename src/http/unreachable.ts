/** The reasons for calls that got no response. */
import type { Reason } from "../Provider.ts"
import type { Endpoint } from "./Endpoint.ts"

// fetch wraps the error of the socket, and an SDK wraps the error of fetch.
const systemCode = (error: unknown): string | undefined => {
  let current = error
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth++) {
    if ("code" in current && typeof current.code === "string" && /^[A-Z0-9_]{2,60}$/.test(current.code)) {
      return current.code
    }
    current = "cause" in current ? current.cause : undefined
  }
  return undefined
}

const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: "check that the server runs there and that baseUrl names its port",
  ENOTFOUND: "check the host in baseUrl and the network's name service",
  EAI_AGAIN: "check the host in baseUrl and the network's name service"
}

/** Why a call got no response, from the error that it was rejected with. */
export const unreachable = (error: unknown, { host }: Endpoint): Reason => {
  const code = systemCode(error)
  if (code === "UND_ERR_HEADERS_TIMEOUT") {
    return {
      _tag: "Timeout",
      message: `fetch stopped waiting for ${host} to begin its answer: stream it, or pass a fetch with a longer limit`
    }
  }
  const what = advice[code ?? ""] ?? "check the network, proxies and baseUrl"
  return { _tag: "Connection", message: `cannot reach ${host}${code === undefined ? "" : ` (${code})`}: ${what}` }
}
