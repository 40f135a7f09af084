import { assert, describe, it } from "@effect/vitest"
import { Provider } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { met } from "../soon.ts"
import { type Answer, completion, reply, serve, usage } from "./server.ts"
import { collect, cutAfter, cutStep, data, key, request, sse, withOutput } from "./streams.ts"

const chunk = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
  data({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "gpt-4o-2024-08-06",
    choices: [{ index: 0, delta, finish_reason }],
    ...rest
  })
const text = (content: string) => chunk({ content })
const billing = data({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-4o", choices: [], usage })
const billed = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 }
const start = chunk({ role: "assistant", content: "", refusal: null })
const stop = chunk({}, "stop")
const end = data("[DONE]")
const whole = [start, text("Grüße, "), text("wörld 🌍"), stop, billing, end]

const ask = (answer: Answer, options: Partial<OpenAi.Options> = {}, asked = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Effect.result(
      collect({ model: "gpt-4o", apiKey: key, baseUrl: server.baseUrl, ...options }, asked)
    )
    return { server, outcome }
  })

const succeed = (answer: Answer, options?: Partial<OpenAi.Options>, asked = request()) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome }) => Effect.fromResult(outcome))

const failing = (answer: Answer, options?: Partial<OpenAi.Options>, asked = request()) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.flip(Effect.fromResult(outcome)), (error) => {
      assert.notInclude(JSON.stringify(error) + error.message, "canary")
      return { error, server }
    })
  )

