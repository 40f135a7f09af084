import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema, SchemaGetter } from "effect"
import { type Provider, Synapse } from "cogito"
import { Testing } from "cogito/testing"

// What a model is told about the texts of its answer, and that an answer like that decodes.

const seen = Effect.fnUntraced(function* <A>(schema: Schema.Codec<A, any>, at: unknown) {
  const extract = Synapse.extract(Schema.Struct({ at: schema }), { prompt: "Extract it", repairs: 0 })
  const model = Testing.scripted([{ at }])
  const value = yield* extract("a text").pipe(Effect.provide(model.layer))
  const { instructions, jsonSchema }: Provider.Output = model.requests[0]!.task.output!
  const { $defs: definitions, properties } = jsonSchema as Record<"$defs" | "properties", Record<string, unknown>>
  return { value: value.at, form: properties["at"], definitions, instructions }
})

const moment = "2024-05-01T10:30:00Z"
const dateTime = { type: "string", format: "date-time" }
const offset = { ...dateTime, pattern: String.raw`[+-]\d{2}:\d{2}$` }

interface Tree {
  readonly at: Date
  readonly next: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree, any> = Schema.Struct({
  at: Schema.Date,
  next: Schema.Array(Schema.suspend(() => Tree))
}).annotate({ identifier: "Tree" })

const digits = { type: "string", pattern: String.raw`^-?\d+(?:\.\d+)?$` }

describe("the form of a number in a text", () => {
  it.effect("has the pattern of its digits, as an empty text would be decoded to 0", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* seen(Schema.FiniteFromString, "12.5")).form, digits)
      const whole = { type: "string", pattern: String.raw`^-?\d+$` }
      assert.deepStrictEqual((yield* seen(Schema.BigIntFromString, "-7")).form, whole)
    })
  )

  it.effect("has none where words are decoded to numbers", () =>
    Effect.gen(function* () {
      const length = Schema.String.pipe(
        Schema.decodeTo(Schema.Finite, {
          decode: SchemaGetter.transform((text) => text.length),
          encode: SchemaGetter.transform((count) => "x".repeat(count))
        })
      )
      const { form, value } = yield* seen(length, "word")
      assert.deepStrictEqual(form, { type: "string" })
      assert.strictEqual(value, 4)
    })
  )
})

