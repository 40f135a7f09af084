import { assert, describe, it } from "@effect/vitest"
import { admitsNumber, admitsText, formOf } from "../../src/local/jsonSchema.ts"
import type { JsonSchema } from "../../src/schema/jsonSchema.ts"

// How the offline model reads the schema of an answer.

const form = (schema: JsonSchema, root: JsonSchema = schema) => formOf(root, schema)
const int = { type: "integer" }
const text = { type: "string" }

describe("the form of a schema", () => {
  const forms: ReadonlyArray<readonly [string, JsonSchema, ReturnType<typeof form>]> = [
    ["a text", text, { _tag: "String", schema: text, nullable: false }],
    ["a number", { type: "number" }, { _tag: "Number", schema: { type: "number" }, integer: false, nullable: false }],
    ["a whole number", int, { _tag: "Number", schema: int, integer: true, nullable: false }],
    [
      "a number that JSON may not be able to write",
      { anyOf: [{ type: "number" }, { type: "string", enum: ["Infinity", "-Infinity", "NaN"] }] },
      { _tag: "Number", schema: { type: "number" }, integer: false, nullable: false }
    ],
    ["a boolean", { type: "boolean" }, { _tag: "Boolean", nullable: false }],
    ["nothing", { type: "null" }, { _tag: "Const", value: null, nullable: true }],
    ["anything", {}, { _tag: "Any", nullable: true }],
    ["anything, described", { title: "What" }, { _tag: "Any", nullable: true, description: "What" }],
    [
      "a description before a title",
      { type: "boolean", title: "What", description: "Why" },
      { _tag: "Boolean", nullable: false, description: "Why" }
    ],
    ["one value", { const: 5 }, { _tag: "Const", value: 5, nullable: false }],
    ["one value of one", { enum: ["a"] }, { _tag: "Const", value: "a", nullable: false }],
    ["a flag", { const: true }, { _tag: "Const", value: true, nullable: false }],
    ["null as the value", { const: null }, { _tag: "Const", value: null, nullable: true }],
    ["several values", { enum: ["a", 1] }, { _tag: "Enum", values: ["a", 1], nullable: false }],
    ["both flags", { enum: [true, false] }, { _tag: "Boolean", nullable: false }],
    ["a flag or null", { enum: [true, null] }, { _tag: "Const", value: true, nullable: true }],
    ["null or a flag", { enum: [null, true] }, { _tag: "Const", value: true, nullable: true }],
    ["null or an object", { enum: [null, { a: 1 }] }, { _tag: "Const", value: { a: 1 }, nullable: true }],
    [
      "null or a flag, as members",
      { anyOf: [{ enum: [null] }, { const: false }] },
      { _tag: "Const", value: false, nullable: true }
    ],
    ["both flags or null", { enum: [null, false, true] }, { _tag: "Boolean", nullable: true }],
    ["one flag of one", { enum: [false] }, { _tag: "Const", value: false, nullable: false }],
    [
      "values and a flag",
      { enum: ["a", true, 1] },
      { _tag: "Union", members: [{ enum: ["a", 1] }, { enum: [true] }], nullable: false }
    ],
    ["several values or null", { enum: ["a", "b", null] }, { _tag: "Enum", values: ["a", "b"], nullable: true }],
    [
      "types with null",
      { type: ["string", "null"] },
      { _tag: "String", schema: { type: ["string", "null"] }, nullable: true }
    ],
    ["a list", { type: "array" }, { _tag: "Array", items: {}, minItems: 0, maxItems: Infinity, nullable: false }],
    [
      "a list with limits",
      { type: "array", items: int, minItems: 1, maxItems: 3 },
      { _tag: "Array", items: int, minItems: 1, maxItems: 3, nullable: false }
    ],
    ["a tuple", { type: "array", prefixItems: [int, text] }, { _tag: "Tuple", items: [int, text], nullable: false }],
    [
      "an object",
      { type: "object", properties: { a: int, b: true }, required: ["a", 5] },
      {
        _tag: "Object",
        properties: [
          ["a", int],
          ["b", {}]
        ],
        required: new Set(["a"]),
        nullable: false
      }
    ],
    [
      "an object that does not say so",
      { properties: { a: int } },
      { _tag: "Object", properties: [["a", int]], required: new Set(), nullable: false }
    ],
    [
      "an object of nothing",
      { type: "object" },
      { _tag: "Object", properties: [], required: new Set(), nullable: false }
    ],
    ["one of several forms", { anyOf: [int, text] }, { _tag: "Union", members: [int, text], nullable: false }],
    [
      "one of several forms or null",
      { oneOf: [int, text, { type: "null" }] },
      { _tag: "Union", members: [int, text], nullable: true }
    ],
    [
      "one form or null",
      { anyOf: [int, { const: null }] },
      { _tag: "Number", schema: int, integer: true, nullable: true }
    ],
    ["only null", { anyOf: [{ type: "null" }] }, { _tag: "Const", value: null, nullable: true }],
    [
      "values of several forms",
      { anyOf: [{ const: "a" }, { enum: ["b", "c"] }] },
      { _tag: "Enum", values: ["a", "b", "c"], nullable: false }
    ],
    [
      "a value or a form",
      { anyOf: [{ const: "a" }, int] },
      { _tag: "Union", members: [{ const: "a" }, int], nullable: false }
    ]
  ]
  it.each(forms)("is that of %s", (_, schema, expected) => {
    assert.deepStrictEqual(form(schema), expected)
  })

  it("keeps limits beside the only form that is not null", () => {
    assert.deepStrictEqual(form({ minimum: 3, anyOf: [int, { type: "null" }] }), {
      _tag: "Number",
      schema: { minimum: 3, type: "integer" },
      integer: true,
      nullable: true
    })
  })

  it("follows references, of which the words beside them count more", () => {
    const root = {
      $defs: { "a/b~c": { type: "integer", minimum: 1, description: "Of old" }, "d e": { $ref: "#/$defs/a~1b~0c" } }
    }
    const schema = { type: "integer", minimum: 1 }
    const expected = { _tag: "Number", integer: true, nullable: false } as const
    const old = { ...schema, description: "Of old" }
    assert.deepStrictEqual(form({ $ref: "#/$defs/d%20e" }, root), { ...expected, schema: old, description: "Of old" })
    const own = { $ref: "#/$defs/a~1b~0c", minimum: 2, description: "New" }
    assert.deepStrictEqual(form(own, root), {
      ...expected,
      schema: { ...schema, minimum: 2, description: "New" },
      description: "New"
    })
    assert.deepStrictEqual(form({ $ref: "#/$defs/none" }, root), { _tag: "Any", nullable: true })
    const endless = { $defs: { a: { $ref: "#/$defs/a" } } }
    assert.deepStrictEqual(form({ $ref: "#/$defs/a" }, endless), { _tag: "Any", nullable: true })
  })

  it("has all that allOf says, and all of its patterns", () => {
    const merged = form({ type: "string", pattern: "^a", allOf: [{ minLength: 3 }, { pattern: "b$" }, "no schema"] })
    assert.strictEqual(merged._tag, "String")
    if (merged._tag !== "String") return
    const admits = admitsText(merged.schema)
    assert.deepStrictEqual(["axb", "ab", "axc", "xxb", "a\nb"].map(admits), [true, false, false, false, true])
    const one = form({ type: "string", pattern: "^a", allOf: [{ pattern: "^a" }] })
    assert.deepStrictEqual(one._tag === "String" && one.schema, { pattern: "^a", type: "string" })
  })
})

