import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { Embedder, Memory, Pipeline, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError } from "../pipeline/triage.ts"

const request = (kind = "test"): Provider.Request => ({
  messages: [{ role: "user", text: "Hello" }],
  task: { kind, instruction: "", questions: [], context: [] },
  phase: "reason",
  sampling: {}
})

const defectOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const reason = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    assert.strictEqual(reason?._tag, "Die")
    return String(reason?._tag === "Die" && reason.defect)
  })

describe("a scripted provider", () => {
  it.effect("answers in order with texts, values as JSON, failures and effects, and records what it was sent", () =>
    Effect.gen(function* () {
      const failure = providerError()
      const model = Testing.scripted(["text", { a: 1 }, failure, Effect.succeed({ b: 2 }), Effect.fail(failure)], {
        usage: { inputTokens: 1 }
      })
      assert.strictEqual(model.remaining(), 5)
      const { complete } = model.provider
      assert.deepStrictEqual(yield* complete(request("one")), { text: "text", usage: { inputTokens: 1 } })
      assert.strictEqual((yield* complete(request("two"))).text, '{"a":1}')
      assert.strictEqual(yield* Effect.flip(complete(request("three"))), failure)
      assert.strictEqual((yield* complete(request("four"))).text, '{"b":2}')
      assert.strictEqual(model.remaining(), 1)
      assert.strictEqual(yield* Effect.flip(complete(request("five"))), failure)
      assert.strictEqual(model.remaining(), 0)
      assert.deepStrictEqual(model.requests, ["one", "two", "three", "four", "five"].map(request))
      assert.deepStrictEqual(model.decisions, [])
    })
  )

  it.effect("streams the text of a reply before its calls, each call whole before the next", () =>
    Effect.gen(function* () {
      const list = [{ name: "look", params: { at: 1 } }, { name: "now" }]
      const { provider } = Testing.scripted([Testing.calls(list, { text: "I look." })], { pieceLength: 4 })
      const tools = ["look", "now"].map((name) => ({ name, description: "", parameters: {} }))
      const parts = yield* Stream.runCollect(provider.stream({ ...request(), tools }))
      const shown = parts.map((part) => {
        if (part._tag === "Text") return `text ${part.delta}`
        return part._tag === "Call" ? `${part.name} ${part.delta}` : part._tag
      })
      const said = ["text I lo", "text ok."]
      assert.deepStrictEqual(shown.slice(0, 2), said)
      assert.deepStrictEqual([...new Set(shown.slice(2).map((one) => one.split(" ")[0]))], ["look", "now", "Done"])
      assert.strictEqual(
        parts.flatMap((part) => (part._tag === "Call" && part.name === "look" ? [part.delta] : [])).join(""),
        '{"at":1}'
      )
    })
  )

  it.effect("calls with parameters as text or as values", () =>
    Effect.gen(function* () {
      const list = [
        { name: "look", params: '{"at":' },
        { name: "look", params: { at: 1 }, id: "mine" },
        { name: "now" }
      ]
      const carry = { provider: "scripted", model: "script", data: { a: 1 } }
      const replies = [Testing.calls(list), Testing.calls([{ name: "now" }], { text: "I look.", carry })]
      const { provider } = Testing.scripted(replies, { usage: { outputTokens: 2 } })
      const asked = { ...request(), tools: ["look", "now"].map((name) => ({ name, description: "", parameters: {} })) }
      assert.deepStrictEqual(yield* provider.complete(asked), {
        text: "",
        calls: [
          { id: "call_1", name: "look", params: '{"at":' },
          { id: "mine", name: "look", params: '{"at":1}' },
          { id: "call_2", name: "now", params: "{}" }
        ],
        usage: { outputTokens: 2 }
      })
      assert.deepStrictEqual(yield* provider.complete(asked), {
        text: "I look.",
        calls: [{ id: "call_3", name: "now", params: "{}" }],
        carry,
        usage: { outputTokens: 2 }
      })
    })
  )

  it.effect("takes nothing from the queue before a call runs", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["first", "second"])
      const unused = model.provider.complete(request())
      assert.strictEqual(model.remaining(), 2)
      assert.strictEqual((yield* model.provider.complete(request())).text, "first")
      assert.strictEqual((yield* unused).text, "second")
    })
  )

  it.effect("is strict: a call after the last reply is a defect that names its kind", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["only"])
      yield* model.provider.complete(request())
      assert.strictEqual(
        yield* defectOf(model.provider.complete(request("decide"))),
        "Error: The scripted provider has no reply to call 2, of the kind decide."
      )
      assert.strictEqual(model.requests.length, 2)
      assert.strictEqual(model.remaining(), 0)
    })
  )

  it.effect("streams an answer in one piece, or in pieces of a length, and then the whole", () =>
    Effect.gen(function* () {
      const streamed = (options: Testing.ScriptOptions) =>
        Effect.map(Stream.runCollect(Testing.scripted(["abcdefg"], options).provider.stream(request())), (parts) =>
          parts.map((part) => (part._tag === "Done" ? `whole ${part.response.text}` : part.delta))
        )
      assert.deepStrictEqual(yield* streamed({}), ["abcdefg", "whole abcdefg"])
      assert.deepStrictEqual(yield* streamed({ pieceLength: 3 }), ["abc", "def", "g", "whole abcdefg"])
      assert.deepStrictEqual(yield* streamed({ pieceLength: 7 }), ["abcdefg", "whole abcdefg"])
    })
  )

  it.effect("answers as a function says, and is strict where it says nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ task }) => (task.kind === "decide" ? { kind: task.kind } : undefined))
      const { complete } = model.provider
      assert.strictEqual((yield* complete(request("decide"))).text, '{"kind":"decide"}')
      assert.strictEqual((yield* complete(request("decide"))).text, '{"kind":"decide"}')
      assert.include(yield* defectOf(complete(request("assess"))), "no reply to call 3, of the kind assess")
      assert.strictEqual(model.remaining(), 0)
    })
  )

  it.effect("is the provider of a program through its layer", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["text"], { name: "mine", model: "one", capabilities: { seed: false } })
      const provider = yield* Provider.Provider.pipe(Effect.provide(model.layer))
      assert.strictEqual(provider, model.provider)
      assert.strictEqual(provider.name, "mine")
      assert.strictEqual(provider.model, "one")
      assert.deepStrictEqual(provider.capabilities, {
        temperature: "free",
        efforts: [],
        structuredOutput: "json-schema",
        seed: false,
        tools: true,
        prices: { input: 0, output: 0, asOf: "2026-11-22" }
      })
    })
  )

  it.effect("answers closed questions natively only when told how, and records them", () =>
    Effect.gen(function* () {
      assert.isUndefined(Testing.scripted([]).provider.decide)
      const answer: Provider.Answer = { _tag: "Predicate", name: "decision", probability: 1 }
      const model = Testing.scripted([], { decide: () => [answer], usage: { inputTokens: 2 } })
      const asked = { messages: [], task: request("decide").task }
      assert.deepStrictEqual(yield* model.provider.decide!(asked), { answers: [answer], usage: { inputTokens: 2 } })
      assert.deepStrictEqual(model.decisions, [asked])
      const failing = Testing.scripted([], { decide: () => Effect.fail(providerError()) })
      assert.strictEqual((yield* Effect.flip(failing.provider.decide!(asked)))._tag, "ProviderError")
    })
  )
})