describe("the form of a date", () => {
  const cases: ReadonlyArray<readonly [string, Schema.Codec<any, any>, unknown, unknown]> = [
    ["a date", Schema.Date, moment, dateTime],
    ["a date from a string", Schema.DateFromString, moment, dateTime],
    ["a moment", Schema.DateTimeUtc, moment, dateTime],
    ["a moment from a string", Schema.DateTimeUtcFromString, moment, dateTime],
    ["a moment from a date", Schema.DateTimeUtcFromDate, moment, dateTime],
    ["a moment in a zone", Schema.DateTimeZoned, "2024-05-01T10:30:00+02:00", offset],
    ["a branded date", Schema.Date.pipe(Schema.brand("Due")), moment, dateTime],
    ["a date after another", Schema.Date.check(Schema.isGreaterThanDate(new Date(0))), moment, dateTime],
    ["a date or null", Schema.NullOr(Schema.Date), moment, { anyOf: [dateTime, { type: "null" }] }],
    ["a list of dates", Schema.Array(Schema.Date), [moment], { type: "array", items: dateTime }],
    [
      "a list of at least one date",
      Schema.Array(Schema.Date).check(Schema.isMinLength(1)).annotate({ description: "when" }),
      [moment],
      { type: "array", items: dateTime, minItems: 1, description: "when" }
    ],
    [
      "a date or null, in words",
      Schema.NullOr(Schema.Date).annotate({ description: "when" }),
      moment,
      { anyOf: [dateTime, { type: "null" }], description: "when" }
    ],
    ["a date with a format", Schema.Date.annotate({ format: "date" }), "2024-05-01", { ...dateTime, format: "date" }],
    [
      "a date from a string with a format",
      Schema.String.annotate({ format: "date" }).pipe(Schema.decodeTo(Schema.DateFromString)),
      "2024-05-01",
      { ...dateTime, format: "date" }
    ]
  ]
  it.effect.each(cases)("is in the schema: %s", ([, schema, at, expected]) =>
    Effect.gen(function* () {
      const { form, instructions } = yield* seen(schema, at)
      assert.deepStrictEqual(form, expected)
      assert.include(instructions, `format "${/date(?:-time)?(?=")/.exec(JSON.stringify(expected))![0]}"`)
    })
  )

  it.effect("is in a record of dates, with what else is asked of it", () =>
    Effect.gen(function* () {
      const Dates = Schema.Record(Schema.String, Schema.Date).check(Schema.isMinProperties(1))
      const { form } = yield* seen(Dates.annotate({ description: "when" }), { due: moment })
      const shape = { type: "object", additionalProperties: dateTime }
      assert.deepStrictEqual(form, { ...shape, minProperties: 1, description: "when" })
    })
  )

  it.effect("is used in tuples, for each item and for the rest", () =>
    Effect.gen(function* () {
      const Labelled = Schema.Tuple([Schema.Date, Schema.String])
      const labelled = { type: "array", prefixItems: [dateTime, { type: "string" }], minItems: 2, maxItems: 2 }
      assert.deepStrictEqual((yield* seen(Labelled, [moment, "late"])).form, labelled)
      const Dates = Schema.TupleWithRest(Schema.Tuple([Schema.Date]), [Schema.Date])
      const { form, value } = yield* seen(Dates, [moment, moment])
      assert.deepStrictEqual(form, { type: "array", prefixItems: [dateTime], items: dateTime, minItems: 1 })
      assert.deepStrictEqual(value, [new Date(moment), new Date(moment)])
    })
  )

  it.effect("is in recursive definitions of the schema", () =>
    Effect.gen(function* () {
      const { definitions, form, value } = yield* seen(Tree, { at: moment, next: [{ at: moment, next: [] }] })
      assert.deepStrictEqual(form, { $ref: "#/$defs/Tree" })
      assert.deepStrictEqual(Object.keys(definitions), ["Tree"])
      assert.include(JSON.stringify(definitions), JSON.stringify({ at: dateTime }).slice(1, -1))
      assert.deepStrictEqual(value.next[0]?.at, new Date(moment))
    })
  )

  const others: ReadonlyArray<readonly [string, Schema.Codec<any, any>, unknown, string]> = [
    ["in the form of HTTP headers", Schema.DateTimeUtcFromHttpDate, "Sun, 06 Nov 1994 08:49:37 GMT", "string"],
    ["in milliseconds", Schema.DateTimeUtcFromMillis, 784_111_777_000, "integer"]
  ]
  it.effect.each(others)("is not that of a date %s", ([, schema, at, type]) =>
    Effect.gen(function* () {
      const { form, value } = yield* seen(schema, at)
      assert.notProperty(form, "format")
      assert.propertyVal(form, "type", type)
      assert.strictEqual(DateTime.toEpochMillis(value), 784_111_777_000)
    })
  )
})

describe("the pattern of a text", () => {
  it.effect("is in the schema if it has no flags, together with other checks", () =>
    Effect.gen(function* () {
      const Code = Schema.String.check(Schema.isPattern(/^[A-Z]{2}-\d+$/))
      assert.deepStrictEqual((yield* seen(Code, "AB-1")).form, { type: "string", pattern: String.raw`^[A-Z]{2}-\d+$` })
      const AnyCase = Schema.String.check(Schema.isPattern(/^[A-Z]{2}-\d+$/i))
      assert.deepStrictEqual((yield* seen(AnyCase, "ab-1")).form, { type: "string" })
      const Short = Schema.String.check(Schema.isMinLength(1), Schema.isPattern(/^[A-Z]/), Schema.isMaxLength(9))
      assert.deepStrictEqual((yield* seen(Short, "AB")).form, {
        type: "string",
        minLength: 1,
        maxLength: 9,
        pattern: "^[A-Z]"
      })
    })
  )
})
