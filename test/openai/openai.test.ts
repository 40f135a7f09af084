import { assert, describe, it } from "@effect/vitest"
import { OpenAi } from "cogito/openai"
import { Provider, type Request } from "cogito/Provider"
import { Config, ConfigProvider, Duration, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { assertClean, key, prompt } from "../faults/clean.ts"
import { type Answer, completion, reply, serve, usage } from "./server.ts"

const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: prompt }
  ],
  task: { kind: "analyze", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

const withOutput = (jsonSchema: Record<string, unknown>, name = "ticket"): Request =>
  request({
    task: { ...request().task, output: { name, jsonSchema, instructions: "Answer with a JSON object." } }
  })

type Options = Partial<OpenAi.Options>

const call = (options: OpenAi.Options, asked: Request = request()) =>
  Provider.use((provider) => provider.complete(asked)).pipe(Effect.provide(OpenAi.layer(options)))

/** Sends one request to a server that gives this answer. */
const ask = (answer: Answer, options: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Effect.result(
      call({ model: "gpt-4o", apiKey: key, baseUrl: server.baseUrl, ...options }, asked)
    )
    return { server, outcome }
  })

const succeed = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.fromResult(outcome), (response) => ({ response, server }))
  )

/** The failure of a call, checked to hold neither key nor prompt in any of its forms. */
const failing = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.flip(Effect.fromResult(outcome)), (error) => {
      assertClean(error)
      return { error, server }
    })
  )

// Every row's server repeats key and prompt, as real ones do.
const refusal = (code: string | null, rest: object = {}) => ({
  error: { message: `Incorrect API key provided: ${key}. You said: ${prompt}`, type: "some_error", code, ...rest }
})

/** Sends calls for api.openai.com to the server of a test. */
const redirectTo =
  (baseUrl: string): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace("https://api.openai.com/v1", baseUrl), init)

describe("what is sent", () => {
  it.effect("the key, the messages and nothing that was not set", () =>
    Effect.gen(function* () {
      const { server } = yield* succeed(reply(200, completion("hello")), { headers: { "x-team": "blue" } })
      const { body, headers, path } = server.last()
      assert.strictEqual(path, "/v1/chat/completions")
      assert.strictEqual(headers.authorization, `Bearer ${key}`)
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["x-team"], "blue")
      assert.deepStrictEqual(body, {
        model: "gpt-4o",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: prompt }
        ]
      })
    })
  )

  it.effect("sampling that is set, zeros too", () =>
    Effect.gen(function* () {
      const sampling = { temperature: 0, effort: "low", maxTokens: 50, seed: 0, stop: ["END"] }
      const { server } = yield* succeed(reply(200, completion("x")), {}, request({ sampling }))
      const { messages: _, model: __, ...rest } = server.last().body
      assert.deepStrictEqual(rest, { temperature: 0, reasoning_effort: "low", max_tokens: 50, seed: 0, stop: ["END"] })
    })
  )

  it.effect("to OpenAI itself max_completion_tokens, and that nothing is to be stored", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, completion("x")))
      const options = {
        model: "gpt-5",
        api: "chat",
        apiKey: Redacted.make(key),
        fetch: redirectTo(server.baseUrl)
      } as const
      yield* call(options, request({ sampling: { maxTokens: 50 } }))
      const { messages: _, ...rest } = server.last().body
      assert.deepStrictEqual(rest, { model: "gpt-5", store: false, max_completion_tokens: 50 })
    })
  )

  it.effect("to others max_completion_tokens for OpenAI's reasoning models, which refuse the older name", () =>
    Effect.gen(function* () {
      const names: ReadonlyArray<readonly [string, string]> = [
        ["openai/gpt-5-mini", "max_completion_tokens"],
        ["o3-mini", "max_completion_tokens"],
        ["gpt-4o", "max_tokens"],
        ["gpt-oss:20b", "max_tokens"]
      ]
      for (const [model, name] of names) {
        const asked = request({ sampling: { maxTokens: 50 } })
        const { server } = yield* succeed(reply(200, completion("x")), { model }, asked)
        assert.deepStrictEqual([model, server.last().body[name]], [model, 50])
      }
    })
  )

  it.effect("a key only if one is required", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, completion("x")))
      yield* call({ model: "qwen3:8b", baseUrl: server.baseUrl })
      assert.strictEqual(server.last().headers.authorization, "Bearer no-key")
    })
  )

  it.effect("no organization, project, admin key or headers of the environment", () =>
    Effect.gen(function* () {
      const names = [
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
        "OPENAI_API_KEY",
        "OPENAI_CUSTOM_HEADERS"
      ]
      const before = names.map((name) => process.env[name])
      const restore = Effect.sync(() =>
        names.forEach((name, index) => {
          if (before[index] === undefined) delete process.env[name]
          else process.env[name] = before[index]
        })
      )
      for (const name of names) process.env[name] = "from-environment"
      process.env["OPENAI_CUSTOM_HEADERS"] = "x-custom: from-environment\nauthorization: from-environment"
      const server = yield* serve(reply(200, completion("x")))
      yield* Effect.ensuring(call({ model: "m", baseUrl: server.baseUrl, headers: { "x-team": "blue" } }), restore)
      const { headers } = server.last()
      assert.notInclude(JSON.stringify(headers), "from-environment")
      assert.deepStrictEqual([headers.authorization, headers["x-team"]], ["Bearer no-key", "blue"])
    })
  )

  it.effect("refuses tools if its model cannot call them, and says what to do", () =>
    Effect.gen(function* () {
      const tools = [{ name: "search", description: "", parameters: {} }]
      const { error, server } = yield* failing(
        reply(200, completion("x")),
        { capabilities: { tools: false } },
        request({ tools })
      )
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "use another one")
      assert.strictEqual(server.recorded.length, 0)
    })
  )
})

