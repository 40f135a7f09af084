/** The `fetch` of an SDK. It follows no redirect, and limits the size of error responses. */
import type { Reason } from "../Provider.ts"
import type { Endpoint } from "./Endpoint.ts"

/** The most bytes that are read of an error response. */
const mostBytes = 1024 * 1024

/** The beginning of a body. The rest is not read, and its connection is closed. */
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

/** A redirect that a browser hides, or that a `fetch` followed anyway, as a plain redirect. */
const asRedirect = (response: Response): Response => {
  if (response.type !== "opaqueredirect" && !response.redirected) return response
  response.body?.cancel().catch(() => {})
  return new Response(null, { status: 302 })
}

/**
 * Wraps `fetch` so that it never follows a redirect: otherwise the prompt, the key and custom headers would go to an
 * unknown server. It passes on at most 1 MiB of an error response, because an SDK reads the whole body.
 */
export const guarded =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) =>
    fetch(input, { ...init, redirect: "manual" }).then((answer) => {
      const response = asRedirect(answer)
      const { body, headers, ok, status, statusText } = response
      // a response with a status above 599 cannot be constructed
      return ok || body === null || status > 599
        ? response
        : new Response(beginningOf(body), { status, statusText, headers })
    })

/** Whether the server redirects the call. */
export const isRedirect = (status: number | undefined): boolean => status !== undefined && status >= 300 && status < 400

/** Why a redirected call fails. The target is not passed on: a server may repeat there what was sent. */
export const redirected = (status: number | undefined, { host }: Endpoint): Reason => ({
  _tag: "InvalidRequest",
  message: `${host} redirects (${status}), and redirects are not followed: set baseUrl to the address that the server redirects to`,
  parameter: "baseUrl"
})
