import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Note, Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { z } from "zod"
import { transcribe } from "../transcript.ts"
import { form } from "./form.ts"

/** What a value is shown as, and that it is refused where nothing leads back. */
const shown = (schema: () => Note.AnySchema<any>, value: unknown) =>
  Effect.gen(function* () {
    const model = Testing.scripted([{ analysis: "a", confidence: 1, findings: [], reasoning: [] }])
    yield* Effect.provide(Synapse.analyze(schema(), { prompt: "Say" })(value), model.layer)
    return model.requests[0]?.task.input
  }).pipe(Effect.catchDefect((defect) => Effect.succeed({ dies: defect instanceof Error ? defect.message : defect })))

interface Tree {
  readonly name: string
  readonly parts: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  name: Schema.String,
  parts: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })
class Person extends Schema.Class<Person>("Person")({ name: Schema.String, born: Schema.DateTimeUtcFromString }) {}

it.effect("the schemas that models receive, and the results of their answers", () =>
  transcribe("schemas", {
    "Words, numbers, flags and what may be absent or null, with limits and descriptions": form(
      () =>
        Schema.Struct({
          name: Schema.String.annotate({ description: "Full name", examples: ["Ada"] }),
          short: Schema.String.check(Schema.isMinLength(2), Schema.isMaxLength(4)),
          code: Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/)),
          loose: Schema.String.check(Schema.isPattern(/^x/i)),
          size: Schema.Finite.check(Schema.isGreaterThan(1), Schema.isLessThan(9)),
          count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
          step: Schema.Finite.check(Schema.isMultipleOf(0.5)),
          flag: Schema.Boolean,
          none: Schema.NullOr(Schema.String),
          maybe: Schema.optionalKey(Schema.Int),
          also: Schema.optional(Schema.String)
        }),
      {
        name: "A",
        short: "ab",
        code: "AB",
        loose: "Xy",
        size: 2,
        count: 5,
        step: 1.5,
        flag: false,
        none: null,
        maybe: 3
      },
      { name: 1, short: "a", code: "abc", loose: "y", size: 1, count: 6, step: 0.7, flag: "no", none: 0, extra: true },
      { name: "A", short: "abcde", size: 9, count: 1.5 }
    ),
    "Dates of several kinds": form(
      () =>
        Schema.Struct({
          utc: Schema.DateTimeUtcFromString,
          date: Schema.Date,
          stamp: Schema.DateTimeUtc,
          zoned: Schema.DateTimeZoned,
          own: Schema.Date.annotate({ format: "date" })
        }),
      {}
    ),
    "A date alone, and a list of dates": Effect.all([
      form(() => Schema.Date, { value: "2026-03-04T05:06:07.000Z" }, { value: "soon" }),
      form(() => Schema.Array(Schema.DateTimeUtc), { value: ["2026-03-04T05:06:07Z"] }),
      form(() => Schema.Record(Schema.String, Schema.DateTimeUtcFromString), { a: "2026-03-04T05:06:07Z" })
    ]),
    "Choices, literals, unions and tuples": form(
      () =>
        Schema.Struct({
          kind: Schema.Literals(["round", "square"]),
          one: Schema.Literal(7),
          either: Schema.Union([Schema.String, Schema.Int]),
          shape: Schema.Union([
            Schema.Struct({ tag: Schema.Literal("a"), x: Schema.Int }),
            Schema.Struct({ tag: Schema.Literal("b"), y: Schema.String })
          ]),
          pair: Schema.Tuple([Schema.String, Schema.Int]),
          list: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(2)),
          open: Schema.Record(Schema.String, Schema.Array(Schema.Int))
        }),
      {
        kind: "round",
        one: 7,
        either: 3,
        shape: { tag: "b", y: "why" },
        pair: ["a", 2],
        list: ["q"],
        open: { k: [2, 1] }
      },
      { kind: "flat", one: 8, either: null, shape: { tag: "c" }, pair: ["a"], list: [], open: { k: ["v"] } }
    ),
    "What is no object is asked for inside one": Effect.all([
      form(() => Schema.String, { value: "words" }, { value: 3 }, {}),
      form(() => Schema.Literals(["b", "a"]), { value: "a" }, { value: "c" }),
      form(() => Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]), {
        value: { b: 2 }
      }),
      form(() => Schema.NullOr(Schema.Int), { value: null })
    ]),
    "A class, and a tree": Effect.all([
      form(() => Person, { name: "Ada", born: "1815-12-10T00:00:00Z" }, { name: "Ada", born: "once" }),
      form(() => Tree, { name: "a", parts: [{ name: "b", parts: [] }] }, { name: "a", parts: [{ name: 1 }] })
    ]),
    "Values as a model sees them": Effect.all([
      shown(() => Schema.Struct({ b: Schema.Date, a: Schema.Option(Schema.Int) }) as never, {
        b: new Date(0),
        a: { _tag: "None" }
      }),
      shown(() => Schema.Struct({ b: Schema.Date, a: Schema.Array(Schema.Int) }), { b: new Date(0), a: [2, 1] }),
      shown(() => Schema.Finite, 4),
      shown(() => z.object({ a: z.string().default("d"), b: z.string().optional() }), { a: "x", b: undefined }),
      shown(() => z.object({ a: z.iso.date().transform((text) => new Date(text)) }), { a: new Date(0) }),
      shown(() => z.string().transform(Number), 3),
      shown(() => z.array(z.string().transform((text) => text.length)), [3]),
      shown(() => z.string(), "words")
    ])
  })
)