const sent = (jsonSchema: Record<string, unknown>, options: Options = {}, name?: string) =>
  Effect.map(succeed(reply(200, completion("{}")), options, withOutput(jsonSchema, name)), ({ server }) => {
    const { messages, response_format } = server.last().body
    return { messages, format: response_format }
  })
const text = { type: "string" }
const object = (properties: Record<string, unknown>, rest: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest
})

describe("the output form", () => {
  it.effect("goes as a strict schema, closed and without its reference at the root", () =>
    Effect.gen(function* () {
      const line = object({ item: text })
      const ticket = object({ customer: text, lines: { type: "array", items: { $ref: "#/$defs/Line" } } })
      const { format, messages } = yield* sent(
        { $ref: "#/$defs/Ticket", $defs: { Ticket: ticket, Line: line } },
        {},
        "support ticket"
      )
      const closed = { ...ticket, additionalProperties: false }
      assert.deepStrictEqual(format, {
        type: "json_schema",
        json_schema: {
          name: "support_ticket",
          strict: true,
          schema: { ...closed, $defs: { Ticket: closed, Line: { ...line, additionalProperties: false } } }
        }
      })
      assert.strictEqual(messages.length, 2)
    })
  )

  it.effect("has a name of at most 64 letters that the API accepts", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
      for (const [name, sent] of [
        ["a ticket/é-1_b", "a_ticket__-1_b"],
        ["x".repeat(65), "x".repeat(64)],
        ["", "output"]
      ] as const) {
        const { server } = yield* succeed(reply(200, completion("{}")), {}, withOutput(schema, name))
        assert.strictEqual(server.last().body.response_format.json_schema.name, sent)
      }
    })
  )

  it.effect("is strict for a schema that Effect wrote", () =>
    Effect.gen(function* () {
      const Ticket = Schema.Struct({
        customer: Schema.String,
        urgency: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
        kind: Schema.Literals(["billing", "technical"]),
        due: Schema.NullOr(Schema.Int)
      }).annotate({ identifier: "Ticket" })
      const { definitions, schema } = Schema.toJsonSchemaDocument(Ticket)
      const { format } = yield* sent({ ...schema, $defs: definitions })
      assert.isTrue(format.json_schema.strict)
      assert.strictEqual(format.json_schema.schema.type, "object")
      assert.isFalse(format.json_schema.schema.additionalProperties)
    })
  )

  const loose: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["a record", { type: "object", additionalProperties: text }],
    ["a record beside its properties", object({ a: text }, { additionalProperties: text })],
    ["a record further in", object({ map: { type: "object", additionalProperties: text } })],
    ["a tuple", object({ pair: { type: "array", prefixItems: [text, text] } })],
    ["a value of any form", object({ a: {} })],
    ["a list of values of any form", object({ a: { type: "array" } })],
    ["demands that are more than limits", object({ a: { ...text, allOf: [{ minLength: 1, enum: ["a"] }] } })],
    ["a reference with more beside it", object({ a: { $ref: "#/$defs/A", description: "d" } }, { $defs: { A: text } })],
    ["an optional value of any form", { ...object({ a: {} }), required: [] }],
    ["a record in a definition", object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { type: "object" } } })],
    ["a record in one of several", object({ a: { anyOf: [text, { type: "object", additionalProperties: text }] } })]
  ]
  for (const [what, jsonSchema] of loose) {
    it.effect(`is not strict with ${what}`, () =>
      Effect.gen(function* () {
        const { format } = yield* sent(jsonSchema)
        assert.isFalse(format.json_schema.strict)
        assert.deepStrictEqual(format.json_schema.schema, jsonSchema)
      })
    )
  }

  it.effect("goes as instructions if the model accepts no schema", () =>
    Effect.gen(function* () {
      const asked = /^.+\n\nAnswer with a JSON object\.$/s
      const endOf = ({ format, messages }: { readonly format: unknown; readonly messages: ReadonlyArray<any> }) => {
        // in the message that asks: some servers refuse two messages of the user in a row
        assert.strictEqual(messages.length, 2)
        assert.match(messages[1].content, asked)
        return format
      }
      const json = yield* sent(object({ a: text }), { capabilities: { structuredOutput: "json" } })
      assert.deepStrictEqual(endOf(json), { type: "json_object" })
      const none = yield* sent(object({ a: text }), { capabilities: { structuredOutput: "none" } })
      assert.isUndefined(endOf(none))
      const list = yield* sent({ type: "array", items: text })
      assert.isUndefined(endOf(list))
    })
  )
})

