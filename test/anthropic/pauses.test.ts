/** Turns that a model pauses over the Messages API: they go on until their end, as one answer. */
import { assert, describe, it } from "@effect/vitest"
import { Anthropic } from "cogito/anthropic"
import type { Shape } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { key } from "../faults/clean.ts"
import { sse } from "../faults/dialect.ts"
import { reply, serve, stream } from "../faults/server.ts"
import { asking } from "../calls/asking.ts"

interface Block {
  readonly begun: object
  readonly deltas?: ReadonlyArray<object>
  readonly whole: object
}

const text = (said: string): Block => ({
  begun: { type: "text", text: "" },
  deltas: [{ type: "text_delta", text: said }],
  whole: { type: "text", text: said }
})
const search: Block = {
  begun: { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
  deltas: [{ type: "input_json_delta", partial_json: `{"query":"Ulm"}` }],
  whole: { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "Ulm" } }
}
const thought: Block = {
  begun: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    { type: "thinking_delta", thinking: "Hm." },
    { type: "signature_delta", signature: "sig" }
  ],
  whole: { type: "thinking", thinking: "Hm.", signature: "sig" }
}
const call: Block = {
  begun: { type: "tool_use", id: "a", name: "weather", input: {} },
  deltas: [{ type: "input_json_delta", partial_json: `{"city":"Ulm"}` }],
  whole: { type: "tool_use", id: "a", name: "weather", input: { city: "Ulm" } }
}

const usage = { input_tokens: 10, output_tokens: 5 }

const answer = (stop_reason: string, blocks: ReadonlyArray<Block>, isStream: boolean) =>
  isStream
    ? stream(
        [
          { type: "message_start", message: { id: "msg_1", model: "m", usage } },
          ...blocks.flatMap(({ begun, deltas = [] }, index) => [
            { type: "content_block_start", index, content_block: begun },
            ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
            { type: "content_block_stop", index }
          ]),
          { type: "message_delta", delta: { stop_reason }, usage },
          { type: "message_stop" }
        ].map((event) => sse(event, event.type))
      )
    : reply(200, { id: "msg_1", model: "m", stop_reason, content: blocks.map(({ whole }) => whole), usage })

const ways = [
  [
    "whole",
    (provider: Shape) => Effect.map(provider.complete(asking()), (response) => ({ response, texts: response.text }))
  ],
  [
    "streamed",
    (provider: Shape) =>
      Effect.map(Stream.runCollect(provider.stream(asking())), (parts) => {
        const last = parts.at(-1)
        assert.strictEqual(parts.filter(({ _tag }) => _tag === "Done").length, 1)
        return {
          response: last?._tag === "Done" ? last.response : assert.fail("no answer"),
          texts: parts.flatMap((part) => (part._tag === "Text" ? [part.delta] : [])).join("")
        }
      })
  ]
] as const

for (const [way, ask] of ways) {
  describe(`a turn that is paused, ${way}`, () => {
    it.effect("goes on with all that it has, and is one answer", () =>
      Effect.gen(function* () {
        const turns = [
          ["pause_turn", [text("One, "), search]],
          ["pause_turn", [thought]],
          ["tool_use", [text("two."), call]]
        ] as const
        let n = 0
        const server = yield* serve((response, request, asked) => {
          const [stop, blocks] = turns[n++]!
          answer(stop, blocks, asked.body.stream === true)(response, request, asked)
        })
        const provider = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: `http://${server.host}` })
        const { response, texts } = yield* ask(provider)
        assert.strictEqual(response.text, "One, two.")
        assert.strictEqual(texts, "One, two.")
        assert.deepStrictEqual(response.calls, [{ id: "a", name: "weather", params: `{"city":"Ulm"}` }])
        assert.deepStrictEqual(response.usage, { inputTokens: 30, outputTokens: 15 })
        const [first, second, third] = server.recorded.map(({ body }) => body.messages)
        assert.deepStrictEqual(second, [...first, { role: "assistant", content: [text("One, ").whole, search.whole] }])
        assert.deepStrictEqual(third.at(-1).content, [text("One, ").whole, search.whole, thought.whole])
      })
    )

    it.effect("goes on with every source that its texts cite, and every part of its thoughts", () =>
      Effect.gen(function* () {
        const sources = ["a", "b"].map((title) => ({ type: "web_search_result_location", title }))
        const citing = sources.map((citation) => ({ type: "citations_delta", citation }))
        const said = (text: string) => ({ type: "text_delta", text })
        const paused: ReadonlyArray<Block> = [
          {
            begun: { type: "thinking", thinking: "H", signature: "" },
            deltas: [
              { type: "thinking_delta", thinking: "m." },
              { type: "signature_delta", signature: "sig" },
              // a proxy may send an event twice
              { type: "signature_delta", signature: "sig" }
            ],
            whole: { type: "thinking", thinking: "Hm.", signature: "sig" }
          },
          {
            begun: { type: "text", text: "", citations: null },
            deltas: [said("It "), ...citing, said("rains")],
            whole: { type: "text", text: "It rains", citations: sources }
          },
          {
            begun: { type: "text", text: ",", citations: sources.slice(0, 1) },
            deltas: citing.slice(1),
            whole: { type: "text", text: ",", citations: sources }
          },
          text(" too.")
        ]
        let n = 0
        const server = yield* serve((response, request, asked) => {
          const isStream = asked.body.stream === true
          const given =
            n++ === 0 ? answer("pause_turn", paused, isStream) : answer("end_turn", [text(" So.")], isStream)
          given(response, request, asked)
        })
        const provider = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: `http://${server.host}` })
        const { response, texts } = yield* ask(provider)
        assert.deepStrictEqual([response.text, texts], ["It rains, too. So.", "It rains, too. So."])
        assert.deepStrictEqual(
          server.last().body.messages.at(-1).content,
          paused.map(({ whole }) => whole)
        )
      })
    )

    it.effect("fails if it is paused without end, with all that was billed", () =>
      Effect.gen(function* () {
        const server = yield* serve((response, request, asked) =>
          answer("pause_turn", [text("x")], asked.body.stream === true)(response, request, asked)
        )
        const provider = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: `http://${server.host}` })
        const error = yield* Effect.flip(ask(provider))
        assert.strictEqual(error.reason._tag, "InvalidResponse")
        assert.deepStrictEqual(error.usage, { inputTokens: 110, outputTokens: 55 })
        assert.strictEqual(server.recorded.length, 11)
      })
    )

    it.effect("fails with what was billed before, if a later part fails", () =>
      Effect.gen(function* () {
        let n = 0
        const server = yield* serve((response, request, asked) =>
          n++ === 0
            ? answer("pause_turn", [text("x")], asked.body.stream === true)(response, request, asked)
            : answer("max_tokens", [text("y")], asked.body.stream === true)(response, request, asked)
        )
        const provider = yield* Anthropic.make({ model: "m", apiKey: key, baseUrl: `http://${server.host}` })
        const error = yield* Effect.flip(ask(provider))
        assert.strictEqual(error.reason._tag, "Truncated")
        assert.deepStrictEqual(error.usage, { inputTokens: 20, outputTokens: 10 })
      })
    )
  })
}
