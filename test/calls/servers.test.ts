/** Servers that send calls in other ways than the vendors do. */
import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import type { Response, StreamPart } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { completion } from "../faults/chat.ts"
import { key } from "../faults/clean.ts"
import { sse } from "../faults/dialect.ts"
import { type Answer, reply, serve, stream } from "../faults/server.ts"
import { asking } from "./asking.ts"

const chunk = (delta: object, finish_reason: string | null = null) =>
  sse({ id: "chatcmpl-9", model: "house-1", choices: [{ index: 0, delta, finish_reason }] })
const end = sse("[DONE]")
const called = (...tool_calls: ReadonlyArray<object>) => chunk({ tool_calls })

/** A whole stream, with the pieces of each call put together. */
const read = (parts: Stream.Stream<StreamPart, unknown>) =>
  Effect.gen(function* () {
    const pieces = new Map<string, string>()
    let answer: Response | undefined
    yield* Stream.runForEach(parts, (part) =>
      Effect.sync(() => {
        if (part._tag === "Call") pieces.set(part.id, (pieces.get(part.id) ?? "") + part.delta)
        if (part._tag === "Done") answer = part.response
      })
    )
    assert.deepStrictEqual(
      [...pieces],
      (answer?.calls ?? []).map(({ id, params }) => [id, params] as const)
    )
    return answer ?? assert.fail("no answer")
  })

const chat = (answer: Answer) =>
  Effect.flatMap(serve(answer), ({ baseUrl }) => OpenAi.make({ model: "house-1", baseUrl, api: "chat" }))

const streamed = (...events: ReadonlyArray<string>) =>
  Effect.flatMap(chat(stream(events)), (provider) => read(provider.stream(asking())))

const whole = (tool_calls: unknown, finish = "tool_calls") =>
  Effect.flatMap(chat(reply(200, completion(null, finish, { tool_calls }))), (provider) => provider.complete(asking()))

const weather = { name: "weather", arguments: `{"city":"Ulm"}` }
const expected = { name: "weather", params: `{"city":"Ulm"}` }