describe("what comes back", () => {
  it.effect("the text with tokens, model and id", () =>
    Effect.gen(function* () {
      const { response } = yield* succeed(reply(200, completion("hello")))
      assert.deepStrictEqual(response, {
        text: "hello",
        usage: { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 },
        model: "gpt-4o-2024-08-06",
        id: "chatcmpl-1"
      })
    })
  )

  it.effect("the text of parts, without the model's reasoning", () =>
    Effect.gen(function* () {
      const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }], text: "hm" }
      const content = [thinking, { type: "text", text: "he" }, { type: "text", text: "llo" }]
      const { response } = yield* succeed(reply(200, { choices: [{ finish_reason: "stop", message: { content } }] }))
      assert.strictEqual(response.text, "hello")
    })
  )

  it.effect("the text alone from a server that reports nothing else", () =>
    Effect.gen(function* () {
      const body = { usage: null, choices: [{ finish_reason: "stop", message: { content: "hi" } }] }
      const { response } = yield* succeed(reply(200, body, { "content-type": "text/plain" }))
      assert.deepStrictEqual(response, { text: "hi", usage: {} })
    })
  )

  const billed = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 }
  const unusable: ReadonlyArray<readonly [string, unknown, string, object | undefined]> = [
    ["cut off by its length", completion(`half ${prompt}`, "length"), "Truncated", billed],
    ["filtered", completion("", "content_filter"), "Refused", billed],
    ["declined", completion(null, "stop", { refusal: `I cannot help with ${prompt}` }), "Refused", billed],
    ["without content", completion(null), "EmptyAnswer", billed],
    ["of white space", completion(" \n "), "EmptyAnswer", billed],
    ["that is not finished", completion(prompt, null), "InvalidResponse", billed],
    ["that calls a tool", completion(null, "tool_calls"), "InvalidResponse", billed],
    ["with text of another form", completion([{ text: prompt }]), "InvalidResponse", billed],
    ["without choices", { ...completion("x"), choices: [] }, "InvalidResponse", billed],
    ["with an error inside", { ...refusal("server_error"), usage }, "Overloaded", billed],
    ["with a limit inside", refusal("rate_limit_exceeded"), "RateLimited", undefined],
    ["with a key refused inside", refusal("invalid_api_key"), "Authentication", undefined],
    ["with a status inside", { error: { code: 429, message: prompt } }, "RateLimited", undefined],
    ["with an error for a completion", { object: "error", code: 400, message: prompt }, "InvalidRequest", undefined],
    ["that is HTML", `<html>${prompt}</html>`, "InvalidResponse", undefined],
    ["that is null", "null", "InvalidResponse", undefined],
    ["that is nothing", "", "InvalidResponse", undefined],
    ["that is half JSON", `{"choices": [{"message": "${prompt}`, "InvalidResponse", undefined]
  ]
  for (const [what, body, tag, spent] of unusable) {
    it.effect(`an answer ${what} is ${tag}`, () =>
      Effect.gen(function* () {
        const { error } = yield* failing(reply(200, body))
        assert.strictEqual(error.reason._tag, tag)
        assert.strictEqual(error.requestId, "req-123")
        assert.deepStrictEqual(error.usage, spent)
        assert.strictEqual(error.provider, "openai")
        assert.strictEqual(error.model, "gpt-4o")
      })
    )
  }
})

