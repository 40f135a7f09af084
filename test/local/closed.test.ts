import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { type Given, knownFrom } from "../../src/local/closed.ts"
import { formOf } from "../../src/local/jsonSchema.ts"
import type { JsonSchema } from "../../src/schema/jsonSchema.ts"

// How answers to closed questions become the properties of a written answer.

const predicate = (probability: number, name = "decision"): Given => ({ _tag: "Predicate", name, probability })
const choice = (
  distribution: Readonly<Record<string, number>>,
  name = "category",
  reasons?: ReadonlyArray<string>
): Given => ({
  _tag: "Choice",
  name,
  label: "",
  distribution,
  ...(reasons === undefined ? {} : { reasons })
})
const score = (value: number, name: string): Given => ({
  _tag: "Score",
  name,
  value,
  distribution: { low: 0.25, high: 0.75 }
})

/** What the answers know of a property; undefined where they leave it to the text. */
const known = (answers: ReadonlyArray<Given>, name: string, schema: JsonSchema): unknown =>
  Option.getOrUndefined(knownFrom(schema, answers)(name, formOf(schema, schema)))

const text = { type: "string" }
const number = { type: "number" }
const flag = { type: "boolean" }
const texts = { type: "array", items: text }
const object = (...names: ReadonlyArray<string>) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, number]))
})
const spread = choice({ a: 0.2, b: 0.5, c: 0.3 })

