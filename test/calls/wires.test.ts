/** What is sent of tools, calls and results, and what comes of it, over the three wires. */
import { assert, describe, it } from "@effect/vitest"
import { Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Provider, type Request, type Response, type Shape } from "cogito/Provider"
import { Testing } from "cogito/testing"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { asking, calls, followed, tools } from "./asking.ts"
import { speaking, vendors } from "./vendor.ts"

const [chat, responses, messages] = vendors as [(typeof vendors)[0], (typeof vendors)[0], (typeof vendors)[0]]

const whole = (provider: Shape, asked: Request) => provider.complete(asked)
const streamed = (provider: Shape, asked: Request) =>
  Effect.flatMap(Stream.runCollect(provider.stream(asked)), (parts) => {
    const last = parts.at(-1)
    return last?._tag === "Done" ? Effect.succeed(last.response) : Effect.die("no answer")
  })
const ways = [
  ["whole", whole],
  ["streamed", streamed]
] as const

const thinking = { calls, thought: "I should look." }

/** What was sent after an answer with calls. */
const turn = (vendor: typeof chat, call: typeof whole, rest: Partial<Request> = {}) =>
  Effect.gen(function* () {
    const server = yield* speaking(vendor.dialect, (_, n) =>
      n === 0 ? { ...thinking, text: "Let me look." } : "Rain."
    )
    const provider = yield* vendor.make(server.host)
    const first = yield* call(provider, asking(rest))
    const second = yield* call(provider, asking({ ...rest, messages: followed(first) }))
    return { first, second, sent: server.recorded.map(({ body }) => body) }
  })

for (const [way, call] of ways) {
  describe(`tools over chat completions, ${way}`, () => {
    it.effect("are functions, and results messages of their own", () =>
      Effect.gen(function* () {
        const { first, second, sent } = yield* turn(chat, call, {
          toolChoice: { tool: "weather" },
          parallelCalls: false
        })
        assert.deepStrictEqual(first.calls, calls)
        assert.strictEqual(first.text, "Let me look.")
        assert.isUndefined(first.carry)
        assert.strictEqual(second.text, "Rain.")
        const { $schema: _, ...parameters } = tools[0]!.parameters
        assert.deepStrictEqual(sent[0].tools, [
          { type: "function", function: { name: "weather", description: "The weather of a city", parameters } },
          {
            type: "function",
            function: { name: "time_now", description: "The time", parameters: { type: "object", properties: {} } }
          }
        ])
        assert.deepStrictEqual(sent[0].tool_choice, { type: "function", function: { name: "weather" } })
        assert.isFalse(sent[0].parallel_tool_calls)
        assert.deepStrictEqual(sent[1].messages.slice(2), [
          {
            role: "assistant",
            content: "Let me look.",
            tool_calls: calls.map(({ id, name, params }) => ({
              id,
              type: "function",
              function: { name, arguments: params }
            }))
          },
          { role: "tool", tool_call_id: "call_1", content: "12 °C" },
          { role: "tool", tool_call_id: "call_2", content: "Error: no clock" }
        ])
      })
    )
  })

  describe(`tools over the Responses API, ${way}`, () => {
    it.effect("are functions, and the reasoning goes back before its calls, without ids", () =>
      Effect.gen(function* () {
        const { first, second, sent } = yield* turn(responses, call, { toolChoice: "required", parallelCalls: true })
        assert.deepStrictEqual(first.calls, calls)
        assert.strictEqual(first.carry?.provider, "openai")
        assert.strictEqual(first.carry?.model, "gpt-5-mini")
        assert.strictEqual(second.text, "Rain.")
        const { $schema: _, ...parameters } = tools[0]!.parameters
        assert.deepStrictEqual(sent[0].tools[0], {
          type: "function",
          name: "weather",
          description: "The weather of a city",
          parameters,
          strict: false
        })
        assert.strictEqual(sent[0].tool_choice, "required")
        assert.isTrue(sent[0].parallel_tool_calls)
        assert.isFalse(sent[0].store)
        assert.deepStrictEqual(sent[0].include, ["reasoning.encrypted_content"])
        const [reasoning, ...rest] = sent[1].input.slice(2)
        assert.deepStrictEqual(Object.keys(reasoning).toSorted(), ["encrypted_content", "summary", "type"])
        assert.deepStrictEqual(rest, [
          { role: "assistant", content: "Let me look." },
          { type: "function_call", call_id: "call_1", name: "weather", arguments: `{"city": "Ulm"}` },
          { type: "function_call", call_id: "call_2", name: "time_now", arguments: "{}" },
          { type: "function_call_output", call_id: "call_1", output: "12 °C" },
          { type: "function_call_output", call_id: "call_2", output: "Error: no clock" }
        ])
      })
    )
  })

  describe(`tools over the Messages API, ${way}`, () => {
    it.effect("go with what the model thought, unchanged, and all results first in one turn", () =>
      Effect.gen(function* () {
        const { first, second, sent } = yield* turn(messages, call, { toolChoice: "required", parallelCalls: false })
        assert.strictEqual(second.text, "Rain.")
        assert.deepStrictEqual(
          first.calls?.map(({ id, name, params }) => [id, name, JSON.parse(params)]),
          calls.map(({ id, name, params }) => [id, name, JSON.parse(params)])
        )
        const { $schema: _, ...parameters } = tools[0]!.parameters
        assert.deepStrictEqual(sent[0].tools[0], {
          name: "weather",
          description: "The weather of a city",
          input_schema: parameters
        })
        assert.deepStrictEqual(sent[0].tool_choice, { type: "any", disable_parallel_tool_use: true })
        const [, assistant, results] = sent[1].messages
        const [thought, redacted, ...rest] = assistant.content
        assert.strictEqual(thought.thinking, "I should look.")
        assert.strictEqual(thought.signature, redacted.data)
        assert.deepStrictEqual(rest, [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "call_1", name: "weather", input: { city: "Ulm" } },
          { type: "tool_use", id: "call_2", name: "time_now", input: {} }
        ])
        assert.deepStrictEqual(results, {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1", content: "12 °C" },
            {
              type: "tool_result",
              tool_use_id: "call_2",
              content: "no clock",
              is_error: true,
              cache_control: { type: "ephemeral", ttl: "5m" }
            }
          ]
        })
      })
    )
  })
}

