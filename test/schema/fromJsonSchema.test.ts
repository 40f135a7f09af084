import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readJson } from "../../src/schema/fromJsonSchema.ts"
import { misfit } from "../../src/schema/misfit.ts"
import { formOf } from "../../src/step/runtime/awaiting.ts"

// The errors that somebody sees who answers a question, of which only the JSON Schema is stored.

interface Tree {
  readonly label: string
  readonly parts: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  label: Schema.String,
  parts: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const Money = Schema.Struct({ amount: Schema.Finite, currency: Schema.Literals(["EUR", "USD"]) }).annotate({
  identifier: "Money"
})
const Refund = Schema.Struct({ paid: Money, back: Money, note: Schema.optionalKey(Schema.String) })

/** Why a value does not fit the JSON Schema of a schema. */
const read = (schema: Schema.Codec<any, any>, value: unknown): string =>
  Result.match(readJson(formOf(schema), value), { onFailure: misfit, onSuccess: () => "fits" })

const eur = { amount: 3, currency: "EUR" }

const cases: Readonly<Record<string, readonly [schema: Schema.Codec<any, any>, value: unknown, result: string]>> = {
  "a text": [Schema.String, "yes", "fits"],
  "a number for a text": [Schema.String, 3, "expected string"],
  "a text for a number": [Schema.Finite, "3", "expected number"],
  "an object": [Refund, { paid: eur, back: eur }, "fits"],
  "an object with all keys": [Refund, { paid: eur, back: eur, note: "Late." }, "fits"],
  "a key too many": [Refund, { paid: eur, back: eur, reason: "Late." }, '"reason" is not expected'],
  "a key too many, further in": [Refund, { paid: eur, back: { ...eur, tax: 1 } }, '"back.tax" is not expected'],
  "a missing key": [Refund, { paid: eur }, '"back" is missing'],
  "a missing key, further in": [Refund, { paid: { amount: 3 }, back: eur }, '"paid.currency" is missing'],
  "a value of another type, further in": [
    Refund,
    { paid: eur, back: { ...eur, amount: "3" } },
    '"back.amount": expected number'
  ],
  "a tree": [Tree, { label: "a", parts: [{ label: "b", parts: [] }] }, "fits"],
  "a tree with a fault in a part": [
    Tree,
    { label: "a", parts: [{ label: "b", parts: [{ label: "c" }] }] },
    '"parts.0.parts.0.parts" is missing'
  ]
}

describe("an answer that is checked with the JSON Schema of its question", () => {
  for (const [name, [schema, value, result]] of Object.entries(cases)) {
    it(`${result === "fits" ? "fits" : "is refused with the place and the reason"}: ${name}`, () => {
      assert.strictEqual(read(schema, value), result)
    })
  }

  const object = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
  const keywords: Readonly<Record<string, readonly [schema: object, fit: unknown, unfit: unknown]>> = {
    "a pattern, which is not checked": [{ type: "string", pattern: "@" }, "ab", 3],
    "a pattern that takes years for a text": [{ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`, 3],
    "an invalid pattern": [{ type: "string", pattern: "(?<a" }, "ab", 3],
    "nothing about other properties, which are accepted": [object, { a: "x", b: 1 }, { b: 1 }],
    "a pattern in a definition": [
      { $ref: "#/$defs/Mail", $defs: { Mail: { ...object, properties: { a: { type: "string", pattern: "@" } } } } },
      { a: "ab" },
      { a: 3 }
    ],
    "others of a type, which is not checked": [
      { ...object, additionalProperties: { type: "number" } },
      { a: "x", b: 1 },
      { a: 3 }
    ],
    "others by pattern, which are not checked": [
      { ...object, patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      { a: "x", x1: 1 },
      { x1: 1 }
    ],
    "a negation, which is not checked": [
      { ...object, not: { required: ["b"] }, additionalProperties: false },
      { a: "x" },
      { a: 3 }
    ],
    "a condition, which is not checked": [
      { ...object, if: { required: ["b"] }, else: { required: ["c"] } },
      { a: "x" },
      {}
    ],
    "a property with the name of a keyword": [
      { ...object, properties: { not: { type: "number" }, a: { type: "string" } }, not: { required: ["b"] } },
      { a: "x", not: 1 },
      { a: "x", not: "1" }
    ]
  }

  for (const [name, [schema, fit, unfit]] of Object.entries(keywords)) {
    it(`fits a schema with ${name}`, () => {
      assert.deepStrictEqual(readJson(schema, fit), Result.succeed(fit))
      assert.isTrue(Result.isFailure(readJson(schema, unfit)))
    })
  }

  it("is refused with all reasons if there are several", () => {
    const schema = Schema.Struct({ paid: Money, back: Money })
    const value: unknown = { paid: { amount: "3", currency: "GBP" }, back: eur, reason: "Late." }
    const all = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(value)
    assert.strictEqual(
      Result.match(all, { onFailure: misfit, onSuccess: () => "fits" }),
      '"reason" is not expected; "paid.amount": expected number; "paid.currency": expected "EUR" | "USD"'
    )
  })

  it("always fits if there is no schema", () => {
    for (const none of [undefined, null, "schema", []]) {
      assert.deepStrictEqual(readJson(none, { a: 1 }), Result.succeed({ a: 1 }))
    }
  })
})
