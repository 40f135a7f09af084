import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

// What the schema says of lists, keys and unions, and how much of an answer that is near to it is taken.

const both = ["lenient", "lossy"] as const
const Texts = Schema.Array(Schema.String)

describe("lists", () => {
  it("have as many items as they must, each of its own kind", () => {
    const Two = Schema.Array(Schema.Int).check(Schema.isMinLength(2))
    assertGives(Two, "lenient", [['["1","2"]', [1, 2], ["0.number-from-text", "1.number-from-text"]]])
    assertRefuses(Two, both, ['["1"]', "[]"])
    const Pair = Schema.Tuple([Schema.Int, Schema.Boolean])
    assertGives(Pair, "lenient", [
      ["['1', 'true']", [1, true], ["0.single-quotes", "0.number-from-text", "1.single-quotes", "1.boolean-from-text"]]
    ])
    assertRefuses(Pair, both, ['["1"]', '["true","1"]', '["1","true","x"]'])
    const Nested = Schema.Tuple([Pair, Schema.String])
    assertGives(Nested, "lenient", [['[[1, true], "a",]', [[1, true], "a"], ["trailing-comma"]]])
    assertGives(Schema.Array(Nested), "lenient", [['"[[[1, true], \\"a\\"]]"', [[[1, true], "a"]], ["json-in-text"]]])
    assertRefuses(Schema.Array(Schema.Int), both, ['["1","x"]', '["x"]'])
  })

  it("of lists are not made of one value", () => {
    const Rows = Schema.Array(Schema.Array(Schema.Int))
    assertGives(Rows, "lenient", [["[['1']]", [[1]], ["0.0.single-quotes", "0.0.number-from-text"]]])
    assertGives(Rows, "lenient", [["[1]", [[1]], ["0.list-from-one"]]])
  })

  it("are made of one text only where that is a sentence", () => {
    const Tags = Schema.Struct({ tags: Texts })
    const one = (text: string) => [JSON.stringify({ tags: text }), { tags: [text] }, ["tags.list-from-one"]] as const
    assertGives(Tags, "lenient", [
      one("So, it is late today."),
      one('He said: "No, I will not!"'),
      one("It is late (very late, he said).  "),
      one("red"),
      one("red and green")
    ])
    for (const tags of [
      "So, late.",
      "red, dark green.",
      "a; b",
      "a|b",
      "red、green",
      "one\ntwo",
      "• red",
      "2) red",
      "* red"
    ]) {
      assertRefuses(Tags, both, [JSON.stringify({ tags })])
    }
    for (const tags of ["None.", "null", "NIL", "n/a", "N.A.", "nothing", "(empty)", "undefined", "Not applicable"]) {
      assertRefuses(Tags, both, [JSON.stringify({ tags })])
    }
  })
})

describe("keys", () => {
  it("are other ones where numbers in them stand apart", () => {
    const Form = Schema.Struct({ line_2: Schema.Int })
    assertGives(Form, "lenient", [
      ['{"line2":1}', { line_2: 1 }, ["line_2.key-case"]],
      ['{"Line  2":1}', { line_2: 1 }, ["line_2.key-case"]],
      ['{"`line_2`":1}', { line_2: 1 }, ["line_2.key-case"]]
    ])
    assertRefuses(Form, both, ['{"line_2_":1}', '{"line_3":1}', '{"li`ne_2":1}', '{"":1}'])
    const Numbers = Schema.Struct({ "2_1": Schema.Int })
    assertGives(Numbers, "lenient", [
      ['{"2.1":1}', { "2_1": 1 }, ["2_1.key-case"]],
      ['{"2 - 1":1}', { "2_1": 1 }, ["2_1.key-case"]]
    ])
    assertRefuses(Numbers, both, ['{"21":1}'])
  })

  it("that could be either of two are neither", () => {
    const Two = Schema.Struct({
      ab: Schema.optionalKey(Schema.Int),
      a_b: Schema.optionalKey(Schema.Int),
      c: Schema.Int
    })
    assertGives(Two, "lenient", [['{"A-B":1,"c":2}', { c: 2 }]])
    assertGives(Two, "lenient", [
      ["{'A-B':1,'c':2}", { c: 2 }, ["c.single-quotes"]],
      // two spellings of the one that is left
      ["{'ab':1,'A-B':3,'A B':4,'c':2}", { ab: 1, c: 2 }, ["ab.single-quotes", "c.single-quotes"]],
      [
        "{'AB':1,'a_b':3,'C':2}",
        { ab: 1, a_b: 3, c: 2 },
        ["ab.single-quotes", "ab.key-case", "a_b.single-quotes", "c.single-quotes", "c.key-case"]
      ],
      [
        "{'ab':1,'A-B':3,'c':2}",
        { ab: 1, a_b: 3, c: 2 },
        ["ab.single-quotes", "a_b.single-quotes", "a_b.key-case", "c.single-quotes"]
      ]
    ])
  })

  it("of a record are what they are", () => {
    const Words = Schema.Record(Schema.String, Schema.Int)
    assertGives(Words, "lenient", [
      ["{'a b':1,'A_B':2}", { "a b": 1, A_B: 2 }, ["a b.single-quotes", "A_B.single-quotes"]]
    ])
  })
})

