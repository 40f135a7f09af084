import { assert, describe, it } from "@effect/vitest"
import { Synapse } from "cogito"
import { OpenAi } from "cogito/openai"
import { Effect, Schema } from "effect"
import { completion, reply, serve } from "./server.ts"

/** Asks a model that answers so, and gives the schema that it was sent with what the answer amounts to. */
const ask = Effect.fnUntraced(function* <A>(synapse: Synapse.Synapse<A>, answer: unknown) {
  const server = yield* serve(reply(200, completion(typeof answer === "string" ? answer : JSON.stringify(answer))))
  const layer = OpenAi.layer({ model: "gpt-4o", baseUrl: server.baseUrl })
  const outcome = yield* Effect.result(synapse("a text").pipe(Effect.provide(layer)))
  assert.strictEqual(server.recorded.length, 1)
  const { schema, strict } = server.last().body.response_format.json_schema
  return { schema, strict, outcome }
})

const succeed = Effect.fnUntraced(function* <A>(synapse: Synapse.Synapse<A>, answer: unknown) {
  const { outcome, ...sent } = yield* ask(synapse, answer)
  return { ...sent, value: yield* Effect.fromResult(outcome) }
})

const extract = <A>(schema: Schema.Codec<A, any>, parsing: "strict" | "lenient" = "lenient") =>
  Synapse.extract(schema, { prompt: "Extract it", repairs: 0, parsing })

/** The rules of strict mode, as OpenAI states them. */
const assertStrict = (schema: any): void => {
  const known =
    /^(\$ref|\$defs|type|title|description|enum|anyOf|properties|required|additionalProperties|items|pattern|format|multipleOf|(exclusive)?(Min|min|Max|max)imum|(min|max)Items)$/
  for (const keyword of Object.keys(schema)) assert.match(keyword, known)
  if (schema.type === "object") {
    assert.isFalse(schema.additionalProperties)
    assert.deepStrictEqual(schema.required, Object.keys(schema.properties))
  }
  for (const part of [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items])
  ]) {
    assertStrict(part)
  }
}

const stated = { confidence: 0.9, reasoning: ["It says so."] }
const scores = { positive: 0, negative: 1, neutral: 0 }
const feeling = { overall: "negative", ...stated, scores, emotions: ["anger"] }

