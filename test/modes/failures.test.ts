/** What goes wrong with sockets, and how calls fail then. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Result, Stream } from "effect"
import { createServer } from "node:net"
import type { ProviderError } from "cogito/Provider"
import { assertClean } from "../faults/clean.ts"
import { asking, streaming, system, talking, user } from "./kit.ts"
import { making, type Options } from "./making.ts"
import { type Fault, type Script, serveModes } from "./server.ts"

const model: Script["model"] = (view) => `${view.length}: a longer answer with several pieces`

const request = asking([system, user("canary prompt")])

/** The error of a first call. */
const failing = (script: Omit<Script, "model">, options: Options = {}) =>
  Effect.gen(function* () {
    const server = yield* serveModes({ model, ...script })
    const provider = yield* making(server.baseUrl, options)
    const error = yield* Effect.flip(provider.complete(request))
    assertClean(error)
    return { error, server, provider }
  })

/** A port where a server sends only this text, or where no server listens any more. */
const listening = ({ isOpen, says = "" }: { readonly isOpen: boolean; readonly says?: string }) =>
  Effect.callback<number>((resume) => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.write(says)
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.unref()
      if (isOpen) resume(Effect.succeed(port))
      else server.close(() => resume(Effect.succeed(port)))
    })
  })

const tagOf = ({ reason }: ProviderError) => reason._tag

