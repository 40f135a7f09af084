import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Provider, Synapse } from "cogito"
import { Testing } from "cogito/testing"

// What a model's answer must be like: every synapse takes the good ones and refuses the bad ones.

const decide = Synapse.binary({ question: "Is it urgent?", repairs: 0 })
const categories = ["billing", "technical"] as const
const classify = Synapse.classification({ question: "Which?", categories, repairs: 0 })
const feel = Synapse.sentiment({ repairs: 0 })
const feelAbout = Synapse.sentiment({ aspects: ["price", "quality"], repairs: 0 })
const transform = Synapse.transform({ prompt: "Shorten it", repairs: 0 })
const extract = Synapse.extract(Schema.Struct({ number: Schema.String, total: Schema.Finite }), {
  prompt: "Extract the invoice",
  repairs: 0
})

const answer = (synapse: Synapse.Synapse<unknown>, reply: Testing.Reply) =>
  synapse("a text").pipe(Effect.provide(Testing.scripted([reply]).layer))

const decision = { decision: true, confidence: 0.5, reasoning: ["It says so."] }
const classification = { primary: "billing", confidence: 0.5, reasoning: ["It says so."] }
const scores = { positive: 0.2, negative: 0.7, neutral: 0.1 }
const assessment = { overall: "negative", confidence: 0.5, scores, emotions: ["anger"], reasoning: ["It shouts."] }
const transformation = { output: "Short", confidence: 0.5, changes: [], reasoning: [] }
const without = <A extends object>(reply: A, key: keyof A) =>
  Object.fromEntries(Object.entries(reply).filter(([name]) => name !== key))

describe("an answer that is refused", () => {
  const cases: ReadonlyArray<readonly [string, Synapse.Synapse<unknown>, Testing.Reply, string]> = [
    ["no decision", decide, without(decision, "decision"), "decision: Missing key"],
    ["a decision in words", decide, { ...decision, decision: "yes" }, "decision: Expected boolean"],
    ["a confidence over 1", decide, { ...decision, confidence: 1.01 }, "confidence: Expected a value between 0 and 1"],
    ["a confidence below 0", decide, { ...decision, confidence: -0.01 }, "confidence: Expected a value between"],
    ["a confidence in words", decide, { ...decision, confidence: "high" }, "confidence: Expected number"],
    ["no confidence", decide, without(decision, "confidence"), "confidence: Missing key"],
    ["no reasoning", decide, without(decision, "reasoning"), "reasoning: Missing key"],
    [
      "empty reasoning",
      decide,
      { ...decision, reasoning: [] },
      "reasoning: Expected a value with a length of at least 1"
    ],
    ["an empty reason", decide, { ...decision, reasoning: ["It is.", ""] }, "reasoning.1: Expected"],
    ["prose", decide, "Yes, it is urgent.", "Expected JSON"],
    ["no text", decide, "", "Expected JSON"],
    ["cut-off JSON", decide, '{"decision": true, "confidence": 0.', "confidence: The answer was cut off here"],
    ["a list", decide, "[]", "Expected object"],
    ["null", decide, "null", "Expected object"],

    [
      "an unknown category",
      classify,
      { ...classification, primary: "sales" },
      'primary: Expected "billing" | "technical"'
    ],
    ["a category among other words", classify, { ...classification, primary: "Not billing" }, "primary: Expected"],
    ["an empty category", classify, { ...classification, primary: "" }, "primary: Expected"],
    ["an unknown second category", classify, { ...classification, secondary: "sales" }, "secondary: Expected"],
    ["a classification's confidence over 1", classify, { ...classification, confidence: 2 }, "confidence: Expected"],
    ["a classification's confidence below 0", classify, { ...classification, confidence: -1 }, "confidence: Expected"],
    ["a classification without reasons", classify, { ...classification, reasoning: [] }, "reasoning: Expected"],

    ["an unknown tone", feel, { ...assessment, overall: "angry" }, "overall: Expected"],
    ["an empty tone", feel, { ...assessment, overall: "" }, "overall: Expected"],
    [
      "scores below 1 together",
      feel,
      { ...assessment, scores: { ...scores, neutral: 0.04 } },
      "scores: Expected scores that sum to 1"
    ],
    [
      "scores over 1 together",
      feel,
      { ...assessment, scores: { ...scores, neutral: 0.16 } },
      "scores: Expected scores that sum to 1"
    ],
    ...(["positive", "negative", "neutral"] as const).flatMap((name) =>
      [1.01, -0.01].map(
        (score) =>
          [
            `a ${name} score of ${score}`,
            feel,
            { ...assessment, scores: { ...scores, [name]: score } },
            `scores.${name}: Expected a value between 0 and 1`
          ] as const
      )
    ),
    ["a missing score", feel, { ...assessment, scores: without(scores, "neutral") }, "scores.neutral: Missing key"],
    ["a feeling's confidence below 0", feel, { ...assessment, confidence: -1 }, "confidence: Expected"],
    ["a feeling without reasons", feel, { ...assessment, reasoning: [] }, "reasoning: Expected"],
    ["an aspect left out", feelAbout, { ...assessment, aspects: { price: "mixed" } }, "aspects.quality: Missing key"],
    ["no aspects", feelAbout, assessment, "aspects: Missing key"],
    [
      "an unknown tone of an aspect",
      feelAbout,
      { ...assessment, aspects: { price: "bad", quality: "mixed" } },
      "aspects.price: Expected"
    ],

    ["an empty new text", transform, { ...transformation, output: "" }, "output: Expected"],
    ["a new text's confidence below 0", transform, { ...transformation, confidence: -0.5 }, "confidence: Expected"],
    ["a new text's confidence over 1", transform, { ...transformation, confidence: 1.5 }, "confidence: Expected"],

    ["a missing field", extract, { number: "A-1" }, "total: Missing key"],
    ["a field of another type", extract, { number: "A-1", total: "twelve" }, "total: Expected number"]
  ]
  it.effect.each(cases)("%s", ([, synapse, reply, issue]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(answer(synapse, reply))
      assert.strictEqual(error._tag, "ResponseError")
      assert.include(error.message, issue)
    })
  )

  it.effect("names all of its issues at once", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(answer(decide, { decision: "no", confidence: 3, reasoning: [] }))
      assert.strictEqual(error._tag, "ResponseError")
      assert.deepStrictEqual(
        (error as Synapse.ResponseError).issues.map(({ path }) => path),
        [["decision"], ["confidence"], ["reasoning"]]
      )
    })
  )
})