describe("what goes wrong", () => {
  const statuses: ReadonlyArray<readonly [number, object, string, string]> = [
    [401, refusal("invalid_api_key"), "Authentication", "401 invalid_api_key"],
    [403, refusal("model_not_allowed"), "Authentication", "403 model_not_allowed"],
    [429, refusal("rate_limit_exceeded"), "RateLimited", "429 rate_limit_exceeded"],
    [429, refusal("insufficient_quota"), "QuotaExhausted", "429 insufficient_quota"],
    [402, refusal(null), "QuotaExhausted", "402 some_error"],
    [400, refusal("context_length_exceeded"), "ContextTooLong", "400 context_length_exceeded"],
    [400, refusal(null, { type: "exceed_context_size_error" }), "ContextTooLong", "400 exceed_context_size_error"],
    [400, { error: { message: "the model's context length is only 1024 tokens" } }, "ContextTooLong", "400"],
    [400, refusal("content_filter"), "Refused", "400 content_filter"],
    [400, refusal("unsupported_parameter", { param: "temperature" }), "InvalidRequest", "parameter temperature"],
    [404, refusal("model_not_found"), "InvalidRequest", "404 model_not_found"],
    [413, refusal(null), "ContextTooLong", "413 some_error"],
    [422, refusal(null), "InvalidRequest", "422 some_error"],
    [408, refusal(null), "Timeout", "408 some_error"],
    [504, refusal(null), "Timeout", "504 some_error"],
    [409, refusal(null), "Overloaded", "409 some_error"],
    [500, refusal("server_error"), "Overloaded", "500 server_error"],
    [503, refusal(null), "Overloaded", "503 some_error"],
    // What looks like a code but is the key, a piece of it, or the prompt is not passed on.
    [400, refusal(key), "InvalidRequest", "400 some_error"],
    [400, refusal("sk-canary"), "InvalidRequest", "400 some_error"],
    [400, refusal(prompt, { param: prompt }), "InvalidRequest", "400 some_error"]
  ]
  for (const [status, body, tag, said] of statuses) {
    it.effect(`status ${said} is ${tag}, asked once`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing(reply(status, body))
        assert.strictEqual(error.reason._tag, tag)
        assert.include(error.message, `openai (gpt-4o): `)
        assert.include(error.message, said)
        assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }

  it.effect("an error with a successful status keeps its code, over both APIs", () =>
    Effect.gen(function* () {
      for (const api of ["chat", "responses"] as const) {
        const { error, server } = yield* failing(reply(200, refusal("insufficient_quota")), { api })
        assert.strictEqual(error.reason._tag, "QuotaExhausted")
        assert.include(error.message, "insufficient_quota")
        assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
        const streamed = yield* OpenAi.make({ model: "m", api, apiKey: key, baseUrl: server.baseUrl }).pipe(
          Effect.flatMap((model) => Effect.flip(Stream.runDrain(model.stream(request()))))
        )
        assertClean(streamed)
        assert.deepStrictEqual(
          [streamed.message.includes("insufficient_quota"), streamed.reason._tag],
          [true, "QuotaExhausted"]
        )
      }
    })
  )

  it.effect("an error whose code is a status is classified by it", () =>
    Effect.gen(function* () {
      const codes = [
        [401, "Authentication", "(401)"],
        [429, "RateLimited", "(429)"],
        [504, "Timeout", "(504)"],
        [599, "Overloaded", "(599)"],
        [600, "Overloaded", "(no code)"],
        [399, "Overloaded", "(no code)"]
      ] as const
      for (const [code, tag, said] of codes) {
        const { error } = yield* failing(reply(200, { error: { message: "canary", code } }))
        assert.strictEqual(error.reason._tag, tag, String(code))
        assert.include(error.message, said)
      }
    })
  )

  it.effect("a missing model is distinguished from a wrong address", () =>
    Effect.gen(function* () {
      const missing: ReadonlyArray<readonly [number, object]> = [
        [404, refusal("model_not_found")],
        [403, refusal("model_not_found")],
        [400, refusal("model_not_found")],
        [404, { error: { message: 'model "qwen9" not found, try pulling it first', type: "api_error" } }],
        [404, { object: "error", message: "The model `qwen9` does not exist.", code: 404 }]
      ]
      for (const [status, body] of missing) {
        const { error } = yield* failing(reply(status, body))
        const { reason } = error
        assert.strictEqual(reason._tag === "InvalidRequest" && reason.parameter, "model", JSON.stringify(body))
        assert.include(error.message, "check the spelling of model, whether this key may use it")
        assert.notInclude(error.message, "baseUrl")
      }
      const { error } = yield* failing(reply(404, "<html>nothing here</html>", { "content-type": "text/html" }))
      assert.include(error.message, "baseUrl")
    })
  )

  it.effect("an error page is classified by its status", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(reply(502, `<html>${prompt}</html>`, { "content-type": "text/html" }))
      assert.strictEqual(error.reason._tag, "Overloaded")
      assert.include(error.message, "(502)")
    })
  )

  it.effect("the refused parameter is kept", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(reply(400, refusal("unsupported_value", { param: "reasoning_effort" })))
      assert.strictEqual(error.reason._tag === "InvalidRequest" && error.reason.parameter, "reasoning_effort")
    })
  )

  // The test clock stands at the beginning of 1970.
  const waits: ReadonlyArray<readonly [number, Record<string, string>, number | undefined]> = [
    [429, { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [429, { "retry-after": "90" }, 90_000],
    [429, { "retry-after": "0" }, undefined],
    [429, { "retry-after": "-5" }, undefined],
    [503, { "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" }, 30_000],
    [429, { "retry-after": "Wed, 31 Dec 1969 23:59:00 GMT" }, undefined],
    [429, { "retry-after": "soon" }, undefined],
    [429, {}, undefined]
  ]
  for (const [status, headers, millis] of waits) {
    it.effect(
      `${JSON.stringify(headers)} means ${millis === undefined ? "no stated wait" : `a wait of ${millis} ms`}`,
      () =>
        Effect.gen(function* () {
          const { error } = yield* failing(reply(status, refusal(null), headers))
          assert.strictEqual(error.retryAfter && Duration.toMillis(error.retryAfter), millis)
        })
    )
  }

  it.effect("a server that does not run is named", () =>
    Effect.gen(function* () {
      const server = yield* Effect.scoped(serve(reply(200, completion("x"))))
      const error = yield* Effect.flip(call({ model: "m", apiKey: key, baseUrl: server.baseUrl }))
      assertClean(error)
      assert.strictEqual(error.reason._tag, "Connection")
      assert.include(error.message, `cannot reach ${server.host} (ECONNREFUSED): check that the server runs`)
      assert.isTrue(error.isRetryable)
    })
  )

  it.effect("a host without address is named", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call({ model: "m", apiKey: key, baseUrl: "https://model.invalid/v1" }))
      assertClean(error)
      assert.strictEqual(error.reason._tag, "Connection")
      assert.include(error.message, "cannot reach model.invalid")
    })
  )

  it.effect("a connection reset before the answer is Connection", () =>
    Effect.gen(function* () {
      const { error, server } = yield* failing((_, incoming) => incoming.socket.resetAndDestroy())
      assert.strictEqual(error.reason._tag, "Connection")
      assert.include(error.message, server.host)
    })
  )

  it.effect("fetch that gives up waiting is Timeout", () =>
    Effect.gen(function* () {
      const cause = Object.assign(new Error(prompt), { code: "UND_ERR_HEADERS_TIMEOUT" })
      const { error } = yield* failing(reply(200, ""), { fetch: () => Promise.reject(new TypeError(key, { cause })) })
      assert.strictEqual(error.reason._tag, "Timeout")
    })
  )

  it.effect("a character that arrives in two pieces is whole", () =>
    Effect.gen(function* () {
      const body = Buffer.from(JSON.stringify(completion("« é 👍 »")))
      const cut = body.indexOf(Buffer.from("👍")) + 2
      const { response: answered } = yield* succeed((response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write(body.subarray(0, cut), () => setTimeout(() => response.end(body.subarray(cut)), 20))
      })
      assert.strictEqual(answered.text, "« é 👍 »")
    })
  )

  it.effect("a body that breaks off is Truncated", () =>
    Effect.gen(function* () {
      const { error } = yield* failing((response, incoming) => {
        response.writeHead(200, { "content-length": "500", "x-request-id": "req-123" })
        response.write(`{"choices": [`, () => incoming.socket.destroy())
      })
      assert.strictEqual(error.reason._tag, "Truncated")
      assert.strictEqual(error.requestId, "req-123")
    })
  )

  it.effect("a header that cannot be sent is InvalidRequest and not shown", () =>
    Effect.gen(function* () {
      const { error, server } = yield* failing(reply(200, ""), { headers: { "x-secret": "canary\nbreak" } })
      assert.strictEqual(error.reason._tag, "InvalidRequest")
      assert.strictEqual(server.recorded.length, 0)
    })
  )
})

