/** Rules of which each looks at the character or line beside: every neighbour that counts, and some that do not. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

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
