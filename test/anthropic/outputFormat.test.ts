import { assert, describe, it } from "@effect/vitest"
import { Synapse } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { Provider } from "cogito/Provider"
import { Arbitrary, Effect, JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import { toFormatSchema } from "../../src/anthropic/outputFormat.ts"
import { message, withOutput } from "./server.ts"

/** A model that answers so without any network, and what it is sent. */
const model = (answer: unknown) => {
  const bodies: Array<any> = []
  const fetch: typeof globalThis.fetch = (_, init) => {
    bodies.push(typeof init?.body === "string" && JSON.parse(init.body))
    const text = typeof answer === "string" ? answer : JSON.stringify(answer)
    return Promise.resolve(new Response(JSON.stringify(message(text))))
  }
  return { bodies, made: Anthropic.make({ model: "claude-sonnet-5", apiKey: "key", fetch }) }
}

/** Asks for a form, and gives the schema that is sent for it with what an answer amounts to. */
const ask = Effect.fnUntraced(function* <A>(schema: Schema.Codec<A, any>, answer: unknown) {
  const { bodies, made } = model(answer)
  const provider = yield* made
  const extract = Synapse.extract(schema, { prompt: "Extract it", repairs: 0 })
  const outcome = yield* Effect.result(Effect.provideService(extract("a text"), Provider, provider))
  const [body] = bodies
  return { outcome, schema: body.output_config?.format?.schema, words: JSON.stringify(body.messages.at(-1)) }
})

const closed = (properties: Record<string, unknown>, required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const string = { type: "string" }

describe("an output form", () => {
  it.effect("keeps optional properties optional, so that the answer is read as it is", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({
        name: Schema.String.annotate({ description: "Their name" }),
        note: Schema.optionalKey(Schema.String),
        kind: Schema.Literals(["a", "b"]),
        due: Schema.NullOr(Schema.Int),
        lines: Schema.Array(Schema.Struct({ item: Schema.optionalKey(Schema.Boolean) }))
      }).annotate({ identifier: "Form" })
      const answer: typeof Form.Type = { name: "x", kind: "b", due: null, lines: [{}, { item: true }] }
      const { outcome, schema } = yield* ask(Form, answer)
      assert.deepStrictEqual(
        schema,
        closed(
          {
            name: { ...string, description: "Their name" },
            note: string,
            kind: { ...string, enum: ["a", "b"] },
            due: { anyOf: [{ type: "integer" }, { type: "null" }] },
            lines: { type: "array", items: closed({ item: { type: "boolean" } }, []) }
          },
          ["name", "kind", "due", "lines"]
        )
      )
      assert.deepStrictEqual(outcome, Result.succeed(answer))
    })
  )

  it.effect("keeps lists that must not be empty", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({ lines: Schema.NonEmptyArray(Schema.Struct({ item: Schema.String })) })
      const { outcome, schema } = yield* ask(Form, { lines: [{ item: "x" }] })
      const { items, prefixItems, type } = schema.properties.lines
      assert.deepStrictEqual([type, items, prefixItems], ["array", closed({ item: string }, ["item"]), undefined])
      assert.strictEqual(outcome._tag, "Success")
      const { outcome: refused } = yield* ask(Form, { lines: [] })
      assert.strictEqual(refused._tag, "Failure")
    })
  )

  it.effect("describes limits in words and leaves them to the decoder", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({
        code: Schema.String.check(Schema.isMinLength(3)).annotate({ description: "A code" }),
        share: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
        list: Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(4))
      })
      const good = { code: "abc", share: 0.5, list: ["a", "b"] }
      const { outcome, schema } = yield* ask(Form, good)
      assert.strictEqual(outcome._tag, "Success")
      const { code, list, share } = schema.properties
      assert.deepStrictEqual(Object.keys(code).toSorted(), ["description", "type"])
      assert.match(code.description, /^A code and .*\b\d code points/)
      assert.deepStrictEqual(Object.keys(share).toSorted(), ["description", "type"])
      assert.match(share.description, /0.*1/)
      assert.deepStrictEqual(Object.keys(list).toSorted(), ["description", "items", "type"])
      assert.match(list.description, /2.*4/)
      const { outcome: refused } = yield* ask(Form, { ...good, share: 2 })
      assert.strictEqual(refused._tag, "Failure")
    })
  )

  it.effect("keeps the forms that Anthropic knows, and names the others", () =>
    Effect.gen(function* () {
      const { bodies, made } = model({})
      const jsonSchema = closed({ a: { ...string, format: "email" }, b: { ...string, format: "byte" } }, ["a", "b"])
      const provider = yield* made
      yield* provider.complete({
        messages: [{ role: "user", text: "x" }],
        task: {
          kind: "x",
          instruction: "x",
          questions: [],
          context: [],
          output: { name: "x", jsonSchema, instructions: "" }
        },
        phase: "reason",
        sampling: {}
      })
      const { a, b } = bodies[0].output_config.format.schema.properties
      assert.deepStrictEqual(a, { ...string, format: "email" })
      assert.deepStrictEqual(b, { ...string, description: "a value with a format of byte" })
    })
  )

  it.effect("is requested in words if it holds a value of any form, or has no form", () =>
    Effect.gen(function* () {
      for (const jsonSchema of [
        closed({ a: true }, ["a"]),
        closed({ a: {} }, ["a"]),
        closed({ a: { type: "array", items: true } }, ["a"]),
        closed({ a: { anyOf: [string, true] } }, ["a"]),
        closed({}, []),
        { type: "object", properties: { a: string }, additionalProperties: string },
        { type: "object", properties: { a: string }, patternProperties: { "^b": string } }
      ]) {
        const { bodies, made } = model({})
        yield* (yield* made).complete(withOutput(jsonSchema))
        assert.isUndefined(bodies[0].output_config?.format, JSON.stringify(jsonSchema))
        assert.include(JSON.stringify(bodies[0].messages), "Answer with a JSON object.")
      }
    })
  )

  it("keeps optional properties in its definitions, under their own names", () => {
    const $defs = { line: closed({ item: string, note: string }, ["item"]) }
    const line = { $ref: "#/$defs/line" }
    const made = toFormatSchema({ ...closed({ first: line, second: line }, ["first"]), $defs })
    assert.deepStrictEqual(made, { ...closed({ first: line, second: line }, ["first"]), $defs })
  })

  it("may have at most 16 unions, however they are written", () => {
    for (const union of [
      { type: ["string", "null"] },
      { anyOf: [string, { type: "null" }] },
      { type: ["integer", "boolean"] }
    ]) {
      const made = [16, 17].map((count) => {
        const names = Array.from({ length: count }, (_, i) => `p${i}`)
        return toFormatSchema(closed(Object.fromEntries(names.map((name) => [name, union])), names)) !== undefined
      })
      assert.deepStrictEqual(made, [true, false], JSON.stringify(union))
    }
  })

  interface Tree {
    readonly name: string
    readonly kids: ReadonlyArray<Tree>
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    name: Schema.String,
    kids: Schema.Array(Schema.suspend(() => Tree))
  })
  const many = (count: number, field: Schema.Codec<any>) =>
    Schema.Struct(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, field])))
  const optional = (count: number) =>
    Schema.Struct(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, Schema.optionalKey(Schema.String)]))
    )
  const unions = (count: number) => many(count, Schema.NullOr(Schema.String))

  const beyond: ReadonlyArray<readonly [string, Schema.Codec<any, any>]> = [
    ["a record", Schema.Struct({ a: Schema.Record(Schema.String, Schema.Int) })],
    ["a tuple", Schema.Struct({ a: Schema.Tuple([Schema.String, Schema.Int]) })],
    ["a value of any form", Schema.Struct({ a: Schema.Unknown })],
    ["a schema that holds itself", Schema.Struct({ tree: Tree })],
    ["25 optional properties", optional(25)],
    ["17 unions", unions(17)]
  ]
  it.effect("is requested in words if it exceeds Anthropic's limits", () =>
    Effect.gen(function* () {
      for (const [name, form] of beyond) {
        const { schema, words } = yield* ask(form, {})
        assert.isUndefined(schema, name)
        assert.match(
          words,
          /Answer with (?:JSON only: |one JSON object and nothing else\. It must fit this JSON Schema)/
        )
      }
      for (const form of [optional(24), unions(16)]) {
        const { schema, words } = yield* ask(form, {})
        assert.isDefined(schema)
        assert.notInclude(words, "JSON Schema")
      }
    })
  )
})