describe("unions", () => {
  const Shape = Schema.Union([
    Schema.Struct({ kind: Schema.Literal("circle"), radius: Schema.Finite }),
    Schema.Struct({ kind: Schema.Literal("square"), side: Schema.Finite })
  ])

  it("are read as the member that all of the value fits", () => {
    assertGives(Shape, "lenient", [
      ['{"kind":"circle","radius":"2"}', { kind: "circle", radius: 2 }, ["radius.number-from-text"]],
      ['{"Kind":"Square","side":2}', { kind: "square", side: 2 }, ["kind.enum-case", "kind.key-case"]],
      ['It is {"kind":"square","side":2}.', { kind: "square", side: 2 }, ["prose"]]
    ])
    assertRefuses(Shape, both, ['{"kind":"circle","side":2}', '{"kind":"oval","radius":2}', '{"radius":2}'])
  })

  it("are refused where what follows has all keys of a member", () => {
    const circle = '{"kind":"circle","radius":2}'
    assertRefuses(Shape, both, [`${circle} but rather {"kind":"square","side":"big"}`], "several answers")
    assertGives(Shape, "lenient", [
      [`${circle} unlike {"side":"big"} of course`, { kind: "circle", radius: 2 }, ["prose"]]
    ])
  })

  it("of single values may be words alone", () => {
    const Word = Schema.Union([Schema.Literals(["yes", "no"]), Schema.Int])
    assertGives(Word, "lenient", [
      ["Yes.", "yes", ["unquoted", "enum-case"]],
      ["7", 7],
      ["'7'", 7, ["single-quotes", "number-from-text"]]
    ])
    assertRefuses(Schema.Union([Schema.String, Schema.Int]), ["lenient"], ["So it is"])
    assertGives(Schema.Union([Schema.String, Schema.Int]), "lossy", [["So it is", "So it is", ["bare-text!"]]])
    assertRefuses(Schema.Union([Schema.Literals(["yes", "no"]), Texts]), both, ["yes"])
  })
})

describe("values of their own text", () => {
  it("have the escapes of JSON and of what is near to it", () => {
    const T = Schema.Struct({ t: Schema.String })
    const of = (written: string, t: string, ...done: ReadonlyArray<string>) =>
      [`{"t":"${written}",}`, { t }, ["trailing-comma", ...done]] as const
    assertGives(T, "lenient", [
      of(String.raw`\"\\\/\b\f\n\r\t`, '"\\/\b\f\n\r\t'),
      of(String.raw`\u00e4\u0041`, "äA"),
      of(String.raw`\x41`, "A", "t.escape"),
      of(String.raw`\u{1F44D}`, "👍", "t.escape"),
      of(String.raw`\'\$\_`, "'$_", "t.escape"),
      of("a\\\nb", "ab", "t.escape"),
      of("a\nb", "a\nb", "t.line-break"),
      of(String.raw`\d\(`, "\\d\\(", "t.escape")
    ])
    assertRefuses(T, ["lenient"], [String.raw`{"t":"\d\n",}`])
  })
})
