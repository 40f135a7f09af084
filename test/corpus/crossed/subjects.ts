/** What the crossed answers are answers to: schemas of every kind, each with values that are hard to write. */
import { Schema } from "effect"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface Subject {
  readonly name: string
  readonly schema: Schema.Codec<any, any>
  /** As JSON: what the schema encodes its values to. */
  readonly values: ReadonlyArray<Json>
  /** Whether any key is allowed, so that another spelling of a key is another key. */
  readonly isOpen?: boolean
}

interface Branch {
  readonly label: string
  readonly branches: ReadonlyArray<Branch>
}

const Branch = Schema.Struct({
  label: Schema.String,
  branches: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
})

const formatted = (format: string, pattern: RegExp) =>
  Schema.String.annotate({ format }).check(Schema.isPattern(pattern))

const Line = Schema.Struct({ sku: Schema.String, quantity: Schema.Int })

/** The schemas with the values, by the name of the stored text that they are in. */
export const subjects: Readonly<Record<string, ReadonlyArray<Subject>>> = {
  objects: [
    {
      name: "text",
      schema: Schema.Struct({ name: Schema.String, note: Schema.String }),
      values: [
        { name: "Ada", note: "https://a.b/c" },
        { name: 'say "hi", then [go]: {now}', note: "" },
        { name: "Zoë 🚀 東京", note: "first\nsecond\ttab \\ end" },
        { name: "a, b: c; d # e // f ...", note: "it's" }
      ]
    },
    {
      name: "optional keys",
      schema: Schema.Struct({
        first_name: Schema.String,
        isActive: Schema.optionalKey(Schema.Boolean),
        zip_code: Schema.optionalKey(Schema.String)
      }),
      values: [{ first_name: "Ada" }, { first_name: "Bo/b", isActive: false }, { first_name: "Cy", zip_code: "01234" }]
    },
    {
      name: "nullable",
      schema: Schema.Struct({ title: Schema.NullOr(Schema.String), count: Schema.NullOr(Schema.Int) }),
      values: [
        { title: null, count: 3 },
        { title: "null and void", count: null },
        { title: "42", count: 0 }
      ]
    },
    {
      name: "numbers",
      schema: Schema.Struct({
        score: Schema.Finite.check(Schema.isBetween({ minimum: -1000, maximum: 1000 })),
        id: Schema.Int,
        size: Schema.Finite
      }),
      values: [
        { score: -0.5, id: 9007199254740991, size: 1e21 },
        { score: 1000, id: -7, size: 1.5e-7 },
        { score: 12.25, id: 1234567, size: 0 }
      ]
    },
    {
      name: "formats",
      schema: Schema.Struct({
        day: formatted("date", /^\d{4}-\d{2}-\d{2}$/),
        at: Schema.DateTimeUtcFromString,
        mail: formatted("email", /^[^@\s]+@[^@\s]+$/),
        link: formatted("uri", /^https?:\/\/\S+$/)
      }),
      values: [
        { day: "2024-02-29", at: "2024-02-29T12:30:00.000Z", mail: "a.b+c@d.org", link: "https://a.b/c?d=e&f=g#h" },
        { day: "1999-12-31", at: "1999-12-31T23:59:59.999Z", mail: "x@y.z", link: "http://localhost:80/" }
      ]
    },
    {
      name: "limits of texts",
      schema: Schema.Struct({
        code: Schema.String.check(Schema.isPattern(/^[A-Z]{2}-\d+$/)),
        short: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8))
      }),
      values: [
        { code: "AB-12", short: "x" },
        { code: "ZZ-0", short: "[1, 2]" }
      ]
    }
  ],
  choices: [
    {
      name: "near words",
      schema: Schema.Struct({
        level: Schema.Literals(["low", "high", "very high"]),
        done: Schema.Boolean,
        grade: Schema.Literals([1, 2, 3])
      }),
      values: [
        { level: "low", done: true, grade: 1 },
        { level: "very high", done: false, grade: 3 }
      ]
    },
    {
      name: "tagged union",
      schema: Schema.Union([
        Schema.Struct({ type: Schema.Literal("circle"), radius: Schema.Finite }),
        Schema.Struct({ type: Schema.Literal("box"), width: Schema.Finite, label: Schema.String })
      ]),
      values: [
        { type: "circle", radius: 2.5 },
        { type: "box", width: -1, label: "a \\ b / c" },
        { type: "box", width: 30, label: "circle" }
      ]
    },
    {
      name: "union without a tag",
      schema: Schema.Union([
        Schema.Struct({ email: Schema.String }),
        Schema.Struct({ phone: Schema.String, country: Schema.String })
      ]),
      values: [{ email: "a@b.c" }, { phone: "0049 30 1234", country: "Côte d’Ivoire" }]
    },
    {
      name: "union in a field",
      schema: Schema.Struct({ value: Schema.Union([Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)]) }),
      values: [{ value: 7 }, { value: false }, { value: ["7", "no"] }]
    },
    {
      name: "enum",
      schema: Schema.Struct({ color: Schema.Enum({ Red: "red", DarkRed: "dark-red" }), hex: Schema.String }),
      values: [
        { color: "red", hex: "#ff0000" },
        { color: "dark-red", hex: "0x8b0000" }
      ]
    }
  ],
  lists: [
    {
      name: "list",
      schema: Schema.Struct({ tags: Schema.Array(Schema.String), of: Schema.String }),
      values: [
        { tags: [], of: "none" },
        { tags: ["red"], of: "a" },
        { tags: ["red, green", "it's", ""], of: "[b]" }
      ]
    },
    {
      name: "list of at least one",
      schema: Schema.Struct({ tags: Schema.Array(Schema.String).check(Schema.isMinLength(1)) }),
      values: [{ tags: ["red"] }, { tags: ["a/b", "c\\d"] }]
    },
    {
      name: "list of at least two",
      schema: Schema.Struct({ tags: Schema.Array(Schema.String).check(Schema.isMinLength(2)) }),
      values: [{ tags: ["red", "blue"] }, { tags: ["1", "2", "3"] }]
    },
    {
      name: "list of at most two",
      schema: Schema.Struct({ ids: Schema.Array(Schema.Int).check(Schema.isMaxLength(2)) }),
      values: [{ ids: [1, 2] }, { ids: [-3] }, { ids: [] }]
    },
    {
      name: "tuple",
      schema: Schema.Struct({ pair: Schema.Tuple([Schema.String, Schema.Int]) }),
      values: [{ pair: ["a", 1] }, { pair: ["1", 20] }]
    },
    {
      name: "tuple with rest",
      schema: Schema.Struct({ row: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Finite]) }),
      values: [{ row: ["sum"] }, { row: ["x: y", 0.1, 200] }]
    },
    {
      name: "nested lists",
      schema: Schema.Struct({ grid: Schema.Array(Schema.Array(Schema.Int)) }),
      values: [{ grid: [[1, 2], [3]] }, { grid: [[]] }, { grid: [[100, 200]] }]
    },
    {
      name: "list of objects",
      schema: Schema.Struct({ items: Schema.Array(Line), total: Schema.Finite }),
      values: [
        { items: [{ sku: "A-1", quantity: 2 }], total: 9.5 },
        {
          items: [
            { sku: "b/2 \u00e9", quantity: 1 },
            { sku: "} ]", quantity: 10 }
          ],
          total: 1000
        }
      ]
    }
  ],
  deep: [
    {
      name: "record",
      schema: Schema.Record(Schema.String, Schema.Int),
      values: [{ a: 1, "two words": 2 }, { "x:y": -1 }, {}],
      isOpen: true
    },
    {
      name: "properties and others",
      schema: Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [
        Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Int]))
      ]),
      values: [{ name: "n" }, { name: "n/m", other: 5, more: "x" }],
      isOpen: true
    },
    {
      name: "recursion",
      schema: Branch,
      values: [
        { label: "root", branches: [{ label: "leaf \\", branches: [] }] },
        { label: "“only”", branches: [] }
      ]
    },
    {
      name: "object in an object",
      schema: Schema.Struct({ order: Schema.Struct({ line: Line, paid: Schema.Boolean }), orderId: Schema.String }),
      values: [
        { order: { line: { sku: "S", quantity: 1 }, paid: true }, orderId: "00012345678901234567" },
        { order: { line: { sku: "", quantity: 0 }, paid: false }, orderId: "</think>" }
      ]
    }
  ],
  roots: [
    { name: "root text", schema: Schema.String, values: ["plain words", 'with "quotes" / and {marks}', "42"] },
    { name: "root number", schema: Schema.Finite, values: [42, -1.5e-9, 12345678] },
    { name: "root boolean", schema: Schema.Boolean, values: [true, false] },
    { name: "root choice", schema: Schema.Literals(["yes", "no", "not sure"]), values: ["yes", "not sure"] },
    { name: "root list", schema: Schema.Array(Schema.String), values: [["a", "b/c"], ["only"], []] },
    {
      name: "root list of objects",
      schema: Schema.Array(Line),
      values: [
        [
          { sku: "p", quantity: 1 },
          { sku: "q", quantity: 2 }
        ],
        [{ sku: "“r”", quantity: 3 }]
      ]
    },
    {
      name: "root tuple",
      schema: Schema.Tuple([Schema.Int, Schema.String]),
      values: [
        [1, "one"],
        [-20, "2, 3"]
      ]
    },
    {
      name: "root union",
      schema: Schema.Union([Schema.Finite, Schema.Struct({ reason: Schema.String })]),
      values: [5, { reason: "none: ???" }]
    }
  ]
}
