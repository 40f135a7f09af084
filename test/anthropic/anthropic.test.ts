import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { Provider, type Request } from "cogito/Provider"
import { Config, ConfigProvider, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { assertClean } from "../faults/clean.ts"
import {
  failing,
  inTurn,
  key,
  message,
  type Options,
  prompt,
  redirectTo,
  refusal,
  reply,
  request,
  serve,
  succeed,
  usage,
  withOutput
} from "./server.ts"

const fine = reply(200, message("hello"))
const text = (value: string) => ({ type: "text", text: value })
const marked = (value: string) => ({ ...text(value), cache_control: { type: "ephemeral", ttl: "5m" } })

/** The body of one call. */
const sent = (asked: Request, options: Options = {}) =>
  Effect.map(succeed(fine, options, asked), ({ server }) => server.last().body)

describe("what is sent", () => {
  it.effect("the key, the messages and nothing that was not set", () =>
    Effect.gen(function* () {
      const { server } = yield* succeed(fine, { headers: { "x-team": "blue" } })
      const { body, headers, path } = server.last()
      assert.strictEqual(path, "/v1/messages")
      assert.strictEqual(headers.authorization, `Bearer ${key}`)
      assert.strictEqual(headers["anthropic-version"], "2026-10-21")
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["x-team"], "blue")
      assert.deepStrictEqual(body, {
        model: "claude-sonnet-5",
        max_tokens: 128_000,
        system: [marked("Be brief.")],
        messages: [{ role: "user", content: [text(prompt)] }]
      })
    })
  )

  it.effect("sampling that is set, zeros too, but no seed", () =>
    Effect.gen(function* () {
      const sampling = { temperature: 0, effort: "high", maxTokens: 50, seed: 1, stop: ["END"] }
      const { response, server } = yield* succeed(fine, {}, request({ sampling }))
      const { messages: _, model: __, system: ___, ...rest } = server.last().body
      assert.deepStrictEqual(rest, {
        max_tokens: 50,
        output_config: { effort: "high" },
        temperature: 0,
        stop_sequences: ["END"]
      })
      assert.deepStrictEqual(response.sampling, { temperature: 0, effort: "high", maxTokens: 50, stop: ["END"] })
    })
  )

  it.effect("a limit of 4096 tokens by default, and one beyond what the SDK would accept", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* sent(request(), { model: "house" })).max_tokens, 4096)
      const capabilities = { outputTokens: 300 }
      assert.strictEqual((yield* sent(request(), { model: "house", capabilities })).max_tokens, 300)
      assert.strictEqual((yield* sent(request({ sampling: { maxTokens: 100_000 } }))).max_tokens, 100_000)
    })
  )

  it.effect("turns that alternate from the user to the user, without blank ones", () =>
    Effect.gen(function* () {
      const messages: Request["messages"] = [
        { role: "system", text: "One." },
        { role: "system", text: " \n" },
        { role: "assistant", text: "Hi." },
        { role: "user", text: "a" },
        { role: "user", text: "" },
        { role: "user", text: "b" },
        { role: "system", text: "Two." },
        { role: "assistant", text: "c" }
      ]
      assert.deepStrictEqual(yield* sent(request({ messages })), {
        model: "claude-sonnet-5",
        max_tokens: 128_000,
        system: [text("One."), marked("Two.")],
        messages: [
          { role: "user", content: [text("(The conversation began before this.)")] },
          { role: "assistant", content: [text("Hi.")] },
          { role: "user", content: [text("a"), text("b")] },
          { role: "assistant", content: [marked("c")] },
          { role: "user", content: [text("Go on.")] }
        ]
      })
      const nothing = yield* sent(request({ messages: [{ role: "user", text: " " }] }))
      assert.deepStrictEqual(nothing.messages, [{ role: "user", content: [text("Go on.")] }])
      assert.notProperty(nothing, "system")
    })
  )

  it.effect("a turn before an answer that only calls tools, and its results with ids that the server takes", () =>
    Effect.gen(function* () {
      const id = "functions.look:0"
      const messages: Request["messages"] = [
        { role: "assistant", text: " ", calls: [{ id, name: "look", params: "{}" }] },
        { role: "tool", text: "", results: [{ id, name: "look", text: "a tree", isFailure: false }] }
      ]
      const tools = [{ name: "look", description: "Looks", parameters: {} }]
      const body = yield* sent(request({ messages, tools }), { cache: false })
      assert.deepStrictEqual(body.messages, [
        { role: "user", content: [text("(The conversation began before this.)")] },
        { role: "assistant", content: [{ type: "tool_use", id: "functions_look_0", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "functions_look_0", content: "a tree" }] }
      ])
    })
  )

  it.effect("no cache marks if the cache is off, and marks of an hour", () =>
    Effect.gen(function* () {
      const messages: Request["messages"] = [...request().messages, { role: "assistant", text: "a" }]
      assert.notInclude(JSON.stringify(yield* sent(request({ messages }), { cache: false })), "cache_control")
      const hour = JSON.stringify(yield* sent(request({ messages }), { cache: "1h" }))
      assert.strictEqual(hour.split(`"cache_control":{"type":"ephemeral","ttl":"1h"}`).length - 1, 2)
    })
  )

  it.effect("a key only if one is required", () =>
    Effect.gen(function* () {
      const server = yield* serve(fine)
      const model = yield* Anthropic.make({ model: "qwen3:8b", baseUrl: server.baseUrl })
      yield* model.complete(request())
      assert.strictEqual(server.last().headers.authorization, "Bearer no-key")
    })
  )

  it.effect("nothing of the environment", () =>
    Effect.gen(function* () {
      const values: Record<string, string> = {
        ANTHROPIC_API_KEY: "from-environment",
        ANTHROPIC_AUTH_TOKEN: "from-environment",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
        ANTHROPIC_CUSTOM_HEADERS: "x-custom: from-environment\nauthorization: from-environment",
        ANTHROPIC_LOG: "debug",
        ANTHROPIC_PROFILE: "from-environment"
      }
      const before = Object.keys(values).map((name) => [name, process.env[name]] as const)
      const restore = Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
      Object.assign(process.env, values)
      const server = yield* serve(fine)
      const model = Anthropic.make({ model: "m", baseUrl: server.baseUrl, headers: { "x-team": "blue" } })
      yield* Effect.ensuring(
        Effect.flatMap(model, (made) => made.complete(request())),
        restore
      )
      const { headers } = server.last()
      assert.notInclude(JSON.stringify(headers), "from-environment")
      assert.strictEqual(headers.authorization, "Bearer no-key")
      assert.strictEqual(headers["x-team"], "blue")
    })
  )

  it.effect("nothing to the console, even for a deprecated model", () =>
    Effect.gen(function* () {
      const said: Array<unknown> = []
      const names = ["log", "warn", "error", "info", "debug"] as const
      const before = names.map((name) => [name, console[name]] as const)
      for (const name of names) console[name] = (...words: Array<unknown>) => void said.push(words)
      const restore = Effect.sync(() => {
        for (const [name, original] of before) console[name] = original
      })
      yield* Effect.ensuring(succeed(fine, { model: "claude-sonnet-4-5" }), restore)
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("refuses tools if its model cannot call them, and says what to do", () =>
    Effect.gen(function* () {
      const tools = [{ name: "search", description: "", parameters: {} }]
      const { error, server } = yield* failing(fine, { capabilities: { tools: false } }, request({ tools }))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "use another one")
      assert.strictEqual(server.recorded.length, 0)
    })
  )
})

