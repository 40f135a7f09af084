/** The `fetch` that an SDK calls: it follows no redirect, and reads error answers within a size. */
import type { Reason } from "../Provider.ts"
import type { Endpoint } from "./Endpoint.ts"

/** The most bytes of the body of a bad status; what a server says beyond is no news. */
const mostBytes = 1024 * 1024

/** The beginning of a body. The rest of it is not read, and its connection closed. */
const beginningOf = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let left = mostBytes
  return new ReadableStream<Uint8Array>({
    pull: (controller) =>
      reader.read().then(({ done, value }) => {
        if (done) return controller.close()
        controller.enqueue(value.subarray(0, left))
        left -= value.byteLength
        if (left > 0) return
        controller.close()
        return reader.cancel()
      }),
    cancel: (reason) => reader.cancel(reason)
  })
}

/** What a browser shows of a redirect, or a `fetch` that followed one all the same: a redirect, and no answer. */
const asRedirect = (response: Response): Response => {
  if (response.type !== "opaqueredirect" && !response.redirected) return response
  response.body?.cancel().catch(() => {})
  return new Response(null, { status: 302 })
}

/**
 * A `fetch` that follows no redirect, as the prompt, the key and custom headers would go to a server that nobody named, and
 * that gives at most a MiB of the body of a bad status, which an SDK reads whole by itself.
 */
export const guarded =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) =>
    fetch(input, { ...init, redirect: "manual" }).then((answer) => {
      const response = asRedirect(answer)
      const { body, headers, ok, status, statusText } = response
      // no response can be made anew with a status that HTTP has not
      return ok || body === null || status > 599
        ? response
        : new Response(beginningOf(body), { status, statusText, headers })
    })

/** Whether the server sends the call elsewhere. */
export const isRedirect = (status: number | undefined): boolean => status !== undefined && status >= 300 && status < 400

/** Why a call that is sent elsewhere fails. Where to is not passed on: a server's own words may repeat what was sent. */
export const redirected = (status: number | undefined, { host }: Endpoint): Reason => ({
  _tag: "InvalidRequest",
  message: `${host} redirects (${status}), and redirects are not followed: set baseUrl to the address that answers itself`,
  parameter: "baseUrl"
})