const silent: Answer = () => {}
const stalled: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write(`{"choices": [`)
}
const trickling: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" })
  const timer = setInterval(() => response.write(" "), 10)
  response.on("close", () => clearInterval(timer))
}
const stalledError: Answer = (response) => {
  response.writeHead(500, { "content-type": "application/json" })
  response.write(`{"error": `)
}

describe("time and interruption", () => {
  const slow: ReadonlyArray<readonly [string, Answer]> = [
    ["does not answer", silent],
    ["stalls in its answer", stalled],
    ["trickles its answer", trickling],
    ["stalls in an error", stalledError]
  ]
  for (const [what, answer] of slow) {
    it.live(`a server that ${what} is Timeout, and its connection closed`, () =>
      Effect.gen(function* () {
        const { error, server } = yield* failing(answer, { timeout: "100 millis" })
        assert.strictEqual(error.reason._tag, "Timeout")
        assert.include(error.message, "100ms")
        // Under load the request may be given up before the server has it.
        yield* server.idle()
      })
    )

    it.live(`interruption closes the connection to a server that ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* serve(answer)
        const fiber = yield* Effect.forkChild(call({ model: "m", baseUrl: server.baseUrl, timeout: "1 hour" }))
        yield* server.arrived
        yield* Fiber.interrupt(fiber)
        yield* server.closed
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }

  it.live("a call may have no time limit", () =>
    Effect.gen(function* () {
      const { response } = yield* succeed(reply(200, completion("x")), { timeout: Duration.infinity })
      assert.strictEqual(response.text, "x")
    })
  )
})

const build = (options: OpenAi.Options) => Effect.flip(Effect.provide(Provider, OpenAi.layer(options)))

const configured = (environment: Record<string, string>, options: Partial<OpenAi.ConfigOptions> = {}) =>
  Provider.use((provider) => provider.complete(request())).pipe(
    Effect.provide(
      OpenAi.layerConfig({ model: "gpt-4o", ...options }).pipe(
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
      )
    )
  )

describe("building the layer", () => {
  it.effect("fails without a key for OpenAI", () =>
    Effect.gen(function* () {
      for (const apiKey of [undefined, "", " ", Redacted.make("")]) {
        const error = yield* build({ model: "gpt-4o", ...(apiKey !== undefined && { apiKey }) })
        assert.strictEqual(error.reason._tag, "Authentication")
        assert.include(error.message, "set OPENAI_API_KEY")
      }
    })
  )

  it.effect("fails with a key that cannot be sent in a header, and accepts one with a line break at its end", () =>
    Effect.gen(function* () {
      const error = yield* build({ model: "gpt-4o", apiKey: `${key}\n${key}` })
      assertClean(error)
      assert.strictEqual(error.reason._tag, "Authentication")
      const { server } = yield* succeed(reply(200, completion("x")), { apiKey: `${key}\n` })
      assert.strictEqual(server.last().headers.authorization, `Bearer ${key}`)
    })
  )

  it.effect("fails with an invalid address, and does not show it", () =>
    Effect.gen(function* () {
      for (const baseUrl of [
        "canary",
        "ftp://canary",
        "http://user:canary@localhost/v1",
        "http://localhost?key=canary"
      ]) {
        const error = yield* build({ model: "m", apiKey: key, baseUrl })
        assertClean(error)
        assert.strictEqual(error.reason._tag === "InvalidRequest" && error.reason.parameter, "baseUrl")
      }
    })
  )

  it("says what to install if the openai package is missing", () => {
    const program = `
      import { registerHooks } from "node:module"
      registerHooks({
        resolve: (specifier, context, next) => {
          if (specifier === "openai") throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })
          return next(specifier, context)
        }
      })
      const { Effect } = await import("effect")
      const { OpenAi } = await import("cogito/openai")
      const error = await Effect.runPromise(Effect.flip(OpenAi.make({ model: "m", baseUrl: "http://127.0.0.1:1" })))
      console.log(error._tag, error.reason._tag, error.message)`
    const output = execFileSync(
      process.execPath,
      ["--conditions=cogito-source", "--input-type=module", "-e", program],
      { encoding: "utf8" }
    )
    assert.strictEqual(
      output.trim(),
      "ProviderError Unsupported openai (m): the openai package cannot be loaded: run npm install openai"
    )
  })

  it("throws for an invalid option, and names it", () => {
    assert.throws(() => OpenAi.make({ model: "m", timeout: -5 }), /timeout/)
    for (const make of [OpenAi.layer, OpenAi.decider, OpenAi.makeEmbedder] as const) {
      assert.throws(() => make({ model: undefined as unknown as string }), /needs the name of a model as model\.$/)
    }
    assert.throws(() => OpenAi.layer({ model: "m", connectTimeout: "soon" as "1 second" }), /connectTimeout/)
    assert.throws(() => OpenAi.layer({ model: "m", idleTimeout: 0 }), /idleTimeout/)
    assert.throws(() => OpenAi.decider({ model: "m", timeout: 0 }), /timeout/)
    assert.throws(() => OpenAi.layer({ model: "m", api: "respones" as "chat" }), /api must be .* "respones"/)
    assert.doesNotThrow(() => OpenAi.layer({ model: "m", api: "chat", timeout: Infinity }))
  })

  it.effect("reads key and address from configuration", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, completion("x")))
      yield* configured({ OPENAI_API_KEY: key, OPENAI_BASE_URL: server.baseUrl })
      assert.strictEqual(server.last().headers.authorization, `Bearer ${key}`)
      yield* configured({ OPENAI_BASE_URL: server.baseUrl })
      assert.strictEqual(server.last().headers.authorization, "Bearer no-key")
    })
  )

  it.effect("prefers options, plain or configured, to the usual names", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, completion("x")))
      yield* configured(
        { OPENAI_API_KEY: "sk-other", OPENAI_BASE_URL: "http://127.0.0.1:1", TEAM_KEY: key, TEAM_MODEL: "team-model" },
        { baseUrl: server.baseUrl, apiKey: Config.Redacted("TEAM_KEY"), model: Config.String("TEAM_MODEL") }
      )
      assert.strictEqual(server.last().headers.authorization, `Bearer ${key}`)
      assert.strictEqual(server.last().body.model, "team-model")
    })
  )

  it.effect("takes every option from configuration", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, { status: "completed", output: [], model: "m" }))
      const error = yield* configured(
        { BASE: server.baseUrl, API: "responses", CACHE: "triage", WAIT: "5 seconds" },
        {
          baseUrl: Config.String("BASE"),
          api: Config.Literals(["responses", "chat"], "API"),
          cacheKey: Config.String("CACHE"),
          timeout: Config.Duration("WAIT"),
          decisions: "logprobs"
        }
      ).pipe(Effect.flip)
      assert.strictEqual(error._tag === "ProviderError" && error.reason._tag, "EmptyAnswer")
      const { body, path } = server.last()
      assert.deepStrictEqual([path, body.prompt_cache_key], ["/v1/responses", "triage"])
    })
  )

  it.effect("fails before any call without a key, or without a configured option", () =>
    Effect.gen(function* () {
      const keyless = yield* Effect.flip(configured({}))
      assert.strictEqual(keyless._tag === "ProviderError" && keyless.reason._tag, "Authentication")
      const modelless = yield* Effect.flip(configured({ OPENAI_API_KEY: key }, { model: Config.String("TEAM_MODEL") }))
      assert.strictEqual(modelless._tag, "ConfigError")
      assert.notInclude(String(modelless), "canary")
    })
  )

  const local = { baseUrl: "http://127.0.0.1:1/v1" }
  const models: ReadonlyArray<readonly [string, Options, string, ReadonlyArray<string>]> = [
    ["gpt-4o", {}, "free", []],
    ["gpt-4.1-mini", {}, "free", []],
    ["ft:gpt-4o-mini-2024-07-18:team::id", {}, "free", []],
    ["gpt-5-chat-latest", {}, "free", []],
    ["o3-mini", {}, "never", ["low", "medium", "high"]],
    ["gpt-5", {}, "never", ["minimal", "low", "medium", "high"]],
    ["gpt-5-mini-2025-08-07", {}, "never", ["minimal", "low", "medium", "high"]],
    ["gpt-5-pro", {}, "never", []],
    ["gpt-5.1", {}, "without-effort", ["none", "low", "medium", "high"]],
    ["gpt-5.2-chat-latest", {}, "never", []],
    ["gpt-5.1-codex-max", {}, "never", []],
    ["gpt-5.4-mini-2026-03-17", {}, "without-effort", ["none", "low", "medium", "high"]],
    ["gpt-5.5", {}, "never", ["none", "low", "medium", "high"]],
    ["gpt-5.5-pro-2026-04-23", {}, "never", []],
    ["gpt-5.6-sol", {}, "never", ["none", "low", "medium", "high"]],
    ["gpt-6-luna", {}, "never", ["none", "low", "medium", "high"]],
    ["gpt-6.1-terra", local, "never", ["none", "low", "medium", "high"]],
    ["o3-pro", {}, "never", []],
    ["o4-mini-deep-research", {}, "never", []],
    ["o4-mini-2025-04-16", {}, "never", ["low", "medium", "high"]],
    ["gpt-daybreak-blue-latest", {}, "never", []],
    ["gpt-oss:20b", local, "free", []],
    ["openai/gpt-5-mini", local, "never", ["minimal", "low", "medium", "high"]],
    ["qwen3:8b", local, "free", []],
    ["o3", { capabilities: { temperature: "free" } }, "free", ["low", "medium", "high"]]
  ]
  it.effect("knows what a model accepts by its name", () =>
    Effect.gen(function* () {
      for (const [model, options, temperature, efforts] of models) {
        const { capabilities } = yield* Effect.provide(Provider, OpenAi.layer({ model, apiKey: key, ...options }))
        assert.deepStrictEqual([model, capabilities.temperature, capabilities.efforts], [model, temperature, efforts])
      }
      const { capabilities } = yield* Effect.provide(Provider, OpenAi.layer({ model: "gpt-4-turbo", apiKey: key }))
      assert.strictEqual(capabilities.structuredOutput, "none")
      // Only chat completions take a seed, and nobody's prices are assumed.
      assert.isFalse(capabilities.seed)
      assert.isUndefined(capabilities.prices)
      const chat = yield* Effect.provide(Provider, OpenAi.layer({ model: "gpt-4o", apiKey: key, api: "chat" }))
      assert.isTrue(chat.capabilities.seed)
    })
  )
})