describe("a streamed chat completion", () => {
  it.effect("is asked for with its token counts, and comes in pieces", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* ask(sse(whole), {}, request({ sampling: { temperature: 0 } }))
      const found = yield* Effect.fromResult(outcome)
      const { messages: _, ...sent } = server.last().body
      assert.deepStrictEqual(sent, {
        model: "gpt-4o",
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true }
      })
      assert.deepStrictEqual(found.texts, ["Grüße, ", "wörld 🌍"])
      assert.isTrue(found.isLast)
      assert.deepStrictEqual(found.response, {
        text: "Grüße, wörld 🌍",
        usage: billed,
        model: "gpt-4o",
        id: "chatcmpl-1"
      })
      assert.strictEqual(server.recorded.length, 1)
    })
  )

  it.effect("ends with what the unstreamed call returns, without the nulls of the strict form", () =>
    Effect.gen(function* () {
      const asked = withOutput({
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        required: ["a"]
      })
      const answer = JSON.stringify({ a: "x", b: null })
      const { response } = yield* succeed(sse([text(answer), stop, billing, end]), {}, asked)
      const server = yield* serve(reply(200, completion(answer)))
      const once = yield* Provider.use((provider) => provider.complete(asked)).pipe(
        Effect.provide(OpenAi.layer({ model: "gpt-4o", baseUrl: server.baseUrl }))
      )
      assert.strictEqual(once.text, `{"a":"x"}`)
      assert.strictEqual(response?.text, once.text)
    })
  )

  const fine: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["with line ends of its own", whole.map((event) => event.replaceAll("\n", "\r\n"))],
    ["with a mark of byte order", [`\uFEFF${whole.join("")}`]],
    ["with comments, pings and events of other names", [": wait\n\n", "event: ping\ndata: {}\n\n", ...whole]],
    ["with chunks that say nothing", [data({}), data({ choices: [] }), ...whole]],
    ["with another choice in it", [chunk({}, null, { choices: [{ index: 1, delta: { content: "no" } }] }), ...whole]],
    ["that ends with its token counts", whole.slice(0, -1)],
    ["with an empty chunk after its reason to stop", [...whole.slice(0, 4), chunk({}), billing, end]],
    ["with an empty chunk as its end", [...whole.slice(0, 4), chunk({ content: "" }), billing]],
    ["with counts in every piece", [start, chunk({ content: "Grüße, wörld 🌍" }, null, { usage }), stop, billing, end]]
  ]
  for (const [what, events] of fine) {
    it.effect(`${what} is read`, () =>
      Effect.gen(function* () {
        const { response } = yield* succeed(sse(events))
        assert.strictEqual(response?.text, "Grüße, wörld 🌍")
        assert.deepStrictEqual(response?.usage, billed)
      })
    )
  }

  it.effect("without token counts is read if a server sends none", () =>
    Effect.gen(function* () {
      const { response } = yield* succeed(sse([text("hi"), stop, end]))
      assert.deepStrictEqual(response, { text: "hi", usage: {}, model: "gpt-4o-2024-08-06", id: "chatcmpl-1" })
    })
  )

  it.effect("is read if its pieces are parts, without the model's reasoning", () =>
    Effect.gen(function* () {
      const piece = (content: unknown, finish_reason: string | null = null) =>
        data({ choices: [{ index: 0, delta: { content }, finish_reason }] })
      const thinking = [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }]
      const events = [piece(thinking), piece([{ type: "text", text: "he" }]), piece("llo", "stop"), data("[DONE]")]
      const server = yield* serve(sse(events))
      const { response, texts } = yield* collect({ model: "magistral", baseUrl: server.baseUrl })
      assert.deepStrictEqual([texts, response?.text], [["he", "llo"], "hello"])
    })
  )

  it.effect("has the model's reasoning under each of its names, without empty pieces", () =>
    Effect.gen(function* () {
      const events = [
        chunk({ reasoning_content: "Hm", content: "" }),
        chunk({ reasoning: "m." }),
        chunk({ reasoning_content: "", content: "hi" }),
        chunk({ reasoning: null, content: "!" }),
        stop,
        end
      ]
      const server = yield* serve(sse(events))
      const provider = yield* OpenAi.make({ model: "m", baseUrl: server.baseUrl })
      const parts = yield* Stream.runCollect(provider.stream(request()))
      assert.deepStrictEqual(parts.slice(0, -1), [
        { _tag: "Reasoning", delta: "Hm" },
        { _tag: "Reasoning", delta: "m." },
        { _tag: "Text", delta: "hi" },
        { _tag: "Text", delta: "!" }
      ])
    })
  )

  it.effect("is read byte by byte", () =>
    Effect.gen(function* () {
      const { texts } = yield* succeed((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const bytes = Buffer.from(whole.join(""))
        const write = (from: number): void => {
          if (from >= bytes.length) response.end()
          else response.write(bytes.subarray(from, from + 1), () => write(from + 1))
        }
        write(0)
      })
      assert.strictEqual(texts.join(""), "Grüße, wörld 🌍")
    })
  )

  it.effect("reports the limits in its headers", () =>
    Effect.gen(function* () {
      const headers = {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "499",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-remaining-tokens": "29000",
        "x-ratelimit-reset-tokens": "6m0.5s"
      }
      const { response } = yield* succeed(sse(whole, headers))
      const limits = {
        requests: { limit: 500, remaining: 499, resetAfter: Duration.millis(120) },
        tokens: { remaining: 29_000, resetAfter: Duration.millis(360_500) }
      }
      assert.deepStrictEqual(response?.limits, limits)
      const server = yield* serve(reply(200, completion("x"), { ...headers, "x-ratelimit-reset-tokens": "soon" }))
      const once = yield* Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(OpenAi.layer({ model: "gpt-4o", baseUrl: server.baseUrl }))
      )
      assert.deepStrictEqual(once.limits, { ...limits, tokens: { remaining: 29_000 } })
    })
  )

  const problem = (error: unknown) => [start, text("half canary"), data({ error })]
  const bad: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, object | undefined]> = [
    ["that ends too early", [start, text("half canary")], "Truncated", undefined],
    ["that ends after its reason to stop", [start, text("half"), stop], "Truncated", undefined],
    ["that is empty", [], "Truncated", undefined],
    ["that ends without a reason", [text("half"), end], "InvalidResponse", undefined],
    ["cut off by its length", [text("half canary"), chunk({}, "length"), billing, end], "Truncated", billed],
    ["cut off, with another ending", [text("half"), chunk({}, "length"), stop, billing, end], "Truncated", billed],
    [
      "filtered, with another ending",
      [text("half"), chunk({}, "content_filter"), stop, billing, end],
      "Refused",
      billed
    ],
    ["filtered", [text("half"), chunk({}, "content_filter"), billing, end], "Refused", billed],
    ["declined", [chunk({ refusal: "I cannot, canary" }), stop, billing, end], "Refused", billed],
    ["declined after text", [text("Sure"), chunk({ refusal: "no" }), stop, billing, end], "Refused", billed],
    ["of white space", [text(" \n"), stop, billing, end], "EmptyAnswer", billed],
    ["with no text", [start, stop, billing, end], "EmptyAnswer", billed],
    ["that calls a tool", [start, chunk({}, "tool_calls"), billing, end], "InvalidResponse", billed],
    ["of two answers", [text("one"), stop, text("two"), stop, billing, end], "InvalidResponse", undefined],
    ["with garbage", [text("half"), data("{ canary")], "InvalidResponse", undefined],
    ["with pieces of another form", [data({ choices: "canary" })], "InvalidResponse", undefined],
    ["broken by an error of the server", problem({ type: "server_error", message: key }), "Overloaded", undefined],
    ["broken by a limit", problem({ code: "rate_limit_exceeded", message: key }), "RateLimited", undefined],
    ["broken by a used up quota", problem({ type: "insufficient_quota" }), "QuotaExhausted", undefined],
    ["broken by a filter", problem({ code: "bio_policy" }), "Refused", undefined],
    ["broken by a numbered error", problem({ code: 400, message: key }), "InvalidRequest", undefined],
    ["broken by a nameless error", problem("canary"), "Overloaded", undefined],
    ["broken by an error of vLLM", [data({ object: "error", code: 503, message: key })], "Overloaded", undefined],
    ["broken by an error event", ["event: error\ndata: canary\n\n"], "Overloaded", undefined]
  ]
  for (const [what, events, tag, spent] of bad) {
    it.effect(`${what} is ${tag}, asked once`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing(sse(events))
        assert.strictEqual(error.reason._tag, tag)
        assert.deepStrictEqual(error.usage, spent)
        if (events.length > 0) assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }

  it.effect("an answer that is no stream is InvalidResponse", () =>
    Effect.gen(function* () {
      for (const answer of [
        reply(200, "<html>canary</html>", { "content-type": "text/html" }),
        reply(200, "null"),
        reply(200, completion("canary"))
      ]) {
        const { error } = yield* failing(answer)
        assert.strictEqual(error.reason._tag, "InvalidResponse")
        assert.include(error.message, "did not send a stream of events")
        assert.strictEqual(error.requestId, "req-123")
      }
    })
  )

  it.effect("that fails before it begins is classified by its status", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(reply(429, { error: { code: "rate_limit_exceeded" } }, { "retry-after": "7" }))
      assert.strictEqual(error.reason._tag, "RateLimited")
      assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
    })
  )

  it.effect("refuses tools if its model cannot call them, and says what to do", () =>
    Effect.gen(function* () {
      const tools = [{ name: "search", description: "", parameters: {} }]
      const { error, server } = yield* failing(sse(whole), { capabilities: { tools: false } }, request({ tools }))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "use another one")
      assert.strictEqual(server.recorded.length, 0)
    })
  )

  for (const how of ["end", "destroy"] as const) {
    it.live(`that ${how === "end" ? "ends" : "breaks off"} at any byte is the whole answer or Truncated`, () =>
      Effect.gen(function* () {
        const bytes = Buffer.from(whole.join("")).length
        const all = Array.from({ length: Math.ceil(bytes / cutStep) }, (_, i) => i * cutStep)
        let at = 0
        const server = yield* serve((response, incoming, asked) => cutAfter(whole, at, how)(response, incoming, asked))
        const provider = yield* Effect.provide(Provider, OpenAi.layer({ model: "m", baseUrl: server.baseUrl }))
        const outcomes = yield* Effect.forEach(all, (cut) =>
          Effect.suspend(() => {
            at = cut
            return Effect.result(Stream.runCollect(provider.stream(request())))
          })
        )
        const found = outcomes.map((outcome) => {
          if (outcome._tag === "Failure") return outcome.failure.reason._tag
          const last = outcome.success.at(-1)
          return last?._tag === "Done" ? last.response.text : "no end"
        })
        const firstWhole = found.findIndex((one) => one !== "Truncated")
        assert.isAbove(firstWhole, 0)
        // Whole from the event with the token counts on: after it nothing of the answer is missing.
        const known = Buffer.from(whole.slice(0, 5).join("")).length
        assert.deepStrictEqual(
          found,
          all.map((cut) => (cut < known ? "Truncated" : "Grüße, wörld 🌍"))
        )
      })
    )
  }
})

