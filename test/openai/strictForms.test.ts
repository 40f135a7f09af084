import { assert, describe, it } from "@effect/vitest"
import { Synapse } from "cogito"
import { OpenAi } from "cogito/openai"
import { Arbitrary, Effect, Schema } from "effect"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import { completion } from "./server.ts"

// What is sent for a schema, and read of its answers, beside what Effect's own compiler makes of it.

const runs = Number(process.env["COGITO_STRICT_SCHEMAS"] ?? 60)

/** A schema as data. Nothing is both optional and null: there Effect's compiler reads null as absent. */
type Plan =
  | { readonly kind: "string" | "int" | "number" | "boolean" | "literals" | "short" | "few" }
  | { readonly kind: "list" | "nullable"; readonly of: Plan }
  | { readonly kind: "struct"; readonly fields: ReadonlyArray<{ readonly of: Plan; readonly optional: boolean }> }
  | { readonly kind: "union"; readonly of: ReadonlyArray<Plan & { readonly kind: "struct" }> }

const names = ["a", "title", "naïve name", "co/author~", "e"]

const leaves = {
  string: Schema.String.annotate({ description: "any text" }),
  int: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
  number: Schema.Finite,
  boolean: Schema.Boolean,
  literals: Schema.Literals(["x", "y z"]),
  short: Schema.String.check(Schema.isMaxLength(4)),
  few: Schema.Array(Schema.Boolean).check(Schema.isMaxLength(2))
}

const schemaOf = (plan: Plan): Schema.Codec<any, any> => {
  if (plan.kind === "list") return Schema.Array(schemaOf(plan.of))
  if (plan.kind === "nullable") return Schema.NullOr(schemaOf(plan.of))
  if (plan.kind === "struct") return structOf(plan.fields)
  if (plan.kind !== "union") return leaves[plan.kind]
  return Schema.Union(
    plan.of.map(({ fields }, i) => Schema.Struct({ ...structOf(fields).fields, kind: Schema.Literal(`kind ${i}`) }))
  )
}

const structOf = (fields: ReadonlyArray<{ readonly of: Plan; readonly optional: boolean }>) =>
  Schema.Struct(
    Object.fromEntries(
      fields.map(({ of, optional }, i) => [names[i] ?? "", optional ? Schema.optionalKey(schemaOf(of)) : schemaOf(of)])
    )
  )

/** A value as a model writes it in the strict form: null where an optional property has no value. */
const written = (plan: Plan, value: any): unknown => {
  switch (plan.kind) {
    case "list":
      return value.map((item: unknown) => written(plan.of, item))
    case "nullable":
      return value === null ? null : written(plan.of, value)
    case "struct": {
      const filled = plan.fields.map(({ of }, i) => {
        const name = names[i] ?? ""
        return [name, Object.hasOwn(value, name) ? written(of, value[name]) : null]
      })
      return { ...value, ...Object.fromEntries(filled) }
    }
    case "union":
      return written(plan.of[Number(value.kind.slice("kind ".length))] ?? plan, value)
    default:
      return value
  }
}

const leaf = Arbitrary.map(
  Arbitrary.schema(Schema.Literals(["string", "int", "number", "boolean", "literals", "short", "few"])),
  (kind): Plan => ({ kind })
)

const field = (depth: number) =>
  Arbitrary.map(Arbitrary.all([plans(depth), Arbitrary.schema(Schema.Boolean)]), ([of, optional]) => ({
    of,
    optional: optional && of.kind !== "nullable"
  }))

const structs = (depth: number) =>
  Arbitrary.map(Arbitrary.array(field(depth), { minLength: 1, maxLength: 4 }), (fields) => ({
    kind: "struct" as const,
    fields
  }))

const plans = (depth: number): Arbitrary.Arbitrary<Plan> => {
  if (depth === 0) return leaf
  const inner = depth - 1
  const ways: Readonly<Record<string, Arbitrary.Arbitrary<Plan>>> = {
    leaf,
    struct: structs(inner),
    union: Arbitrary.map(Arbitrary.array(structs(inner), { minLength: 2, maxLength: 3 }), (of) => ({
      kind: "union",
      of
    })),
    list: Arbitrary.map(plans(inner), (of) => ({ kind: "list", of })),
    nullable: Arbitrary.map(plans(inner), (of) => (of.kind === "nullable" ? of : { kind: "nullable", of }))
  }
  return Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(Object.keys(ways))), (way) => ways[way] ?? leaf)
}

const cases = Arbitrary.flatMap(structs(2), (plan) => {
  const schema = structOf(plan.fields)
  return Arbitrary.map(Arbitrary.schema(schema), (value) => ({ plan, schema, value }))
})

/** Asks for a value of a schema; the answer is this one. Gives the form that was sent and the value that was read. */
const ask = <A>(schema: Schema.Codec<A, any>, answer: unknown) =>
  Effect.gen(function* () {
    const sent: Array<any> = []
    const fetch = ((_: unknown, init: { readonly body: string }) => {
      sent.push(JSON.parse(init.body))
      return Promise.resolve(Response.json(completion(JSON.stringify(answer))))
    }) as unknown as typeof globalThis.fetch
    const extract = Synapse.extract(schema, { prompt: "Extract it", repairs: 0, parsing: "strict" })
    const value = yield* extract("a text").pipe(
      Effect.provide(OpenAi.layer({ model: "gpt-4o", baseUrl: "http://model.invalid/v1", fetch }))
    )
    return { form: sent[0].response_format.json_schema, value }
  })

const known =
  /^(\$ref|\$defs|type|title|description|enum|anyOf|properties|required|additionalProperties|items|pattern|format|multipleOf|(exclusive)?(Min|min|Max|max)imum|(min|max)Items)$/