describe("calls in chat completions of other servers", () => {
  it.effect("come at once, without any finish reason of their own", () =>
    Effect.gen(function* () {
      const found = yield* streamed(
        chunk({
          content: "Well",
          tool_calls: [
            { index: 0, id: "a", function: weather },
            { index: 1, id: "b", function: { name: "time_now" } }
          ]
        }),
        chunk({}, "stop"),
        end
      )
      assert.strictEqual(found.text, "Well")
      assert.deepStrictEqual(found.calls, [
        { id: "a", ...expected },
        { id: "b", name: "time_now", params: "{}" }
      ])
    })
  )

  it.effect("come in one chunk with the reason to stop", () =>
    Effect.gen(function* () {
      const { calls } = yield* streamed(
        chunk({ tool_calls: [{ index: 0, id: "a", function: weather }] }, "tool_calls"),
        end
      )
      assert.deepStrictEqual(calls, [{ id: "a", ...expected }])
    })
  )

  it.effect("come in pieces that alternate", () =>
    Effect.gen(function* () {
      const { calls } = yield* streamed(
        called({ index: 0, id: "a", function: { name: "weather", arguments: "" } }),
        called({ index: 1, id: "b", function: { name: "weather", arguments: `{"ci` } }),
        called({ index: 0, function: { arguments: `{"city":` } }),
        called({ index: 1, function: { arguments: `ty":"Bonn"}` } }),
        called({ index: 0, function: { arguments: `"Ulm"}` } }),
        chunk({}, "tool_calls"),
        end
      )
      assert.deepStrictEqual(calls, [
        { id: "a", ...expected },
        { id: "b", name: "weather", params: `{"city":"Bonn"}` }
      ])
    })
  )

  it.effect("have the same place, or none, and other ids", () =>
    Effect.gen(function* () {
      for (const index of [{ index: 0 }, {}]) {
        const { calls } = yield* streamed(
          called({ ...index, id: "a", type: "function", function: weather }),
          called({ ...index, id: "b", type: "function", function: weather }),
          chunk({}, "tool_calls"),
          end
        )
        assert.deepStrictEqual(calls, [
          { id: "a", ...expected },
          { id: "b", ...expected }
        ])
      }
    })
  )

  it.effect("repeat name and id in every piece", () =>
    Effect.gen(function* () {
      const { calls } = yield* streamed(
        called({ index: 0, id: "a", function: { name: "weather", arguments: `{"city":` } }),
        called({ index: 0, id: "a", function: { name: "weather", arguments: `"Ulm"}` } }),
        chunk({}, "tool_calls"),
        end
      )
      assert.deepStrictEqual(calls, [{ id: "a", ...expected }])
    })
  )

  it.effect("are distinguished by name if they have neither places nor ids", () =>
    Effect.gen(function* () {
      for (const index of [undefined, null]) {
        const { calls } = yield* streamed(
          called({ index, function: { name: "weather", arguments: `{"city":` } }),
          called({ index, function: { name: "", arguments: `"Ulm"}` } }),
          called({ index, function: { name: "weather", arguments: `{"city":` } }),
          called({ index, function: { arguments: `"Bonn"}` } }),
          called({ index, id: "c", function: { name: "time_now", arguments: "{" } }),
          called({ index, id: "c", function: { arguments: "}" } }),
          chunk({}, "tool_calls"),
          end
        )
        assert.deepStrictEqual(calls, [
          { id: "call_0chatcmpl9", ...expected },
          { id: "call_1chatcmpl9", name: "weather", params: `{"city":"Bonn"}` },
          { id: "c", name: "time_now", params: "{}" }
        ])
      }
      const { calls } = yield* streamed(
        called({ index: 0, function: { name: "weather", arguments: `{"city":` } }),
        called({ index: 0, function: { name: "weather", arguments: `"Ulm"}` } }),
        chunk({}, "tool_calls"),
        end
      )
      assert.deepStrictEqual(calls, [{ id: "call_0chatcmpl9", ...expected }])
    })
  )

  it.effect("are passed on from their names on, and only what is new of them", () =>
    Effect.gen(function* () {
      const provider = yield* chat(
        stream([
          called({ index: 0, id: "a", function: { arguments: `{"city"` } }),
          called({ index: 0, function: { arguments: `:` } }),
          called({ index: 0, function: { name: "weather", arguments: `"U` } }),
          called({ index: 0, function: { arguments: "" } }),
          called({ index: 0, function: { arguments: `lm"}` } }, { index: 1, id: "b", function: { name: "time_now" } }),
          called({ index: 1, function: { arguments: "" } }),
          chunk({}, "tool_calls"),
          end
        ])
      )
      const parts = yield* Stream.runCollect(provider.stream(asking()))
      assert.deepStrictEqual(parts.slice(0, -1), [
        { _tag: "Call", id: "a", name: "weather", delta: `{"city":"U` },
        { _tag: "Call", id: "a", name: "weather", delta: `lm"}` },
        { _tag: "Call", id: "b", name: "time_now", delta: "" },
        { _tag: "Call", id: "b", name: "time_now", delta: "{}" }
      ])
    })
  )

  it.effect("have no ids: those that they get differ, and name the answer", () =>
    Effect.gen(function* () {
      const { calls = [] } = yield* streamed(
        called({ index: 0, function: weather }, { index: 1, id: "", function: weather }),
        chunk({}, "tool_calls"),
        end
      )
      assert.deepStrictEqual(
        calls.map(({ id }) => id),
        ["call_0chatcmpl9", "call_1chatcmpl9"]
      )
      const once = yield* whole([{ function: weather }, { function: weather }])
      assert.deepStrictEqual(
        once.calls?.map(({ id }) => id),
        ["call_0chatcmpl1", "call_1chatcmpl1"]
      )
    })
  )

  it.effect("have the same id: those that they get differ", () =>
    Effect.gen(function* () {
      const once = yield* whole([
        { id: "weather", function: weather },
        { id: "weather", function: weather }
      ])
      const { calls } = yield* streamed(
        called(
          { index: 0, id: "weather", function: weather },
          { index: 1, id: "weather", function: { name: "weather" } }
        ),
        called({ index: 1, id: "weather", function: weather }),
        chunk({}, "tool_calls"),
        end
      )
      for (const found of [once.calls, calls]) {
        assert.deepStrictEqual(found, [
          { id: "weather", ...expected },
          { id: "weather_1", ...expected }
        ])
      }
    })
  )

  it.effect("have an object for arguments, null, or nothing", () =>
    Effect.gen(function* () {
      const { calls } = yield* whole(
        [
          { id: "a", type: "function", function: { name: "weather", arguments: { city: "Ulm" } } },
          { id: "b", type: "function", function: { name: "time_now", arguments: null } },
          { id: "c", type: "function", function: { name: "time_now", arguments: "" } },
          { id: "d", type: "custom", custom: { name: "x", input: "y" } }
        ],
        "stop"
      )
      assert.deepStrictEqual(calls, [
        { id: "a", ...expected },
        { id: "b", name: "time_now", params: "{}" },
        { id: "c", name: "time_now", params: "{}" }
      ])
    })
  )

  it.effect("keep what the model wrote, also if it is no JSON", () =>
    Effect.gen(function* () {
      const { calls } = yield* whole([{ id: "a", function: { name: "weather", arguments: "{city: Ulm" } }])
      assert.deepStrictEqual(calls, [{ id: "a", name: "weather", params: "{city: Ulm" }])
    })
  )

  it.effect("are cut if the limit was reached in their parameters, whatever the server says", () =>
    Effect.gen(function* () {
      const cut = [{ index: 0, id: "a", function: { name: "weather", arguments: `{"city":"Ul` } }]
      const spent = sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 7 } })
      const pieces = stream([chunk({ tool_calls: cut }), chunk({}, "tool_calls"), spent, end])
      for (const maxTokens of [7, 8]) {
        const request = asking({ sampling: { maxTokens } })
        const [once, provider] = yield* Effect.all([
          chat(reply(200, completion(null, "tool_calls", { tool_calls: cut }))),
          chat(pieces)
        ])
        const tags = yield* Effect.all([
          Effect.match(once.complete(request), { onSuccess: () => "calls", onFailure: ({ reason }) => reason._tag }),
          Effect.match(Stream.runDrain(provider.stream(request)), {
            onSuccess: () => "calls",
            onFailure: ({ reason }) => reason._tag
          })
        ])
        assert.deepStrictEqual(tags, maxTokens === 7 ? ["Truncated", "Truncated"] : ["calls", "calls"])
      }
    })
  )

  it.effect("are no calls without a name, after the end, at the limit, or of another form", () =>
    Effect.gen(function* () {
      const failing = <A>(call: Effect.Effect<A, unknown, any>) =>
        Effect.map(Effect.flip(call), (error: any) => error.reason._tag as string)
      const piece = called({ index: 0, id: "a", function: weather })
      const tags = yield* Effect.all([
        failing(whole([{ id: "a", function: { arguments: "{}" } }])),
        failing(whole("weather")),
        failing(whole([], "tool_calls")),
        failing(whole([{ id: "a", function: weather }], "length")),
        failing(streamed(called({ index: 0, id: "a", function: { arguments: "{}" } }), chunk({}, "tool_calls"), end)),
        failing(streamed(piece, chunk({}, "tool_calls"), piece, end)),
        failing(streamed(piece, chunk({}, "length"), end)),
        failing(streamed(piece, end))
      ])
      assert.deepStrictEqual(tags, [
        "InvalidResponse",
        "InvalidResponse",
        "InvalidResponse",
        "Truncated",
        "InvalidResponse",
        "InvalidResponse",
        "Truncated",
        "InvalidResponse"
      ])
    })
  )
})