const object = (properties: Record<string, unknown>, rest: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest
})

describe("the output form", () => {
  it.effect("goes as a schema, together with an effort", () =>
    Effect.gen(function* () {
      const schema = object({ a: { type: "string" } })
      const body = yield* sent(withOutput(schema, { sampling: { effort: "low" } }))
      const format = { type: "json_schema", schema: { ...schema, additionalProperties: false } }
      assert.deepStrictEqual(body.output_config, { format, effort: "low" })
      assert.deepStrictEqual(body.messages, [{ role: "user", content: [text(prompt)] }])
    })
  )

  it.effect("goes in words at the end if a schema cannot express it", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Record<string, unknown>, Options]> = [
        [object({ a: { type: "object", additionalProperties: { type: "string" } } }), {}],
        [object({ a: { type: "object", properties: {} } }), {}],
        [object(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`p${i}`, { type: ["string", "null"] }]))), {}],
        [object({ a: { type: "string" } }), { capabilities: { structuredOutput: "none" } }],
        [object({ a: { type: "string" } }), { capabilities: { structuredOutput: "json" } }],
        [object({ a: { type: "string" } }), { model: "claude-opus-4-1" }]
      ]
      for (const [schema, options] of cases) {
        const body = yield* sent(withOutput(schema), options)
        assert.notProperty(body, "output_config")
        assert.deepStrictEqual(body.messages, [
          { role: "user", content: [text(prompt), text("Answer with a JSON object.")] }
        ])
      }
    })
  )
})

