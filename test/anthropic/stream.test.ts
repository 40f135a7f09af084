import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sse } from "../faults/dialect.ts"
import { eventStream, send, stream } from "../faults/server.ts"
import { events, inTurn, key, listen, refusal, reply, request, serve } from "./server.ts"

const started = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-20260630",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 1 }
  }
}
const open = (index: number, content_block: object = { type: "text", text: "" }) => ({
  type: "content_block_start",
  index,
  content_block
})
const grow = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text }
})
const close = (index: number) => ({ type: "content_block_stop", index })
const ended = (stop_reason: string | null, rest: object = {}) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null, ...rest },
  usage: { output_tokens: 9, input_tokens: null, output_tokens_details: { thinking_tokens: 4 } }
})
const stopped = { type: "message_stop" }

const whole = [
  started,
  { type: "ping" },
  open(0, { type: "thinking", thinking: "", signature: "" }),
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "canary thoughts" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
  close(0),
  { type: "something_new", words: 1 },
  open(1, { type: "text", text: "H" }),
  grow(1, "el"),
  ": a comment\n\n",
  { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
  grow(1, "lo wörld"),
  close(1),
  ended("end_turn"),
  stopped
]

const response = {
  text: "Hello wörld",
  usage: { inputTokens: 112, outputTokens: 9, cachedInputTokens: 100, cacheWriteTokens: 0, reasoningTokens: 4 },
  model: "claude-sonnet-5-20260630",
  id: "msg_1"
}

const bytes = Buffer.from(whole.map((part) => (typeof part === "string" ? part : sse(part, part.type))).join(""))

describe("a streamed answer", () => {
  it.effect("has the parameters of calls as they come", () =>
    Effect.gen(function* () {
      const input = (index: number, partial_json: string) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json }
      })
      const calling = [
        started,
        open(0, { type: "tool_use", id: "a", name: "weather", input: {} }),
        input(0, ""),
        input(0, '{"city":'),
        input(0, '"Ulm"}'),
        close(0),
        open(1, { type: "tool_use", id: "b", name: "time_now", input: {} }),
        close(1),
        ended("tool_use"),
        stopped
      ]
      const tools = ["weather", "time_now"].map((name) => ({ name, description: "", parameters: {} }))
      const { error, parts } = yield* listen(events(calling), { capabilities: { tools: true } }, request({ tools }))
      assert.isUndefined(error)
      assert.deepStrictEqual(
        parts.flatMap((part) => (part._tag === "Call" ? [[part.id, part.delta]] : [])),
        [
          ["a", ""],
          ["a", '{"city":'],
          ["a", '"Ulm"}'],
          ["b", ""],
          ["b", "{}"]
        ]
      )
      const last = parts.at(-1)
      assert.deepStrictEqual(last?._tag === "Done" && last.response.calls, [
        { id: "a", name: "weather", params: '{"city":"Ulm"}' },
        { id: "b", name: "time_now", params: "{}" }
      ])
    })
  )

  it.effect("comes in its pieces and ends with the whole, thoughts apart and unknown events left out", () =>
    Effect.gen(function* () {
      const { error, parts, server } = yield* listen(events(whole))
      assert.isUndefined(error)
      assert.deepStrictEqual(parts, [
        { _tag: "Reasoning", delta: "canary thoughts" },
        { _tag: "Text", delta: "H" },
        { _tag: "Text", delta: "el" },
        { _tag: "Text", delta: "lo wörld" },
        { _tag: "Done", response }
      ])
      assert.strictEqual(server.last().body.stream, true)
      assert.strictEqual(server.recorded.length, 1)
    })
  )

  it.effect("is the same in single bytes, and ends with the last event even if the connection stays open", () =>
    Effect.gen(function* () {
      const single = yield* listen(stream(Array.from(bytes, (byte) => Uint8Array.of(byte))))
      assert.deepStrictEqual(single.parts.at(-1), { _tag: "Done", response })
      const lasting = yield* listen(events(whole, "open"))
      assert.deepStrictEqual(lasting.parts.at(-1), { _tag: "Done", response })
    })
  )

  it.effect("that is cut anywhere is no answer", () =>
    Effect.gen(function* () {
      for (const at of [0, 40, bytes.length >> 1, bytes.length - 1]) {
        for (const end of ["ended", "destroyed"] as const) {
          const { error, parts } = yield* listen(send(bytes.subarray(0, at), end, eventStream))
          assert.strictEqual(error?.reason._tag, "Truncated", `cut at ${at}, ${end}`)
          assert.isTrue(error?.isRetryable)
          assert.notDeepEqual(parts.at(-1), { _tag: "Done", response })
        }
      }
      const late = yield* listen(send(bytes.subarray(0, -20), "ended", eventStream))
      assert.strictEqual(late.error?.usage?.outputTokens, 9)
      assert.strictEqual(late.error?.requestId, "req-123")
    })
  )

  it.effect("that is announced twice is read once", () =>
    Effect.gen(function* () {
      const again = {
        ...started,
        message: { ...started.message, model: "other", usage: { input_tokens: 1, output_tokens: 0 } }
      }
      for (const twice of [
        [started, ...whole],
        [...whole.slice(0, -2), again, ...whole.slice(-2)]
      ]) {
        const { error, parts } = yield* listen(events(twice))
        assert.isUndefined(error)
        assert.deepStrictEqual(parts.at(-1), { _tag: "Done", response })
      }
    })
  )

  it.effect("keeps the reason for its end, whatever counts come after it", () =>
    Effect.gen(function* () {
      const { error, parts } = yield* listen(events([...whole.slice(0, -1), ended(null), stopped]))
      assert.isUndefined(error)
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", response })
    })
  )

  it.effect("that another model continues is read as a whole, as that model's, with the tokens of both", () =>
    Effect.gen(function* () {
      const next = open(1, {
        type: "fallback",
        from: { model: "claude-fable-5-1" },
        to: { model: "claude-opus-5" },
        trigger: { type: "refusal" }
      })
      const iterations = [
        { type: "message", model: "claude-fable-5-1", input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 },
        { type: "fallback_message", model: "claude-opus-5", input_tokens: 20, output_tokens: 9 }
      ]
      const last = { ...ended("end_turn"), usage: { input_tokens: 20, output_tokens: 9, iterations } }
      for (const closed of [[close(1)], []]) {
        const { error, parts } = yield* listen(
          events([
            started,
            open(0),
            grow(0, "Half"),
            close(0),
            next,
            ...closed,
            open(2),
            grow(2, " and half"),
            close(2),
            last,
            stopped
          ])
        )
        assert.isUndefined(error)
        const end = parts.at(-1)
        assert.deepInclude(end, {
          response: {
            text: "Half and half",
            usage: { inputTokens: 33, outputTokens: 14, cachedInputTokens: 3, cacheWriteTokens: 0 },
            model: "claude-opus-5",
            id: "msg_1"
          }
        })
      }
    })
  )

  it.effect("that is an error and no stream keeps its type", () =>
    Effect.gen(function* () {
      const { error, parts } = yield* listen(reply(200, refusal("overloaded_error", "canary")))
      assert.deepStrictEqual(parts, [])
      assert.strictEqual(error?.reason._tag, "Overloaded")
      assert.strictEqual(error?.requestId, "req-123")
    })
  )

  it.effect("that breaks off has the request id of its headers, else that of the error", () =>
    Effect.gen(function* () {
      const broken = [started, open(0), refusal("overloaded_error", "Overloaded")]
      const withHeaders = yield* listen(events(broken))
      assert.strictEqual(withHeaders.error?.requestId, "req-123")
      const text = broken.map((part) => sse(part, part.type)).join("")
      const without: typeof fetch = () =>
        Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }))
      const { error } = yield* listen(events(broken), { fetch: without })
      assert.deepStrictEqual([error?.reason._tag, error?.requestId], ["Overloaded", "req_body"])
    })
  )

  const start = [started, open(0), grow(0, "canary words")]
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<{ readonly type: string } | string>, string]> = [
    [
      "refused after its words",
      [...start, close(0), ended("refusal", { stop_details: { category: "cyber" } }), stopped],
      "Refused"
    ],
    ["cut off by its length", [...start, close(0), ended("max_tokens"), stopped], "Truncated"],
    ["cut off by the context", [...start, ended("model_context_window_exceeded"), stopped], "ContextTooLong"],
    ["that waits for a tool", [...start, ended("tool_use"), stopped], "InvalidResponse"],
    ["without a reason to end", [...start, close(0), stopped], "InvalidResponse"],
    ["without text", [started, ended("end_turn"), stopped], "EmptyAnswer"],
    [
      "that begins as another message",
      [...start, { ...started, message: { ...started.message, id: "msg_2" } }],
      "InvalidResponse"
    ],
    ["that does not begin", [open(0)], "InvalidResponse"],
    ["with words of no block", [started, grow(0, "x")], "InvalidResponse"],
    ["with a block in a block", [started, open(0), open(0)], "InvalidResponse"],
    ["with the end of no block", [started, close(0)], "InvalidResponse"],
    ["with an event that is none", [started, "data: canary\n\n"], "InvalidResponse"],
    [
      "with an event without its parts",
      [started, `data: {"type":"content_block_delta","delta":"canary"}\n\n`],
      "InvalidResponse"
    ],
    [
      "cut off, with another ending",
      [...start, close(0), ended("max_tokens"), ended("end_turn"), stopped],
      "Truncated"
    ],
    ["refused, with another ending", [...start, close(0), ended("refusal"), ended("end_turn"), stopped], "Refused"],
    ["without any event", [], "Truncated"],
    ["broken off by trouble", [...start, refusal("overloaded_error", "canary")], "Overloaded"],
    ["broken off by the server's fault", [...start, refusal("api_error", "canary")], "Overloaded"],
    ["broken off by a limit", [...start, refusal("rate_limit_error", "canary")], "RateLimited"],
    [
      "broken off by a spent limit",
      [...start, refusal("rate_limit_error", "canary", { error_code: "enforced_spend_limit_reached" })],
      "QuotaExhausted"
    ],
    ["broken off for its request", [...start, refusal("invalid_request_error", "canary")], "InvalidRequest"],
    ["broken off for nothing known", [...start, refusal("canary", "canary")], "Overloaded"]
  ]
  for (const [name, sent, tag] of cases) {
    it.effect(`${name} fails with ${tag}`, () =>
      Effect.gen(function* () {
        const { error, parts, server } = yield* listen(events(sent))
        assert.strictEqual(error?.reason._tag, tag)
        assert.notInclude(parts.map((part) => JSON.stringify(part)).join(""), "Done")
        assert.strictEqual(server.recorded.length, 1)
        if (sent.includes(started)) assert.strictEqual(error?.usage?.inputTokens, 112)
      })
    )
  }

  it.effect("says why it was refused", () =>
    Effect.gen(function* () {
      const sent = [...start, close(0), ended("refusal", { stop_details: { category: "cyber" } }), stopped]
      const { error } = yield* listen(events(sent))
      assert.strictEqual(error?.reason._tag === "Refused" && error.reason.category, "cyber")
      assert.strictEqual(error?.usage?.outputTokens, 9)
    })
  )

  it.effect("that is no stream fails with InvalidResponse, a refused one as a whole answer does", () =>
    Effect.gen(function* () {
      const page = yield* listen(reply(200, "<html>canary</html>", { "content-type": "text/html" }))
      assert.strictEqual(page.error?.reason._tag, "InvalidResponse")
      const refused = yield* listen(reply(529, refusal("overloaded_error", "canary"), { "retry-after": "2" }))
      assert.strictEqual(refused.error?.reason._tag, "Overloaded")
      assert.isDefined(refused.error?.retryAfter)
    })
  )

  it.effect("learns from a refusal that comes before its first piece", () =>
    Effect.gen(function* () {
      const { error, parts, server } = yield* listen(
        inTurn(
          reply(400, refusal("invalid_request_error", "`temperature` is deprecated for this model.")),
          events(whole)
        ),
        { model: "claude-opus-4-6", capabilities: { efforts: [] } },
        request({ sampling: { temperature: 0 } })
      )
      assert.isUndefined(error)
      assert.deepStrictEqual(parts.at(-1), { _tag: "Done", response: { ...response, sampling: {} } })
      assert.notProperty(server.last().body, "temperature")
    })
  )

  it.effect("reports the sampling without a seed, and refuses tools if its model cannot call them", () =>
    Effect.gen(function* () {
      const seeded = yield* listen(events(whole), {}, request({ sampling: { seed: 1, maxTokens: 9 } }))
      assert.deepStrictEqual(seeded.parts.at(-1), {
        _tag: "Done",
        response: { ...response, sampling: { maxTokens: 9 } }
      })
      const tools = [{ name: "search", description: "", parameters: {} }]
      const { error, server } = yield* listen(events(whole), { capabilities: { tools: false } }, request({ tools }))
      assert.strictEqual(error?.reason._tag, "Unsupported")
      assert.strictEqual(server.recorded.length, 0)
    })
  )

  it.effect("that stalls ends after the idle time, with its usage", () =>
    Effect.gen(function* () {
      const server = yield* serve(events(start, "open"))
      const model = yield* Anthropic.make({
        model: "m",
        apiKey: key,
        baseUrl: server.baseUrl,
        idleTimeout: "5 seconds"
      })
      const came = yield* Queue.unbounded<unknown>()
      const fiber = yield* model.stream(request()).pipe(
        Stream.runForEach((part) => Queue.offer(came, part)),
        Effect.flip,
        Effect.forkChild
      )
      yield* Queue.take(came)
      // The wait for the next piece begins after this one was handed over.
      yield* Effect.yieldNow
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason._tag, "Timeout")
      assert.strictEqual(error.usage?.inputTokens, 112)
      yield* server.closed
    })
  )

  it.effect("that nobody reads any more closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve(events(start, "open"))
      const model = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: server.baseUrl })
      const came = yield* Queue.unbounded<unknown>()
      const fiber = yield* model.stream(request()).pipe(
        Stream.runForEach((part) => Queue.offer(came, part)),
        Effect.forkChild
      )
      yield* Queue.take(came)
      yield* Fiber.interrupt(fiber)
      yield* server.closed
    })
  )
})
