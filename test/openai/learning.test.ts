import { assert, describe, it } from "@effect/vitest"
import { Provider, type Sampling } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Effect, Stream } from "effect"
import { completion, reply, serve } from "./server.ts"
import { collect, data, request, sse, withOutput } from "./streams.ts"

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
const everything: Sampling = { temperature: 0, effort: "xhigh", seed: 1, stop: ["END"] }
const asked = { ...withOutput(schema), sampling: everything }

/** How servers refuse a parameter: with its name in a field, or in words only. */
const refusals: ReadonlyArray<readonly [string, object, string]> = [
  ["in a field", { param: "temperature", message: "no" }, "temperature"],
  [
    "as a parameter",
    { message: "Unsupported parameter: 'temperature' is not supported with this model." },
    "temperature"
  ],
  [
    "as a value",
    { param: null, message: "Unsupported value: 'temperature' does not support 0 with this model." },
    "temperature"
  ],
  ["at the beginning", { message: "temperature is deprecated for this model." }, "temperature"],
  ["as an effort", { message: "Unsupported value: 'reasoning_effort' does not support 'xhigh'." }, "reasoning_effort"],
  ["as an argument", { message: "Unrecognized request argument supplied: reasoning_effort" }, "reasoning_effort"],
  ["as thinking", { message: `"llama3" does not support thinking` }, "reasoning_effort"],
  ["as a seed", { param: "", message: "Unknown parameter: 'seed'." }, "seed"],
  [
    "as a form that is not strict",
    { message: "body.response_format.json_schema.strict: Input should be True" },
    "response_format"
  ],
  ["as strict alone", { message: "strict: Input should be True" }, "response_format"],
  [
    "as a place in Python",
    {
      message:
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'json_schema', 'strict'), 'msg': 'Input should be True'}]"
    },
    "response_format"
  ],
  ["as stop words", { message: "Unsupported parameter: 'stop' is not supported with this model." }, "stop"],
  [
    "as a schema",
    { message: "Invalid schema for response_format 'ticket': In context=(), 'a' is missing." },
    "response_format"
  ]
]