const head = (response: Parameters<Answer>[0]) =>
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req-123" })

describe("time", () => {
  const slow: ReadonlyArray<readonly [string, Answer, Partial<OpenAi.Options>, string, string]> = [
    ["does not begin", () => {}, { connectTimeout: "60 millis" }, "connectTimeout", "60ms"],
    [
      "stalls",
      (response) => {
        head(response).write(start + text("half"))
      },
      { idleTimeout: "60 millis" },
      "idleTimeout",
      "60ms"
    ],
    [
      "trickles",
      (response) => {
        const timer = setInterval(() => response.write(text("x")), 10)
        head(response).on("close", () => clearInterval(timer))
      },
      { timeout: "150 millis", idleTimeout: "1 minute" },
      "raise timeout",
      "150ms"
    ]
  ]
  for (const [what, answer, options, option, limit] of slow) {
    it.live(`a stream that ${what} is Timeout, tells what to raise, and its connection is closed`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing(answer, options)
        assert.strictEqual(error.reason._tag, "Timeout")
        assert.include(error.message, option)
        assert.include(error.message, limit)
        yield* server.idle()
      })
    )
  }

  // Each second of the test clock is given to a stream that stalls, until it has ended.
  const waits: ReadonlyArray<readonly [Partial<OpenAi.Options>, number]> = [
    [{}, 30],
    [{ timeout: "4 minutes" }, 120],
    [{ timeout: "1 hour" }, 300],
    [{ timeout: Duration.infinity }, 300],
    [{ timeout: "4 minutes", idleTimeout: "7 seconds" }, 7]
  ]
  it.effect("a stream may be silent for half of its total time, 30 seconds at least and 5 minutes at most", () =>
    Effect.gen(function* () {
      for (const [options, seconds] of waits) {
        const server = yield* serve((response) => head(response).write(start + text("half")))
        const fiber = yield* Effect.forkChild(Effect.flip(collect({ model: "m", baseUrl: server.baseUrl, ...options })))
        yield* server.arrived
        const ended = Effect.raceFirst(
          Fiber.join(fiber),
          Effect.forever(
            Effect.andThen(
              TestClock.adjust("1 second"),
              Effect.promise(() => setImmediate())
            )
          )
        )
        const error = yield* ended
        assert.strictEqual(error.reason._tag, "Timeout")
        assert.include(
          error.message,
          `sent nothing for ${Duration.format(Duration.seconds(seconds))}: raise idleTimeout`
        )
      }
    })
  )

  it.effect("a stream begins within ten seconds at OpenAI itself, and elsewhere within its total time", () =>
    Effect.gen(function* () {
      const late = (options: Partial<OpenAi.Options>, seconds: number) =>
        Effect.gen(function* () {
          let begin: (() => void) | undefined
          const waiting: typeof fetch = () =>
            new Promise((resolve) => {
              begin = () => resolve(new Response(whole.join(""), { headers: { "content-type": "text/event-stream" } }))
            })
          const made = { model: "m", apiKey: key, api: "chat", fetch: waiting, ...options } as const
          const fiber = yield* Effect.forkChild(Effect.result(collect(made)))
          yield* met("the call is made", () => begin !== undefined)
          yield* TestClock.adjust(Duration.seconds(seconds))
          begin?.()
          const outcome = yield* Fiber.join(fiber)
          return outcome._tag === "Failure" ? outcome.failure.reason._tag : outcome.success.response?.text
        })
      const elsewhere = { baseUrl: "http://127.0.0.1:1/v1" }
      assert.strictEqual(yield* late({}, 9), "Grüße, wörld 🌍")
      assert.strictEqual(yield* late({}, 10), "Timeout")
      assert.strictEqual(yield* late(elsewhere, 59), "Grüße, wörld 🌍")
      assert.strictEqual(yield* late(elsewhere, 60), "Timeout")
      assert.strictEqual(yield* late({ ...elsewhere, connectTimeout: "5 seconds" }, 5), "Timeout")
    })
  )

  it.live("an answer that is not streamed may begin as late as its total time allows", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, incoming, asked) => {
        setTimeout(() => reply(200, completion("late"))(response, incoming, asked), 60)
      })
      const { text: found } = yield* Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(OpenAi.layer({ model: "m", baseUrl: server.baseUrl, connectTimeout: "5 millis" }))
      )
      assert.strictEqual(found, "late")
    })
  )

  it.live("a body that stalls, not streamed, is Timeout by its idle time", () =>
    Effect.gen(function* () {
      const server = yield* serve((response) => {
        response.writeHead(200, { "x-request-id": "req-123" })
        response.write("{")
      })
      const error = yield* Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(OpenAi.layer({ model: "m", baseUrl: server.baseUrl, idleTimeout: "50 millis" })),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "Timeout")
      assert.strictEqual(error.requestId, "req-123")
      yield* server.idle()
    })
  )

  it.live("interrupting a stream closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve((response) => head(response).write(start + text("half")))
      const fiber = yield* Effect.forkChild(collect({ model: "m", baseUrl: server.baseUrl }))
      yield* server.arrived
      yield* Fiber.interrupt(fiber)
      yield* server.closed
    })
  )

  it.live("leaving a stream early closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve((response) => head(response).write(start + text("half")))
      const provider = yield* Effect.provide(Provider, OpenAi.layer({ model: "m", baseUrl: server.baseUrl }))
      const parts = yield* Stream.runCollect(Stream.take(provider.stream(request()), 1))
      assert.deepStrictEqual(parts, [{ _tag: "Text", delta: "half" }])
      yield* server.closed
    })
  )

  it.live("a finished stream leaves its connection for the next one", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const server = yield* serve((response, incoming) => {
        ports.add(incoming.socket.remotePort)
        // The end of the body comes a while after the last event.
        head(response).write(whole.join(""))
        setTimeout(() => response.end(), 5)
      })
      const provider = yield* Effect.provide(Provider, OpenAi.layer({ model: "m", baseUrl: server.baseUrl }))
      for (let i = 0; i < 4; i++) {
        yield* Stream.runDrain(provider.stream(request()))
        yield* server.idle()
        yield* Effect.sleep("10 millis")
      }
      // On a busy machine the end of a body may come too late once, but not always.
      assert.isBelow(ports.size, 4)
    })
  )

  it.effect("more than 32 MiB are InvalidResponse, streamed or not", () =>
    Effect.gen(function* () {
      const large: Answer = (response) => {
        head(response)
        const piece = Buffer.alloc(1024 * 1024, "x")
        const write = (left: number): void => {
          if (left === 0) response.end()
          else response.write(piece, () => write(left - 1))
        }
        write(34)
      }
      const { error } = yield* failing(large)
      assert.strictEqual(error.reason._tag, "InvalidResponse")
      assert.include(error.message, "32 MiB")
      const server = yield* serve(large)
      const once = yield* Provider.use((provider) => provider.complete(request())).pipe(
        Effect.provide(OpenAi.layer({ model: "m", baseUrl: server.baseUrl })),
        Effect.flip
      )
      assert.strictEqual(once.reason._tag, "InvalidResponse")
    })
  )
})
