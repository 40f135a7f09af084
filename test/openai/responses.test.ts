import { assert, describe, it } from "@effect/vitest"
import { Provider, type Request } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Effect, Stream } from "effect"
import { type Answer, reply, serve } from "./server.ts"
import { collect, cutAfter, cutStep, key, named, redirectTo, request, sse, withOutput } from "./streams.ts"

const usage = {
  input_tokens: 12,
  output_tokens: 7,
  total_tokens: 19,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
  output_tokens_details: { reasoning_tokens: 3 }
}
const billed = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 }

const part = (text: string) => ({ type: "output_text", text, annotations: [] })
const refusal = { type: "refusal", refusal: "I cannot, canary" }
const message = (content: ReadonlyArray<object>, rest: object = {}) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content,
  ...rest
})
const body = (output: ReadonlyArray<object>, rest: object = {}) => ({
  id: "resp_1",
  object: "response",
  model: "gpt-5-2025-08-07",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [{ type: "reasoning", id: "rs_1", summary: [] }, ...output],
  usage,
  ...rest
})
const said = (text: string, rest: object = {}) => body([message([part(text)])], rest)
const cutOff = (reason: string) => said("half canary", { status: "incomplete", incomplete_details: { reason } })
const failed = (error: object) =>
  said("half canary", { status: "failed", error: { message: `canary ${key}`, ...error } })

const options = { model: "gpt-5", apiKey: key, api: "responses" } as const

type Options = Partial<OpenAi.Options>

const ask = (answer: Answer, more: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Provider.use((provider) => provider.complete(asked)).pipe(
      Effect.provide(OpenAi.layer({ ...options, baseUrl: server.baseUrl, ...more })),
      Effect.result
    )
    return { server, outcome }
  })

const stream = (events: ReadonlyArray<string>, more: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(sse(events))
    const outcome = yield* Effect.result(collect({ ...options, baseUrl: server.baseUrl, ...more }, asked))
    return { server, outcome }
  })

describe("what is sent to the Responses API", () => {
  it.effect("at OpenAI itself by default: messages in their order, and that nothing is to be stored", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, said("x")))
      const layer = OpenAi.layer({ model: "gpt-5", apiKey: key, fetch: redirectTo(server.baseUrl) })
      yield* Effect.provide(
        Provider.use((provider) => provider.complete(request())),
        layer
      )
      const { body: sent, headers, path } = server.last()
      assert.strictEqual(path, "/v1/responses")
      assert.strictEqual(headers.authorization, `Bearer ${key}`)
      assert.deepStrictEqual(sent, {
        model: "gpt-5",
        input: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "canary prompt" }
        ],
        store: false
      })
    })
  )

  it.effect("sampling, the cache's key, and nothing that the API does not support: the answer says so", () =>
    Effect.gen(function* () {
      const sampling = { temperature: 0, effort: "low", maxTokens: 50, seed: 0, stop: ["END"] }
      const { outcome, server } = yield* ask(reply(200, said("x")), { cacheKey: "triage" }, request({ sampling }))
      const { input: _, ...sent } = server.last().body
      assert.deepStrictEqual(sent, {
        model: "gpt-5",
        store: false,
        prompt_cache_key: "triage",
        temperature: 0,
        reasoning: { effort: "low" },
        max_output_tokens: 50
      })
      const response = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(response.sampling, { temperature: 0, effort: "low", maxTokens: 50 })
    })
  )

  it.effect("the form as a strict schema, as any JSON, or in words", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
      const strict = yield* ask(reply(200, said("{}")), {}, withOutput(schema))
      assert.deepStrictEqual(strict.server.last().body.text, {
        format: {
          type: "json_schema",
          name: "ticket",
          strict: true,
          schema: { ...schema, additionalProperties: false }
        }
      })
      assert.strictEqual(strict.server.last().body.input.length, 2)
      const open = { type: "object", additionalProperties: { type: "string" } }
      const loose = yield* ask(reply(200, said("{}")), {}, withOutput(open))
      assert.deepStrictEqual(loose.server.last().body.text, {
        format: { type: "json_schema", name: "ticket", strict: false, schema: open }
      })
      const words = /^.+\n\nAnswer with JSON\.$/s
      const json = yield* ask(
        reply(200, said("{}")),
        { capabilities: { structuredOutput: "json" } },
        withOutput(schema)
      )
      assert.deepStrictEqual(json.server.last().body.text, { format: { type: "json_object" } })
      assert.match(json.server.last().body.input[1].content, words)
      const list = yield* ask(reply(200, said("[]")), {}, withOutput({ type: "array", items: { type: "string" } }))
      assert.isUndefined(list.server.last().body.text)
      assert.match(list.server.last().body.input[1].content, words)
      // after an answer the words have a message of their own
      const { messages } = request()
      const after = [...messages, { role: "assistant", text: "Well." } as const]
      const own = yield* ask(
        reply(200, said("{}")),
        { capabilities: { structuredOutput: "none" } },
        { ...withOutput(schema), messages: after }
      )
      assert.deepStrictEqual(
        own.server.last().body.input.map(({ content, role }: any) => [role, content]),
        [...after, { role: "user", text: "Answer with JSON." }].map(({ role, text }) => [role, text])
      )
    })
  )

  it.effect("a longer conversation begins with the bytes of the shorter one", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(200, said("x")))
      const provider = yield* Effect.provide(Provider, OpenAi.layer({ ...options, baseUrl: server.baseUrl }))
      yield* provider.complete(request())
      yield* provider.complete(
        request({ messages: [...request().messages, { role: "assistant", text: "x" }, { role: "user", text: "more" }] })
      )
      const [first = "", second = ""] = server.recorded.map(({ body: sent }) => JSON.stringify(sent.input))
      assert.isTrue(second.startsWith(first.slice(0, -1)))
    })
  )
})