describe("a parameter that the server refuses", () => {
  for (const [how, error, field] of refusals) {
    it.effect(`${how} is left out of one more call, and of the next ones`, () =>
      Effect.gen(function* () {
        const server = yield* serve((response, incoming, sent) =>
          sent.body[field] === undefined
            ? reply(200, completion("{}"))(response, incoming, sent)
            : reply(400, { error: { type: "invalid_request_error", code: null, ...error } })(response, incoming, sent)
        )
        const layer = OpenAi.layer({ model: "m", baseUrl: server.baseUrl })
        yield* Effect.gen(function* () {
          const provider = yield* Provider
          yield* provider.complete(asked)
          assert.deepStrictEqual(
            server.recorded.map(({ body }) => field in body),
            [true, false]
          )
          yield* provider.complete(asked)
          assert.strictEqual(server.recorded.length, 3)
        }).pipe(Effect.provide(layer))
        const { body } = server.last()
        // A form that cannot be sent is asked for in words.
        assert.strictEqual(body.messages.length, 2)
        const { instructions } = asked.task.output ?? assert.fail("no form")
        assert.strictEqual(body.messages[1].content.endsWith(`\n\n${instructions}`), field === "response_format")
      })
    )
  }

  it.effect("is left out of a stream as well, and of the Responses API", () =>
    Effect.gen(function* () {
      const answer = sse([
        data({ type: "response.output_text.delta", delta: "{}" }),
        data({ type: "response.completed", response: { status: "completed", output: [] } })
      ])
      const server = yield* serve((response, incoming, sent) =>
        sent.body.reasoning === undefined
          ? answer(response, incoming, sent)
          : reply(400, { error: { message: "no", param: "reasoning.effort" } })(response, incoming, sent)
      )
      const { response } = yield* collect({ model: "m", api: "responses", baseUrl: server.baseUrl }, asked)
      assert.strictEqual(response?.text, "{}")
      assert.deepStrictEqual(response?.sampling, { temperature: 0 })
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.reasoning),
        [{ effort: "xhigh" }, undefined]
      )
    })
  )

  it.effect("is not asked for again if it is refused although it was left out", () =>
    Effect.gen(function* () {
      const refused = reply(400, { error: { message: "no", param: "include" } })
      const server = yield* serve(refused)
      const provider = yield* OpenAi.make({
        model: "m",
        api: "responses",
        baseUrl: server.baseUrl,
        // a model without temperatures is one that reasons
        capabilities: { temperature: "never" }
      })
      const tools = [{ name: "look", description: "Looks", parameters: {} }]
      const error = yield* Effect.flip(provider.complete(request({ tools })))
      assert.strictEqual(error.reason._tag, "InvalidRequest")
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => "include" in body),
        [true, false]
      )
    })
  )

  // Open models and what serves them, and OpenAI's first models that reason.
  const systemless: ReadonlyArray<readonly [string, object]> = [
    ["by a template", { message: "System role not supported" }],
    [
      "by its place",
      { param: "messages[0].role", message: "'messages[0].role' does not support 'system' with this model." }
    ],
    ["as roles that may be", { message: "Only user and assistant roles are supported!" }],
    ["as an instruction", { message: "Developer instruction is not enabled for models/gemma-3-27b-it" }]
  ]
  for (const [how, error] of systemless) {
    it.effect(`the system role, refused ${how}: its text begins the user's message from then on`, () =>
      Effect.gen(function* () {
        const server = yield* serve((response, incoming, sent) =>
          sent.body.messages.some(({ role }: { role: string }) => role === "system")
            ? reply(400, { error })(response, incoming, sent)
            : reply(200, completion("fine"))(response, incoming, sent)
        )
        const model = yield* OpenAi.make({ model: "gemma", baseUrl: server.baseUrl })
        const asked = request({
          messages: [
            { role: "system", text: "Be brief." },
            { role: "user", text: "Hello" },
            { role: "assistant", text: "Hi." },
            { role: "user", text: "Who are you?" }
          ]
        })
        yield* model.complete(asked)
        yield* model.complete(asked)
        const merged = [
          { role: "user", content: "Be brief.\n\nHello" },
          { role: "assistant", content: "Hi." },
          { role: "user", content: "Who are you?" }
        ]
        assert.deepStrictEqual(
          server.recorded.slice(1).map(({ body }) => body.messages),
          [merged, merged]
        )
        assert.strictEqual(server.recorded[0]?.body.messages.length, 4)
      })
    )
  }

  it.effect("as strict keeps strict forms, however many others were refused", () =>
    Effect.gen(function* () {
      const server = yield* serve((response, incoming, sent) =>
        sent.body.response_format?.json_schema?.strict === false
          ? reply(400, { error: { message: "strict: Input should be True" } })(response, incoming, sent)
          : reply(200, completion("{}"))(response, incoming, sent)
      )
      const model = yield* OpenAi.make({ model: "m", baseUrl: server.baseUrl })
      for (const title of ["a", "b", "c", "d"]) {
        yield* model.complete(withOutput({ type: "object", title, additionalProperties: { type: "string" } }))
      }
      yield* model.complete(withOutput(schema))
      assert.strictEqual(server.last().body.response_format.json_schema.strict, true)
      assert.strictEqual(server.recorded.length, 9)
    })
  )

  it.effect("is sent by its other name if it is the limit, from then on and in streams", () =>
    Effect.gen(function* () {
      const message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use another. canary"
      const server = yield* serve((response, incoming, sent) => {
        if (sent.body.max_tokens !== undefined)
          return reply(400, { error: { message, param: "max_tokens" } })(response, incoming, sent)
        if (sent.body.stream_options !== undefined)
          return reply(400, { error: { message: "no", param: "stream_options" } })(response, incoming, sent)
        if (sent.body.stream !== true) return reply(200, completion("fine"))(response, incoming, sent)
        const chunk = { choices: [{ index: 0, delta: { content: "fine" }, finish_reason: "stop" }] }
        return sse([data(chunk), data("[DONE]")])(response, incoming, sent)
      })
      const model = yield* OpenAi.make({ model: "house-alias", baseUrl: server.baseUrl })
      const asked = request({ sampling: { maxTokens: 9 } })
      yield* model.complete(asked)
      yield* model.complete(asked)
      const parts = yield* Stream.runCollect(model.stream(asked))
      assert.deepStrictEqual(
        parts.map(({ _tag }) => _tag),
        ["Text", "Done"]
      )
      yield* Stream.runDrain(model.stream(asked))
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => [body.max_tokens, body.max_completion_tokens, body.stream_options]),
        [
          [9, undefined, undefined],
          [undefined, 9, undefined],
          [undefined, 9, undefined],
          [undefined, 9, { include_usage: true }],
          [undefined, 9, undefined],
          [undefined, 9, undefined]
        ]
      )
    })
  )

  it.effect("fails if both names of the limit are refused, or its value is", () =>
    Effect.gen(function* () {
      const both = yield* serve((response, incoming, sent) =>
        reply(400, { error: { message: "no", param: sent.body.max_tokens ? "max_tokens" : "max_completion_tokens" } })(
          response,
          incoming,
          sent
        )
      )
      const large = yield* serve(reply(400, { error: { message: "max_tokens is too large", param: "max_tokens" } }))
      for (const [server, calls] of [[both, 2] as const, [large, 1] as const]) {
        const model = yield* OpenAi.make({ model: "house-alias", baseUrl: server.baseUrl })
        const error = yield* Effect.flip(model.complete(request({ sampling: { maxTokens: 9 } })))
        assert.deepStrictEqual([error.reason._tag, server.recorded.length], ["InvalidRequest", calls])
      }
    })
  )

  it.effect("fails if a message names nothing that was sent, and the message is not passed on", () =>
    Effect.gen(function* () {
      for (const message of [
        "Unsupported parameter: 'canary' is not supported",
        "The temperature of canary is wrong",
        "canary"
      ]) {
        const server = yield* serve(reply(400, { error: { message } }))
        const error = yield* Effect.flip(
          collect({ model: "m", baseUrl: server.baseUrl }, request({ sampling: everything }))
        )
        assert.deepStrictEqual(error.reason, {
          _tag: "InvalidRequest",
          message: "the request was refused as it is (400)"
        })
        assert.strictEqual(server.recorded.length, 1)
      }
    })
  )
})
