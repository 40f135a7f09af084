/** Conversations over sockets that keep them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, Signal, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"
import { tools } from "../calls/asking.ts"
import { key } from "../faults/clean.ts"
import { answered, asking, results, streaming, system, talking, user } from "./kit.ts"
import { making } from "./making.ts"
import { type Script, serveModes } from "./server.ts"

/** Says how many items the conversation has, and the last one. */
const counting = { model: (view: ReadonlyArray<string>) => `${view.length}: ${view.at(-1) ?? ""}` }

/** What goes wrong with the first request. */
const first = (_tag: "Garbage" | "Unrequested"): Pick<Script, "fault"> => ({
  fault: (count) => (count === 1 ? { _tag } : undefined)
})

describe("a conversation over a socket", () => {
  it.live("sends only what is new, over one connection", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const { answers } = yield* talking(provider, ["one", "two", "three"])
      assert.deepStrictEqual(
        answers.map(({ text }) => text),
        ["2: user: one", "4: user: two", "6: user: three"]
      )
      assert.deepStrictEqual(
        server.requests.map(({ body }) => body["input"]),
        [
          [
            { role: "system", content: "Be brief." },
            { role: "user", content: "one" }
          ],
          [{ role: "user", content: "two" }],
          [{ role: "user", content: "three" }]
        ]
      )
      assert.deepStrictEqual(
        server.requests.map(({ body }) => ({ ...body, input: undefined })),
        [undefined, "resp_1_1", "resp_2_1"].map((previous_response_id) => ({
          type: "response.create",
          model: "gpt-5-mini",
          store: false,
          input: undefined,
          ...(previous_response_id !== undefined && { previous_response_id })
        }))
      )
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent?.what),
        ["all", "rest", "rest"]
      )
      assert.strictEqual(server.opened(), 1)
      assert.strictEqual(server.requests[0]?.headers.authorization, `Bearer ${key}`)
    }).pipe(Effect.scoped)
  )

  it.live("uses the path after the base URL, with or without a trailing slash, and the headers of the options", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ model: () => "yes" })
      for (const baseUrl of [server.baseUrl, `${server.baseUrl}/`]) {
        const headers = { authorization: `Bearer ${key}`, "x-own": "1" }
        const provider = yield* making(baseUrl, { apiKey: "sk-other", headers })
        assert.strictEqual((yield* provider.complete(asking([user("one")]))).text, "yes")
      }
      assert.deepStrictEqual(
        server.requests.map(({ headers, path }) => [path, headers["x-own"]]),
        [
          ["/v1/responses", "1"],
          ["/v1/responses", "1"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("sends the results of tools, with the tools and nothing of the reasoning before them", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({
        model: (view) =>
          view.length > 2
            ? "mild"
            : { thought: "I look.", calls: [{ id: "call_1", name: "weather", params: `{"city":"Ulm"}` }] }
      })
      const provider = yield* making(server.baseUrl)
      const first = [system, user("How is the weather?")]
      const { response } = yield* streaming(provider, asking(first, { tools }))
      assert.isDefined(response.carry)
      const then = [...first, answered(response), results(response, "12 °C")]
      const second = yield* streaming(provider, asking(then, { tools, toolChoice: "none" }))
      assert.strictEqual(second.response.text, "mild")
      assert.strictEqual(second.deltas.join(""), "mild")
      assert.deepStrictEqual(server.requests[1]?.body["input"], [
        { type: "function_call_output", call_id: "call_1", output: "12 °C" }
      ])
      assert.deepStrictEqual(server.requests[1]?.body["tools"], server.requests[0]?.body["tools"])
      assert.strictEqual(server.requests[1]?.body["tool_choice"], "none")
    }).pipe(Effect.scoped)
  )

  it.live("sends everything again, once, when its beginning or its settings have changed", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const { messages } = yield* talking(provider, ["one", "two"])
      const compacted = [system, user("a summary"), ...messages.slice(3)]
      const { messages: later } = yield* talking(provider, ["three", "four"], compacted)
      const withTools = yield* provider.complete(asking([...later, user("five")], { tools }))
      assert.deepStrictEqual(
        server.requests.map(({ body }) => body["input"].length),
        [2, 1, 5, 1, later.length + 1]
      )
      assert.deepStrictEqual(
        server.requests.map(({ body }) => body["previous_response_id"]),
        [undefined, "resp_1_1", undefined, "resp_3_1", undefined]
      )
      assert.strictEqual(withTools.text, `${later.length + 1}: user: five`)
    }).pipe(Effect.scoped)
  )

  it.live("continues with another effort, which is that of one call", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const { messages } = yield* talking(provider, ["one"])
      yield* provider.complete(asking([...messages, user("two")], { sampling: { effort: "high" } }))
      assert.deepStrictEqual(
        server.requests.map(({ body }) => [body["input"].length, body["reasoning"]?.effort]),
        [
          [2, undefined],
          [1, "high"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("continues after an answer with white space around it, which callers remove", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ model: () => "  well\n" })
      const provider = yield* making(server.baseUrl)
      const { answers } = yield* talking(provider, ["one", "two"])
      assert.deepStrictEqual(
        answers.map(({ sent }) => sent?.what),
        ["all", "rest"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("of an agent has one connection, also when it is compacted between its messages", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const guide = Agent.make("guide", { instructions: "You look.", triage: false, toolkit: Toolkit.empty })
      const what: Array<string | undefined> = []
      const program = Effect.gen(function* () {
        let thought: Thought.Thought = yield* Thought.make("looking")
        for (const text of ["one", "two", "three"]) {
          if (text === "three") thought = yield* Pipeline.run(Primitive.truncate("cut", { first: 0, last: 1 }), thought)
          thought = yield* Agent.say(guide, thought, text)
        }
      }).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "CallCompleted") what.push(signal.sent?.what)
        }),
        Effect.provideService(Provider.Provider, provider),
        Effect.provide(Testing.memory)
      )
      yield* program
      assert.deepStrictEqual(what, ["all", "rest", "again"])
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("continues after a fork, each with a connection of its own", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const { messages } = yield* talking(provider, ["one"])
      const both = yield* Effect.forEach(
        ["left", "right"],
        (way) => talking(provider, [way, `${way} again`], messages),
        {
          concurrency: 2
        }
      )
      assert.deepStrictEqual(
        both.map(({ answers }) => answers.map(({ text }) => text)),
        ["left", "right"].map((way) => [`4: user: ${way}`, `6: user: ${way} again`])
      )
      assert.deepStrictEqual(
        server.requests
          .slice(1)
          .map(({ body }) => body["input"].length)
          .toSorted((a: number, b: number) => a - b),
        [1, 1, 1, 4]
      )
      assert.strictEqual(server.opened(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("gets nothing of an earlier answer that comes late", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ ...counting, isLate: true })
      const provider = yield* making(server.baseUrl)
      const messages = [system]
      for (const text of ["one", "two", "three"]) {
        messages.push(user(text))
        const { deltas, response } = yield* streaming(provider, asking([...messages]))
        assert.strictEqual(response.text, `${messages.length}: user: ${text}`)
        assert.strictEqual(deltas.join(""), response.text)
        messages.push(answered(response))
      }
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("gets nothing of an answer that another call did not wait for", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ ...counting, ...first("Garbage") })
      const provider = yield* making(server.baseUrl)
      const error = yield* Effect.flip(provider.complete(asking([user("one")])))
      assert.strictEqual(error.reason._tag, "InvalidResponse")
      yield* server.closed(1)
      for (const text of ["two", "three"]) {
        assert.strictEqual((yield* provider.complete(asking([user(text)]))).text, `1: user: ${text}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("gets nothing of an answer that came without a call", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ ...counting, ...first("Unrequested") })
      const provider = yield* making(server.baseUrl)
      const begun = yield* provider.complete(asking([user("one")]))
      // the other answer is on its way
      yield* Effect.sleep("50 millis")
      const second = yield* streaming(provider, asking([user("one"), answered(begun), user("two")]))
      assert.deepStrictEqual([second.response.text, second.deltas.join("")], ["3: user: two", "3: user: two"])
      assert.deepStrictEqual(second.response.sent?.what, "rest")
      assert.strictEqual(server.opened(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("begins again if the server has forgotten it, or ends old connections", () =>
    Effect.gen(function* () {
      for (const [code, sockets] of [
        ["previous_response_not_found", 1],
        ["websocket_connection_limit_reached", 2]
      ] as const) {
        const server = yield* serveModes({
          ...counting,
          fault: (count) => (count === 2 ? { _tag: "Error", code, status: 400, closes: sockets === 2 } : undefined)
        })
        const provider = yield* making(server.baseUrl)
        const { answers } = yield* talking(provider, ["one", "two", "three"])
        assert.strictEqual(answers[2]?.text, "6: user: three")
        assert.deepStrictEqual(
          server.requests.map(({ body }) => body["input"].length),
          [2, 1, 4, 1]
        )
        assert.strictEqual(server.opened(), sockets)
        assert.deepStrictEqual(
          answers.map(({ sent }) => sent?.what),
          ["all", "again", "rest"]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("goes on over a new connection when the server has closed the old one", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl)
      const { messages } = yield* talking(provider, ["one"])
      yield* server.restart
      const { answers } = yield* talking(provider, ["two"], messages)
      assert.strictEqual(answers[0]?.text, "4: user: two")
      assert.strictEqual(server.opened(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("is closed with the scope of the layer, and with an interruption", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({
        ...counting,
        fault: (count) => (count === 2 ? { _tag: "Stall", after: 8 } : undefined)
      })
      const layer = OpenAi.layer({
        model: "gpt-5-mini",
        apiKey: key,
        baseUrl: server.baseUrl,
        api: "responses",
        mode: "resume"
      })
      const program = Effect.gen(function* () {
        const provider = yield* Provider.Provider
        const { messages } = yield* talking(provider, ["one"])
        const begun = yield* Deferred.make<void>()
        const reading = Stream.runForEach(provider.stream(asking([...messages, user("two")])), () =>
          Deferred.succeed(begun, undefined)
        )
        const fiber = yield* Effect.forkChild(reading)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        yield* server.closed(1)
        const { answers } = yield* talking(provider, ["two"], messages)
        assert.strictEqual(answers[0]?.text, "4: user: two")
        assert.strictEqual(server.open(), 1)
      })
      yield* Effect.provide(program, Layer.fresh(layer))
      yield* server.closed(2)
      assert.strictEqual(server.open(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("waits for a connection if all are busy, and closes the one that is unused for longest", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl, { connections: { most: 2 } })
      const all = yield* Effect.forEach(["a", "b", "c", "d"], (name) => talking(provider, [name, `${name} again`]), {
        concurrency: "unbounded"
      })
      for (const [i, { answers }] of all.entries()) {
        assert.strictEqual(answers[1]?.text, `4: user: ${["a", "b", "c", "d"][i]} again`)
      }
      assert.strictEqual(server.opened(), 2)
    }).pipe(Effect.scoped)
  )

  it.live("closes connections that are idle, and replaces old ones", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl, { connections: { idle: "30 millis" } })
      const { messages } = yield* talking(provider, ["one"])
      yield* server.closed(1)
      const { answers } = yield* talking(provider, ["two"], messages)
      assert.strictEqual(answers[0]?.sent?.what, "all")
      const old = yield* making(server.baseUrl, { connections: { life: "1 millis" } })
      const before = yield* talking(old, ["one"])
      yield* Effect.sleep("5 millis")
      const after = yield* talking(old, ["two"], before.messages)
      assert.strictEqual(after.answers[0]?.text, "4: user: two")
      assert.strictEqual(server.opened(), 4)
    }).pipe(Effect.scoped)
  )
})