const bad: ReadonlyArray<readonly [string, unknown, string, object | undefined]> = [
  ["cut off by its length", cutOff("max_output_tokens"), "Truncated", billed],
  ["cut off for another reason", cutOff("max_messages"), "Truncated", billed],
  ["filtered", cutOff("content_filter"), "Refused", billed],
  ["declined", body([message([refusal])]), "Refused", billed],
  ["declined after text", body([message([part("Sure"), refusal])]), "Refused", billed],
  ["without text", body([]), "EmptyAnswer", billed],
  ["of white space", said(" \n"), "EmptyAnswer", billed],
  ["of comments alone", body([message([part("Let me see")], { phase: "commentary" })]), "EmptyAnswer", billed],
  ["that calls a tool", body([{ type: "function_call", name: "f", arguments: "{}" }]), "EmptyAnswer", billed],
  ["that failed by a limit", failed({ code: "rate_limit_exceeded" }), "RateLimited", billed],
  ["that failed at the server", failed({ code: "server_error" }), "Overloaded", billed],
  ["that failed by a policy", failed({ code: "bio_policy" }), "Refused", billed],
  ["that failed by another policy", failed({ code: "misalignment_policy_violation" }), "Refused", billed],
  ["that failed by its prompt", failed({ code: "invalid_prompt" }), "Refused", billed],
  ["that failed by a parameter", failed({ code: "invalid", param: "seed" }), "InvalidRequest", billed],
  ["that was cancelled", said("half canary", { status: "cancelled" }), "Truncated", billed]
]

