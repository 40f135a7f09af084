/**
 * How the server has refused a WebSocket. `WebSocket` itself says no more than that it failed, but that of Node lets a
 * dispatcher look at the response.
 */

/** The response of a server that opens no WebSocket, or the error instead of any response. */
export interface Refusal {
  status: number | undefined
  headers: Headers
  text: string
  error: unknown
}

/** The most of a refusal's body that is read, in characters. */
const longest = 64 * 1024

/** Handlers of Node 22 have the first names, later ones have the second. */
const begins = new Set<unknown>(["onHeaders", "onResponseStart"])
const continues = new Set<unknown>(["onData", "onResponseData"])
const ends = new Set<unknown>(["onComplete", "onResponseEnd"])
const fails = new Set<unknown>(["onError", "onResponseError"])

const toHeaders = (found: unknown): Headers => {
  const headers = new Headers()
  const flat: ReadonlyArray<unknown> = Array.isArray(found)
    ? found
    : Object.entries(typeof found === "object" && found !== null ? found : {}).flat()
  for (let i = 0; i + 1 < flat.length; i += 2) {
    try {
      headers.append(String(flat[i]), String(flat[i + 1]))
    } catch {
      // it is not a header that anyone reads
    }
  }
  return headers
}

/** Passes on what a response consists of, that of a refusal only when all of it has come. */
const watching = (handler: object, refusal: Refusal): object => {
  const decoder = new TextDecoder()
  let waiting: Array<() => unknown> | undefined
  const flush = (): void => {
    const all = waiting ?? []
    waiting = undefined
    for (const pass of all) pass()
  }
  return new Proxy(handler, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>): unknown => {
        const pass = (): unknown => Reflect.apply(value, target, args)
        if (begins.has(name)) {
          const isOld = name === "onHeaders"
          const [status, headers] = isOld ? args : args.slice(1)
          if (typeof status === "number" && status >= 200) {
            refusal.status = status
            refusal.headers = toHeaders(headers)
            // after a status of 401 there is a second attempt
            refusal.text = ""
            waiting = [pass]
            return true
          }
        } else if (continues.has(name) && waiting !== undefined) {
          const chunk = name === "onData" ? args[0] : args[1]
          if (chunk instanceof Uint8Array) refusal.text += decoder.decode(chunk, { stream: true })
          if (refusal.text.length > longest) flush()
          return true
        } else if (ends.has(name)) flush()
        else if (fails.has(name)) {
          refusal.error = name === "onError" ? args[0] : args[1]
          flush()
        }
        return pass()
      }
    }
  })
}

/** The name of the dispatcher in use. That of another version would not know the handlers of this one. */
const nameOf = (version: string): symbol =>
  Symbol.for(Number.parseInt(version, 10) >= 8 ? "undici.globalDispatcher.2" : "undici.globalDispatcher.1")

/** What `WebSocket` of Node is given to look at the response. Nothing elsewhere. */
export const lookingAt = (refusal: Refusal): { readonly dispatcher?: object } => {
  const version: unknown = globalThis.process?.versions?.["undici"]
  const inUse: unknown = typeof version === "string" ? Reflect.get(globalThis, nameOf(version)) : undefined
  if (!isDispatcher(inUse)) return {}
  return {
    dispatcher: {
      dispatch: (options: unknown, handler: object): unknown => inUse.dispatch(options, watching(handler, refusal))
    }
  }
}

const isDispatcher = (value: unknown): value is { readonly dispatch: (options: unknown, handler: object) => unknown } =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "dispatch") === "function"