describe("an answer that is accepted", () => {
  const stated = { confidenceFrom: "stated" }
  const cases: ReadonlyArray<readonly [string, Synapse.Synapse<unknown>, Testing.Reply, unknown]> = [
    ["a confidence of 0", decide, { ...decision, confidence: 0 }, { ...decision, ...stated, confidence: 0 }],
    ["a confidence of 1", decide, { ...decision, confidence: 1 }, { ...decision, ...stated, confidence: 1 }],
    ["a decision against", decide, { ...decision, decision: false }, { ...decision, ...stated, decision: false }],
    ["fields that nobody asked for", decide, { ...decision, mood: "good" }, { ...decision, ...stated }],
    [
      "JSON in a fence",
      decide,
      `Sure:\n\`\`\`json\n${JSON.stringify(decision)}\n\`\`\`\nDone.`,
      { ...decision, ...stated }
    ],
    ["JSON between prose", decide, `I think {so}: ${JSON.stringify(decision)} - yes`, { ...decision, ...stated }],
    ["JSON with space around", decide, `\n\n  ${JSON.stringify(decision)}\n`, { ...decision, ...stated }],
    [
      "a second category",
      classify,
      { ...classification, secondary: "technical" },
      { ...classification, ...stated, secondary: "technical" }
    ],
    ["no second category, as null", classify, { ...classification, secondary: null }, { ...classification, ...stated }],
    [
      "a second category that is the first",
      classify,
      { ...classification, secondary: "billing" },
      { ...classification, ...stated }
    ],
    [
      "scores nearly 1 together",
      feel,
      { ...assessment, scores: { ...scores, neutral: 0.06 } },
      { ...assessment, ...stated, scores: { ...scores, neutral: 0.06 }, aspects: {} }
    ],
    ["no emotions", feel, { ...assessment, emotions: [] }, { ...assessment, ...stated, emotions: [], aspects: {} }],
    [
      "aspects",
      feelAbout,
      { ...assessment, aspects: { price: "mixed", quality: "positive" } },
      { ...assessment, ...stated, aspects: { price: "mixed", quality: "positive" } }
    ],
    ["a new text without changes or reasons", transform, transformation, transformation],
    ["an extraction", extract, { number: "A-1", total: 12.5, currency: "EUR" }, { number: "A-1", total: 12.5 }]
  ]
  it.effect.each(cases)("%s", ([, synapse, reply, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* answer(synapse, reply), expected)
    })
  )
})

describe("an extraction whose schema is not an object", () => {
  const tags = Synapse.extract(Schema.Array(Schema.String), { prompt: "Extract the tags", repairs: 0 })

  it.effect("is requested inside one", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ value: ["a", "b"] }])
      assert.deepStrictEqual(yield* tags("text").pipe(Effect.provide(model.layer)), ["a", "b"])
      assert.deepStrictEqual(model.requests[0]?.task.output?.jsonSchema, {
        type: "object",
        properties: { value: { type: "array", items: { type: "string" } } },
        required: ["value"],
        additionalProperties: false
      })
    })
  )

  it.effect("may be answered bare", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* answer(tags, '["a"]'), ["a"])
    })
  )
})

describe("the form of an answer", () => {
  it.effect("is sent as a JSON Schema and in words", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([decision])
      yield* decide("text").pipe(Effect.provide(model.layer))
      const output: Provider.Output = model.requests[0]!.task.output!
      assert.strictEqual(output.name, "decision")
      assert.strictEqual(output.jsonSchema["type"], "object")
      assert.deepStrictEqual(output.jsonSchema["required"], ["decision", "confidence", "reasoning"])
      assert.strictEqual(output.jsonSchema["additionalProperties"], false)
      assert.strictEqual(
        output.instructions,
        "Answer with JSON only: {decision: boolean, confidence: number /* 0 to 1 */, reasoning: string[] /* at least 1 */}"
      )
      // it is the adapter's to send: the messages do not repeat it
      for (const { text } of model.requests[0]!.messages) assert.notInclude(text, "additionalProperties")
    })
  )

  it.effect("names the categories as a closed set", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([classification])
      yield* classify("text").pipe(Effect.provide(model.layer))
      assert.include(JSON.stringify(model.requests[0]?.task.output?.jsonSchema), '["billing","technical"]')
    })
  )
})
