import { assert, describe, it } from "@effect/vitest"
import { formInWords } from "../../src/schema/notation.ts"

const object = (properties: Record<string, unknown>, required: ReadonlyArray<string> = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const typeOf = (schema: Readonly<Record<string, unknown>>): string | undefined =>
  /^Answer with JSON only: (.*)$/.exec(formInWords(schema))?.[1]

describe("a form in words", () => {
  it("is a type, with what types do not say in comments", () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ type: "string" }, "string"],
      [{ type: "string", minLength: 1 }, "string"],
      [{ type: "string", minLength: 2, maxLength: 5 }, "string /* minLength 2, maxLength 5 */"],
      [{ type: "string", description: "The name.\nOf the */ customer" }, "string /* The name. Of the * / customer */"],
      [{ type: "string", pattern: "^a$", format: "date" }, 'string /* pattern "^a$", format "date" */'],
      [{ type: "number", minimum: 0, maximum: 1 }, "number /* 0 to 1 */"],
      [{ type: "integer", minimum: 0 }, "integer /* at least 0 */"],
      [{ type: ["string", "null"] }, "string | null"],
      [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
      [{ const: "a" }, '"a"'],
      [{ type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 }, "string[] /* exactly 2 */"],
      [{ type: "array", items: { enum: ["a", "b"] } }, 'Array<"a" | "b">'],
      [{ type: "array", items: { type: "string", description: "A tag" } }, "Array<string /* A tag */>"],
      [{ type: "array", items: object({ b: { type: "string" } }) }, "Array<{b: string}>"],
      [{ type: "array", items: { type: "array", items: { type: "number" } } }, "number[][]"],
      [{ anyOf: [{ type: "boolean" }, { type: "null" }] }, "boolean | null"],
      [object({ "a b": { type: "null" } }), '{"a b": null}'],
      [{ type: "object", additionalProperties: { type: "number" } }, "{[name: string]: number}"]
    ]
    for (const [schema, type] of cases) assert.strictEqual(typeOf(object({ a: schema })), `{a: ${type}}`)
    assert.strictEqual(
      typeOf(object({ a: { type: "string" }, b: { type: "string" } }, ["a"])),
      "{a: string, b?: string}"
    )
  })

  it("is the JSON Schema where a type would leave something out", () => {
    for (const schema of [
      { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { type: "string" } } },
      object({ a: { allOf: [{ minLength: 2 }], type: "string" } }),
      object({ a: {} }),
      object({ a: { type: "array", prefixItems: [{ type: "string" }] } }),
      object({ a: { type: "object", additionalProperties: true } })
    ]) {
      assert.isUndefined(typeOf(schema))
      assert.isTrue(formInWords(schema).endsWith(JSON.stringify(schema)))
    }
  })
})
