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
