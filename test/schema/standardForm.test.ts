import { assert, describe, it } from "@effect/vitest"
import { Primitive } from "cogito"
import { Result, Schema } from "effect"
import { z } from "zod"
import { formOf } from "../../src/schema/standardForm.ts"

/** The form of a schema that is only a JSON Schema. */
const of = (jsonSchema: Record<string, unknown>) =>
  formOf({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema }
    }
  })

const text = { type: "string" }
const object = (more: Record<string, unknown> = {}) => ({ type: "object", properties: { a: text }, ...more })

describe("the JSON that a model writes for a schema of another library", () => {
  const values = {
    listed: { a: "x" },
    strange: { a: "x", b: 1 },
    matching: { a: "x", "x-b": 1 },
    wrong: { a: 1 }
  }
  const cases: Readonly<Record<string, readonly [schema: Record<string, unknown>, accepted: ReadonlyArray<string>]>> = {
    "an object": [object(), ["listed"]],
    "an object that accepts more keys": [object({ additionalProperties: true }), ["listed", "strange", "matching"]],
    "an object that refuses more keys": [object({ additionalProperties: false }), ["listed"]],
    "an object that accepts keys by a pattern": [
      object({ patternProperties: { "^x-": { type: "number" } } }),
      ["listed", "strange", "matching"]
    ]
  }
  for (const [name, [schema, accepted]] of Object.entries(cases)) {
    it(`has no key that the schema does not accept: ${name}`, () => {
      const read = Schema.decodeUnknownResult(of(schema).wire, { onExcessProperty: "error" })
      const found = Object.entries(values).flatMap(([one, value]) => (Result.isSuccess(read(value)) ? [one] : []))
      assert.deepStrictEqual(found, accepted)
    })
  }
})

describe("a schema of another library that transforms values", () => {
  const number = z.string().transform(Number)

  it("is accepted inside an object or a list, but not alone", () => {
    const cases: ReadonlyArray<readonly [z.ZodType, isCompound: boolean, transforms: boolean]> = [
      [number, false, true],
      [z.array(number), true, true],
      [z.tuple([number]), true, true],
      [z.object({ n: number }), true, true],
      [z.record(z.string(), number), true, true],
      [z.string(), false, false],
      [z.array(z.string()), true, false],
      [z.object({ n: z.number().default(1) }), true, false]
    ]
    for (const [schema, isCompound, transforms] of cases) {
      const form = formOf(schema)
      assert.deepStrictEqual([form.isCompound, form.transforms], [isCompound, transforms])
      const make = () => Primitive.analyze("n", { schema, prompt: "Count." })
      if (isCompound || !transforms) assert.strictEqual(make().key, "n")
      else assert.throws(make, 'The step "n" has a schema that transforms a plain value')
    }
  })
})