describe("a property of an answer", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Given>, string, JsonSchema, unknown]> = [
    ["a flag is yes from an even chance on", [predicate(0.5)], "decision", flag, true],
    ["a flag is no below", [predicate(0.49)], "decision", flag, false],
    ["a flag is none of a choice", [spread], "category", flag, undefined],
    ["a flag of another name is of the only answer", [predicate(0.9)], "urgent", flag, true],
    ["a flag of another name is of none of several", [predicate(0.9), spread], "urgent", flag, undefined],
    ["a number is the score", [score(7, "severity")], "severity", number, 7],
    ["a number is the probability of yes", [predicate(0.2)], "decision", number, 0.2],
    ["a number is that of the likeliest label", [spread], "category", number, 0.5],
    [
      "a number is none where it is out of its limits",
      [score(7, "severity")],
      "severity",
      { ...number, maximum: 5 },
      undefined
    ],
    ["a number is none where it must be whole", [spread], "category", { type: "integer" }, undefined],
    ["a value is the likeliest label", [spread], "category", { enum: ["c", "b"] }, "b"],
    ["a value is a number where the label is one", [choice({ 1: 0.1, 2: 0.9 })], "category", { enum: [1, 2] }, 2],
    ["a value is none where the label is not among them", [spread], "category", { enum: ["a", "x"] }, undefined],
    ["a value of a yes is so named", [predicate(0.9)], "decision", { enum: ["yes", "no"] }, "yes"],
    ["a value of a no is so named", [predicate(0.3)], "decision", { enum: ["yes", "no"] }, "no"],
    ["a text is the likeliest label", [spread], "category", text, "b"],
    ["a text is none where the label is too long", [spread], "category", { ...text, maxLength: 0 }, undefined],
    ["a list is none of a single answer", [spread], "category", texts, undefined],
    ["confidence is that of the first answer", [spread, predicate(0.9)], "confidence", number, 0.5],
    ["confidence in a no is that of a no", [predicate(0.1)], "confidence", number, 0.9],
    ["confidence is no text", [spread], "confidence", text, undefined],
    ["a second choice is the next likely", [choice({ a: 0.5, b: 0.4, c: 0.1 })], "secondary", text, "b"],
    [
      "a second choice is none when it is not likelier than by chance",
      [choice({ a: 0.6, b: 0.3, c: 0.1 })],
      "secondary",
      text,
      undefined
    ],
    ["a second choice is none at just the chance", [choice({ a: 0.5, b: 0.5 })], "secondary", text, undefined],
    [
      "a second choice is null where it may be",
      [choice({ a: 1, b: 0 })],
      "secondary",
      { type: ["string", "null"] },
      null
    ],
    [
      "a second choice is null where there is no other",
      [choice({ a: 1 })],
      "secondary",
      { type: ["string", "null"] },
      null
    ],
    ["second choices are an empty list", [spread], "secondary", texts, []],
    ["a distribution has all labels", [spread], "distribution", { type: "object" }, { a: 0.2, b: 0.5, c: 0.3 }],
    [
      "a distribution of some labels sums to 1",
      [choice({ a: 0.25, b: 0.25, c: 0.5 })],
      "probabilities",
      object("a", "c"),
      { a: 1 / 3, c: 2 / 3 }
    ],
    ["a distribution of other labels is none", [spread], "scores", object("x", "y"), undefined],
    ["a distribution is that of the answer that has it", [choice({ x: 1 }), spread], "scores", object("a"), { a: 1 }],
    [
      "half of what is mixed is positive, half negative",
      [choice({ positive: 0.1, negative: 0.3, neutral: 0.2, mixed: 0.4 })],
      "scores",
      object("positive", "negative", "neutral"),
      { positive: 0.1 + 0.2, negative: 0.5, neutral: 0.2 }
    ],
    [
      "what is mixed stays so where it is asked for",
      [choice({ positive: 0.25, mixed: 0.75 })],
      "scores",
      object("positive", "mixed"),
      { positive: 0.25, mixed: 0.75 }
    ],
    [
      "a list of labels has those likelier than by chance",
      [choice({ a: 0.4, b: 0.2, c: 0.4 })],
      "distribution",
      texts,
      ["a", "c"]
    ],
    [
      "a list of labels has as many as it must",
      [choice({ a: 0.1, b: 0.7, c: 0.2 })],
      "distribution",
      { ...texts, minItems: 2 },
      ["b", "c"]
    ],
    [
      "a list of pairs has each label with its probability, the likeliest first",
      [choice({ a: 0.2, b: 0.8 })],
      "distribution",
      { type: "array", items: { type: "object", properties: { label: text, share: number } } },
      [
        { label: "b", share: 0.8 },
        { label: "a", share: 0.2 }
      ]
    ],
    ["a distribution is no text", [spread], "distribution", text, undefined],
    [
      "an order is that of scores, the highest first",
      [score(1, "x"), score(3, "y"), score(2, "z")],
      "ranked",
      texts,
      ["y", "z", "x"]
    ],
    ["an order of one choice is that of its labels", [spread], "order", texts, ["b", "c", "a"]],
    ["an order is no text", [spread], "ranking", text, undefined],
    ["a plural is the list of an answer", [choice({ joy: 0.9, anger: 0.1 }, "emotion")], "emotions", texts, ["joy"]],
    ["another plural is none", [choice({ joy: 0.9, anger: 0.1 }, "emotion")], "feelings", texts, undefined],
    [
      "parts are of the answers that are named so",
      [choice({ good: 1 }, "aspect:price"), choice({ bad: 1 }, "aspect:a:b"), choice({ good: 1 }, "other:size")],
      "aspects",
      { type: "object", properties: { price: text, "a:b": text, size: text } },
      { price: "good", "a:b": "bad" }
    ],
    [
      "parts that no answer is named as are none",
      [choice({ good: 1 }, "aspect:price")],
      "aspects",
      { type: "object", properties: { size: text } },
      undefined
    ],
    [
      "an object of an answer has what the answer knows",
      [choice({ a: 0.7, b: 0.3 }, "topic", ["So."])],
      "topic",
      { type: "object", properties: { topic: text, confidence: number, reasoning: texts, note: flag } },
      { topic: "a", confidence: 0.7, reasoning: ["So."] }
    ],
    ["nothing is known without answers", [], "confidence", number, undefined]
  ]
  it.each(cases)("%s", (_, answers, name, schema, expected) => {
    assert.deepStrictEqual(known(answers, name, schema), expected)
  })

  it("with the reasons has each once, in a list or a text, under any of their names", () => {
    const answers = [choice({ a: 1 }, "x", ["One.", "Two."]), choice({ a: 1 }, "y", ["Two.", "Three."])]
    for (const name of ["reasoning", "reason", "rationale", "explanation", "justification", "evidence"]) {
      assert.deepStrictEqual(known(answers, name, texts), ["One.", "Two.", "Three."], name)
      assert.strictEqual(known(answers, name, text), "One. Two. Three.", name)
      assert.isUndefined(known(answers, name, number), name)
    }
    assert.deepStrictEqual(known([predicate(1)], "reasoning", texts), [])
  })
})