describe("what a schema admits", () => {
  it("as a text has its length in characters and its pattern", () => {
    const admitted = (schema: JsonSchema, ...texts: ReadonlyArray<string>) => texts.map(admitsText(schema))
    assert.deepStrictEqual(admitted({ minLength: 2 }, "", "a", "ab"), [false, false, true])
    assert.deepStrictEqual(admitted({ maxLength: 2 }, "", "ab", "abc", "👍👍"), [true, true, false, true])
    assert.deepStrictEqual(admitted({ pattern: "^\\p{L}$" }, "a", "ä", "1", "ab"), [true, true, false, false])
    assert.deepStrictEqual(admitted({ pattern: "^\\-$" }, "-", "a"), [true, false])
    assert.deepStrictEqual(admitted({ pattern: "(" }, "(", ""), [false, false])
    assert.deepStrictEqual(admitted({}, "", "a"), [true, true])
  })

  it("as a number is within its limits", () => {
    const admitted = (schema: JsonSchema, isWhole: boolean, ...numbers: ReadonlyArray<number>) =>
      numbers.map(admitsNumber(schema, isWhole))
    assert.deepStrictEqual(admitted({ minimum: 1 }, false, 0.9, 1), [false, true])
    assert.deepStrictEqual(admitted({ maximum: 1 }, false, 1, 1.1), [true, false])
    assert.deepStrictEqual(admitted({ exclusiveMinimum: 1 }, false, 1, 1.1), [false, true])
    assert.deepStrictEqual(admitted({ exclusiveMaximum: 1 }, false, 0.9, 1), [true, false])
    assert.deepStrictEqual(admitted({ multipleOf: 5 }, false, 10, 12), [true, false])
    assert.deepStrictEqual(admitted({ multipleOf: 0.01 }, false, 19.99, -0.07, 19.995), [true, true, false])
    assert.deepStrictEqual(admitted({}, true, 1, 1.5), [true, false])
    assert.deepStrictEqual(admitted({}, false, 1.5), [true])
  })
})
