import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { type ProviderError, type Request, type Shape } from "cogito/Provider"
import { type Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assertClean, key, prompt } from "../faults/clean.ts"
import { met } from "../soon.ts"

// What both vendors' clients make of servers and networks: answers come from a `fetch`, without any server.

interface Options {
  readonly fetch?: typeof fetch
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connectTimeout?: Duration.Input
  readonly allowInsecureHttp?: boolean
}

type Make = (options: Options) => Effect.Effect<Shape, ProviderError>

const vendors: ReadonlyArray<readonly [string, Make, (rest: object) => object]> = [
  [
    "OpenAI",
    (options) => OpenAi.make({ model: "m", baseUrl: "https://model.invalid/v1", ...options }),
    (rest) => ({
      id: "1",
      model: "m-1",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
      ...rest
    })
  ],
  [
    "Anthropic",
    (options) => Anthropic.make({ model: "m", baseUrl: "https://model.invalid", ...options }),
    (rest) => ({
      id: "1",
      type: "message",
      role: "assistant",
      model: "m-1",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      ...rest
    })
  ]
]

const request: Request = {
  messages: [{ role: "user", text: prompt }],
  task: { kind: "ask", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

const answering = (answer: () => Response): { readonly fetch: typeof fetch } => ({
  fetch: () => Promise.resolve().then(answer)
})

const complete = (make: Make, options: Options) =>
  Effect.flatMap(make({ apiKey: key, ...options }), (provider) => provider.complete(request))

const failing = (make: Make, options: Options) =>
  Effect.tap(Effect.flip(complete(make, options)), (error) => Effect.sync(() => assertClean(error)))

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init)

describe.each(vendors)("a call of %s", (_, make, message) => {
  it.effect("that fails has the id of its request, whichever header has it", () =>
    Effect.gen(function* () {
      for (const [headers, id] of [
        [{ "x-request-id": "req-x" }, "req-x"],
        [{ "request-id": "req-plain" }, "req-plain"],
        [{ "x-request-id": "req-x", "request-id": "req-plain" }, "req-x"],
        [{}, undefined]
      ] as const) {
        // of an answer that is none, whole and streamed
        const options = answering(() => new Response("no message", { headers }))
        const { reason, requestId } = yield* failing(make, options)
        assert.deepStrictEqual([reason._tag, requestId], ["InvalidResponse", id])
        const provider = yield* make({ apiKey: key, ...options })
        const streamed = yield* Effect.flip(Stream.runDrain(provider.stream(request)))
        assert.strictEqual(streamed.requestId, id)
      }
    })
  )

  it.effect("that fails with a good status has the id in its body, unless a header has one", () =>
    Effect.gen(function* () {
      const error = { type: "overloaded_error", message: "busy" }
      for (const [request_id, headers, id] of [
        ["req-body", {}, "req-body"],
        ["req-body", { "request-id": "req-plain" }, "req-plain"],
        ["req body", {}, undefined]
      ] as const) {
        const options = answering(() => json({ type: "error", error, request_id }, { headers }))
        const whole = yield* failing(make, options)
        const provider = yield* make({ apiKey: key, ...options })
        const streamed = yield* Effect.flip(Stream.runDrain(provider.stream(request)))
        for (const { reason, requestId } of [whole, streamed])
          assert.deepStrictEqual([reason._tag, requestId], ["Overloaded", id])
      }
    })
  )

  it.effect("says what to check if nothing could be reached", () =>
    Effect.gen(function* () {
      const cases = [
        ["ECONNREFUSED", "Connection", "(ECONNREFUSED): check that the server runs there"],
        ["ENOTFOUND", "Connection", "(ENOTFOUND): check the host in baseUrl and the network's name service"],
        ["EAI_AGAIN", "Connection", "(EAI_AGAIN): check the host in baseUrl and the network's name service"],
        ["ETIMEDOUT", "Connection", "(ETIMEDOUT): check the network, proxies and baseUrl"],
        ["canary words", "Connection", "model.invalid: check the network, proxies and baseUrl"],
        ["UND_ERR_HEADERS_TIMEOUT", "Timeout", "fetch stopped waiting for model.invalid"]
      ] as const
      for (const [code, tag, said] of cases) {
        const cause = Object.assign(new Error(`canary ${prompt}`), { code })
        const broken: typeof fetch = () => Promise.reject(new TypeError("fetch failed", { cause }))
        const error = yield* failing(make, { fetch: broken })
        assert.strictEqual(error.reason._tag, tag)
        assert.include(error.message, said)
      }
    })
  )

  it.effect("that is redirected fails, even if the redirect was followed anyway", () =>
    Effect.gen(function* () {
      const followed = (property: string, value: unknown) => () =>
        Object.defineProperty(json(message({})), property, { value })
      const answers = [
        ...[300, 301, 308, 399].map((status) => () => json({}, { status })),
        followed("redirected", true),
        followed("type", "opaqueredirect")
      ]
      for (const answer of answers) {
        const { message: said, reason } = yield* failing(make, answering(answer))
        assert.strictEqual(reason._tag === "InvalidRequest" && reason.parameter, "baseUrl")
        assert.include(said, "redirects are not followed")
      }
    })
  )

  it.effect("with a status that HTTP does not have is a problem of the server", () =>
    Effect.gen(function* () {
      const answer = () => Object.defineProperty(json({}, { status: 500 }), "status", { value: 999 })
      const { message: said, reason } = yield* failing(make, answering(answer))
      assert.strictEqual(reason._tag, "Overloaded")
      assert.include(said, "999")
    })
  )

  it.effect("keeps model and id of the answer if they are valid and contain nothing secret", () =>
    Effect.gen(function* () {
      const named = (rest: object) =>
        Effect.map(
          complete(
            make,
            answering(() => json(message(rest)))
          ),
          ({ id, model }) => [model, id]
        )
      assert.deepStrictEqual(yield* named({}), ["m-1", "1"])
      assert.deepStrictEqual(yield* named({ model: "org/m:1@x+y", id: "a".repeat(200) }), [
        "org/m:1@x+y",
        "a".repeat(200)
      ])
      assert.deepStrictEqual(yield* named({ model: "two words", id: "a".repeat(201) }), [undefined, undefined])
      assert.deepStrictEqual(yield* named({ model: `m-${key}`, id: key.slice(0, -1) }), [undefined, undefined])
    })
  )

  it.effect("passes on no code that is a secret header, or part of one", () =>
    Effect.gen(function* () {
      for (const code of ["hidden-header-1", "hidden-header", "x-hidden-header-1"]) {
        const refusal = { type: "error", error: { type: code, code, message: "no" } }
        const options = { ...answering(() => json(refusal, { status: 400 })), headers: { "x-own": "hidden-header-1" } }
        assert.notInclude((yield* failing(make, options)).message, "hidden")
      }
      const refusal = { type: "error", error: { type: "shown", code: "shown", message: "no" } }
      assert.include(
        (yield* failing(
          make,
          answering(() => json(refusal, { status: 400 }))
        )).message,
        "shown"
      )
    })
  )

  it.effect("goes unencrypted to this machine only, with a key or headers", () =>
    Effect.gen(function* () {
      const made = (options: Options) => Effect.map(Effect.exit(make(options)), ({ _tag }) => _tag)
      for (const host of ["localhost:1", "127.0.0.1:1", "127.1.2.3", "[::1]:1"]) {
        assert.strictEqual(yield* made({ apiKey: key, baseUrl: `http://${host}` }), "Success", host)
      }
      for (const host of ["127.0.0.1.example", "localhost.example", "model.invalid"]) {
        const baseUrl = `http://${host}`
        assert.strictEqual(yield* made({ baseUrl }), "Success")
        assert.strictEqual(yield* made({ apiKey: key, baseUrl, allowInsecureHttp: true }), "Success")
        assert.include((yield* Effect.flip(make({ apiKey: key, baseUrl }))).message, "the API key would go unencrypted")
        const withHeaders = yield* Effect.flip(make({ baseUrl, headers: { "x-own": "1" } }))
        assert.include(withHeaders.message, "headers would go unencrypted")
      }
    })
  )

  it.effect("requires a key for the vendor's own hosts, but not for hosts that only look like one", () =>
    Effect.gen(function* () {
      const own = make === vendors[0]?.[1] ? "api.openai.com" : "api.anthropic.com"
      for (const host of [own, `eu.${own}`]) {
        const error = yield* Effect.flip(make({ baseUrl: `https://${host}` }))
        assert.strictEqual(error.reason._tag, "Authentication", host)
      }
      for (const host of [`${own}.example`, `my${own}`]) yield* make({ baseUrl: `https://${host}` })
    })
  )

  it.effect("is not made with a key that cannot be sent in a header", () =>
    Effect.gen(function* () {
      for (const apiKey of ["sk-two words", "sk-\u00fc", "sk-a\nb"]) {
        const error = yield* Effect.flip(make({ apiKey }))
        assert.strictEqual(error.reason._tag, "Authentication")
        assert.notInclude(error.message, apiKey)
      }
      yield* make({ apiKey: ` ${key}\n` })
    })
  )

  it.effect("may take longer than connectTimeout, unless it is streamed", () =>
    Effect.gen(function* () {
      let begin: ((answer: Response) => void) | undefined
      const waiting: typeof fetch = () =>
        new Promise((resolve) => {
          begin = resolve
        })
      const provider = yield* make({ apiKey: key, fetch: waiting, connectTimeout: "10 seconds" })
      const whole = yield* Effect.forkChild(provider.complete(request))
      yield* met("the call is made", () => begin !== undefined)
      yield* TestClock.adjust("50 seconds")
      begin?.(json(message({})))
      assert.strictEqual((yield* Fiber.join(whole)).text, "Hello")
      begin = undefined
      const streamed = yield* Effect.forkChild(Effect.flip(Stream.runDrain(provider.stream(request))))
      yield* met("the stream is begun", () => begin !== undefined)
      yield* TestClock.adjust("10 seconds")
      const { message: said, reason } = yield* Fiber.join(streamed)
      assert.strictEqual(reason._tag, "Timeout")
      assert.include(said, "model.invalid did not begin its answer within 10s: raise connectTimeout")
    })
  )

  const streamed = (make: Make, pieces: ReadonlyArray<string>, headers: Record<string, string>) =>
    Effect.gen(function* () {
      // a Response of text alone gets a type of its own
      const body = () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
            controller.close()
          }
        })
      const provider = yield* make({ apiKey: key, ...answering(() => new Response(body(), { headers })) })
      return yield* Effect.flip(Stream.runDrain(provider.stream(request)))
    })

  it.effect("that is streamed and has no event fails by its content type", () =>
    Effect.gen(function* () {
      for (const [headers, tag] of [
        [{}, "Truncated"],
        [{ "content-type": "text/event-stream; charset=utf-8" }, "Truncated"],
        [{ "content-type": "text/html" }, "InvalidResponse"]
      ] as const) {
        const error = yield* streamed(make, [": only a comment\n\n"], headers)
        assert.strictEqual(error.reason._tag, tag, JSON.stringify(headers))
      }
    })
  )

  it.effect("that is streamed and is an error instead of events keeps its type, in however many pieces", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "busy" } })
      for (const pieces of [[body], [body.slice(0, 20), body.slice(20, 50), body.slice(50)]]) {
        const error = yield* streamed(make, pieces, { "content-type": "application/json" })
        assert.strictEqual(error.reason._tag, "Overloaded")
        assert.include(error.message, "overloaded_error")
      }
    })
  )
})

describe("a stream of another server than OpenAI", () => {
  it.effect("that is an error object keeps its code, and the id of the request", () =>
    Effect.gen(function* () {
      const body = { object: "error", message: "too many", type: "rate_limit_error", code: 429, request_id: "req-1" }
      const error = { type: "rate_limit_error", message: "too many" }
      for (const api of ["chat", "responses"] as const) {
        for (const answer of [body, { error, request_id: "req-1" }]) {
          const provider = yield* OpenAi.make({
            model: "m",
            api,
            baseUrl: "https://model.invalid/v1",
            ...answering(() => json(answer))
          })
          const { reason, requestId } = yield* Effect.flip(Stream.runDrain(provider.stream(request)))
          assert.deepStrictEqual([reason._tag, requestId], ["RateLimited", "req-1"])
        }
      }
    })
  )
})
