/**
 * A chat completions server on this machine that answers as a test says and records what it was asked.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import assert from "node:assert/strict"
import * as http from "node:http"

export interface Recorded {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: any // What a client sent; the tests compare it as a whole.
}

export type Answer = (response: http.ServerResponse, request: http.IncomingMessage) => void

/** Answers with JSON, or with text as it is. */
export const reply =
  (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req-123", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

export const usage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 }
}

export const completion = (content: unknown, finish_reason: unknown = "stop", message: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-2024-08-06",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content, ...message } }],
  usage
})

/** Starts a server for the rest of the scope. `closed` has an entry for each connection that the client closed early. */
export const serve = (answer: Answer) =>
  Effect.gen(function* () {
    const recorded: Array<Recorded> = []
    const arrived = yield* Queue.unbounded<Recorded>()
    const closed = yield* Queue.unbounded<void>()
    const server = http.createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8")
      request.on("data", (chunk) => (text += chunk))
      response.on("close", () => {
        if (!response.writableFinished) Queue.offerUnsafe(closed, undefined)
      })
      request.on("end", () => {
        const record = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) }
        recorded.push(record)
        Queue.offerUnsafe(arrived, record)
        answer(response, request)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      host: `127.0.0.1:${port}`,
      port,
      recorded,
      last: () => recorded.at(-1) ?? assert.fail("nothing was asked"),
      arrived,
      closed
    }
  })
