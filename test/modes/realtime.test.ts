/** Conversations over sessions of the Realtime API. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Provider, Session, Signal, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"
import { tools } from "../calls/asking.ts"
import { assertClean, key } from "../faults/clean.ts"
import { answered, asking, results, streaming, system, talking, user } from "./kit.ts"
import { type Options } from "./making.ts"
import { type Ending, serveRealtime } from "./realtimeServer.ts"
import { sized } from "./cycles.ts"

const making = (baseUrl: string, options: Options = {}) =>
  OpenAi.make({ model: "gpt-realtime", apiKey: key, baseUrl, api: "realtime", ...options })

const counting = { model: (view: ReadonlyArray<string>) => `${view.length}: ${view.at(-1) ?? ""}` }

describe("a conversation over a Realtime session", () => {
  it.live("has the whole of it sent once, and then what is new", () =>
    Effect.gen(function* () {
      const server = yield* serveRealtime({ ...counting, isLate: true })
      const provider = yield* making(server.baseUrl)
      const { answers } = yield* talking(provider, ["one", "two", "three"])
      assert.deepStrictEqual(
        answers.map(({ text }) => text),
        ["1: user: one", "3: user: two", "5: user: three"]
      )
      const item = (text: string) => ({
        type: "conversation.item.create",
        item: { type: "message", role: "user", content: [{ type: "input_text", text }] }
      })
      const create = { type: "response.create", response: {} }
      assert.deepStrictEqual(
        server.frames.map(({ frame }) => frame),
        [
          {
            type: "session.update",
            session: {
              type: "realtime",
              output_modalities: ["text"],
              instructions: "Be brief.",
              tools: [],
              truncation: "disabled"
            }
          },
          item("one"),
          create,
          item("two"),
          create,
          item("three"),
          create
        ]
      )
      assert.deepStrictEqual(server.paths, ["/v1/realtime?model=gpt-realtime"])
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent?.what),
        ["all", "rest", "rest"]
      )
      assert.deepInclude(answers[0]?.usage, { outputTokens: 7, cachedInputTokens: 2 })
      assert.strictEqual(provider.capabilities.structuredOutput, "none")
      const able = yield* making(server.baseUrl, { capabilities: { structuredOutput: "json", efforts: ["low"] } })
      assert.deepInclude(able.capabilities, { structuredOutput: "json", efforts: ["low"], temperature: "never" })
    }).pipe(Effect.scoped)
  )

  it.live("leaves out a response that it did not request", () =>
    Effect.gen(function* () {
      const at = { response_id: "resp_other", item_id: "item_other", output_index: 0, content_index: 0 }
      const response = { id: "resp_other", status: "cancelled", status_details: { reason: "turn_detected" } }
      const server = yield* serveRealtime({
        ...counting,
        among: [
          { type: "response.created", response: { ...response, status: "in_progress" } },
          { type: "response.output_text.delta", ...at, delta: "not this" },
          { type: "response.done", response: { ...response, output: [] } }
        ]
      })
      const { answers } = yield* talking(yield* making(server.baseUrl), ["one", "two"])
      assert.deepStrictEqual(
        answers.map(({ text }) => text),
        ["1: user: one", "3: user: two"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("sends B + n·r tokens, with the tools once, and reads as many as replay", () =>
    Effect.gen(function* () {
      const [n, a, r, query] = [5, 30, 30, 500]
      const server = yield* serveRealtime({ model: () => sized(a) })
      const provider = yield* making(server.baseUrl)
      const { answers } = yield* talking(provider, [sized(query), ...Array.from({ length: n }, () => sized(r))])
      const B = Session.estimateTokens(system.text) + query
      assert.strictEqual(server.sent(), B + n * r)
      assert.strictEqual(
        answers.reduce((sum, { sent }) => sum + (sent?.tokens ?? Number.NaN), 0),
        B + n * r
      )
      assert.strictEqual(
        answers.reduce((sum, { usage }) => sum + (usage.inputTokens ?? Number.NaN), 0),
        (n + 1) * B + ((a + r) * n * (n + 1)) / 2
      )
    }).pipe(Effect.scoped)
  )

  it.live("calls tools, and gets their results in one batch", () =>
    Effect.gen(function* () {
      const calls = [
        { id: "call_1", name: "weather", params: `{"city":"Ulm"}` },
        { id: "call_2", name: "time_now", params: "{}" }
      ]
      const server = yield* serveRealtime({
        model: (view) => (view.length > 1 ? "mild" : { text: "I look.", calls })
      })
      const provider = yield* making(server.baseUrl)
      const first = [system, user("How is the weather?")]
      const { deltas, response } = yield* streaming(
        provider,
        asking(first, { tools, parallelCalls: false, sampling: { maxTokens: 9000 } })
      )
      assert.deepStrictEqual(response.calls, calls)
      assert.strictEqual(deltas.join(""), "I look.")
      assert.strictEqual(response.sampling?.maxTokens, 4096)
      assert.deepStrictEqual(server.frames[2]?.frame, {
        type: "response.create",
        response: { max_output_tokens: 4096, parallel_tool_calls: false }
      })
      const then = [...first, answered(response), results(response, "fine")]
      const second = yield* provider.complete(asking(then, { tools, toolChoice: { tool: "weather" } }))
      assert.strictEqual(second.text, "mild")
      // the tools are sent with the first call only
      const toolTokens = Session.estimateTokens(JSON.stringify(tools))
      assert.isAtLeast(response.sent?.tokens ?? 0, toolTokens)
      assert.isBelow(second.sent?.tokens ?? Infinity, toolTokens)
      assert.deepStrictEqual(
        server.frames.slice(3).map(({ frame }) => frame["item"] ?? frame["response"]),
        [
          { type: "function_call_output", call_id: "call_1", output: "fine" },
          { type: "function_call_output", call_id: "call_2", output: "fine" },
          { tool_choice: { type: "function", name: "weather" } }
        ]
      )
      assert.deepStrictEqual(
        server.responses[0]?.session["tools"].map(({ name, type }: { name: string; type: string }) => [type, name]),
        [
          ["function", "weather"],
          ["function", "time_now"]
        ]
      )
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("has all system messages at its beginning as instructions, even if there are no others", () =>
    Effect.gen(function* () {
      const server = yield* serveRealtime(counting)
      const provider = yield* making(server.baseUrl)
      yield* provider.complete(asking([system, { role: "system", text: "Be kind." }]))
      assert.strictEqual(server.responses[0]?.session["instructions"], "Be brief.\n\nBe kind.")
      assert.strictEqual(server.frames.length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("sends an empty answer, and no empty text beside calls", () =>
    Effect.gen(function* () {
      const server = yield* serveRealtime(counting)
      const provider = yield* making(server.baseUrl)
      const silent = { role: "assistant", text: " " } as const
      const calling = { ...silent, calls: [{ id: "call_1", name: "weather", params: "{}" }] }
      const call = { calls: calling.calls, text: "", usage: {} }
      yield* provider.complete(asking([user("one"), silent, user("two"), calling, results(call, "fine")], { tools }))
      assert.deepStrictEqual(
        server.frames.flatMap(({ frame }) => (frame["item"] === undefined ? [] : [frame["item"]])),
        [
          { type: "message", role: "user", content: [{ type: "input_text", text: "one" }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: " " }] },
          { type: "message", role: "user", content: [{ type: "input_text", text: "two" }] },
          { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
          { type: "function_call_output", call_id: "call_1", output: "fine" }
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("begins in a new session when its beginning or its tools have changed", () =>
    Effect.gen(function* () {
      const server = yield* serveRealtime(counting)
      const provider = yield* making(server.baseUrl)
      const { messages } = yield* talking(provider, ["one"])
      const changed = [{ ...system, text: "Be long." }, ...messages.slice(1)]
      const { answers } = yield* talking(provider, ["two"], changed)
      assert.strictEqual(answers[0]?.text, "3: user: two")
      assert.strictEqual(server.opened(), 2)
      assert.deepStrictEqual(
        server.frames.filter(({ socket }) => socket === 2).map(({ frame }) => frame["item"]?.content[0]),
        [
          undefined,
          { type: "input_text", text: "one" },
          { type: "output_text", text: "1: user: one" },
          { type: "input_text", text: "two" },
          undefined
        ]
      )
      const later = [...changed, user("two"), answered(answers[0] ?? assert.fail()), user("three")]
      yield* provider.complete(asking(later, { tools }))
      assert.strictEqual(server.opened(), 3)
    }).pipe(Effect.scoped)
  )

  it.live("carries an agent from its first message to its last", () =>
    Effect.gen(function* () {
      const look = Tool.make("look", { parameters: Schema.Struct({ n: Schema.Int }), success: Schema.String }).annotate(
        Tool.Readonly,
        true
      )
      const toolkit = Toolkit.make(look)
      const guide = Agent.make("guide", { instructions: "You look.", triage: false, toolkit })
      const server = yield* serveRealtime({
        model: (view) => {
          const round = view.filter((item) => item.startsWith("result")).length
          return round % 3 === 2 ? "seen" : { calls: [{ id: `call_${round}`, name: "look", params: `{"n":${round}}` }] }
        }
      })
      const provider = yield* making(server.baseUrl)
      const what: Array<string | undefined> = []
      const thought = yield* Thought.make("looking").pipe(
        Effect.flatMap((start) => Agent.say(guide, start, "Look twice.")),
        Signal.listen((signal) => {
          if (signal._tag === "CallCompleted") what.push(signal.sent?.what)
        }),
        Effect.provide(
          Layer.mergeAll(
            Layer.succeed(Provider.Provider, provider),
            toolkit.toLayer({ look: ({ n }) => Effect.succeed(`seen ${n}`) }),
            Layer.fresh(Testing.memory)
          )
        )
      )
      assert.strictEqual(thought.get("answer"), "seen")
      assert.deepStrictEqual(what, ["all", "rest", "rest"])
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )
})

describe("a Realtime session that goes wrong", () => {
  const rows: ReadonlyArray<readonly [Ending, tag: string]> = [
    [{ _tag: "Error", code: "invalid_value", type: "invalid_request_error" }, "InvalidRequest"],
    [{ _tag: "Error", code: "server_error", type: "server_error" }, "Overloaded"],
    [{ _tag: "Error", code: "rate_limit_exceeded", type: "rate_limit_error" }, "RateLimited"],
    [{ _tag: "Cut", after: 6 }, "Truncated"],
    [{ _tag: "Stall", after: 6 }, "Timeout"],
    [{ _tag: "Status", status: "incomplete", details: { reason: "max_output_tokens" } }, "Truncated"],
    [{ _tag: "Status", status: "incomplete", details: { reason: "content_filter" } }, "Refused"],
    [{ _tag: "Status", status: "cancelled", details: { reason: "turn_detected" } }, "Truncated"],
    [
      { _tag: "Status", status: "failed", details: { error: { type: "server_error", code: "server_error" } } },
      "Overloaded"
    ]
  ]
  for (const [ending, tag] of rows) {
    it.live(`by ${JSON.stringify(ending)} fails with ${tag}, and the next call has a new one`, () =>
      Effect.gen(function* () {
        const server = yield* serveRealtime({ ...counting, ending: (count) => (count === 1 ? ending : undefined) })
        const provider = yield* making(server.baseUrl, { idleTimeout: "100 millis" })
        const error = yield* Effect.flip(provider.complete(asking([system, user("canary")])))
        assert.strictEqual(error.reason._tag, tag, error.message)
        assertClean(error)
        yield* server.closed(1)
        const { answers } = yield* talking(provider, ["one"])
        assert.strictEqual(answers[0]?.text, "1: user: one")
      }).pipe(Effect.scoped)
    )
  }

  it.live("because it is an hour old goes on in a new one", () =>
    Effect.gen(function* () {
      const expired: Ending = { _tag: "Error", code: "session_expired", type: "invalid_request_error" }
      const server = yield* serveRealtime({ ...counting, ending: (count) => (count === 2 ? expired : undefined) })
      const provider = yield* making(server.baseUrl)
      const { answers } = yield* talking(provider, ["one", "two"])
      assert.strictEqual(answers[1]?.text, "3: user: two")
      assert.strictEqual(answers[1]?.sent?.what, "again")
      assert.strictEqual(server.opened(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("at its beginning fails as the server says", () =>
    Effect.gen(function* () {
      for (const [greeting, tag] of [
        [
          { type: "error", error: { type: "invalid_request_error", code: "model_not_found", message: key } },
          "InvalidRequest"
        ],
        [{ type: "hello" }, "InvalidResponse"]
      ] as const) {
        const server = yield* serveRealtime({ ...counting, greeting })
        const provider = yield* making(server.baseUrl)
        const error = yield* Effect.flip(provider.complete(asking([user("one")])))
        assert.strictEqual(error.reason._tag, tag)
        assertClean(error)
        yield* server.closed(1)
      }
      const server = yield* serveRealtime(counting)
      const other = yield* making(server.baseUrl, { apiKey: "sk-other" })
      assert.strictEqual((yield* Effect.flip(other.complete(asking([user("one")])))).reason._tag, "Authentication")
    }).pipe(Effect.scoped)
  )

  it.live("by an interruption is closed", () =>
    Effect.gen(function* () {
      const server = yield* serveRealtime({ ...counting, ending: () => ({ _tag: "Stall", after: 6 }) })
      const provider = yield* making(server.baseUrl)
      const begun = yield* Deferred.make<void>()
      const reading = Stream.runForEach(provider.stream(asking([user("one")])), () =>
        Deferred.succeed(begun, undefined)
      )
      const fiber = yield* Effect.forkChild(reading)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* server.closed(1)
    }).pipe(Effect.scoped)
  )

  it.effect("before it begins: replay is refused", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(making("http://127.0.0.1:9/v1", { mode: "replay" }))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.match(error.message, /Realtime API.*use mode "resume"/)
      const unknown = yield* Effect.flip(making("http://127.0.0.1:9/v1", { mode: "fast" as "auto" }))
      assert.deepInclude(unknown.reason, { _tag: "InvalidRequest", parameter: "mode" })
    })
  )
})
