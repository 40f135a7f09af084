/** Tools over the bridges to `effect/ai` and from it. */
import { assert, describe, it } from "@effect/vitest"
import type { Carry, Request, StreamPart } from "cogito/Provider"
import { EffectAi } from "cogito/effect-ai"
import { Testing } from "cogito/testing"
import { Effect, Schema, Stream } from "effect"
import { Chat, LanguageModel, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import { Answer } from "../../src/effect-ai/answer.ts"
import { toParts } from "../../src/effect-ai/parts.ts"
import { asking, calls, followed } from "../calls/asking.ts"

const Weather = Tool.make("weather", {
  description: "The weather of a city",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ celsius: Schema.Finite })
})
const kit = Toolkit.make(Weather)
const asked: Array<string> = []
const handlers = kit.toLayer({
  weather: ({ city }) => Effect.sync(() => (asked.push(city), { celsius: 12 }))
})

const carry: Carry = { provider: "scripted", model: "script", data: [{ item: "opaque" }, { call: "call_1" }] }
const calling = () => Testing.calls([{ name: "weather", params: { city: "Ulm" } }], { carry })

describe("a call in an answer of effect/ai", () => {
  const caller = { name: "house", model: "house-1" }

  it("takes the given or the streamed parameters, and an empty object without either", () => {
    for (const [given, begun, params] of [
      [undefined, "", "{}"],
      [null, "", "{}"],
      [{}, "", "{}"],
      [{ a: 1 }, "", `{"a":1}`],
      [{ a: 1 }, " ", `{"a":1}`],
      [undefined, `{"a":2}`, `{"a":2}`]
    ] as const) {
      const answer = new Answer(caller, true)
      if (begun !== "") answer.grow("1", "look", begun)
      const parts = answer.call({ id: "1", name: "look", params: given, metadata: {} })
      assert.deepStrictEqual(parts, begun.trim() === "" ? [{ _tag: "Call", id: "1", name: "look", delta: params }] : [])
      assert.deepStrictEqual(answer.response.calls, [{ id: "1", name: "look", params }])
    }
  })
})