describe("the strict form", () => {
  const own: ReadonlyArray<readonly [string, Synapse.Synapse<unknown>, object, unknown]> = [
    [
      "a decision",
      Synapse.binary({ question: "Is it urgent?" }),
      { decision: true, ...stated },
      { decision: true, ...stated, confidenceFrom: "stated" }
    ],
    [
      "a category",
      Synapse.classification({ question: "Which?", categories: ["bill", "tech"] }),
      { primary: "bill", secondary: null, ...stated },
      { primary: "bill", ...stated, confidenceFrom: "stated" }
    ],
    [
      "a second category",
      Synapse.classification({ question: "Which?", categories: ["bill", "tech"] }),
      { primary: "bill", secondary: "tech", ...stated },
      { primary: "bill", secondary: "tech", ...stated, confidenceFrom: "stated" }
    ],
    ["a feeling", Synapse.sentiment(), feeling, { ...feeling, confidenceFrom: "stated", aspects: {} }],
    [
      "a feeling about aspects",
      Synapse.sentiment({ aspects: ["price"] }),
      { ...feeling, aspects: { price: "negative" } },
      { ...feeling, confidenceFrom: "stated", aspects: { price: "negative" } }
    ],
    [
      "a transformation",
      Synapse.transform({ prompt: "Shorten it" }),
      { output: "Short.", confidence: 0.9, changes: [], reasoning: [] },
      { output: "Short.", confidence: 0.9, changes: [], reasoning: [] }
    ]
  ]
  it.effect.each(own)("is that of %s", ([, synapse, answer, expected]) =>
    Effect.gen(function* () {
      const { schema, strict, value } = yield* succeed(synapse, answer)
      assert.isTrue(strict)
      assertStrict(schema)
      assert.deepStrictEqual(value, expected)
    })
  )

  it.effect("requests optional properties as null and returns them as absent", () =>
    Effect.gen(function* () {
      const Line = Schema.Struct({ item: Schema.String, count: Schema.optionalKey(Schema.Int) }).annotate({
        identifier: "Line"
      })
      const Ticket = Schema.Struct({
        customer: Schema.String,
        nickname: Schema.optionalKey(Schema.NonEmptyString),
        note: Schema.optionalKey(Schema.NullOr(Schema.String)),
        due: Schema.NullOr(Schema.Date),
        phone: Schema.optional(Schema.String),
        first: Schema.optionalKey(Line),
        lines: Schema.Array(Line),
        either: Schema.Union([
          Schema.Struct({ kind: Schema.Literal("a"), extra: Schema.NullOr(Schema.String) }),
          Schema.Struct({ kind: Schema.Literal("b"), extra: Schema.optionalKey(Schema.String) })
        ])
      })
      const rest = { customer: "Ann", due: null }
      const none = yield* succeed(extract(Ticket), {
        ...rest,
        nickname: null,
        note: null,
        phone: null,
        first: null,
        lines: [{ item: "x", count: null }],
        either: { kind: "b", extra: null }
      })
      assert.isTrue(none.strict)
      assertStrict(none.schema)
      assert.deepStrictEqual(none.schema.properties.first, { anyOf: [{ $ref: "#/$defs/Line" }, { type: "null" }] })
      assert.deepStrictEqual(none.schema.properties.note, { anyOf: [{ type: "string" }, { type: "null" }] })
      assert.deepStrictEqual(none.value, {
        ...rest,
        note: null,
        phone: undefined,
        lines: [{ item: "x" }],
        either: { kind: "b" }
      })
      const all = yield* succeed(extract(Ticket), {
        ...rest,
        nickname: "Annie",
        note: "n",
        phone: "1",
        first: { item: "y", count: 2 },
        lines: [],
        either: { kind: "a", extra: null }
      })
      assert.deepStrictEqual(all.value, {
        ...rest,
        nickname: "Annie",
        note: "n",
        phone: "1",
        first: { item: "y", count: 2 },
        lines: [],
        either: { kind: "a", extra: null }
      })
    })
  )

  const pairs: ReadonlyArray<readonly [string, Schema.Codec<any, any>, Schema.Codec<any, any>, object, object]> = [
    [
      "values",
      Schema.Struct({ kind: Schema.Literal("a"), note: Schema.NullOr(Schema.String) }),
      Schema.Struct({ kind: Schema.Literal("b"), note: Schema.optionalKey(Schema.String) }),
      { kind: "b", note: null },
      { kind: "b" }
    ],
    [
      "properties",
      Schema.Struct({ id: Schema.String, note: Schema.NullOr(Schema.String) }),
      Schema.Struct({ id: Schema.String, note: Schema.optionalKey(Schema.String), more: Schema.String }),
      { id: "x", note: null, more: "y" },
      { id: "x", more: "y" }
    ],
    [
      "required properties",
      Schema.Struct({ id: Schema.String, note: Schema.optionalKey(Schema.String) }),
      Schema.Struct({ note: Schema.NullOr(Schema.String) }),
      { note: null },
      { note: null }
    ],
    [
      "whole numbers",
      Schema.Struct({ count: Schema.Int, note: Schema.optionalKey(Schema.String) }),
      Schema.Struct({ count: Schema.String, note: Schema.NullOr(Schema.String) }),
      { count: 3, note: null },
      { count: 3 }
    ],
    [
      "numbers",
      Schema.Struct({ count: Schema.Int, note: Schema.NullOr(Schema.String) }),
      Schema.Struct({ count: Schema.Finite, note: Schema.optionalKey(Schema.String) }),
      { count: 1.5, note: null },
      { count: 1.5 }
    ],
    [
      "items",
      Schema.Struct({ list: Schema.Array(Schema.String), note: Schema.NullOr(Schema.String) }),
      Schema.Struct({ list: Schema.Array(Schema.Finite), note: Schema.optionalKey(Schema.String) }),
      { list: [1], note: null },
      { list: [1] }
    ]
  ]
  it.effect.each(pairs)("takes the nulls away that only the member of a union sent has, told by its %s", (pair) =>
    Effect.gen(function* () {
      const [, one, other, answer, expected] = pair
      const either = extract(Schema.Struct({ either: Schema.Union([one, other]) }), "strict")
      const { strict, value } = yield* succeed(either, { either: answer })
      assert.isTrue(strict)
      assert.deepStrictEqual<unknown>(value, { either: expected })
    })
  )

  it.effect("follows references whose names are escaped", () =>
    Effect.gen(function* () {
      const Part = Schema.Struct({ name: Schema.String, note: Schema.optionalKey(Schema.String) }).annotate({
        identifier: "a/part ~of 50%"
      })
      const { schema, strict, value } = yield* succeed(extract(Schema.Struct({ one: Part, two: Part }), "strict"), {
        one: { name: "x", note: null },
        two: { name: "y", note: "z" }
      })
      assert.isTrue(strict)
      assertStrict(schema)
      assert.deepStrictEqual(value, { one: { name: "x" }, two: { name: "y", note: "z" } })
    })
  )

  it.effect("covers recursive forms, and is read inside prose", () =>
    Effect.gen(function* () {
      interface Tree {
        readonly name: string
        readonly left?: Tree
        readonly right?: Tree
      }
      const Tree: Schema.Codec<Tree> = Schema.Struct({
        name: Schema.String,
        left: Schema.optionalKey(Schema.suspend(() => Tree)),
        right: Schema.optionalKey(Schema.suspend(() => Tree))
      }).annotate({ identifier: "A tree" })
      const leaf = { name: "leaf", left: null, right: null }
      const tree = { name: "root", left: leaf, right: null }
      const { schema, strict, value } = yield* succeed(
        extract(Schema.Struct({ tree: Tree })),
        `Here:\n\`\`\`json\n${JSON.stringify({ tree })}\n\`\`\``
      )
      assert.isTrue(strict)
      assertStrict(schema)
      assert.deepStrictEqual(value, { tree: { name: "root", left: { name: "leaf" } } })
    })
  )

  it.effect("leaves limits to the decoder and describes them", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({
        code: Schema.String.check(Schema.isMinLength(3), Schema.isPattern(/^(?=A)/)).annotate({
          description: "A code."
        }),
        site: Schema.String.annotate({ format: "uri" }),
        day: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
        at: Schema.Date
      })
      const good = { code: "ABC", site: "https://example.org", day: "2024-05-01", at: "2024-05-01T00:00:00Z" }
      const { schema, strict } = yield* succeed(extract(Form), good)
      assert.isTrue(strict)
      assertStrict(schema)
      const { at, code, day, site } = schema.properties
      assert.deepStrictEqual(Object.keys(code).toSorted(), ["description", "type"])
      assert.include(code.description, "A code.")
      assert.include(code.description, '"minLength":')
      assert.include(code.description, "(?=A)")
      assert.deepStrictEqual(site, { type: "string", description: 'Must fit {"format":"uri"}.' })
      assert.deepStrictEqual(day, { type: "string", pattern: String.raw`^\d{4}-\d{2}-\d{2}$` })
      assert.deepStrictEqual(at, { type: "string", format: "date-time" })
      const { outcome } = yield* ask(extract(Form), { ...good, code: "A" })
      assert.strictEqual(outcome._tag, "Failure")
    })
  )

  it.effect("sends no pattern with lookaround, backreferences, boundaries or Unicode classes", () =>
    Effect.gen(function* () {
      const refused = [/^\p{Lu}$/u, /^\P{Lu}$/u, /\bA\b/, /\BA|A/, /^(A)\1?$/, /^(?<a>A)\k<a>?$/, /(?!B)A/, /(?<=^)A/]
      for (const pattern of refused) {
        const Form = Schema.Struct({ code: Schema.String.check(Schema.isPattern(pattern)) })
        const { schema, strict } = yield* ask(extract(Form), { code: "A" })
        assert.isTrue(strict)
        assert.deepStrictEqual(Object.keys(schema.properties.code).toSorted(), ["description", "type"], pattern.source)
        assert.include(schema.properties.code.description, JSON.stringify(pattern.source))
      }
      const Form = Schema.Struct({ code: Schema.String.check(Schema.isPattern(/^(?:A|\d|\w)[^P]*$/)) })
      const { schema } = yield* ask(extract(Form), { code: "A" })
      assert.deepStrictEqual(schema.properties.code, { type: "string", pattern: "^(?:A|\\d|\\w)[^P]*$" })
    })
  )

  it.effect("sends each format that strict mode accepts", () =>
    Effect.gen(function* () {
      for (const format of ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]) {
        const Form = Schema.Struct({ value: Schema.String.annotate({ format }) })
        const { schema } = yield* ask(extract(Form), { value: "x" })
        assert.deepStrictEqual(schema.properties.value, { type: "string", format })
      }
    })
  )

  it.effect("keeps lists that must not be empty, and has none for a tuple", () =>
    Effect.gen(function* () {
      const Line = Schema.Struct({ item: Schema.String, note: Schema.optionalKey(Schema.String) })
      const Form = Schema.Struct({ lines: Schema.NonEmptyArray(Line) })
      const { schema, strict, value } = yield* succeed(extract(Form), { lines: [{ item: "x", note: null }] })
      assert.isTrue(strict)
      assertStrict(schema)
      assert.strictEqual(schema.properties.lines.minItems, 1)
      assert.deepStrictEqual(value, { lines: [{ item: "x" }] })
      const { outcome } = yield* ask(extract(Form), { lines: [] })
      assert.strictEqual(outcome._tag, "Failure")
      const Pair = Schema.Struct({ pair: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Int]) })
      assert.isFalse((yield* ask(extract(Pair), { pair: ["a", 1] })).strict)
    })
  )

  it.effect("still refuses null if a value is required", () =>
    Effect.gen(function* () {
      const { outcome } = yield* ask(extract(Schema.Struct({ a: Schema.String })), { a: null })
      assert.strictEqual(outcome._tag, "Failure")
    })
  )

  /** What is sent for a JSON Schema, and the answer's text as it comes out. */
  const sentFor = Effect.fnUntraced(function* (jsonSchema: Record<string, unknown>, answer: string) {
    const server = yield* serve(reply(200, completion(answer)))
    const provider = yield* OpenAi.make({ model: "gpt-4o", baseUrl: server.baseUrl })
    const output = { name: "x", jsonSchema, instructions: "" }
    const { text } = yield* provider.complete({
      messages: [{ role: "user", text: "x" }],
      task: { kind: "x", instruction: "x", questions: [], context: [], output },
      phase: "reason",
      sampling: {}
    })
    const { schema, strict } = server.last().body.response_format.json_schema
    return { schema, strict, text }
  })

  it.effect("takes the nulls away that only a member whose values have several types has", () =>
    Effect.gen(function* () {
      const text = { type: "string" }
      const one = { type: "object", properties: { id: { type: ["integer", "null"] }, note: text }, required: ["id"] }
      const other = { type: "object", properties: { note: { type: ["string", "null"] } }, required: ["note"] }
      const schema = { type: "object", properties: { either: { anyOf: [one, other] } }, required: ["either"] }
      for (const [given, kept] of [
        [{ id: 7, note: null }, { id: 7 }],
        [{ id: null, note: null }, { id: null }],
        [{ note: null }, { note: null }]
      ]) {
        const { strict, text: answer } = yield* sentFor(schema, JSON.stringify({ either: given }))
        assert.isTrue(strict)
        assert.deepStrictEqual(JSON.parse(answer), { either: kept })
      }
    })
  )

  it.effect("is not used if the schema cannot be strict: it is sent unchanged", () =>
    Effect.gen(function* () {
      for (const nothing of [{ anyOf: [] }, { type: "string", anyOf: [] }]) {
        const schema = { type: "object", properties: { a: nothing }, required: [] }
        const text = `{"a":null}`
        assert.deepStrictEqual(yield* sentFor(schema, text), { schema, strict: false, text })
      }
    })
  )

  it.effect("drops annotations, and describes each limit that it does not accept", () =>
    Effect.gen(function* () {
      const type = "string"
      const remarks = {
        default: "x",
        examples: ["x"],
        readOnly: true,
        writeOnly: true,
        deprecated: true,
        $comment: "x"
      }
      const limits = { minLength: 3, maxLength: 5, contentEncoding: "base64", contentMediaType: "text/plain" }
      for (const [given, sent] of [
        ...Object.entries(remarks).map((remark) => [[remark], { type }] as const),
        ...Object.entries(limits).map((limit) => {
          const description = `Must fit ${JSON.stringify(Object.fromEntries([limit]))}.`
          return [[limit], { type, description }] as const
        })
      ]) {
        const a = { type, ...Object.fromEntries(given) }
        const { schema, strict } = yield* sentFor({ type: "object", properties: { a }, required: ["a"] }, "{}")
        assert.deepStrictEqual([schema.properties.a, strict], [sent, true])
      }
      // that a text must not be empty is not described
      const description = "A code."
      for (const [given, sent] of [
        [{ type, minLength: 1 }, { type }],
        [
          { type, description, minLength: 1 },
          { type, description }
        ],
        [
          { type, description, minLength: 1, maxLength: 2 },
          { type, description: 'A code. Must fit {"maxLength":2}.' }
        ],
        [
          { type, description, default: "x" },
          { type, description }
        ]
      ] as const) {
        const { schema, strict } = yield* sentFor({ type: "object", properties: { a: given }, required: ["a"] }, "{}")
        assert.deepStrictEqual([schema.properties.a, strict], [sent, true])
      }
    })
  )

  it.effect("is not used for a record: its nulls are kept", () =>
    Effect.gen(function* () {
      const Form = Schema.Struct({
        map: Schema.Record(Schema.String, Schema.String),
        a: Schema.optionalKey(Schema.String)
      })
      const { outcome, strict } = yield* ask(extract(Form, "strict"), { map: {}, a: null })
      assert.isFalse(strict)
      assert.strictEqual(outcome._tag, "Failure")
    })
  )
})