describe("an answer", () => {
  it.effect("counts the tokens of every run of a model, which the totals may leave out", () =>
    Effect.gen(function* () {
      const run = { type: "message", input_tokens: 23_000, output_tokens: 1000, cache_read_input_tokens: 7 }
      const iterations = [{ type: "compaction", input_tokens: 180_000, output_tokens: 3500 }, run, "none", null]
      const { response } = yield* succeed(reply(200, message("x", { usage: { ...run, iterations } })))
      assert.deepStrictEqual(response.usage, {
        inputTokens: 203_007,
        outputTokens: 4500,
        cachedInputTokens: 7
      })
      const whole = { input_tokens: 50, output_tokens: 10, iterations: [{ input_tokens: 20, output_tokens: 10 }] }
      const counted = yield* succeed(reply(200, message("x", { usage: whole })))
      assert.deepInclude(counted.response.usage, { inputTokens: 50, outputTokens: 10 })
      const empty = yield* succeed(reply(200, message("x", { usage: { ...run, iterations: [] } })))
      assert.deepStrictEqual(empty.response.usage, { inputTokens: 23_007, outputTokens: 1000, cachedInputTokens: 7 })
    })
  )

  it.effect("has its text, usage, model, id and limits", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-22T08:00:00Z"))
      const content = [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "Hel" },
        { type: "redacted_thinking", data: "x" },
        { type: "text", text: "lo" }
      ]
      const { response } = yield* succeed(
        reply(200, message(content), {
          "anthropic-ratelimit-requests-limit": "1000",
          "anthropic-ratelimit-requests-remaining": "0",
          "anthropic-ratelimit-requests-reset": "2026-11-22T08:00:30Z",
          "anthropic-ratelimit-tokens-remaining": "many",
          "anthropic-ratelimit-input-tokens-remaining": "39000",
          "anthropic-ratelimit-output-tokens-reset": "2026-11-22T07:00:00.5Z"
        })
      )
      assert.deepStrictEqual(response, {
        text: "Hello",
        usage: {
          inputTokens: 132,
          outputTokens: 7,
          cachedInputTokens: 100,
          cacheWriteTokens: 20,
          reasoningTokens: 3
        },
        model: "claude-sonnet-5-20260630",
        id: "msg_1",
        limits: {
          requests: { limit: 1000, remaining: 0, resetAfter: Duration.seconds(30) },
          inputTokens: { remaining: 39_000 },
          outputTokens: { resetAfter: Duration.zero }
        }
      })
    })
  )

  it.effect("leaves out counts that the server does not report, or reports wrongly", () =>
    Effect.gen(function* () {
      for (const wrong of [undefined, null, "x", { input_tokens: -1 }, {}]) {
        const { response } = yield* succeed(reply(200, message("x", { usage: wrong })))
        assert.deepStrictEqual(response.usage, {})
      }
      const some = { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: null, output_tokens_details: null }
      const { response } = yield* succeed(reply(200, message("x", { usage: some, stop_reason: "stop_sequence" })))
      assert.deepStrictEqual(response.usage, { inputTokens: 5, outputTokens: 2 })
      const bad = { input_tokens: "12", output_tokens: 2, cache_read_input_tokens: 3, output_tokens_details: "none" }
      const { response: partly } = yield* succeed(reply(200, message("x", { usage: bad })))
      assert.deepStrictEqual(partly.usage, { outputTokens: 2, cachedInputTokens: 3 })
    })
  )

  const unfinished: ReadonlyArray<readonly [string, object, string]> = [
    ["cut off by its length", { stop_reason: "max_tokens" }, "Truncated"],
    ["cut off by the context", { stop_reason: "model_context_window_exceeded" }, "ContextTooLong"],
    ["that waits for a tool", { stop_reason: "tool_use" }, "InvalidResponse"],
    ["that pauses", { stop_reason: "pause_turn" }, "InvalidResponse"],
    ["without an end", { stop_reason: null }, "InvalidResponse"],
    ["with an end that nobody knows", { stop_reason: "tired" }, "InvalidResponse"],
    ["without content", { content: [] }, "EmptyAnswer"],
    ["of thoughts alone", { content: [{ type: "thinking", thinking: "hm" }] }, "EmptyAnswer"],
    ["of blanks", { content: [{ type: "text", text: " \n" }] }, "EmptyAnswer"]
  ]
  for (const [name, rest, tag] of unfinished) {
    it.effect(`${name} fails with ${tag} and what it cost`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing(reply(200, message("canary words", rest)))
        assert.strictEqual(error.reason._tag, tag)
        assert.strictEqual(error.usage?.outputTokens, usage.output_tokens)
        assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }

  it.effect("that was refused fails with the category, whatever words there are", () =>
    Effect.gen(function* () {
      const stop_details = { type: "refusal", category: "reasoning_extraction", explanation: "canary words" }
      const { error } = yield* failing(reply(200, message("canary", { stop_reason: "refusal", stop_details })))
      assert.deepStrictEqual(error.reason, {
        _tag: "Refused",
        message: "the model declined to answer (reasoning_extraction)",
        category: "reasoning_extraction"
      })
      assert.strictEqual(error.usage?.inputTokens, 132)
      const plain = yield* failing(reply(200, message([], { stop_reason: "refusal" })))
      assert.deepStrictEqual(plain.error.reason, { _tag: "Refused", message: "the model declined to answer" })
    })
  )

  it.effect("that is no message fails with InvalidResponse", () =>
    Effect.gen(function* () {
      const bodies = [
        "",
        "null",
        "[]",
        "<html>canary</html>",
        message("x", { content: "canary" }),
        message("x", { content: [{ text: "x" }] }),
        JSON.stringify(message("x")).slice(0, -1)
      ]
      for (const body of bodies) {
        const { error, server } = yield* failing(reply(200, body))
        assert.strictEqual(error.reason._tag, "InvalidResponse")
        assert.strictEqual(server.recorded.length, 1)
      }
    })
  )
})