describe("functions at OpenAI itself", () => {
  it.effect("are strict if their parameters follow the rules as they are", () =>
    Effect.gen(function* () {
      for (const api of ["chat", "responses"] as const) {
        const server = yield* serve(reply(500, {}))
        const redirected: typeof fetch = (input, init) =>
          fetch(new Request(input).url.replace("https://api.openai.com/v1", server.baseUrl), init)
        const provider = yield* OpenAi.make({ model: "gpt-5-mini", apiKey: key, api, fetch: redirected })
        yield* Effect.flip(provider.complete(asking()))
        const [weatherSent, timeSent] = server.last().body.tools.map((tool: any) => tool.function ?? tool)
        assert.isTrue(weatherSent.strict)
        assert.isNotTrue(timeSent.strict)
      }
    })
  )
})

const responsesAnswer = (events: ReadonlyArray<object & { readonly type: string }>) =>
  stream(events.map((one) => sse(one, one.type)))

const item = (rest: object) => ({ type: "function_call", id: "fc", call_id: "a", name: "weather", ...rest })
const completed = (output: ReadonlyArray<object>) => ({
  type: "response.completed",
  response: { id: "r", model: "m", status: "completed", output }
})

describe("calls over the Responses API of other servers", () => {
  const asks = (...events: ReadonlyArray<object & { readonly type: string }>) =>
    Effect.flatMap(serve(responsesAnswer(events)), ({ baseUrl }) =>
      Effect.flatMap(OpenAi.make({ model: "house-1", baseUrl, api: "responses" }), (provider) =>
        read(provider.stream(asking()))
      )
    )
  const added = { type: "response.output_item.added", output_index: 0, item: item({ arguments: "" }) }
  const delta = { type: "response.function_call_arguments.delta", output_index: 0, delta: `{"city":"Ulm"}` }
  const done = { type: "response.output_item.done", output_index: 0, item: item({ arguments: `{"city":"Ulm"}` }) }
  const last = completed([item({ arguments: `{"city":"Ulm"}`, status: "completed" })])

  it.effect("come in pieces, only when they are done, only at the end, or not at the end", () =>
    Effect.gen(function* () {
      for (const events of [[added, delta, last], [added, done, last], [last], [added, delta, done, completed([])]]) {
        const { calls } = yield* asks(...events)
        assert.deepStrictEqual(calls, [{ id: "a", ...expected }])
      }
    })
  )

  it.effect("have an object for arguments, whole or at the end of a stream", () =>
    Effect.gen(function* () {
      const object = { arguments: { city: "Ulm" } }
      const body = { id: "r", model: "m", status: "completed", output: [item(object)] }
      const { baseUrl } = yield* serve(reply(200, body))
      const provider = yield* OpenAi.make({ model: "house-1", baseUrl, api: "responses" })
      assert.deepStrictEqual((yield* provider.complete(asking())).calls, [{ id: "a", ...expected }])
      const ended = { type: "response.function_call_arguments.done", output_index: 0, ...object }
      for (const events of [
        [added, ended, completed([item(object)])],
        [added, { type: "response.output_item.done", output_index: 0, item: item(object) }, completed([item(object)])],
        [completed([item(object)])]
      ]) {
        assert.deepStrictEqual((yield* asks(...events)).calls, [{ id: "a", ...expected }])
      }
    })
  )

  it.effect("fail if their pieces differ from the whole, or have no beginning", () =>
    Effect.gen(function* () {
      const other = completed([item({ arguments: `{"city":"Bonn"}` })])
      for (const events of [
        [added, delta, other],
        [added, delta, completed([])],
        [delta, last],
        [{ ...added, item: item({ call_id: undefined }) }, last],
        [completed([item({ name: "" })])]
      ]) {
        const error: any = yield* Effect.flip(asks(...events))
        assert.strictEqual(error.reason._tag, "InvalidResponse")
      }
      const cut: any = yield* Effect.flip(asks(completed([item({ arguments: `{"ci`, status: "incomplete" })])))
      assert.strictEqual(cut.reason._tag, "Truncated")
    })
  )

  it.effect("keep the place of messages and thoughts between them", () =>
    Effect.gen(function* () {
      const thought = (n: number) => ({
        type: "reasoning",
        id: `rs_${n}`,
        summary: [],
        content: [{ type: "reasoning_text", text: `${n}` }]
      })
      const said = (text: string, rest: object = {}) => ({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text }],
        ...rest
      })
      const output = [
        thought(1),
        said("First.", { phase: "commentary" }),
        thought(2),
        item({ arguments: "{}" }),
        said("So."),
        thought(3),
        item({ call_id: "b", arguments: "{}" })
      ]
      const server = yield* serve(reply(200, { id: "r", status: "completed", output }))
      const provider = yield* OpenAi.make({ model: "house-1", baseUrl: server.baseUrl, api: "responses" })
      const { calls = [], carry, text } = yield* provider.complete(asking())
      assert.strictEqual(text, "So.")
      const results = calls.map(({ id, name }) => ({ id, name, text: "fine", isFailure: false }))
      yield* provider.complete(
        asking({
          messages: [
            { role: "user", text: "Go" },
            { role: "assistant", text, calls, ...(carry && { carry }) },
            { role: "tool", text: "", results }
          ]
        })
      )
      const sent = server
        .last()
        .body.input.slice(1, -2)
        .map((one: any) => one.content?.[0]?.text ?? one.content ?? one.call_id)
      assert.deepStrictEqual(sent, ["1", "First.", "2", "a", "So.", "3", "b"])
    })
  )
})