describe("a provider as a language model, with tools", () => {
  for (const way of ["whole", "streamed"] as const) {
    it.effect(`is sent the tools, the results of its calls, and what it carried, ${way}`, () =>
      Effect.gen(function* () {
        asked.length = 0
        const script = Testing.scripted([calling(), "It rains."], { pieceLength: 5 })
        const model = yield* EffectAi.toLanguageModel(script.provider)
        yield* Effect.gen(function* () {
          const chat = yield* Chat.empty
          const toolkit = yield* kit
          const say = (prompt: string | []) =>
            way === "whole"
              ? Effect.map(chat.generateText({ prompt, toolkit }), ({ text }) => text)
              : Stream.runFold(
                  chat.streamText({ prompt, toolkit }),
                  () => "",
                  (text, part) => (part.type === "text-delta" ? text + part.delta : text)
                )
          assert.strictEqual(yield* say("How is it in Ulm?"), "")
          assert.strictEqual(yield* say([]), "It rains.")
        }).pipe(Effect.provide(handlers), Effect.provideService(LanguageModel.LanguageModel, model))
        assert.deepStrictEqual(asked, ["Ulm"])
        const [first, second] = script.requests
        assert.strictEqual(first?.toolChoice, "auto")
        assert.strictEqual(first?.tools?.[0]?.description, "The weather of a city")
        assert.deepStrictEqual(first?.tools?.[0]?.parameters["required"], ["city"])
        assert.deepStrictEqual(second?.messages.slice(1), [
          {
            role: "assistant",
            text: "",
            calls: [{ id: "call_1", name: "weather", params: `{"city":"Ulm"}` }],
            carry
          },
          {
            role: "tool",
            text: "",
            results: [{ id: "call_1", name: "weather", isFailure: false, text: `{"celsius":12}` }]
          }
        ])
      })
    )
  }

  it.effect("is sent the texts that a result has for the model in its place, and whether it is a failure", () =>
    Effect.gen(function* () {
      const script = Testing.scripted(["It rains.", "It rains."])
      const model = yield* EffectAi.toLanguageModel(script.provider)
      const result = { type: "tool-result", id: "1", name: "weather", result: { celsius: 12 } } as const
      const text = (words: string) => ({ type: "text", text: words }) as const
      const asking = (...parts: ReadonlyArray<Prompt.ToolResultPartEncoded>) =>
        model.generateText({
          prompt: Prompt.make([
            { role: "assistant", content: [{ type: "tool-call", id: "1", name: "weather", params: {} }] },
            { role: "tool", content: parts }
          ])
        })
      yield* asking({ ...result, isFailure: false, modelOutput: [text("12 °C"), text("and rain")] })
      yield* asking({ ...result, isFailure: true })
      assert.deepStrictEqual(
        script.requests.map(({ messages }) => messages.at(-1)?.results),
        [
          [{ id: "1", name: "weather", isFailure: false, text: "12 °C\nand rain" }],
          [{ id: "1", name: "weather", isFailure: true, text: `{"celsius":12}` }]
        ]
      )
    })
  )

  it.effect("is sent whether it must call one of some tools", () =>
    Effect.gen(function* () {
      const script = Testing.scripted([calling(), calling(), calling()])
      const model = yield* EffectAi.toLanguageModel(script.provider)
      for (const toolChoice of [
        { mode: "required", oneOf: ["weather"] },
        { mode: "auto", oneOf: ["weather"] },
        { oneOf: ["weather"] }
      ] as const) {
        yield* model.generateText({ prompt: "a", toolkit: kit, toolChoice, disableToolCallResolution: true })
      }
      assert.deepStrictEqual(
        script.requests.map(({ toolChoice }) => toolChoice),
        ["required", "auto", "auto"]
      )
    })
  )

  it.effect("streams its reasoning beside its text, each once begun and once ended", () =>
    Effect.gen(function* () {
      const { provider } = Testing.scripted(["Hello"])
      const done = yield* Stream.runCollect(
        provider.stream({ ...asking(), tools: [] }).pipe(Stream.filter((part) => part._tag === "Done"))
      )
      const streamOf = (...parts: ReadonlyArray<StreamPart>) =>
        Effect.gen(function* () {
          const stream = () => Stream.make(...parts, ...done)
          const model = yield* EffectAi.toLanguageModel({ ...provider, stream })
          const found = yield* Stream.runCollect(model.streamText({ prompt: "a" }))
          return found.map((part) => ("delta" in part ? `${part.type} ${part.delta}` : part.type)).slice(0, -2)
        })
      const text = (delta: string): StreamPart => ({ _tag: "Text", delta })
      const reasoning = (delta: string): StreamPart => ({ _tag: "Reasoning", delta })
      assert.deepStrictEqual(yield* streamOf(reasoning("so "), reasoning("it is"), text("Hel"), text("lo")), [
        "text-start",
        "reasoning-start",
        "reasoning-delta so ",
        "reasoning-delta it is",
        "text-delta Hel",
        "text-delta lo",
        "reasoning-end",
        "text-end"
      ])
      assert.deepStrictEqual(yield* streamOf(text("Hello")), ["text-start", "text-delta Hello", "text-end"])
    })
  )

  it.effect("ends with calls, and streams their parameters", () =>
    Effect.gen(function* () {
      const { provider } = Testing.scripted([calling(), calling()], { pieceLength: 8 })
      const model = yield* EffectAi.toLanguageModel(provider)
      const options = { prompt: "a", toolkit: kit, disableToolCallResolution: true } as const
      const whole = yield* model.generateText(options)
      assert.strictEqual(whole.finishReason, "tool-calls")
      assert.deepStrictEqual(
        whole.toolCalls.map(({ params }) => params),
        [{ city: "Ulm" }]
      )
      const parts = yield* Stream.runCollect(model.streamText(options))
      assert.deepStrictEqual(
        parts.map((part) => (part.type === "tool-params-delta" ? part.delta : part.type)),
        [
          "text-start",
          "tool-params-start",
          `{"city":`,
          `"Ulm"}`,
          "text-end",
          "tool-params-end",
          "tool-call",
          "response-metadata",
          "finish"
        ]
      )
    })
  )
})

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } } as const
const end = { type: "finish", reason: "tool-calls", usage } as const
const signed = { metadata: { vendor: { signature: "sig" } } }
const call = {
  type: "tool-call",
  id: "a",
  name: "weather",
  params: { city: "Ulm" },
  metadata: { vendor: { item: "fc_1" } }
} as const

/** A model of `effect/ai` that gives these parts at first, and then a text. */
const modelOf = (parts: ReadonlyArray<Response.PartEncoded>, streamed: ReadonlyArray<Response.StreamPartEncoded>) =>
  Effect.gen(function* () {
    const options: Array<LanguageModel.ProviderOptions> = []
    const text: ReadonlyArray<Response.PartEncoded> = [
      { type: "text", text: "It rains." },
      { type: "finish", reason: "stop", usage }
    ]
    const model = yield* LanguageModel.make({
      generateText: (one) => Effect.sync(() => [...(options.push(one) === 1 ? parts : text)]),
      streamText: (one) => Stream.suspend(() => Stream.fromIterable(options.push(one) === 1 ? streamed : []))
    })
    return { options, provider: EffectAi.fromLanguageModel(model, { name: "house", model: "house-1" }) }
  })