const named = (identifier: string) => Schema.Struct({ inner: Schema.String }).annotate({ identifier })

/** A schema out of numbers: the same numbers, the same schema. */
const schemaOf = (numbers: ReadonlyArray<number>, withOptional: boolean): Schema.Codec<any, any> => {
  let at = 0
  const next = (below: number) => (numbers[at++ % numbers.length] ?? 0) % below
  const leaf = (): Schema.Codec<any, any> => {
    switch (next(9)) {
      case 0:
        return Schema.Int.check(Schema.isBetween({ minimum: -next(5), maximum: next(9) }))
      case 1:
        return Schema.Finite.check(Schema.isGreaterThan(next(9)))
      case 2:
        return Schema.Boolean
      case 3:
        return Schema.Literals(["x", "y z", "__proto__"])
      case 4:
        return Schema.String.check(Schema.isMinLength(next(4)), Schema.isMaxLength(9))
      case 5:
        return Schema.NullOr(Schema.Int)
      case 6:
        return named("Shared")
      case 7:
        return Schema.Literal(next(5))
      default:
        return Schema.String.annotate({ description: "Some words" })
    }
  }
  const any = (depth: number): Schema.Codec<any, any> => {
    if (depth === 0) return leaf()
    switch (next(4)) {
      case 0:
        return Schema.Array(any(depth - 1)).check(Schema.isMaxLength(3))
      case 1:
        return Schema.Union([
          Schema.Struct({ _tag: Schema.tag("A"), a: any(depth - 1) }),
          Schema.Struct({ _tag: Schema.tag("B") })
        ])
      case 2:
        return struct(depth - 1)
      default:
        return leaf()
    }
  }
  const struct = (depth: number): Schema.Codec<any, any> =>
    Schema.Struct(
      Object.fromEntries(
        Array.from({ length: 1 + next(3) }, (_, index) => {
          const field = any(depth)
          const isOptional = next(2) === 0 && withOptional
          return [`${"abc"[index]}${"/~ é"[next(4)]}`, isOptional ? Schema.optionalKey(field) : field]
        })
      )
    )
  return struct(2)
}