describe("what the Responses API answers", () => {
  it.effect("text with tokens, model, id and limits", () =>
    Effect.gen(function* () {
      const { outcome } = yield* ask(reply(200, said("hello"), { "x-ratelimit-remaining-requests": "3" }))
      assert.deepStrictEqual(yield* Effect.fromResult(outcome), {
        text: "hello",
        usage: billed,
        model: "gpt-5-2025-08-07",
        id: "resp_1",
        limits: { requests: { remaining: 3 } }
      })
    })
  )

  it.effect("the answer, without the messages that precede it", () =>
    Effect.gen(function* () {
      const commented = body([
        message([part("Let me see.")], { phase: "commentary" }),
        message([part("42"), part("!")])
      ])
      const { outcome } = yield* ask(reply(200, commented))
      assert.strictEqual((yield* Effect.fromResult(outcome)).text, "42!")
    })
  )

  it.effect("without the nulls that only the strict form requires", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { type: "string" } }, required: [] }
      const { outcome } = yield* ask(reply(200, said(`{"a":null}`)), {}, withOutput(schema))
      assert.strictEqual((yield* Effect.fromResult(outcome)).text, "{}")
    })
  )

  const others: ReadonlyArray<readonly [string, unknown, string, object | undefined]> = [
    ["that is not finished", said("canary", { status: "in_progress" }), "InvalidResponse", billed],
    ["without a status", { ...said("canary"), status: null }, "InvalidResponse", billed],
    ["that is a chat completion", { choices: [], usage: {} }, "InvalidResponse", undefined],
    ["that is HTML", "<html>canary</html>", "InvalidResponse", undefined],
    ["that is null", "null", "InvalidResponse", undefined],
    ["that is half JSON", `{"status": "comp`, "InvalidResponse", undefined]
  ]
  for (const [what, answer, tag, spent] of [...bad, ...others]) {
    it.effect(`an answer ${what} is ${tag}`, () =>
      Effect.gen(function* () {
        const { outcome, server } = yield* ask(reply(200, answer))
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.notInclude(JSON.stringify(error) + error.message, "canary")
        assert.strictEqual(error.reason._tag, tag)
        assert.deepStrictEqual(error.usage, spent)
        assert.strictEqual(error.requestId, "req-123")
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }
})

const begun = named({ type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } })
const item = (output_index: number, rest: object = {}) =>
  named({ type: "response.output_item.added", output_index, item: { type: "message", content: [], ...rest } })
const delta = (text: unknown, output_index = 1) =>
  named({ type: "response.output_text.delta", item_id: "msg_1", output_index, content_index: 0, delta: text })
const completed = (response: unknown) => named({ type: "response.completed", response })
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "" }
const unknown = named({ type: "response.telepathy.delta", delta: { a: 1 } })
const whole = [begun, item(1), unknown, delta("Grüße, "), delta("wörld 🌍"), completed(said("Grüße, wörld 🌍"))]