describe("what an answer carries", () => {
  for (const { dialect, make } of [responses, messages]) {
    it.effect(`does not go to another model or provider over ${dialect.name}`, () =>
      Effect.gen(function* () {
        const server = yield* speaking(dialect, (_, n) => (n === 0 ? thinking : "Rain."))
        const first = yield* Effect.flatMap(make(server.host), (provider) => provider.complete(asking()))
        assert.isDefined(first.carry)
        for (const other of [{ model: "another-1" }, { name: "elsewhere" }]) {
          const provider = yield* make(server.host, other)
          const { text } = yield* provider.complete(asking({ messages: followed(first) }))
          assert.strictEqual(text, "Rain.")
          const sent = JSON.stringify(server.last().body)
          assert.notInclude(sent, "I should look.")
          assert.notMatch(sent, /encrypted_content":|"reasoning"|"thinking"|redacted/)
        }
      })
    )

    it.effect(`goes back after a trip through JSON over ${dialect.name}, and is left out with other calls`, () =>
      Effect.gen(function* () {
        const server = yield* speaking(dialect, (_, n) => (n === 0 ? thinking : "Rain."))
        const provider = yield* make(server.host)
        const first = yield* provider.complete(asking())
        const kept: Response = JSON.parse(JSON.stringify(first))
        yield* provider.complete(asking({ messages: followed(kept) }))
        assert.include(JSON.stringify(server.last().body), "I should look.")
        const other = { ...kept, calls: calls.map((call) => ({ ...call, id: `other-${call.id}` })) }
        yield* provider.complete(asking({ messages: followed(other) }))
        assert.notInclude(JSON.stringify(server.last().body), "I should look.")
      })
    )
  }

  it.effect("has its texts at their places, and a text that was changed where its first part was", () =>
    Effect.gen(function* () {
      const server = yield* speaking(responses.dialect, (_, n) =>
        n === 0 ? { ...thinking, text: "Let me look." } : "Rain."
      )
      const provider = yield* responses.make(server.host)
      const first = yield* provider.complete(asking())
      const [item, ...places] = first.carry!.data as ReadonlyArray<unknown>
      assert.deepStrictEqual(places, [{ text: 12 }, { call: "call_1" }, { call: "call_2" }])
      const carrying = (...data: ReadonlyArray<unknown>) => ({ ...first.carry!, data: data as ReadonlyArray<string> })
      const [one, two] = [{ call: "call_1" }, { call: "call_2" }]
      const sent = (changed: Partial<Response>) =>
        Effect.gen(function* () {
          yield* provider.complete(asking({ messages: followed({ ...first, ...changed }) }))
          const input: ReadonlyArray<any> = server.last().body.input
          return input.slice(2, -2).map((part) => part.content ?? part.call_id ?? part.type)
        })
      const looked = ["Let me look."]
      const called = ["call_1", "call_2"]
      assert.deepStrictEqual(yield* sent({}), ["reasoning", ...looked, ...called])
      for (const text of ["I look.", "Now let me look."]) {
        assert.deepStrictEqual(yield* sent({ text }), ["reasoning", text, ...called])
      }
      for (const text of ["", " \n"]) assert.deepStrictEqual(yield* sent({ text }), ["reasoning", ...called])
      const several = carrying({ text: 3 }, item, one, { text: 3 }, two, { text: 6 })
      assert.deepStrictEqual(yield* sent({ text: "Let \n me it.", carry: several }), [
        "Let",
        "reasoning",
        "call_1",
        "call_2",
        "me it."
      ])
      assert.deepStrictEqual(yield* sent({ text: "Look at it.", carry: several }), [
        "Look at it.",
        "reasoning",
        ...called
      ])
      const textless = carrying(item, one, two)
      assert.deepStrictEqual(yield* sent({ text: "I look.", carry: textless }), ["reasoning", "I look.", ...called])
      // a call without a place, or with two
      for (const calls of [[one], [one, one], [one, two, two], [one, { call: "call_3" }], []]) {
        assert.deepStrictEqual(yield* sent({ carry: carrying(item, { text: 12 }, ...calls) }), [...looked, ...called])
      }
    })
  )

  it.effect("begins with the thinking of Claude, also if an agent has removed white space around the text", () =>
    Effect.gen(function* () {
      const tool = Tool.make("weather", { parameters: Schema.Struct({ city: Schema.String }), success: Schema.String })
      const toolkit = Toolkit.make(tool.annotate(Tool.Readonly, true))
      const guide = Agent.make("guide", { instructions: "You look.", triage: false, toolkit })
      const handlers = toolkit.toLayer({ weather: () => Effect.succeed("rain") })
      for (const text of ["I look.", "I look.\n\n", " I look.", "\n\n", ""]) {
        const call = { id: "toolu_1", name: "weather", params: `{"city":"Ulm"}` }
        const server = yield* speaking(messages.dialect, (_, n) =>
          n === 0 ? { calls: [call], thought: "I should look.", text } : "Rain."
        )
        const model = Layer.effect(Provider, messages.make(server.host))
        const said = Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(guide, thought, "How is it in Ulm?"))
        const done = yield* Effect.provide(said, Layer.mergeAll(model, handlers, Testing.memory))
        assert.strictEqual(done.get("answer"), "Rain.")
        const sent: ReadonlyArray<any> = server
          .last()
          .body.messages.find(({ role }: any) => role === "assistant").content
        assert.deepStrictEqual(
          sent.map(({ type }) => type),
          ["thinking", "redacted_thinking", ...(text.trim() === "" ? [] : ["text"]), "tool_use"]
        )
      }
    })
  )

  it.effect("goes back with calls whose ids an agent has changed, as they came again or had other characters", () =>
    Effect.gen(function* () {
      const tool = Tool.make("weather", { parameters: Schema.Struct({ city: Schema.String }), success: Schema.String })
      const toolkit = Toolkit.make(tool.annotate(Tool.Readonly, true))
      const guide = Agent.make("guide", { instructions: "You look.", triage: false, toolkit })
      const handlers = toolkit.toLayer({ weather: () => Effect.succeed("rain") })
      for (const { dialect, make } of [responses, messages]) {
        const server = yield* speaking(dialect, (_, n) => {
          if (n === 2) return "Rain."
          const made = ["functions.weather:0", "call_1"].map((id) => ({
            id,
            name: "weather",
            params: `{"city":"${id}"}`
          }))
          return { calls: made, thought: `I should look ${n}.` }
        })
        const said = Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(guide, thought, "How is it in Ulm?"))
        const services = Layer.mergeAll(Layer.effect(Provider, make(server.host)), handlers, Testing.memory)
        assert.strictEqual((yield* Effect.provide(said, services)).get("answer"), "Rain.")
        const { input, messages: turns } = server.last().body
        const sent: ReadonlyArray<any> = input ?? turns.flatMap(({ content }: any) => content)
        const round =
          input === undefined ? ["thinking", "tool_use", "tool_use"] : ["reasoning", ...Array(2).fill("function_call")]
        assert.deepStrictEqual(
          sent.map(({ type }) => type).filter((type) => round.includes(type)),
          [...round, ...round],
          dialect.name
        )
      }
    })
  )

  it.effect("of Claude begins a turn, also where the message before is another answer", () =>
    Effect.gen(function* () {
      const server = yield* speaking(messages.dialect, (_, n) => (n === 0 ? thinking : "Rain."))
      const provider = yield* messages.make(server.host)
      const [system, user, ...rest] = followed(yield* provider.complete(asking()))
      const earlier = { role: "assistant", text: "So." } as const
      yield* provider.complete(asking({ messages: [system!, user!, earlier, ...rest] }))
      assert.deepStrictEqual(
        server.last().body.messages.map(({ content }: any) => content.map(({ type }: any) => type)),
        [
          ["text"],
          ["text"],
          ["text"],
          ["thinking", "redacted_thinking", "tool_use", "tool_use"],
          ["tool_result", "tool_result"]
        ]
      )
    })
  )

  it.effect("is refused by the server if it comes from elsewhere, so its tag decides", () =>
    Effect.gen(function* () {
      const server = yield* speaking(messages.dialect, () => thinking)
      const provider = yield* messages.make(server.host)
      const first = yield* provider.complete(asking())
      const forged = { ...first, carry: { ...first.carry!, model: "claude-haiku-4-5" } }
      const other = yield* messages.make(server.host, { model: "claude-haiku-4-5" })
      const error = yield* Effect.flip(other.complete(asking({ messages: followed(forged) })))
      assert.strictEqual(error.reason._tag, "InvalidRequest")
    })
  )
})

