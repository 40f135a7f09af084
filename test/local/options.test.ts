import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { Synapse } from "cogito"
import { Local } from "cogito/local"
import { fill } from "../../src/local/fill.ts"
import type { JsonSchema } from "../../src/schema/jsonSchema.ts"
import { mindOf } from "./mind.ts"

// Listed values in extraction: which one the text speaks of, and what a field has if it speaks of none.

const filled = (
  property: JsonSchema,
  text: string,
  isRequired = true,
  near?: (text: string, target: string) => number
) =>
  fill({
    mind: mindOf(near === undefined ? {} : { near }),
    root: { type: "object", properties: { colour: property }, required: isRequired ? ["colour"] : [] },
    instruction: "Take it.",
    passage: { text, sentences: [text] },
    known: () => Option.none()
  })

const colours = { enum: ["red", "green"] }
const orNull = { enum: ["red", "green", null] }
const list = { type: "array", items: colours }
const question = "When do you open?"

describe("a value of a list that may be absent", () => {
  const rows: ReadonlyArray<readonly [text: string, single: string | null, several: ReadonlyArray<string>]> = [
    [question, null, []],
    ["The green one, please.", "green", ["green"]],
    ["Not red, but green.", "green", ["green"]],
    ["I do not want the red one.", null, []],
    ["Red and green.", "red", ["red", "green"]]
  ]
  it.effect.each(rows)("is one that the text names, or is absent: %s", ([text, single, several]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled(orNull, text), { colour: single })
      assert.deepStrictEqual(yield* filled(colours, text, false), single === null ? {} : { colour: single })
      assert.deepStrictEqual(yield* filled(list, text), { colour: several })
    })
  )

  it.effect("may also be one that the text is near to in meaning", () =>
    Effect.gen(function* () {
      const near = (_: string, target: string) => (target.includes("green") ? 0.3 : 0.1)
      assert.deepStrictEqual(yield* filled(orNull, "The emerald one.", true, near), { colour: "green" })
      // which it is to all of them if it excludes one
      assert.deepStrictEqual(yield* filled(orNull, "No red one.", true, near), { colour: null })
      const farther = (_: string, target: string) => (target.includes("green") ? 0.2 : 0.1)
      assert.deepStrictEqual(yield* filled(orNull, "The emerald one.", true, farther), { colour: null })
    })
  )

  it.effect("is absent if it is the only one and the text does not name it", () =>
    Effect.gen(function* () {
      const express = { enum: ["express", null] }
      assert.deepStrictEqual(yield* filled(express, question, true, () => 1), { colour: null })
      assert.deepStrictEqual(yield* filled(express, "Send it by express."), { colour: "express" })
      assert.deepStrictEqual(yield* filled({ const: "express" }, question), { colour: "express" })
    })
  )

  it.effect("is a number only if the text gives it", () =>
    Effect.gen(function* () {
      const stars = { enum: [1, 2, 3, null] }
      assert.deepStrictEqual(yield* filled(stars, "Two stars."), { colour: 2 })
      for (const text of ["Five stars.", "Lovely.", "I ordered 3 pizzas."]) {
        assert.deepStrictEqual(yield* filled(stars, text), { colour: null }, text)
      }
    })
  )

  it.effect("is no letter of a word, and no word that stands in any text", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled({ enum: ["a", "b", null] }, "It is a test.", true, () => 1), {
        colour: null
      })
      assert.deepStrictEqual(yield* filled({ enum: ["yes", "no", null] }, "I have no idea."), { colour: null })
      assert.deepStrictEqual(yield* filled({ enum: ["a", "b", null] }, "Colour: b"), { colour: "b" })
    })
  )
})

describe("a value of a list that must be there", () => {
  it.effect("is not one that the text excludes, if there is another", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* filled(colours, "Anything but red."), { colour: "green" })
      assert.deepStrictEqual(yield* filled(colours, "Neither red nor green."), { colour: "red" })
      assert.deepStrictEqual(yield* filled({ ...list, minItems: 1 }, "Anything but red."), { colour: ["green"] })
    })
  )

  it.effect("is the one for what is not said, if there is one and the text speaks of no other", () =>
    Effect.gen(function* () {
      for (const unknown of ["unknown", "UNSPECIFIED", "not_given", "n/a"]) {
        const three = { enum: ["red", "green", unknown] }
        assert.deepStrictEqual(yield* filled(three, question), { colour: unknown })
        assert.deepStrictEqual(yield* filled(three, "The green one."), { colour: "green" })
      }
    })
  )
})

describe("a currency of a list", () => {
  const currency = { enum: ["EUR", "USD", "GBP", null] }
  const rows: ReadonlyArray<readonly [text: string, currency: string | null]> = [
    ["I paid €12 and later $15.", "EUR"],
    ["I paid 15 dollars.", "USD"],
    ["I paid 15 GBP.", "GBP"],
    ["I paid CA$15.", null],
    ["I paid 15.", null]
  ]
  it.effect.each(rows)("is the first one that the text names by its code, sign or word: %s", ([text, expected]) =>
    Effect.map(
      filled(currency, text, true, () => 1),
      (found) => assert.deepStrictEqual(found, { colour: expected })
    )
  )

  it.effect("is one of several in a list", () =>
    Effect.map(filled({ type: "array", items: { enum: ["EUR", "USD", "GBP"] } }, "€12 and $15"), (found) =>
      assert.deepStrictEqual(found, { colour: ["EUR", "USD"] })
    )
  )
})

layer(Local.extractive)("the offline provider", (it) => {
  const { Literals, NullOr } = Schema
  const Form = Schema.Struct({
    category: NullOr(Literals(["billing", "technical", "shipping"])),
    mood: NullOr(Literals(["angry", "happy"])),
    sentiment: NullOr(Literals(["positive", "negative", "neutral"]))
  })
  const rows: ReadonlyArray<readonly [text: string, found: typeof Form.Type]> = [
    [question, { category: null, mood: null, sentiment: "neutral" }],
    ["Thank you so much, I love it!", { category: null, mood: "happy", sentiment: "positive" }],
    ["I was charged twice, please refund me.", { category: "billing", mood: "angry", sentiment: "negative" }]
  ]
  it.effect.each(rows)("gives a topic or a mood only to a text that has one: %s", ([text, expected]) =>
    Effect.map(Synapse.extract(Form, { prompt: "Extract it" })(text), (found) =>
      assert.deepStrictEqual(found, expected)
    )
  )
})
