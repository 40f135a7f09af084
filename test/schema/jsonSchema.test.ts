import { assert, describe, it } from "@effect/vitest"
import { formOf } from "../../src/local/jsonSchema.ts"
import { dereferenced, type JsonSchema, resolve, takesNull } from "../../src/schema/jsonSchema.ts"
import { shapeOf } from "../../src/synapse/answer/marred/align/Shape.ts"

// One reader of JSON Schemas serves the offline model, the tolerant reader of answers, and the adapters to vendors.

const text = { type: "string" }

describe("a reference", () => {
  const root: JsonSchema = {
    $defs: {
      a: { type: "integer", minimum: 1 },
      "a/b~c": text,
      "100%": text,
      "b%41": { type: "number" },
      "c~0": { type: "boolean" },
      "d~1e": { type: "array" },
      box: { properties: { "x/y": { type: "null" } } },
      "d e": { $ref: "#/$defs/a" },
      self: { $ref: "#/$defs/self" },
      one: { $ref: "#/$defs/two" },
      two: { $ref: "#/$defs/one" },
      part: { type: "string", allOf: [{ $ref: "#/$defs/part" }, { minLength: 2 }] }
    },
    properties: { first: text, list: { prefixItems: [text] } }
  }
  const cases: ReadonlyArray<readonly [string, JsonSchema | undefined]> = [
    ["#/$defs/a", { type: "integer", minimum: 1 }],
    ["#/$defs/d%20e", { type: "integer", minimum: 1 }],
    ["#/$defs/a~1b~0c", text],
    ["#/$defs/a/b~c", text],
    ["#/$defs/100%25", text],
    ["#/$defs/100%", text],
    // names that are not escaped, though they could be
    ["#/$defs/b%41", { type: "number" }],
    ["#/$defs/c~0", { type: "boolean" }],
    ["#/$defs/c~00", { type: "boolean" }],
    ["#/$defs/d~01e", { type: "array" }],
    // a place within a definition
    ["#/$defs/box/properties/x~1y", { type: "null" }],
    ["#/$defs/box/properties/z", undefined],
    ["#/properties/first", text],
    ["#/properties/list/prefixItems/0", text],
    ["#", root],
    ["#/$defs/none", undefined],
    ["#/$defs/toString", undefined],
    ["#/$defs/__proto__", undefined],
    ["https://example.com/schema", undefined],
    ["#/$defs/self", undefined],
    ["#/$defs/one", undefined]
  ]
  it.each(cases)("%s", (reference, expected) => {
    assert.deepStrictEqual(dereferenced(root, { $ref: reference }), expected)
  })

  it("gives way to the keywords beside it, apart from patterns, which all count", () => {
    const beside = { $ref: "#/$defs/a", minimum: 2, description: "More" }
    assert.deepStrictEqual(dereferenced(root, beside), { type: "integer", minimum: 2, description: "More" })
    const patterns = { $defs: { a: { pattern: "^a" } }, $ref: "#/$defs/a", pattern: "b$" }
    const { pattern } = dereferenced(patterns, patterns) ?? {}
    assert.deepStrictEqual(
      ["ab", "a", "b"].map((one) => new RegExp(String(pattern)).test(one)),
      [true, false, false]
    )
  })

  it("to a schema whose allOf leads back to it adds nothing", () => {
    assert.deepStrictEqual(resolve(root, { $ref: "#/$defs/part" }), { type: "string", minLength: 2 })
  })
})

describe("a union that is a member of itself", () => {
  const union = { anyOf: [{ $ref: "#/$defs/union" }, { $ref: "#/$defs/union" }, { type: "null" }] }
  const root = { $defs: { union }, $ref: "#/$defs/union" }

  it("is read in a moment, by all", () => {
    assert.isTrue(takesNull(root, root))
    assert.isFalse(takesNull({ $defs: { union: { anyOf: union.anyOf.slice(0, 2) } } }, { $ref: "#/$defs/union" }))
    assert.strictEqual(shapeOf(root)._tag, "Union")
    assert.isTrue(formOf(root, root).nullable)
  })
})

describe("a definition whose name is no valid escape", () => {
  it("is read by all", () => {
    const root = { $defs: { "100%": { type: "boolean" } }, $ref: "#/$defs/100%" }
    assert.deepStrictEqual(formOf(root, root), { _tag: "Boolean", nullable: false })
    assert.deepStrictEqual(shapeOf(root), { _tag: "Boolean" })
  })
})
