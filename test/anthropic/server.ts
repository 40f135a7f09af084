/**
 * A Messages server on this machine that answers as a test says and records what it was asked, and calls of it.
 */
import { Anthropic } from "cogito/anthropic"
import { Provider, type Request } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import assert from "node:assert/strict"
import * as http from "node:http"
import { assertClean } from "../http/assertClean.ts"

export interface Recorded {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: any // What a client sent; the tests compare it as a whole.
}

export type Answer = (response: http.ServerResponse, recorded: ReadonlyArray<Recorded>) => void

/** Answers with JSON, or with text as it is. */
export const reply =
  (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", "request-id": "req_123", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

/** Answers with events, each with its type as its name, or with text as it is; `end: false` leaves the connection open. */
export const events =
  (parts: ReadonlyArray<{ readonly type: string } | string>, options: { readonly end?: boolean } = {}): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_123" })
    for (const part of parts) {
      response.write(typeof part === "string" ? part : `event: ${part.type}\ndata: ${JSON.stringify(part)}\n\n`)
    }
    if (options.end !== false) response.end()
  }

export const usage = {
  input_tokens: 12,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
  service_tier: "standard"
}

export const message = (content: ReadonlyArray<object> | string, rest: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5-20260630",
  content: typeof content === "string" ? [{ type: "text", text: content, citations: null }] : content,
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage,
  ...rest
})

export const refusal = (type: string, text: string, details?: object) => ({
  type: "error",
  error: { type, message: text, ...(details && { details }) },
  request_id: "req_body"
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
        answer(response, recorded)
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
      baseUrl: `http://127.0.0.1:${port}`,
      host: `127.0.0.1:${port}`,
      recorded,
      last: () => recorded.at(-1) ?? assert.fail("nothing was asked"),
      arrived,
      closed
    }
  })

export const key = "sk-ant-canary-7f3a9c"
export const prompt = "canary prompt about a secret ticket"

export const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: prompt }
  ],
  task: { kind: "analyze", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

export const withOutput = (jsonSchema: Record<string, unknown>, rest: Partial<Request> = {}): Request =>
  request({
    task: {
      ...request().task,
      output: { name: "ticket", jsonSchema, instructions: "Answer with a JSON object." }
    },
    ...rest
  })

export type Options = Partial<Anthropic.Options>

/** Sends calls for api.anthropic.com to the server of a test. */
export const redirectTo =
  (baseUrl: string): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace("https://api.anthropic.com", baseUrl), init)

const optionsFor = (baseUrl: string, options: Options): Anthropic.Options => ({
  model: "claude-sonnet-5",
  apiKey: key,
  baseUrl,
  ...options
})

/** Sends one request to a server that gives this answer. */
const ask = (answer: Answer, options: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Provider.use((provider) => provider.complete(asked)).pipe(
      Effect.provide(Anthropic.layer(optionsFor(server.baseUrl, options))),
      Effect.result
    )
    return { server, outcome }
  })

export const succeed = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.fromResult(outcome), (response) => ({ response, server }))
  )

/** The failure of a call, checked to hold neither key nor prompt in any of its forms. */
export const failing = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.flip(Effect.fromResult(outcome)), (error) => {
      assertClean(error)
      return { error, server }
    })
  )

/** The parts of one streamed answer until its end or failure, and that failure, checked as `failing` does. */
export const listen = (answer: Answer, options: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const provider = yield* Anthropic.make(optionsFor(server.baseUrl, options))
    const parts: Array<unknown> = []
    const outcome = yield* provider.stream(asked).pipe(
      Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
      Effect.result
    )
    const error = outcome._tag === "Failure" ? outcome.failure : undefined
    if (error !== undefined) assertClean(error)
    return { parts, error, server }
  })