describe("a stream of the Responses API", () => {
  it.effect("comes in pieces, and ends with the answer", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* stream(whole, {}, request({ sampling: { seed: 1 } }))
      const { input: _, ...sent } = server.last().body
      assert.deepStrictEqual(sent, { model: "gpt-5", store: false, stream: true })
      const found = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(found.texts, ["Grüße, ", "wörld 🌍"])
      assert.deepStrictEqual(found.response, {
        text: "Grüße, wörld 🌍",
        usage: billed,
        model: "gpt-5-2025-08-07",
        id: "resp_1",
        sampling: {}
      })
      assert.isTrue(found.isLast)
    })
  )

  const fine: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["whose last event holds no output", [...whole.slice(0, -1), completed(body([], {}))]],
    ["whose last event has no output", [...whole.slice(0, -1), completed({ ...body([]), output: null })]],
    ["without pieces", [begun, completed(said("Grüße, wörld 🌍"))]],
    [
      "with calls of tools that nobody offered",
      [
        item(0, call),
        named({ type: "response.function_call_arguments.delta", output_index: 0, delta: `{"a"` }),
        named({ type: "response.function_call_arguments.done", output_index: 0, arguments: `{"a":1}` }),
        named({ type: "response.output_item.done", output_index: 0, item: { ...call, arguments: `{"a":1}` } }),
        delta("Grüße, wörld 🌍"),
        completed(body([call, message([part("Grüße, wörld 🌍")])]))
      ]
    ],
    [
      "with items of other kinds",
      [
        item(0, { type: "web_search_call", status: "completed" }),
        delta("Grüße, wörld 🌍"),
        completed(
          body([
            { type: "web_search_call", status: "incomplete" },
            { ...call, type: "custom_tool_call" },
            message([part("Grüße, wörld 🌍")])
          ])
        )
      ]
    ],
    [
      "with comments on the way",
      [
        item(0, { phase: "commentary" }),
        delta("Let me see.", 0),
        item(1, { phase: "final_answer" }),
        delta("Grüße, wörld 🌍"),
        completed(body([message([part("Let me see.")], { phase: "commentary" }), message([part("Grüße, wörld 🌍")])]))
      ]
    ]
  ]
  for (const [what, events] of fine) {
    it.effect(`${what} is read`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* stream(events)
        const found = yield* Effect.fromResult(outcome)
        assert.strictEqual(found.response?.text, "Grüße, wörld 🌍")
        assert.include(["", "Grüße, wörld 🌍"], found.texts.join(""))
      })
    )
  }

  it.effect("passes on the parameters of a call that only its last event has", () =>
    Effect.gen(function* () {
      const complete = { ...call, arguments: `{"a":1}` }
      const server = yield* serve(sse([item(0, call), completed(body([complete]))]))
      const provider = yield* OpenAi.make({ ...options, baseUrl: server.baseUrl })
      const tools = [{ name: "f", description: "Does it", parameters: {} }]
      const parts = yield* Stream.runCollect(provider.stream({ ...request(), tools }))
      assert.strictEqual(parts.map((part) => (part._tag === "Call" ? part.delta : "")).join(""), `{"a":1}`)
    })
  )

  it.effect("ends without the nulls that only the strict form requires", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { type: "string" } }, required: [] }
      const { outcome } = yield* stream([delta(`{"a":null}`), completed(said(`{"a":null}`))], {}, withOutput(schema))
      assert.strictEqual((yield* Effect.fromResult(outcome)).response?.text, "{}")
    })
  )

  const ends = bad.map(([what, answer, tag, spent]) => {
    const { status } = answer as { readonly status: string }
    return [what, [begun, named({ type: `response.${status}`, response: answer })], tag, spent] as const
  })
  const others: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, object | undefined]> = [
    ["that ends without its last event", whole.slice(0, -1), "Truncated", undefined],
    ["that is empty", [], "Truncated", undefined],
    ["that ends with [DONE] alone", [delta("canary"), "data: [DONE]\n\n"], "Truncated", undefined],
    [
      "declined in its pieces",
      [delta("Sure"), named({ type: "response.refusal.delta", delta: "no" }), completed(said("Sure"))],
      "Refused",
      billed
    ],
    ["whose pieces are of another answer", [delta("one"), completed(said("two"))], "InvalidResponse", billed],
    ["with a piece of another form", [delta({ canary: 1 })], "InvalidResponse", undefined],
    ["with garbage", [delta("half"), "event: x\ndata: {canary\n\n"], "InvalidResponse", undefined],
    ["whose last event holds nothing", [delta("half"), completed(null)], "InvalidResponse", undefined],
    [
      "broken by a limit",
      [delta("half"), named({ type: "error", code: "rate_limit_exceeded", message: "canary", param: null })],
      "RateLimited",
      undefined
    ],
    [
      "broken by an error within an error",
      [named({ type: "error", error: { type: "server_error", message: "canary" } })],
      "Overloaded",
      undefined
    ],
    [
      "broken by an error without type",
      [`event: error\ndata: {"error":{"code":"invalid_prompt"}}\n\n`],
      "Refused",
      undefined
    ]
  ]
  for (const [what, events, tag, spent] of [...ends, ...others]) {
    it.effect(`${what} is ${tag}, asked once`, () =>
      Effect.gen(function* () {
        const { outcome, server } = yield* stream(events)
        const error = yield* Effect.flip(Effect.fromResult(outcome))
        assert.notInclude(JSON.stringify(error) + error.message, "canary")
        assert.strictEqual(error.reason._tag, tag)
        assert.deepStrictEqual(error.usage, spent)
        assert.strictEqual(server.recorded.length, 1)
      })
    )
  }

  for (const how of ["end", "destroy"] as const) {
    it.live(`that ${how === "end" ? "ends" : "breaks off"} at any byte is the whole answer or Truncated`, () =>
      Effect.gen(function* () {
        const bytes = Buffer.from(whole.join("")).length
        const cuts = [...Array.from({ length: Math.ceil(bytes / cutStep) }, (_, i) => i * cutStep), bytes - 1, bytes]
        let at = 0
        const server = yield* serve((response, incoming, asked) => cutAfter(whole, at, how)(response, incoming, asked))
        const provider = yield* Effect.provide(Provider, OpenAi.layer({ ...options, baseUrl: server.baseUrl }))
        const outcomes = yield* Effect.forEach(cuts, (cut) =>
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
        assert.deepStrictEqual(
          found,
          cuts.map((cut) => (cut < bytes ? "Truncated" : "Grüße, wörld 🌍"))
        )
      })
    )
  }
})
