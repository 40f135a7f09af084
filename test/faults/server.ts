/**
 * An HTTP server on this machine that answers as a test says, well or badly, and records what it was asked.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import assert from "node:assert/strict"
import * as http from "node:http"
import { soon } from "../soon.ts"

export interface Recorded {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: any // What a client sent; the tests compare it as a whole.
}

export type Answer = (response: http.ServerResponse, request: http.IncomingMessage, asked: Recorded) => void

// ---------------------------------------------------------------------------------------------------------- answers

type Headers = http.OutgoingHttpHeaders

/** Sent with each answer below; headers of one's own come after it. */
export const requestId = "req-123"

/** Answers with JSON, or with text as it is. */
export const reply =
  (status: number, body: unknown, headers: Headers = {}): Answer =>
  (response) => {
    begin(response, status, { "content-type": "application/json", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

/** Never answers. */
export const silent: Answer = () => {}

/** Waits before the first byte. */
export const after =
  (millis: number, answer: Answer): Answer =>
  (response, request, asked) => {
    const timer = setTimeout(() => answer(response, request, asked), millis)
    response.on("close", () => clearTimeout(timer))
  }

/** How an answer ends after its last byte. */
export type End =
  /** As it should. */
  | "ended"
  /** The socket is closed without the end of the answer. */
  | "destroyed"
  /** Nothing more comes. */
  | "open"

/** Sends bytes, as one, and then ends in this way. The length is not told before, so a clean end looks whole. */
export const send =
  (bytes: string | Uint8Array, end: End = "ended", headers: Headers = {}): Answer =>
  (response) => {
    begin(response, 200, headers)
    response.flushHeaders()
    finish(response, bytes, end)
  }

export const eventStream: Headers = { "content-type": "text/event-stream; charset=utf-8" }

/** Sends the chunks one after the other, each as the server's own chunk, `millis` apart, and then ends in this way. */
export const stream =
  (
    chunks: ReadonlyArray<string | Uint8Array>,
    { end = "ended", headers = eventStream, millis = 0 }: { end?: End; headers?: Headers; millis?: number } = {}
  ): Answer =>
  (response) => {
    begin(response, 200, headers)
    response.flushHeaders()
    const next = (index: number): void => {
      if (response.destroyed) return
      if (index === chunks.length) return finish(response, "", end)
      response.write(chunks[index] ?? "", () => later(millis, () => next(index + 1)))
    }
    next(0)
  }

/** Sends a byte at a time, `millis` apart. */
export const trickle = (text: string, millis: number, headers: Headers = { "content-type": "application/json" }) =>
  stream(
    Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte)),
    { headers, millis }
  )

/** Breaks the connection before the first byte of an answer. */
export const reset: Answer = (response, request) => {
  cut.add(response)
  request.socket.resetAndDestroy()
}

const cut = new WeakSet<http.ServerResponse>()

const begin = (response: http.ServerResponse, status: number, headers: Headers): void => {
  response.writeHead(status, { "x-request-id": requestId, "request-id": requestId, ...headers })
}

const finish = (response: http.ServerResponse, last: string | Uint8Array, end: End): void => {
  if (end === "ended") return void response.end(last)
  if (end === "open") return void (last.length > 0 && response.write(last))
  cut.add(response)
  // written for certain before the socket goes
  if (last.length === 0) response.socket?.destroySoon()
  else response.write(last, () => response.socket?.destroySoon())
}

const later = (millis: number, run: () => void): void => {
  if (millis === 0) setImmediate(run)
  else setTimeout(run, millis)
}

// ----------------------------------------------------------------------------------------------------------- server

/**
 * Starts a server for the rest of the scope.
 *
 * - `recorded`: what was asked
 * - `arrived`: the next request, waited for; it fails if none comes
 * - `closed`: waits for the next request that the client gives up, by closing its connection early; it fails if there is none
 * - `forget`: lets `arrived` and `closed` begin anew
 * - `connections`: how many were ever made
 * - `answering`: how many requests are not yet answered
 * - `idle`: waits until each request is answered or given up; a defect after `millis` of real time
 */
export const serve = (answer: Answer) =>
  Effect.gen(function* () {
    const recorded: Array<Recorded> = []
    const arrived = yield* Queue.unbounded<Recorded>()
    const closed = yield* Queue.unbounded<void>()
    const answering = new Set<http.ServerResponse>()
    const watching = new Set<() => void>()
    let connections = 0
    const server = http.createServer((request, response) => {
      let text = ""
      answering.add(response)
      request.setEncoding("utf8")
      request.on("data", (chunk) => (text += chunk))
      response.on("close", () => {
        answering.delete(response)
        if (!response.writableFinished && !cut.has(response)) Queue.offerUnsafe(closed, undefined)
        for (const look of watching) look()
      })
      request.on("end", () => {
        const record = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) }
        recorded.push(record)
        Queue.offerUnsafe(arrived, record)
        answer(response, request, record)
      })
    })
    server.on("connection", () => connections++)
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
    const idle = (millis = 5000) =>
      Effect.callback<void>((resume) => {
        const settle = (effect: Effect.Effect<void>) => {
          clearTimeout(timer)
          watching.delete(look)
          resume(effect)
        }
        const look = () => {
          if (answering.size === 0) settle(Effect.void)
        }
        const timer = setTimeout(() => {
          settle(Effect.die(new Error(`${answering.size} connections are still open after ${millis} ms`)))
        }, millis)
        watching.add(look)
        look()
      })
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      host: `127.0.0.1:${port}`,
      port,
      recorded,
      last: () => recorded.at(-1) ?? assert.fail("nothing was asked"),
      arrived: soon("the server has a request")(Queue.take(arrived)),
      closed: soon("the client closes the connection of its request")(Queue.take(closed)),
      forget: Effect.andThen(Queue.clear(arrived), Queue.clear(closed)),
      idle,
      connections: () => connections,
      answering: () => answering.size
    }
  })
