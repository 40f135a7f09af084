/** Values that are passed to a synapse, and values from its answers, in the forms that a model sees and writes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { Pipeline, Primitive, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"

const analysis = { analysis: "It is late.", confidence: 0.7, findings: [], reasoning: [] }
const Order = Schema.Struct({
  id: Schema.BigInt,
  due: Schema.Date,
  note: Schema.Option(Schema.String),
  total: Schema.FiniteFromString
})
const order = { id: 12n, due: new Date("2026-01-02"), total: 12.5 }

describe("a value that is given to a synapse", () => {
  it.effect("is shown as JSON in its encoded form, whatever its type", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([analysis, { total: "12" }])
      const calls = Effect.gen(function* () {
        yield* Synapse.analyze(Order, { prompt: "Say what is unusual" })({ ...order, note: Option.some("soon") })
        const Sum = Schema.Struct({ total: Schema.FiniteFromString })
        return yield* Synapse.convert(Sum, Sum, { prompt: "Round it" })({ total: 12.4 })
      })
      const value = yield* calls.pipe(Effect.provide(model.layer))
      assert.deepStrictEqual(value, { total: 12 })
      const shown = model.requests.map(({ task }) => task.context.map(({ key, text }) => [key, JSON.parse(text)]))
      const encoded = {
        id: "12",
        due: "2026-01-02T00:00:00.000Z",
        note: { _tag: "Some", value: "soon" },
        total: "12.5"
      }
      assert.deepStrictEqual(shown, [[["input", encoded]], [["input", { total: "12.4" }]]])
    })
  )
})

describe("a result of a step that is not an object", () => {
  it.effect("is shown in the conversation of later steps as it was written", () =>
    Effect.gen(function* () {
      const steps = Pipeline.sequence("both", [
        Primitive.analyze("names", { schema: Schema.Array(Schema.String), prompt: "List the names" }),
        Primitive.analyze("count", { schema: Schema.Int, prompt: "How many?" }),
        Primitive.analyze("kind", { schema: Schema.Literals(["people", "places"]), prompt: "Which kind?" }),
        Primitive.analyze("last", { schema: Schema.Struct({ name: Schema.String }), prompt: "Which is the last?" }),
        Primitive.decide("done", { question: "Is that all?" })
      ])
      const model = Testing.scripted([
        { value: ["Ada", "Bob"] },
        { value: 2 },
        { value: "people" },
        { name: "Bob" },
        { decision: true, confidence: 1, reasoning: ["So."] }
      ])
      yield* Pipeline.run(steps, yield* Thought.make("list")).pipe(
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      const replies = model.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === "assistant" ? [text] : []))
      assert.deepStrictEqual(replies, ['["Ada","Bob"]', "2", "people", '{"name":"Bob"}'])
    })
  )
})

describe("an error about an answer", () => {
  const Event = Schema.Struct({
    sizes: Schema.Array(Schema.Int),
    by: Schema.Union([Schema.Struct({ name: Schema.Int }), Schema.Struct({ team: Schema.Int })]),
    counts: Schema.Record(Schema.String, Schema.Array(Schema.Int))
  })
  const sizes = Array.from({ length: 12 }, (_, i) => (i === 11 ? "x" : i))

  it.effect("names all positions, and the keys of each member of a union, but no key of a record", () =>
    Effect.gen(function* () {
      const answer = { sizes, by: { team: "x" }, counts: { secret: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "x"] } }
      const model = Testing.scripted([answer])
      const extract = Synapse.extract(Event, { prompt: "Extract it", repairs: 0 })
      const error = yield* Effect.flip(extract("text").pipe(Effect.provide(model.layer)))
      assert.strictEqual(error._tag, "ResponseError")
      const paths = error._tag === "ResponseError" ? error.issues.map(({ path }) => path.join(".")) : []
      assert.deepStrictEqual(paths, ["sizes.11", "by.name", "by.team", "counts.*.10"])
    })
  )

  it.effect("has the tokens of all answers, for each kind", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 9, outputTokens: 2, cachedInputTokens: 5, cacheWriteTokens: 1, reasoningTokens: 3 }
      const model = Testing.scripted(["no", "no"], { usage })
      const error = yield* Effect.flip(
        Synapse.extract(Event, { prompt: "Extract it" })("text").pipe(Effect.provide(model.layer))
      )
      assert.deepStrictEqual(error._tag === "ResponseError" && JSON.parse(JSON.stringify(error)).usage, {
        inputTokens: 18,
        outputTokens: 4,
        cachedInputTokens: 10,
        cacheWriteTokens: 2,
        reasoningTokens: 6
      })
    })
  )
})