const numbers = Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 997 }))), {
  minLength: 5,
  maxLength: 40
})

const runs = { arbitrary: { runs: Number(process.env["COGITO_FORMAT_SCHEMAS"] ?? 40) } }

const keywords =
  /^(\$ref|\$defs|type|title|description|enum|const|anyOf|allOf|properties|required|additionalProperties|items|pattern|format)$/

/** Goes through a sent schema and the one that it was made of, which have the same objects. */
const assertAllowed = (schema: any): void => {
  for (const keyword of Object.keys(schema)) assert.match(keyword, keywords)
  if (schema.type === "object") assert.isFalse(schema.additionalProperties)
  for (const part of [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items])
  ]) {
    assertAllowed(part)
  }
}

/** The required properties of every object, in the order of the objects. */
const requirements = (schema: any): unknown => {
  const found: Array<unknown> = []
  JSON.stringify(schema, (_, value) => {
    if (typeof value === "object" && value !== null && value.type === "object" && value.properties !== undefined) {
      found.push([Object.keys(value.properties), value.required ?? []])
    }
    return value
  })
  return found
}

/** Without words, and as Effect's own compiler leaves the definitions. */
const bare = (schema: any): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === "description" || name === "title" ? undefined : value))

describe("generated output forms", () => {
  it.effect.prop(
    "are closed, keep what is required, and take every value of theirs",
    { numbers },
    ({ numbers: drawn }) =>
      Effect.gen(function* () {
        const form = schemaOf(drawn, true)
        const [value] = yield* Arbitrary.sampleEffect(Arbitrary.schema(form), { count: 1 })
        const encoded = yield* Schema.encodeEffect(Schema.toCodecJson(form))(value)
        const { schema } = yield* ask(form, encoded)
        if (schema === undefined) return
        assertAllowed(schema)
        const { definitions, schema: own } = Schema.toJsonSchemaDocument(Schema.toCodecJson(form), {
          onExcessProperty: "error"
        })
        assert.deepStrictEqual(requirements(schema), requirements({ ...own, $defs: definitions }))
        const sent = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema))
        assert.isTrue(Schema.is(sent)(encoded), JSON.stringify({ schema, encoded }))
      }),
    runs
  )

  it.effect.prop(
    "without optional properties are what Effect's compiler makes of the schema",
    { numbers },
    ({ numbers: drawn }) =>
      Effect.gen(function* () {
        const form = schemaOf(drawn, false)
        const { schema } = yield* ask(form, {})
        if (schema === undefined) return
        assert.deepStrictEqual(bare(schema), bare(toCodecAnthropic(form).jsonSchema))
      }),
    runs
  )
})
