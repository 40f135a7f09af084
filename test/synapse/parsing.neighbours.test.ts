/** Rules of which each looks at the character or line beside: every neighbour that counts, and some that do not. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses, refusals } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Text = Schema.Struct({ a: Schema.String })
const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const Texts = Schema.Array(Schema.String)

describe("quotes within a text", () => {
  it("open behind a blank, a bracket, a slash, an equals sign or a dash", () => {
    for (const before of [" ", "(", " <", ">", "=", "/", " —", " –", "-"]) {
      const text = `see${before}"b" there`
      assertGives(Text, "lenient", [[`{"a": "${text}"}`, { a: text }, ["a.inner-quote"]]])
    }
  })
})

describe("lists in lines", () => {
  it("are refused where a line with a key follows their items", () => {
    assertGives(Texts, "lenient", [["- red\n- green", ["red", "green"], ["lines", "0.unquoted", "1.unquoted"]]])
    assertRefuses(Texts, both, ["- red\n- green\nNote: blue is out", "- red\nNote: blue is out\n- green"])
  })

  it("are refused behind lines with keys, and read where a key without a value is above them", () => {
    assertRefuses(Texts, both, ["Note: blue is out\n- red\n- green", "Note: blue is out\n\n- red", "a: 1\nb: 2\n- red"])
    const Palette = Schema.Struct({ note: Schema.String, colors: Texts })
    const done = ["lines", "note.unquoted", "colors.0.unquoted", "colors.1.unquoted"]
    const value = { note: "blue is out", colors: ["red", "green"] }
    assertGives(Palette, "lenient", [["note: blue is out\ncolors:\n- red\n- green", value, done]])
  })
})

describe("quoted lines", () => {
  it("may be empty, with a blank behind the mark or without one", () => {
    for (const empty of [">", "> ", ">  "]) {
      assertGives(Person, "lenient", [
        [`> {\n>   "name": "Ada",\n${empty}\n>   "age": 3\n> }`, { name: "Ada", age: 3 }, ["quoted-lines"]]
      ])
    }
  })

  it("may have no blank behind the mark, and up to three before it", () => {
    assertGives(Person, "lenient", [
      ['>{\n>"name": "Ada",\n>"age": 3\n>}', { name: "Ada", age: 3 }, ["quoted-lines"]],
      ['   > {"name": "Ada",\n   > "age": 3}', { name: "Ada", age: 3 }, ["quoted-lines"]]
    ])
  })
})

describe("keys in another spelling", () => {
  const Named = Schema.Struct({ firstName: Schema.String })
  const Open = Schema.StructWithRest(Named, [Schema.Record(Schema.String, Schema.String)])

  it("are keys of their own where any key is allowed", () => {
    assertGives(Open, "lenient", [
      ['{"firstName": "Ada", "first_name": "Bob",}', { firstName: "Ada", first_name: "Bob" }, ["trailing-comma"]]
    ])
  })

  it("may repeat the value, and are refused where any of them differs", () => {
    const texts = [
      '{"firstName": "Ada", "first_name": "Bob",}',
      '{"firstName": "Ada", "first_name": "Ada", "first_name": "Bob",}'
    ]
    assertRefuses(Named, both, texts, "several")
  })
})

describe("what one rule leaves to another", () => {
  it("reads codes with capital and small digits beside a missing bracket", () => {
    const Place = Schema.Struct({ url: Schema.String, tags: Texts })
    for (const code of ["\\u00e9", "\\u00E9"]) {
      const value = { url: "é", tags: ["x", "y"] }
      assertGives(Place, "lenient", [[`{"url": "${code}", "tags": ["x", "y"}`, value, ["missing-bracket"]]])
    }
  })

  it("keeps straight and curly apostrophes within words", () => {
    assertGives(Text, "lenient", [
      ["{‘a’: ‘it’s fine’}", { a: "it’s fine" }, ["a.quotes", "a.inner-quote", "a.quotes"]],
      ["{'a': 'it's fine'}", { a: "it's fine" }, ["a.single-quotes", "a.inner-quote", "a.single-quotes"]]
    ])
  })

  it("knows from any key before it that keys have quotes", () => {
    const Pair = Schema.Struct({ a: Schema.String, b: Schema.String })
    const b = 'see "this", note: there'
    assertGives(Pair, "lenient", [[`{"a": "x", b: "${b}"}`, { a: "x", b }, ["b.inner-quote", "b.unquoted-key"]]])
  })

  it("ends a thought right before a list, an object, a fence or a line", () => {
    for (const answer of ['["a", "b"]', ' ["a", "b"]', '\n["a", "b"]']) {
      assertGives(Texts, "lenient", [[`{"name": maybe </think>${answer}`, ["a", "b"], ["thought"]]])
    }
    assertGives(Text, "lenient", [['["x", maybe </think>{"a": "b"}', { a: "b" }, ["thought"]]])
  })

  it("takes a number sign for a comment unless digits follow", () => {
    const Ranked = Schema.Struct({ a: Schema.String, b: Schema.Finite })
    assertGives(Ranked, "lenient", [
      ["{a: we are #1 here, b: 2}", { a: "we are #1 here", b: 2 }, ["a.unquoted", "a.unquoted-key", "b.unquoted-key"]]
    ])
  })

  it("says once what is wrong deep inside a value", () => {
    const Deep = Schema.Struct({ x: Schema.Struct({ n: Schema.Finite }) })
    const problems = refusals(Deep, "lenient", '{"x": {"n": "9007199254740993"}}')
    assert.deepStrictEqual(problems, ["x: n: Expected a number that can be kept exactly"])
  })
})

describe("what stands around values", () => {
  it("corrects only the value right before it", () => {
    const texts = ['First {"a":"x"}\nCorrection: {"a":"y"}\nor perhaps {"a":"z"}']
    assertRefuses(Text, both, texts, "several answers")
  })

  it("retracts a row of values behind the last one", () => {
    const Row = Schema.Array(Text)
    assertRefuses(Row, both, ['{"a":"x"}\n{"a":"y"}\nWait, that is wrong.'], "retracted")
    assertGives(Row, "lenient", [['{"a":"x"}\n{"a":"y"}\nDone.', [{ a: "x" }, { a: "y" }], ["prose", "sequence"]]])
  })

  it("may be empty lines behind quoted ones, with either line break", () => {
    for (const end of ["\r\n\r\n", "\n\n", "\n \n", "\r\n"]) {
      assertGives(Text, "lenient", [[`> {\r\n> "a": "x"\r\n> }${end}`, { a: "x" }, ["quoted-lines"]]])
    }
  })

  it("is a key without quotes on the next line, behind keys with quotes", () => {
    const Pair = Schema.Struct({ a: Schema.String, b: Schema.String })
    assertGives(Pair, "lenient", [['{"a": "x",\n b: hello}', { a: "x", b: "hello" }, ["b.unquoted", "b.unquoted-key"]]])
  })

  it("is the other bracket of a pair with backslashes", () => {
    for (const a of [String.raw`so \[x^2\] holds`, String.raw`\{a\} and \{b\}`]) {
      assertGives(Text, "lenient", [[`{"a": "${a}"}`, { a }, ["a.escape"]]])
    }
    assertRefuses(Text, both, [String.raw`{"a": "so \[x^2 holds"}`])
  })

  it("is a comma before a line break, with blanks between them or without", () => {
    const List = Schema.Struct({ a: Texts })
    assertRefuses(List, both, ['{"a": ["x,\ny", "z"]}', '{"a": ["x, \ny", "z"]}', '{"a": ["x,\t\ny", "z"]}'])
    assertGives(List, "lenient", [['{"a": ["x\ny", "z"]}', { a: ["x\ny", "z"] }, ["a.0.line-break"]]])
  })
})

describe("an object around a text that may be null", () => {
  it("has a key that names an answer", () => {
    const Maybe = Schema.NullOr(Schema.String)
    assertRefuses(Maybe, ["lenient"], ['{"foo": "bar"}', '{"refusal": "no"}'])
    assertGives(Maybe, "lenient", [['{"answer": "bar"}', "bar", ["wrapper"]]])
  })
})