describe("time and interruption", () => {
  it.effect("an interrupted call closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const model = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: server.baseUrl })
      const fiber = yield* Effect.forkChild(model.complete(request()))
      yield* server.arrived
      yield* Fiber.interrupt(fiber)
      yield* server.closed
      assert.strictEqual(server.recorded.length, 1)
    })
  )

  it.effect("a call ends at its deadline", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const model = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: server.baseUrl, timeout: "3 seconds" })
      const fiber = yield* Effect.forkChild(Effect.flip(model.complete(request())))
      yield* server.arrived
      yield* TestClock.adjust("3 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason._tag, "Timeout")
      yield* server.closed
    })
  )

  it.effect("a server that does not exist fails with Connection", () =>
    Effect.gen(function* () {
      const model = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: "http://127.0.0.1:1" })
      const error = yield* Effect.flip(model.complete(request()))
      assertClean(error)
      assert.strictEqual(error.reason._tag, "Connection")
    })
  )
})

const configured = (environment: Record<string, string>, options: Partial<Anthropic.ConfigOptions> = {}) =>
  Provider.use((provider) => provider.complete(request())).pipe(
    Effect.provide(
      Anthropic.layerConfig({ model: "claude-sonnet-5", ...options }).pipe(
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
      )
    )
  )