describe("requests with tools", () => {
  it.effect("go without what a model cannot include, after it refused that once", () =>
    Effect.gen(function* () {
      const server = yield* speaking(
        {
          ...responses.dialect,
          refusal: ({ include }) =>
            include === undefined ? undefined : "Encrypted content is not supported with this model."
        },
        () => ({ calls })
      )
      const provider = yield* responses.make(server.host)
      for (const [, call] of ways) assert.deepStrictEqual((yield* call(provider, asking())).calls, calls)
      assert.deepStrictEqual(
        server.recorded.map(({ body }) => body.include),
        [["reasoning.encrypted_content"], undefined, undefined]
      )
    })
  )

  it.effect("include no reasoning of models that do not reason, nor without tools", () =>
    Effect.gen(function* () {
      const server = yield* speaking(responses.dialect, () => "Rain.")
      const plain = yield* responses.make(server.host, { model: "gpt-4o" })
      const reasoning = yield* responses.make(server.host)
      yield* plain.complete(asking())
      const { tools: _, ...without } = asking()
      yield* reasoning.complete(without)
      for (const { body } of server.recorded) assert.notProperty(body, "include")
    })
  )

  it.effect("send a choice that turns tools off", () =>
    Effect.gen(function* () {
      for (const { dialect, make } of vendors) {
        const server = yield* speaking(dialect, () => "Rain.")
        const provider = yield* make(server.host)
        const messagesSoFar = followed({ text: "", calls })
        yield* provider.complete(asking({ messages: messagesSoFar, toolChoice: "none" }))
        const choice = server.last().body.tool_choice
        assert.deepStrictEqual(choice, dialect.name === "messages" ? { type: "none" } : "none")
      }
    })
  )

  it.effect("send that a tool which must be called is to be called alone", () =>
    Effect.gen(function* () {
      for (const { dialect, make } of vendors) {
        const server = yield* speaking(dialect, () => ({ calls: calls.slice(0, 1) }))
        const provider = yield* make(server.host)
        yield* provider.complete(asking({ toolChoice: { tool: "weather" }, parallelCalls: false }))
        const { parallel_tool_calls, tool_choice } = server.last().body
        if (dialect.name === "messages") {
          assert.deepStrictEqual(tool_choice, { type: "tool", name: "weather", disable_parallel_tool_use: true })
        } else {
          assert.include(JSON.stringify(tool_choice), `"name":"weather"`)
          assert.isFalse(parallel_tool_calls)
        }
      }
    })
  )

  it.effect("give calls of other vendors ids that Anthropic accepts, and their results the same ones", () =>
    Effect.gen(function* () {
      const server = yield* speaking(messages.dialect, () => "Rain.")
      const provider = yield* messages.make(server.host)
      const foreign = calls.map((call, i) => ({ ...call, id: `functions.${call.name}:${i}` }))
      yield* provider.complete(asking({ messages: followed({ text: "", calls: foreign }) }))
      const [, assistant, results] = server.last().body.messages
      const ids = ["functions_weather_0", "functions_time_now_1"]
      assert.deepStrictEqual(
        assistant.content.map(({ id }: any) => id),
        ids
      )
      assert.deepStrictEqual(
        results.content.map((result: any) => result.tool_use_id),
        ids
      )
    })
  )

  it.effect("mark the tools for Anthropic's cache if there is no system message", () =>
    Effect.gen(function* () {
      const server = yield* speaking(messages.dialect, () => "Rain.")
      const provider = yield* messages.make(server.host)
      yield* provider.complete(asking({ messages: [{ role: "user", text: "Hello" }] }))
      const { tools: sent } = server.last().body
      assert.deepStrictEqual(
        sent.map((tool: any) => tool.cache_control),
        [undefined, { type: "ephemeral", ttl: "5m" }]
      )
    })
  )

  it.effect("put a form in words after the results", () =>
    Effect.gen(function* () {
      const output = { name: "o", jsonSchema: { type: "array" }, instructions: "As a list." }
      const { task } = asking()
      for (const { dialect, make } of vendors) {
        const server = yield* speaking(dialect, () => "[]")
        const provider = yield* make(server.host)
        yield* provider.complete(asking({ messages: followed({ text: "", calls }), task: { ...task, output } }))
        const { body } = server.last()
        const sent = JSON.stringify(body.input ?? body.messages)
        assert.isAbove(sent.indexOf("As a list."), sent.indexOf("no clock"))
      }
    })
  )
})

describe("what a model streams beside its text", () => {
  for (const { dialect, make } of vendors) {
    it.effect(`is its reasoning and the pieces of its calls over ${dialect.name}`, () =>
      Effect.gen(function* () {
        const server = yield* speaking(dialect, () => thinking)
        const provider = yield* make(server.host)
        const parts = yield* Stream.runCollect(provider.stream(asking()))
        const reasoning = parts.flatMap((part) => (part._tag === "Reasoning" ? [part.delta] : []))
        assert.strictEqual(reasoning.join(""), "I should look.")
        const first = parts.find((part) => part._tag === "Call")
        assert.deepStrictEqual(first, { _tag: "Call", id: "call_1", name: "weather", delta: "" })
        assert.isAbove(parts.filter((part) => part._tag === "Call").length, 4)
        assert.isFalse(parts.some((part) => part._tag === "Text"))
      })
    )
  }
})