const whole = [{ type: "reasoning", text: "hm", ...signed }, call, end] as const
const streamed: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "hm" },
  { type: "reasoning-end", id: "r", ...signed },
  { type: "tool-params-start", id: "a", name: "weather" },
  { type: "tool-params-delta", id: "a", delta: `{"city":` },
  { type: "tool-params-delta", id: "a", delta: ` "Ulm"}` },
  { type: "tool-params-end", id: "a" },
  call,
  end
]

const dones = (parts: ReadonlyArray<StreamPart>) =>
  parts.flatMap((part) => (part._tag === "Done" ? [part.response] : []))

describe("a language model as a provider, with tools", () => {
  it.effect("is sent the tools as a toolkit, and what it reasoned with the results", () =>
    Effect.gen(function* () {
      const { options, provider } = yield* modelOf(whole, streamed)
      const first = yield* provider.complete(asking({ toolChoice: { tool: "weather" } }))
      assert.deepStrictEqual(first.calls, [{ id: "a", name: "weather", params: `{"city":"Ulm"}` }])
      assert.strictEqual(first.carry?.provider, "house")
      assert.deepStrictEqual(options[0]?.toolChoice, { tool: "weather" })
      assert.deepStrictEqual(
        options[0]?.tools.map((tool) => [tool.name, Tool.getDescription(tool), Tool.getJsonSchema(tool)["type"]]),
        [
          ["weather", "The weather of a city", "object"],
          ["time_now", "The time", "object"]
        ]
      )
      const { text } = yield* provider.complete(asking({ messages: followed(first) }))
      assert.strictEqual(text, "It rains.")
      const [, , assistant, tool] = options[1]?.prompt.content ?? []
      const parts = Array.isArray(assistant?.content) ? assistant.content : []
      assert.deepStrictEqual(
        parts.map((part: any) => [part.type, part.text ?? part.params, part.options]),
        [
          ["reasoning", "hm", { vendor: { signature: "sig" } }],
          ["tool-call", { city: "Ulm" }, { vendor: { item: "fc_1" } }]
        ]
      )
      const [result]: ReadonlyArray<any> = Array.isArray(tool?.content) ? tool.content : []
      assert.strictEqual(result.result, "12 °C")
    })
  )

  it.effect("is sent which of the results are failures", () =>
    Effect.gen(function* () {
      for (const isFailure of [false, true]) {
        const { options, provider } = yield* modelOf(whole, streamed)
        const messages = followed(yield* provider.complete(asking())).map(({ results, ...message }) => ({
          ...message,
          ...(results === undefined ? {} : { results: results.map((one) => ({ ...one, isFailure })) })
        }))
        yield* provider.complete(asking({ messages }))
        const tool = options[1]?.prompt.content.find(({ role }) => role === "tool")
        const [result]: ReadonlyArray<any> = Array.isArray(tool?.content) ? tool.content : []
        assert.deepInclude(result, { type: "tool-result", name: "weather", isFailure })
      }
    })
  )

  it.effect("streams its calls and its reasoning, and carries the same", () =>
    Effect.gen(function* () {
      const { provider } = yield* modelOf(whole, streamed)
      const parts = yield* Stream.runCollect(provider.stream(asking()))
      assert.deepStrictEqual(
        parts.map((part) => (part._tag === "Done" ? "" : part.delta)),
        ["hm", "", `{"city":`, ` "Ulm"}`, ""]
      )
      assert.deepStrictEqual(
        parts.flatMap((part) => (part._tag === "Call" ? [part.name] : [])),
        ["weather", "weather", "weather"]
      )
      const [response] = dones(parts)
      assert.deepStrictEqual(response?.calls, [{ id: "a", name: "weather", params: `{"city": "Ulm"}` }])
      const other = yield* modelOf(whole, streamed)
      const once = yield* other.provider.complete(asking())
      assert.deepStrictEqual(response?.carry, once.carry)
    })
  )

  it.effect("carries the metadata of all parts of what it reasoned, whoever gave it", () =>
    Effect.gen(function* () {
      const early = { gateway: { route: "r_1" }, vendor: { item: "rs_1", signature: "begun" } }
      const [, delta, ...rest] = streamed
      const { provider } = yield* modelOf(whole, [
        { type: "reasoning-start", id: "r", metadata: early },
        ...(delta === undefined ? [] : [delta]),
        ...rest
      ])
      const [response] = dones(yield* Stream.runCollect(provider.stream(asking())))
      const metadata = { gateway: { route: "r_1" }, vendor: { item: "rs_1", signature: "sig" } }
      const other = yield* modelOf([{ type: "reasoning", text: "hm", metadata }, call, end], [])
      assert.deepStrictEqual(response?.carry, (yield* other.provider.complete(asking())).carry)
    })
  )

  it.effect("never returns a call that is cut off or has no end", () =>
    Effect.gen(function* () {
      const cut = { ...end, reason: "length" } as const
      const cases = [
        [[call, cut], [...streamed.slice(0, -1), cut], "Truncated"],
        [[end], [...streamed.slice(0, -2), end], "InvalidResponse"],
        [[call], streamed.slice(0, -1), "InvalidResponse"]
      ] as const
      // a text beside it does not make up for a call without end
      const text: ReadonlyArray<Response.StreamPartEncoded> = [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: "I look." },
        { type: "text-end", id: "t" }
      ]
      const { provider: beside } = yield* modelOf([], [...text, ...streamed.slice(3, 5), { ...end, reason: "stop" }])
      const unended = yield* Effect.flip(Stream.runDrain(beside.stream(asking())))
      assert.strictEqual(unended.reason._tag, "InvalidResponse")
      for (const [parts, pieces, tag] of cases) {
        const error = yield* Effect.flatMap(modelOf(parts, pieces), ({ provider }) =>
          Effect.flip(provider.complete(asking()))
        )
        assert.strictEqual(error.reason._tag, tag)
        const streamedError = yield* Effect.flatMap(modelOf(parts, pieces), ({ provider }) =>
          Effect.flip(Stream.runDrain(provider.stream(asking())))
        )
        assert.include([tag, "Truncated"], streamedError.reason._tag)
      }
    })
  )

  it.effect("leaves out calls that the model's provider carried out itself, whole and streamed", () =>
    Effect.gen(function* () {
      const own = { ...call, id: "b", providerExecuted: true } as const
      const parts: ReadonlyArray<Response.StreamPartEncoded> = [
        { type: "tool-params-start", id: "b", name: "weather", providerExecuted: true },
        { type: "tool-params-delta", id: "b", delta: `{"city": "Ulm"}` },
        { type: "tool-params-end", id: "b" },
        own,
        call,
        end
      ]
      const expected = [{ id: "a", name: "weather", params: `{"city":"Ulm"}` }]
      const { provider } = yield* modelOf([own, call, end], parts)
      assert.deepStrictEqual((yield* provider.complete(asking())).calls, expected)
      const streaming = yield* modelOf([], parts)
      const given = yield* Stream.runCollect(streaming.provider.stream(asking()))
      assert.deepStrictEqual(dones(given)[0]?.calls, expected)
      assert.deepStrictEqual(
        given.flatMap((part) => (part._tag === "Call" ? [part.id] : [])),
        ["a"]
      )
    })
  )

  it.effect("ignores calls if the request has no tools", () =>
    Effect.gen(function* () {
      const { tools: _, ...request }: Request = asking()
      const { provider } = yield* modelOf([{ type: "text", text: "Well" }, call, { ...end, reason: "stop" }], [])
      const response = yield* provider.complete(request)
      assert.strictEqual(response.text, "Well")
      assert.isUndefined(response.calls)
    })
  )
})

describe("the parts of an answer", () => {
  const partsOf = (answer: object, text: string) =>
    toParts({ text, usage: {}, model: "m", ...answer }, text).filter(({ type }) => type.startsWith("t"))

  it("are its text, also an empty one if there is nothing else, and its calls", () => {
    assert.deepStrictEqual(partsOf({}, ""), [{ type: "text", text: "" }])
    assert.deepStrictEqual(
      partsOf({ calls }, "").map(({ type }) => type),
      ["tool-call", "tool-call"]
    )
    assert.deepStrictEqual(
      partsOf({ calls }, "Wait.").map(({ type }) => type),
      ["text", "tool-call", "tool-call"]
    )
  })

  it("are with what it carries once, at its first call", () => {
    assert.deepStrictEqual(
      partsOf({ calls, carry }, "Wait.").map((part) => "metadata" in part),
      [false, true, false]
    )
  })
})