describe("building the layer", () => {
  it.effect("fails without a key for Anthropic", () =>
    Effect.gen(function* () {
      for (const apiKey of [undefined, "", " ", Redacted.make("")]) {
        const options = { model: "claude-sonnet-5", ...(apiKey !== undefined && { apiKey }) }
        const error = yield* Effect.flip(Anthropic.make(options))
        assert.strictEqual(error.reason._tag, "Authentication")
        assert.include(error.message, "set ANTHROPIC_API_KEY")
      }
    })
  )

  it.effect("sends Anthropic's own calls to its own address", () =>
    Effect.gen(function* () {
      const server = yield* serve(fine)
      const options = { model: "claude-sonnet-5", apiKey: Redacted.make(key), fetch: redirectTo(server.baseUrl) }
      const model = yield* Anthropic.make(options)
      yield* model.complete(request())
      assert.strictEqual(server.last().path, "/v1/messages")
      assert.deepStrictEqual(model.capabilities.prices, {
        input: 2,
        output: 10,
        cachedInput: 0.2,
        cacheWrite: 2.5,
        asOf: "2026-10-10"
      })
      const hourly = yield* Anthropic.make({ ...options, cache: "1h" })
      assert.strictEqual(hourly.capabilities.prices?.cacheWrite, 4)
    })
  )

  it("throws for an invalid cache", () => {
    // @ts-expect-error it is no such value
    assert.throws(() => Anthropic.layer({ model: "m", cache: "1d" }), /cache must be false, "5m" or "1h"/)
  })

  it("throws for an invalid time, and names it", () => {
    assert.throws(() => Anthropic.layer({ model: "" }), /needs the name of a model/)
    assert.throws(() => Anthropic.layer({ model: "m", timeout: -5 }), /timeout/)
    assert.throws(() => Anthropic.layer({ model: "m", idleTimeout: "soon" as "1 second" }), /idleTimeout/)
  })

  it.effect("reads key and address from configuration", () =>
    Effect.gen(function* () {
      const server = yield* serve(fine)
      yield* configured({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.baseUrl })
      assert.strictEqual(server.last().headers.authorization, `Bearer ${key}`)
      yield* configured(
        { ANTHROPIC_API_KEY: "other", ANTHROPIC_BASE_URL: "http://127.0.0.1:1", TEAM_KEY: key, TEAM_MODEL: "team" },
        { baseUrl: server.baseUrl, apiKey: Config.Redacted("TEAM_KEY"), model: Config.String("TEAM_MODEL") }
      )
      assert.strictEqual(server.last().headers.authorization, `Bearer ${key}`)
      assert.strictEqual(server.last().body.model, "team")
    })
  )

  it.effect("fails before any call without a key, or without a configured option", () =>
    Effect.gen(function* () {
      const keyless = yield* Effect.flip(configured({}))
      assert.strictEqual(keyless._tag === "ProviderError" && keyless.reason._tag, "Authentication")
      const modelless = yield* Effect.flip(
        configured({ ANTHROPIC_API_KEY: key }, { model: Config.String("TEAM_MODEL") })
      )
      assert.strictEqual(modelless._tag, "ConfigError")
      assert.notInclude(String(modelless), "canary")
    })
  )

  it("says what to install if the package is missing", () => {
    const program = `
      import { registerHooks } from "node:module"
      registerHooks({
        resolve: (specifier, context, next) => {
          if (specifier === "@anthropic-ai/sdk") throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })
          return next(specifier, context)
        }
      })
      const { Effect } = await import("effect")
      const { Anthropic } = await import("cogito/anthropic")
      const error = await Effect.runPromise(Effect.flip(Anthropic.make({ model: "m", baseUrl: "http://127.0.0.1:1" })))
      console.log(error.reason._tag, error.message)`
    const output = execFileSync(
      process.execPath,
      ["--conditions=cogito-source", "--input-type=module", "-e", program],
      { encoding: "utf8" }
    )
    const expected = "anthropic (m): the @anthropic-ai/sdk package cannot be loaded: run npm install @anthropic-ai/sdk"
    assert.strictEqual(output.trim(), `Unsupported ${expected}`)
  })
})