describe("a socket that the server refuses", () => {
  const rows: ReadonlyArray<readonly [status: number, tag: string, body?: unknown]> = [
    [401, "Authentication"],
    [403, "Authentication"],
    [429, "RateLimited"],
    [429, "QuotaExhausted", { error: { message: "canary", type: "insufficient_quota", code: "insufficient_quota" } }],
    [500, "Overloaded"],
    [503, "Overloaded"],
    [401, "QuotaExhausted", { error: { message: "canary", type: "insufficient_quota", code: "insufficient_quota" } }],
    [404, "InvalidRequest"],
    [302, "InvalidRequest"],
    [200, "InvalidRequest"]
  ]
  for (const [status, tag, body] of rows) {
    it.live(`with status ${status} fails as over HTTP: ${tag}`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing({
          refuse: () => ({
            status,
            ...(body !== undefined && { body }),
            headers: { "retry-after": "7", "x-request-id": "req-9" }
          })
        })
        assert.strictEqual(tagOf(error), tag)
        assert.include(error.message, String(status))
        assert.strictEqual(error.requestId, "req-9")
        const isTemporary = tag === "RateLimited" || tag === "Overloaded"
        assert.strictEqual(error.isRetryable, isTemporary)
        if (isTemporary) assert.strictEqual(error.retryAfter && Duration.toMillis(error.retryAfter), 7000)
        assert.lengthOf(server.requests, 0)
        // Node itself asks once more after 401
        assert.isAtMost(server.dials(), status === 401 ? 2 : 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("because of a wrong key fails with Authentication", () =>
    Effect.gen(function* () {
      const { error } = yield* failing({}, { apiKey: "sk-other-canary" })
      assert.strictEqual(tagOf(error), "Authentication")
    }).pipe(Effect.scoped)
  )

  it.live("fails after 64 KiB of the body, even if the body does not end", () =>
    Effect.gen(function* () {
      const port = yield* listening({ isOpen: true, says: `HTTP/1.1 503 No\r\n\r\n${"x".repeat(70_000)}` })
      const provider = yield* making(`http://127.0.0.1:${port}/v1`, { connectTimeout: "3 seconds" })
      assert.strictEqual(tagOf(yield* Effect.flip(provider.complete(request))), "Overloaded")
    }).pipe(Effect.scoped)
  )

  it.live("for lack of a server fails with Connection", () =>
    Effect.gen(function* () {
      const port = yield* listening({ isOpen: false })
      const provider = yield* making(`http://127.0.0.1:${port}/v1`)
      const error = yield* Effect.flip(provider.complete(request))
      assertClean(error)
      assert.strictEqual(tagOf(error), "Connection")
      assert.include(error.message, "ECONNREFUSED")
    }).pipe(Effect.scoped)
  )

  it.live("by not answering fails with Timeout", () =>
    Effect.gen(function* () {
      const port = yield* listening({ isOpen: true })
      const provider = yield* making(`http://127.0.0.1:${port}/v1`, { connectTimeout: "40 millis" })
      const error = yield* Effect.flip(provider.complete(request))
      assert.strictEqual(tagOf(error), "Timeout")
      assert.include(error.message, "connectTimeout")
    }).pipe(Effect.scoped)
  )
})

describe("an answer over a socket", () => {
  const once = (fault: Fault) => ({ fault: (count: number) => (count === 1 ? fault : undefined) })

  for (const [code, status, tag] of [
    ["rate_limit_exceeded", 429, "RateLimited"],
    ["insufficient_quota", 429, "QuotaExhausted"],
    ["invalid_api_key", 401, "Authentication"],
    ["context_length_exceeded", 400, "ContextTooLong"],
    ["invalid_value", 400, "InvalidRequest"]
  ] as const) {
    it.live(`that is an error ${code} fails with ${tag}, and the connection takes the next call`, () =>
      Effect.gen(function* () {
        const { error, provider, server } = yield* failing(once({ _tag: "Error", code, status }))
        assert.strictEqual(tagOf(error), tag)
        const { text } = yield* provider.complete(request)
        assert.strictEqual(text, model(["", ""], {}))
        assert.isUndefined(server.requests[1]?.body["previous_response_id"])
        assert.strictEqual(server.opened(), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("that is an error of the server closes the connection, also if another call waits for it", () =>
    Effect.gen(function* () {
      const saying = (view: ReadonlyArray<string>) => `to ${view.at(-1)}`
      const server = yield* serveModes({ model: saying, ...once({ _tag: "Late", code: "server_error", status: 500 }) })
      const provider = yield* making(server.baseUrl, { connections: { most: 1 } })
      const asks = ["one", "two"].map((text) => Effect.result(provider.complete(asking([user(text)]))))
      const [first, second] = yield* Effect.all(asks, { concurrency: "unbounded" })
      assert.strictEqual(first !== undefined && Result.isFailure(first) && tagOf(first.failure), "Overloaded")
      assert.strictEqual(second !== undefined && Result.isSuccess(second) && second.success.text, "to user: two")
      assert.strictEqual(server.opened(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("that fails in the end fails with the tokens that were billed for it", () =>
    Effect.gen(function* () {
      const { error, provider, server } = yield* failing(once({ _tag: "Failed", code: "server_error" }))
      assert.strictEqual(tagOf(error), "Overloaded")
      const { usage } = yield* provider.complete(request)
      assert.isAbove(usage.inputTokens ?? 0, 0)
      assert.deepStrictEqual(error.usage, usage)
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("that is an error with headers has its time to wait", () =>
    Effect.gen(function* () {
      const headers = { "retry-after": "7", "not a name": "x", "x-count": 3 }
      const { error } = yield* failing(once({ _tag: "Error", code: "rate_limit_exceeded", status: 429, headers }))
      assert.strictEqual(tagOf(error), "RateLimited")
      assert.strictEqual(error.retryAfter && Duration.toMillis(error.retryAfter), 7000)
    }).pipe(Effect.scoped)
  )

  it.live("that is too long fails with InvalidResponse, and its connection takes no other call", () =>
    Effect.gen(function* () {
      const headers = { "x-long": "x".repeat(32 * 1024 * 1024) }
      const { error, provider, server } = yield* failing(
        once({ _tag: "Error", code: "server_error", status: 500, headers })
      )
      assert.strictEqual(tagOf(error), "InvalidResponse")
      assert.include(error.message, "a message of more than 32 MiB")
      assert.strictEqual((yield* provider.complete(request)).text, model(["", ""], {}))
      assert.strictEqual(server.opened(), 2)
      yield* server.closed(1)
    }).pipe(Effect.scoped)
  )

  it.live("that is cut off fails with Truncated, and is not repeated", () =>
    Effect.gen(function* () {
      for (const after of [1, 4, 9]) {
        const { error, provider, server } = yield* failing(once({ _tag: "Cut", after }))
        assert.strictEqual(tagOf(error), "Truncated")
        assert.isTrue(error.isRetryable)
        assert.lengthOf(server.requests, 1)
        assert.strictEqual((yield* provider.complete(request)).text, model(["", ""], {}))
        assert.strictEqual(server.opened(), 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is cut off before it begins fails with Connection", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(once({ _tag: "Cut", after: 0 }))
      assert.strictEqual(tagOf(error), "Connection")
    }).pipe(Effect.scoped)
  )

  it.live("that is cut off after its first pieces fails with Truncated as a stream, after these", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ model, ...once({ _tag: "Cut", after: 9 }) })
      const provider = yield* making(server.baseUrl, { mode: "auto" })
      const deltas: Array<string> = []
      const reading = Stream.runForEach(provider.stream(request), (part) =>
        Effect.sync(() => deltas.push(part._tag === "Text" ? part.delta : part._tag))
      )
      const error = yield* Effect.flip(reading)
      assert.strictEqual(tagOf(error), "Truncated")
      assert.isAbove(deltas.length, 0)
      assert.notInclude(deltas, "Done")
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that stalls fails with Timeout, and closes its connection", () =>
    Effect.gen(function* () {
      for (const options of [
        { idleTimeout: "50 millis" },
        { timeout: "150 millis", idleTimeout: "1 minute" }
      ] as const) {
        const { error, server } = yield* failing(once({ _tag: "Stall", after: 5 }), options)
        assert.strictEqual(tagOf(error), "Timeout")
        yield* server.closed(1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("whose parameter is refused is requested once more without it", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({
        model,
        fault: (count) =>
          count === 1 ? { _tag: "Error", code: "invalid_value", status: 400, param: "temperature" } : undefined
      })
      const provider = yield* making(server.baseUrl, { model: "gpt-4o" })
      const warm = asking([system, user("hello")], { sampling: { temperature: 0.5 } })
      yield* provider.complete(warm)
      assert.deepStrictEqual(
        server.requests.map(({ body }) => body["temperature"]),
        [0.5, undefined]
      )
      assert.strictEqual(provider.capabilities.temperature, "never")
    }).pipe(Effect.scoped)
  )

  it.live("is closed when its stream is read no further", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ model, ...once({ _tag: "Stall", after: 9 }) })
      const provider = yield* making(server.baseUrl)
      yield* Stream.runCollect(Stream.take(provider.stream(request), 1))
      yield* server.closed(1)
      const { response } = yield* streaming(provider, request)
      assert.strictEqual(response.text, model(["", ""], {}))
    }).pipe(Effect.scoped)
  )

  it.live("is interrupted while its socket opens: the socket closes", () =>
    Effect.gen(function* () {
      let isSlow = true
      const server = yield* serveModes({ model, fault: () => (isSlow ? { _tag: "Stall", after: 2 } : undefined) })
      const provider = yield* making(server.baseUrl)
      for (const millis of [0, 1, 2, 4, 8]) {
        const fiber = yield* Effect.forkChild(provider.complete(request))
        yield* Effect.sleep(millis)
        yield* Fiber.interrupt(fiber)
      }
      isSlow = false
      const { answers } = yield* talking(provider, ["one"])
      assert.strictEqual(answers[0]?.text, model(["", ""], {}))
      yield* server.closed(server.opened() - 1)
    }).pipe(Effect.scoped)
  )
})
