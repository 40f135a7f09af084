/** Answers in the notations of people and programs, with unusual quotes, lines, depths and ends. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses, refusals } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const { Int, String: Text } = Schema
const Ints = Schema.Array(Int)
const Texts = Schema.Array(Text)
const Pair = Schema.Struct({ one: Text, two: Text })
const Note = Schema.Struct({ text: Text })
const quoted = (kind: string) => ["one", "one", "two", "two"].map((key) => `${key}.${kind}`)

describe("a text in quotes", () => {
  it("may contain curly apostrophes", () => {
    const inner = ["0.quotes", "0.inner-quote", "1.quotes", "1.inner-quote"]
    assertGives(Texts, "lenient", [
      ["[‘it’s here’, ‘don’t’]", ["it’s here", "don’t"], inner],
      ["[‘it’s here, isn’t it’, ‘don’t’]", ["it’s here, isn’t it", "don’t"], inner]
    ])
    assertGives(Pair, "lenient", [
      [
        "{‘one’: ‘it’s here’, ‘two’: ‘b’}",
        { one: "it’s here", two: "b" },
        ["one.quotes", "one.inner-quote", "one.quotes", "two.quotes", "two.quotes"]
      ]
    ])
    assertRefuses(Texts, both, ["[‘the boys’ toys’, ‘b’]"], "0: This is not valid JSON")
  })

  it("is refused if a quotation in it does not end", () => {
    for (const text of [
      "{'one': 'he ('yes no', 'two': 'b'}",
      "{“one”: “he “yes no”, “two”: “b”}",
      '{"one": "5 "x y", \'two\': "b"}',
      '{one: "size "x y", two: b}'
    ]) {
      for (const parsing of both) {
        assert.deepStrictEqual(refusals(Pair, parsing, text), ["one: This is not valid JSON"], text)
      }
    }
    assertGives(Pair, "lenient", [
      [
        "{“one”: “he “yes” no”, “two”: “b”}",
        { one: "he “yes” no", two: "b" },
        ["one.quotes", "one.inner-quote", "one.quotes", "two.quotes", "two.quotes"]
      ]
    ])
  })

  it("ends before a key, even if a space precedes the colon", () => {
    const value = { one: "a", two: "b" }
    assertGives(Pair, "lenient", [
      ["{'one' : 'a' 'two' : 'b'}", value, ["missing-comma", ...quoted("single-quotes")]],
      ['{one: a, "two" : "b"}', value, ["one.unquoted", "one.unquoted-key"]],
      ['{"one" : "a "x", y", "two" : "b"}', { one: 'a "x", y', two: "b" }, ["one.inner-quote"]]
    ])
  })
})

describe("a text without quotes", () => {
  it("keeps a number sign before a number, and ends at a comment", () => {
    assertGives(Note, "lenient", [
      ['{"text": Order #12}', { text: "Order #12" }, ["text.unquoted"]],
      ['{"text": Order #12 // open\n}', { text: "Order #12" }, ["comment", "text.unquoted"]],
      ['{"text": Order # open\n}', { text: "Order" }, ["comment", "text.unquoted"]]
    ])
  })

  it("keeps a semicolon, which only separates numbers", () => {
    assertGives(Texts, "lenient", [
      ["[red, green; blue]", ["red", "green; blue"], ["0.unquoted", "1.unquoted"]],
      ["[red; green]", ["red; green"], ["0.unquoted"]]
    ])
    assertGives(Ints, "lenient", [["[1; 2]", [1, 2], ["separator"]]])
  })
})

describe("a mark before each line", () => {
  it("is removed, even if a line in between is empty", () => {
    assertGives(Pair, "lenient", [
      ['> {"one": "a",\n\n> "two": "b"}', { one: "a", two: "b" }, ["quoted-lines"]],
      ['+ {"one": "a",\n\n+ "two": "b"}', { one: "a", two: "b" }, ["added-lines"]]
    ])
  })

  it("belongs to the answer if another line lacks it", () => {
    assertGives(Note, "lenient", [
      ['{"text": "a\n> b"}', { text: "a\n> b" }, ["text.line-break"]],
      ['So:\n> b\n{"text": "a\n> b"}', { text: "a\n> b" }, ["prose", "text.line-break"]]
    ])
    assertRefuses(Note, both, ['{"text":\n> "a"}'], "text: This is not valid JSON")
  })
})

describe("a call of a function", () => {
  it("is read as the object of its arguments, with or without a semicolon", () => {
    for (const text of ["answer(one='a', two='b')", "answer(one='a', two='b');", " answer(one='a', two='b') ;\n"]) {
      const kinds = ["one", "two"].flatMap((key) => [`${key}.single-quotes`, `${key}.unquoted-key`, `${key}.separator`])
      assertGives(Pair, "lenient", [[text, { one: "a", two: "b" }, ["call", ...kinds]]])
    }
  })
})

describe("the depth of a value", () => {
  const lists = (deep: number, inner: string) => "[".repeat(deep) + inner + "]".repeat(deep)
  const objects = (deep: number, inner: string) => `{"in":`.repeat(deep) + inner + "}".repeat(deep)
  const Any = Schema.Struct({ in: Schema.Unknown })

  it("is at most 256 in every mode, for lists and objects", () => {
    for (const parsing of ["strict", ...both] as const) {
      for (const text of [objects(256, "1"), objects(255, "{}"), objects(1, lists(255, "1"))]) {
        assertGives(Any, parsing, [[text, JSON.parse(text)]])
      }
      for (const text of [objects(257, "1"), objects(256, "{}"), objects(1, lists(256, "1"))]) {
        assert.deepStrictEqual(refusals(Any, parsing, text), ["Values are nested too deeply here"])
      }
    }
  })
})

describe("a truncated answer", () => {
  it("is too deep beyond 256 open objects", () => {
    const Any = Schema.Struct({ in: Schema.Unknown })
    assertRefuses(Any, both, ['{"in":'.repeat(256)], "in: The answer was cut off here")
    assertRefuses(Any, both, ['{"in":'.repeat(257)], "in: Values are nested too deeply here")
  })

  it("keeps all complete members, including those of its innermost list", () => {
    const Named = Schema.Array(Schema.Struct({ name: Text, counts: Ints }))
    const text = '[{"name": "x", "counts": [1]}, {"name": "y", "counts": [2, 3, 4'
    const kept = [
      { name: "x", counts: [1] },
      { name: "y", counts: [2, 3] }
    ]
    assertGives(Named, "lossy", [[text, kept, ["cut-off!"]]])
    assertRefuses(Named, ["lenient"], [text], "1: counts: 2: The answer was cut off here")
  })

  it("is closed up to 16 lists deep", () => {
    const nested = (deep: number) => {
      let schema: Schema.Codec<any, any> = Ints
      for (let i = 1; i < deep; i++) schema = Schema.Array(schema)
      return schema
    }
    const cut = (deep: number) => `${"[".repeat(deep)}1, 2,`
    for (const deep of [1, 2, 15, 16]) {
      const value: unknown = JSON.parse(`${cut(deep).slice(0, -1)}${"]".repeat(deep)}`)
      assertGives(nested(deep), "lossy", [[cut(deep), value, ["cut-off!"]]])
    }
    assertRefuses(nested(17), ["lossy"], [cut(17)], "The answer was cut off here")
  })
})