describe("repeatable ids", () => {
  const make = Effect.gen(function* () {
    const thought = yield* Thought.make("test", { a: "1", b: "2" })
    return [thought.id, thought.traceId, ...Thought.notes(thought).map(({ id }) => id)]
  })

  it.effect("count up from 1, in every run anew", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.provide(make, Testing.ids)
      assert.deepStrictEqual(
        ids,
        [1, 2, 3, 4].map((n) => `00000000-0000-7000-8000-00000000000${n}`)
      )
      assert.deepStrictEqual(yield* Effect.provide(make, Testing.ids), ids)
    })
  )

  it.effect("go on counting within one run", () =>
    Effect.gen(function* () {
      const ids = [...(yield* make), ...(yield* make), ...(yield* make), ...(yield* make), ...(yield* make)]
      assert.strictEqual(new Set(ids).size, 20)
      assert.strictEqual(ids.at(-1), "00000000-0000-7000-8000-000000000014")
    }).pipe(Effect.provide(Testing.ids))
  )

  it.effect("are absent by default", () =>
    Effect.gen(function* () {
      assert.notDeepEqual(yield* make, yield* make)
    })
  )
})

describe("the memory of tests", () => {
  const store = Effect.flatMap(Thought.make("test", { message: "charged twice" }), (thought) =>
    Pipeline.run(Pipeline.sequence("nothing", []), thought)
  )
  const found = Effect.map(Memory.search("charged"), ({ matches }) => matches.length)

  it.effect("keeps thoughts and finds them", () =>
    Effect.gen(function* () {
      const { id } = yield* store
      assert.strictEqual((yield* Memory.load(id)).note("message")?.content, "charged twice")
      assert.strictEqual(yield* found, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("begins empty each time it is built", () =>
    Effect.gen(function* () {
      yield* Effect.provide(store, Testing.memory)
      assert.strictEqual(yield* Effect.provide(found, Testing.memory), 0)
    })
  )
})

describe("the embedder of tests", () => {
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

  it.effect("puts texts of the same words together and gives vectors of length 1", () =>
    Effect.gen(function* () {
      const { dimensions, embedMany } = yield* Embedder.Embedder
      const texts = ["I was charged twice", "TWICE charged, was I?", "The weather is fine", "", "Ünï 漢字"]
      const vectors = yield* embedMany(texts)
      assert.strictEqual(vectors.length, texts.length)
      for (const vector of vectors) {
        assert.strictEqual(vector.length, dimensions)
        assert.closeTo(Math.hypot(...vector), 1, 1e-6)
      }
      assert.closeTo(cosine(vectors[0]!, vectors[1]!), 1, 1e-6)
      assert.isBelow(cosine(vectors[0]!, vectors[2]!), 0.5)
      assert.deepStrictEqual(yield* embedMany([]), [])
      assert.deepStrictEqual(yield* embedMany(texts), vectors)
    }).pipe(Effect.provide(Testing.embedder))
  )
})
