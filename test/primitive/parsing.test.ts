import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { Pipeline, Primitive, type Provider, Signal, type Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"

const decision = { decision: true, confidence: 0.5, reasoning: ["It says so."] }
const good = JSON.stringify(decision)
const fenced = `\`\`\`json\n${good}\n\`\`\``

const noted = (thought: Thought.Thought<any>, key: string) => JSON.parse(thought.note(key)?.content ?? "null")

/** Runs a step with a model that answers so. */
const run = <Out, E>(step: Step.Step<{}, Out, E, Provider.Provider>, replies: ReadonlyArray<Testing.Reply>) =>
  Effect.gen(function* () {
    const model = Testing.scripted(replies)
    const signals: Array<Signal.Signal> = []
    const outcome = yield* Thought.make("mail", { message: "The mug came broken" }).pipe(
      Effect.flatMap((thought) => Pipeline.run(step, thought)),
      Signal.listen((signal) => signals.push(signal)),
      Effect.result,
      Effect.provide(Layer.merge(model.layer, Layer.fresh(Testing.memory)))
    )
    const told = signals.flatMap((signal) => (signal._tag === "AnswerCoerced" ? signal.coercions : []))
    return { model, outcome, told }
  })

describe("a step whose answers are read strictly", () => {
  const step = Primitive.decide("urgent", { question: "Is this urgent?", parsing: "strict" })

  it.effect("sends an answer in a fence back, and takes the bare JSON", () =>
    Effect.gen(function* () {
      const { model, outcome, told } = yield* run(step, [fenced, good])
      const thought = yield* Effect.fromResult(outcome)
      assert.isTrue(noted(thought, "urgent").decision)
      assert.strictEqual(model.requests.length, 2)
      const [first, second] = model.requests
      const [answer, issues, ...more] = second?.messages.slice(first?.messages.length) ?? []
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(answer, { role: "assistant", text: fenced })
      assert.strictEqual(issues?.role, "user")
      assert.include(issues?.text, "- Expected JSON and nothing else\n")
      assert.deepStrictEqual(told, [])
      assert.notProperty(thought.note("urgent")?.metadata, "coerced")
    })
  )

  it.effect("accepts no answer that is only nearly valid", () =>
    Effect.gen(function* () {
      const nearly = [
        fenced,
        `Here: ${good}`,
        `${good.slice(0, -1)},}`,
        good.replaceAll('"', "'"),
        JSON.stringify({ ...decision, decision: "true" }),
        JSON.stringify({ ...decision, reasoning: "It says so." }),
        JSON.stringify({ result: decision }),
        JSON.stringify({ Decision: true, Confidence: 0.5, Reasoning: ["It says so."] }),
        JSON.stringify(good)
      ]
      for (const answer of nearly) {
        const { outcome } = yield* run(Primitive.decide("urgent", { question: "?", parsing: "strict", repairs: 0 }), [
          answer
        ])
        assert.isTrue(Result.isFailure(outcome), answer)
        const lenient = yield* run(Primitive.decide("urgent", { question: "?", repairs: 0 }), [answer])
        assert.isTrue(Result.isSuccess(lenient.outcome), answer)
      }
    })
  )

  it.effect("accepts no number that would change", () =>
    Effect.gen(function* () {
      const Payment = Schema.Struct({ amount: Schema.Finite })
      for (const parsing of ["strict", "lenient", "lossy"] as const) {
        const ask = Synapse.extract(Payment, { prompt: "Extract", parsing, repairs: 0 })
        const read = (text: string) => Effect.result(ask("a text").pipe(Effect.provide(Testing.scripted([text]).layer)))
        assert.isTrue(Result.isFailure(yield* read('{"amount": 9007199254740993}')))
        assert.isTrue(Result.isFailure(yield* read('{"amount": 1e400}')))
        assert.deepStrictEqual(Result.getOrUndefined(yield* read('{"amount": 9007199254740992}')), {
          amount: 9007199254740992
        })
      }
    })
  )
})

describe("the changes made to read an answer", () => {
  it.effect("is in the note, without duplicates, and signalled with its paths", () =>
    Effect.gen(function* () {
      const answer = `\`\`\`\n{'decision': 'true', confidence: 0.5, "reasoning": "It says so.",}\n\`\`\``
      const { model, outcome, told } = yield* run(Primitive.decide("urgent", { question: "?" }), [answer])
      assert.strictEqual(model.requests.length, 1)
      const thought = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(noted(thought, "urgent").reasoning, ["It says so."])
      assert.strictEqual(
        thought.note("urgent")?.metadata["coerced"],
        "boolean-from-text, fence, list-from-one, single-quotes, trailing-comma, unquoted-key"
      )
      assert.deepInclude(told, { path: [], kind: "fence", lossy: false })
      assert.deepInclude(told, { path: ["decision"], kind: "boolean-from-text", lossy: false })
      assert.deepInclude(told, { path: ["confidence"], kind: "unquoted-key", lossy: false })
      assert.deepInclude(told, { path: ["reasoning"], kind: "list-from-one", lossy: false })
      assert.isTrue(told.every(({ lossy }) => !lossy))
    })
  )

  it.effect("is empty if the answer was valid", () =>
    Effect.gen(function* () {
      const { outcome, told } = yield* run(Primitive.decide("urgent", { question: "?", parsing: "lossy" }), [good])
      const thought = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(told, [])
      assert.notProperty(thought.note("urgent")?.metadata, "coerced")
    })
  )

  it.effect("is marked as lossy, which requires permission", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ ...decision, decision: "yes" })
      const lossy = yield* run(Primitive.decide("urgent", { question: "?", parsing: "lossy" }), [answer])
      assert.isTrue(noted(yield* Effect.fromResult(lossy.outcome), "urgent").decision)
      assert.deepStrictEqual(lossy.told, [{ path: ["decision"], kind: "boolean-from-word", lossy: true }])
      const lenient = yield* run(Primitive.decide("urgent", { question: "?", repairs: 0 }), [answer])
      assert.isTrue(Result.isFailure(lenient.outcome))
    })
  )

  it.effect("names no key that the model made up", () =>
    Effect.gen(function* () {
      const Prices = Schema.Struct({ prices: Schema.Record(Schema.String, Schema.Array(Schema.Finite)) })
      const step = Primitive.analyze("found", { schema: Prices, prompt: "Extract" })
      const { outcome, told } = yield* run(step, [`{"prices": {"canary-key": ["1"], "12345": [2,], "prices": ["3"]}}`])
      const thought = yield* Effect.fromResult(outcome)
      assert.deepStrictEqual(noted(thought, "found"), { prices: { "canary-key": [1], "12345": [2], prices: [3] } })
      assert.deepStrictEqual(told, [
        { path: ["prices", "*", "0"], kind: "number-from-text", lossy: false },
        { path: ["prices", "*"], kind: "trailing-comma", lossy: false },
        { path: ["prices", "*", "0"], kind: "number-from-text", lossy: false }
      ])
      assert.notInclude(JSON.stringify(thought.note("found")?.metadata), "canary")
    })
  )
})

describe("the request for a correction", () => {
  const issuesAfter = Effect.fnUntraced(function* (answer: string) {
    const { model } = yield* run(Primitive.decide("urgent", { question: "?" }), [answer, good])
    return model.requests[1]?.messages.at(-1)?.text ?? ""
  })

  it.effect("names the issues, and repeats nothing of the answer", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [answer: string, issue: string]> = [
        ["I think canary.", "- Expected JSON\n"],
        [good.slice(0, -8), "- reasoning.0: The answer was cut off here: write all of it\n"],
        [`${good} or ${good.replace("true", "false")}`, "- There are several answers that fit: write one only\n"],
        [`{"decision": true, "confidence": 0.5, "reasoning": [...]}`, "- reasoning: Something was left out here"],
        [`{"decision": true, "confidence": canary("x"), "reasoning": []}`, "- confidence: This is not valid JSON"],
        [`{decision: true, decision: false, confidence: 0.5, reasoning: ["canary"]}`, "- decision: Expected one value"]
      ]
      for (const [answer, issue] of cases) {
        const text = yield* issuesAfter(answer)
        assert.include(text, issue, answer)
        assert.notInclude(text, "canary")
      }
    })
  )
})