/** The rules of strict mode for every part of a schema. */
const assertAccepted = (schema: any): void => {
  for (const keyword of Object.keys(schema)) assert.match(keyword, known)
  if (schema.$ref !== undefined) assert.deepStrictEqual(Object.keys(schema), ["$ref"])
  else assert.isTrue(schema.type !== undefined || schema.anyOf !== undefined || schema.enum !== undefined)
  if (schema.type === "object") {
    assert.isFalse(schema.additionalProperties)
    assert.deepStrictEqual(schema.required, Object.keys(schema.properties))
  }
  const parts = [schema.properties, schema.$defs].flatMap((named) => Object.values(named ?? {}))
  for (const part of [...parts, ...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]) {
    assertAccepted(part)
  }
}

/** What a schema takes, without limits and words. */
const shapeOf = (schema: any, root = schema): unknown => {
  if (schema.$ref !== undefined) {
    const name = decodeURIComponent(schema.$ref.replace("#/$defs/", "")).replaceAll("~1", "/").replaceAll("~0", "~")
    return shapeOf(root.$defs[name], root)
  }
  if (schema.anyOf !== undefined) {
    const members = schema.anyOf.map((member: unknown) => shapeOf(member, root))
    const flat = members.flatMap((member: any) => (Array.isArray(member) ? member : [member]))
    return [...new Set<string>(flat.map((member: unknown) => JSON.stringify(member)))]
      .toSorted()
      .map((text) => JSON.parse(text))
  }
  return {
    type: schema.type,
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.items && { items: shapeOf(schema.items, root) }),
    ...(schema.properties && {
      properties: Object.entries(schema.properties).map(([name, property]) => [name, shapeOf(property, root)])
    })
  }
}

describe("the strict form of any schema", () => {
  it.effect.prop(
    "keeps the rules, takes what the form of Effect's compiler takes, and gives back every value",
    { one: cases },
    ({ one: { plan, schema, value } }) =>
      Effect.gen(function* () {
        const { jsonSchema } = toCodecOpenAI(schema)
        const { form, value: read } = yield* ask(schema, written(plan, value))
        assert.isTrue(form.strict)
        assert.strictEqual(form.schema.type, "object")
        assertAccepted(form.schema)
        assert.deepStrictEqual(shapeOf(form.schema), shapeOf(jsonSchema))
        // JSON has no -0
        assert.deepStrictEqual(read, JSON.parse(JSON.stringify(value)))
      }),
    { arbitrary: { runs } }
  )

  const nested = (depth: number): Schema.Codec<any, any> =>
    depth === 0 ? Schema.String : Schema.Struct({ inner: nested(depth - 1) })
  const wide = (count: number, name = "p") =>
    Schema.Struct(
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, Schema.optionalKey(Schema.String)]))
    )
  const listed = (count: number, length: number) =>
    Schema.Struct({ one: Schema.Literals(Array.from({ length: count }, (_, i) => `${i}`.padStart(length, "v"))) })
  const long = "n".repeat(4998)
  const listOf = (item: Schema.Codec<any, any>) => Schema.Struct({ list: Schema.Array(item) })
  const either = (one: Schema.Codec<any, any>, other: Schema.Codec<any, any>) =>
    Schema.Struct({ one: Schema.Union([one, other]) })
  const used = (part: Schema.Codec<any, any>, identifier: string) => {
    const named = part.annotate({ identifier })
    return Schema.Struct({ one: named, two: named })
  }
  /** 250 texts of a length, and one more. */
  const texts = (length: number, more: string) =>
    Schema.Struct({
      one: Schema.Literals([more, ...Array.from({ length: 250 }, (_, i) => `${i}`.padStart(length, "v"))])
    })
  const sizes: ReadonlyArray<readonly [string, Schema.Codec<any, any>, boolean, unknown]> = [
    ["of ten objects within objects", nested(10), true, undefined],
    ["of eleven objects within objects", nested(11), false, undefined],
    ["with names of 120,000 characters", wide(24, "n".repeat(4998)), true, {}],
    ["with names of more", wide(25, "n".repeat(4998)), false, {}],
    ["with five thousand properties", wide(5000), true, {}],
    ["with more properties", wide(5001), false, {}],
    ["with names of more in the items of a list", listOf(wide(25, long)), false, { list: [] }],
    ["with names of more in members together", either(wide(13, long), wide(13, `m${long}`)), false, { one: {} }],
    ["with names of more in a definition", used(wide(25, long), "Wide"), false, { one: {}, two: {} }],
    ["with a definition's name of 120,000 characters", used(wide(1), "d".repeat(120_000)), false, { one: {}, two: {} }],
    ["with 15,000 characters in a long list", texts(60, ""), true, { one: "" }],
    ["with more characters in a long list", texts(60, "x"), false, { one: "x" }],
    ["with a thousand values", listed(1000, 4), true, { one: "vvv7" }],
    ["with more values", listed(1001, 4), false, { one: "vvv7" }],
    ["with long texts in a long list", listed(251, 60), false, { one: "0".padStart(60, "v") }],
    ["with long texts in a list of 250", listed(250, 60), true, { one: "0".padStart(60, "v") }]
  ]
  for (const [what, schema, strict, answer] of sizes) {
    it.effect(`is ${strict ? "had" : "not had"} for one ${what}`, () =>
      Effect.gen(function* () {
        const depth = what.includes("ten") ? 10 : 11
        const deep = Array.from({ length: depth }).reduce<unknown>((inner) => ({ inner }), "x")
        const { form } = yield* ask(schema, answer ?? deep)
        assert.strictEqual(form.strict, strict)
      })
    )
  }
})