const all = ["low", "medium", "high", "xhigh", "max"]
const some = ["low", "medium", "high"]

describe("what a model takes", () => {
  const models: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, string]> = [
    ["claude-sonnet-4-5-20250929", "without-effort", [], "json-schema"],
    ["claude-haiku-4-5", "without-effort", [], "json-schema"],
    ["claude-opus-4-5", "without-effort", some, "json-schema"],
    ["claude-opus-4-6", "without-effort", ["low", "medium", "high", "max"], "json-schema"],
    ["claude-sonnet-4-6", "without-effort", ["low", "medium", "high", "max"], "json-schema"],
    ["claude-opus-4-7", "never", all, "json-schema"],
    ["claude-opus-4-8", "never", all, "json-schema"],
    ["claude-opus-5", "never", all, "json-schema"],
    ["claude-sonnet-5-5", "never", all, "json-schema"],
    ["claude-fable-5-2", "never", all, "json-schema"],
    ["claude-haiku-5-5", "never", some, "json-schema"],
    ["claude-mythos-preview", "never", some, "json-schema"],
    ["anthropic/claude-opus-4.7", "never", all, "json-schema"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "without-effort", [], "json-schema"],
    ["claude-opus-4-20250514", "free", [], "none"],
    ["claude-opus-4-1", "free", [], "none"],
    ["claude-3-5-sonnet-latest", "free", [], "none"],
    ["qwen3:8b", "free", [], "none"]
  ]
  it.effect("is known by its name", () =>
    Effect.gen(function* () {
      for (const [model, temperature, efforts, structuredOutput] of models) {
        const { capabilities } = yield* Anthropic.make({ model, baseUrl: "http://127.0.0.1:1" })
        assert.deepStrictEqual(
          [model, capabilities.temperature, capabilities.efforts, capabilities.structuredOutput, capabilities.seed],
          [model, temperature, efforts, structuredOutput, false]
        )
        assert.notProperty(capabilities, "prices")
      }
      for (const model of ["claude-instant-1.2", "claude-1.3", "claude-2.1", "claude-3-haiku-20240307"]) {
        const { capabilities } = yield* Anthropic.make({ model, baseUrl: "http://127.0.0.1:1" })
        assert.deepStrictEqual([model, capabilities.tools], [model, model.startsWith("claude-3")])
      }
      const { capabilities } = yield* Anthropic.make({ model: "next", apiKey: key, capabilities: { seed: true } })
      assert.deepStrictEqual(capabilities, {
        temperature: "never",
        efforts: some,
        structuredOutput: "json-schema",
        seed: true,
        tools: true
      })
    })
  )

  it.effect("is known with its sizes, and at Anthropic with its prices, even for a dated version", () =>
    Effect.gen(function* () {
      const asOf = "2026-10-10"
      const cases = [
        ["claude-3-5-sonnet-latest", 200_000, undefined, undefined],
        ["claude-opus-4-20250514", 200_000, 32_000, undefined],
        ["claude-opus-4-1", 200_000, 32_000, undefined],
        ["claude-sonnet-4-0", 200_000, 64_000, undefined],
        ["claude-haiku-4-5", 200_000, 64_000, { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25, asOf }],
        ["Claude-Opus-4-6", 1_000_000, 128_000, { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25, asOf }],
        [
          "claude-sonnet-5-20260630",
          1_000_000,
          128_000,
          { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5, asOf }
        ],
        ["claude-sonnet-5-5", 1_000_000, 128_000, { input: 2, output: 10, cachedInput: 0.1, cacheWrite: 2.5, asOf }],
        ["claude-opus-5-2", 1_000_000, 128_000, undefined],
        ["claude-mythos-preview", undefined, undefined, undefined]
      ] as const
      for (const [model, context, output, prices] of cases) {
        const { capabilities } = yield* Anthropic.make({ model, apiKey: key })
        assert.deepStrictEqual(
          [model, capabilities.contextTokens, capabilities.outputTokens, capabilities.prices],
          [model, context, output, prices]
        )
        const { capabilities: elsewhere } = yield* Anthropic.make({ model, baseUrl: "http://127.0.0.1:1" })
        assert.isUndefined(elsewhere.prices)
      }
      const { capabilities } = yield* Anthropic.make({ model: "claude-haiku-4-5", apiKey: key, cache: "1h" })
      assert.strictEqual(capabilities.prices?.cacheWrite, 2)
      const own = { contextTokens: 10, outputTokens: 5 }
      const changed = yield* Anthropic.make({ model: "claude-haiku-4-5", apiKey: key, capabilities: own })
      assert.deepInclude(changed.capabilities, { ...own, temperature: "without-effort" })
    })
  )

  const refusals: ReadonlyArray<readonly [string, string]> = [
    ["`temperature` is deprecated for this model.", "temperature"],
    ["temperature is deprecated for this model.", "temperature"],
    ["This model does not support the effort parameter.", "effort"],
    ["output_config.effort: Input should be 'low', 'medium' or 'high'", "effort"]
  ]
  it.effect("is learned from a refusal that names the parameter", () =>
    Effect.gen(function* () {
      for (const [words, parameter] of refusals) {
        const server = yield* serve(inTurn(reply(400, refusal("invalid_request_error", words)), fine))
        const model = yield* Anthropic.make({ model: "claude-opus-4-6", apiKey: key, baseUrl: server.baseUrl })
        const sampling = parameter === "temperature" ? { temperature: 0 } : { effort: "max" }
        const asked = request({ sampling })
        const first = yield* model.complete(asked)
        const second = yield* model.complete(asked)
        assert.strictEqual(server.recorded.length, 3)
        assert.include(JSON.stringify(server.recorded[0]?.body), parameter)
        assert.deepStrictEqual(second.sampling, first.sampling)
        assert.notDeepEqual(first.sampling, sampling)
        assert.deepStrictEqual(server.recorded[2]?.body, server.recorded[1]?.body)
        if (parameter === "temperature") {
          assert.notProperty(server.last().body, "temperature")
          assert.strictEqual(model.capabilities.temperature, "never")
        } else {
          assert.notInclude(JSON.stringify(server.last().body), "effort")
          assert.deepStrictEqual(model.capabilities.efforts, some)
        }
      }
    })
  )

  it.effect("is learned from a system role that a server refuses by the position of its message", () =>
    Effect.gen(function* () {
      const words = "messages.0: system messages are not supported"
      const server = yield* serve(inTurn(reply(400, refusal("invalid_request_error", words)), fine))
      const model = yield* Anthropic.make({ model: "gemma", baseUrl: server.baseUrl })
      yield* model.complete(
        request({
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "Hello" }
          ]
        })
      )
      assert.strictEqual(server.recorded.length, 2)
      assert.notProperty(server.last().body, "system")
      assert.include(JSON.stringify(server.last().body), "Be brief.\\n\\nHello")
    })
  )

  it.effect("is learned from a schema that is too large, which is requested in words from then on", () =>
    Effect.gen(function* () {
      const words =
        "The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas."
      const server = yield* serve(inTurn(reply(400, refusal("invalid_request_error", words)), fine))
      const model = yield* Anthropic.make({ model: "claude-sonnet-5", apiKey: key, baseUrl: server.baseUrl })
      const asked = withOutput(object({ a: { type: "string" } }))
      yield* model.complete(asked)
      yield* model.complete(asked)
      yield* model.complete(withOutput(object({ b: { type: "string" } })))
      const formats = server.recorded.map(({ body }) => body.output_config?.format?.type)
      assert.deepStrictEqual(formats, ["json_schema", undefined, undefined, "json_schema"])
      assert.strictEqual(server.recorded[1]?.body.messages[0].content[1].text, "Answer with a JSON object.")
    })
  )
})
