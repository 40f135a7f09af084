/** Error answers within a size. */

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

/** A `fetch` that gives at most a MiB of the body of a bad status, which an SDK reads whole by itself. */
export const withShortErrors =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (...call) =>
    fetch(...call).then((response) => {
      const { body, headers, ok, status, statusText } = response
      // no response can be made anew with a status that HTTP has not
      return ok || body === null || status > 599
        ? response
        : new Response(beginningOf(body), { status, statusText, headers })
    })