describe("calls over the Messages API of other servers", () => {
  const usage = { input_tokens: 3, output_tokens: 4 }
  const start = { type: "message_start", message: { id: "msg_1", model: "m", usage } }
  const open = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
  const json = (index: number, partial_json: unknown) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json }
  })
  const close = (index: number) => ({ type: "content_block_stop", index })
  const ended = [{ type: "message_delta", delta: { stop_reason: "tool_use" }, usage }, { type: "message_stop" }]
  const tool = { type: "tool_use", id: "a", name: "weather" }
  const ask = (...events: ReadonlyArray<{ readonly type: string }>) =>
    Effect.flatMap(serve(stream(events.map((one) => sse(one, one.type)))), ({ host }) =>
      Effect.flatMap(Anthropic.make({ model: "m", baseUrl: `http://${host}` }), (provider) =>
        read(provider.stream(asking()))
      )
    )

  it.effect("come at once, in pieces, or without input", () =>
    Effect.gen(function* () {
      const { calls } = yield* ask(
        start,
        open(0, { ...tool, input: { city: "Ulm" } }),
        close(0),
        open(1, { ...tool, id: "b", input: {} }),
        json(1, ""),
        json(1, `{"city": `),
        json(1, `"Ulm"}`),
        close(1),
        open(2, { ...tool, id: "c", name: "time_now" }),
        close(2),
        open(3, { ...tool, id: "d", input: {} }),
        json(3, { city: "Ulm" }),
        json(3, null),
        close(3),
        open(4, { ...tool, id: "e", name: "time_now", input: "" }),
        close(4),
        ...ended
      )
      assert.deepStrictEqual(calls, [
        { id: "a", ...expected },
        { id: "b", name: "weather", params: `{"city": "Ulm"}` },
        { id: "c", name: "time_now", params: "{}" },
        { id: "d", ...expected },
        { id: "e", name: "time_now", params: "{}" }
      ])
    })
  )

  it.effect("fail if a block has no end or no name", () =>
    Effect.gen(function* () {
      for (const events of [
        [start, open(0, { ...tool, input: {} }), json(0, "{}"), ...ended],
        [start, open(0, { type: "tool_use", id: "a" }), close(0), ...ended],
        [start, ...ended]
      ]) {
        const error: any = yield* Effect.flip(ask(...events))
        assert.strictEqual(error.reason._tag, "InvalidResponse")
      }
    })
  )

  it.effect("go back as an object even if the model wrote no JSON, and with ids that the API accepts", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(500, {}))
      const provider = yield* Anthropic.make({ model: "m", baseUrl: `http://${server.host}` })
      yield* Effect.flip(
        provider.complete(
          asking({
            messages: [
              { role: "assistant", text: "", calls: [{ id: "functions.weather:0", name: "weather", params: "{city" }] },
              {
                role: "tool",
                text: "",
                results: [{ id: "functions.weather:0", name: "weather", text: " ", isFailure: true }]
              },
              { role: "user", text: "And now?" }
            ]
          })
        )
      )
      const [, assistant, results] = server.last().body.messages
      assert.deepStrictEqual(assistant.content, [
        { type: "tool_use", id: "functions_weather_0", name: "weather", input: { INVALID_JSON: "{city" } }
      ])
      assert.deepStrictEqual(
        results.content.map(({ text, tool_use_id }: any) => text ?? tool_use_id),
        ["functions_weather_0", "And now?"]
      )
      assert.notProperty(results.content[0], "content")
    })
  )
})
