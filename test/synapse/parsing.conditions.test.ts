/** What a value must be for a change to be made to it: where one condition is missing, nothing is changed. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Texts = Schema.Array(Schema.String)

describe("null for a key", () => {
  const Person = Schema.Struct({
    name: Schema.String,
    age: Schema.optionalKey(Schema.Int),
    born: Schema.optionalKey(Schema.NullOr(Schema.Int))
  })
  const ada = { name: "Ada" }

  it("is left out where the key may be, and null is no value of it", () => {
    assertGives(Person, "lenient", [
      ['{"name": "Ada", "age": null}', ada, ["age.null-dropped"]],
      ['{"name": "Ada", "Age": None}', ada, ["age.literal", "age.null-dropped", "age.key-case"]]
    ])
  })

  it("stays where it is a value of the key", () => {
    assertGives(Person, "lenient", [['{"name": "Ada", "born": null,}', { ...ada, born: null }, ["trailing-comma"]]])
  })

  it("is refused where the key is required, or is one of a record", () => {
    assertRefuses(Person, both, ['{"name": null, "age": 1}'], "name: Expected string")
    const Counts = Schema.Record(Schema.String, Schema.Int)
    assertRefuses(Counts, both, ['{"a": 1, "b": null}', '{"a": null}', "{a: None}"])
    const Rest = Schema.StructWithRest(Schema.Struct({ a: Schema.optionalKey(Schema.Int) }), [Counts])
    assertGives(Rest, "lenient", [['{"a": null, "b": 2}', { b: 2 }, ["a.null-dropped"]]])
    assertRefuses(Rest, both, ['{"a": 1, "b": null}'])
  })

  it("is not what another value that does not fit is", () => {
    assertRefuses(Person, both, [
      '{"name": "Ada", "age": false}',
      '{"name": "Ada", "age": "null"}',
      '{"name": "Ada", "age": []}'
    ])
  })

  it("is refused beside another value of the key", () => {
    assertRefuses(Person, both, ['{"name": "Ada", "age": null, "age": 1,}', '{"name": "Ada", "age": 1, "Age": null,}'])
    assertGives(Person, "lenient", [
      ['{"name": "Ada", "age": 1, "age": 1,}', { ...ada, age: 1 }, ["trailing-comma", "age.duplicate-key"]]
    ])
  })
})

describe("a number in quotes", () => {
  const Account = Schema.Struct({ id: Schema.Int })
  const Amount = Schema.Struct({ id: Schema.Finite })

  it("is read where it can be kept", () => {
    assertGives(Account, "lenient", [
      ['{"id": "9007199254740991"}', { id: 9007199254740991 }, ["id.number-from-text"]],
      ['{"id": " 42 "}', { id: 42 }, ["id.number-from-text"]],
      ['{"id": "4.0"}', { id: 4 }, ["id.number-from-text"]]
    ])
    assertGives(Amount, "lenient", [['{"id": "4.5"}', { id: 4.5 }, ["id.number-from-text"]]])
  })

  it("is refused where it would become another one", () => {
    for (const schema of [Account, Amount]) {
      assertRefuses(schema, both, ['{"id": "9007199254740993"}'], "id: Expected a number that can be kept exactly")
      assertRefuses(schema, both, ['{"id": "1e400"}', '{"id": "-9007199254740993"}'])
    }
    assertRefuses(Account, both, ['{"id": "4.5"}'], "id: Expected number")
    assertRefuses(Account, both, ['{"id": "true"}', '{"id": ""}'])
  })
})

describe("marks of code", () => {
  const fenced = (open: string, inner: string, close = open) => `${open}\n${inner}\n${close}`

  it("begin a block where they are three or more, and end it where they are the same", () => {
    assertGives(Texts, "lenient", [
      [fenced("```json", '["a"]', "```"), ["a"], ["fence"]],
      [fenced("~~~", '["a"]'), ["a"], ["fence"]],
      [fenced("````", '["a"]'), ["a"], ["fence"]],
      ['``["a"]``', ["a"], ["prose"]],
      [fenced("~~~", '["a"]', "```\n~~~"), ["a"], ["fence"]],
      [fenced("~~~", '```\n["a"]'), ["a"], ["fence"]],
      [`Sure:\n${fenced("```", "- a\n- b")}`, ["a", "b"], ["fence", "lines", "0.unquoted", "1.unquoted"]]
    ])
    assertRefuses(Texts, ["lenient"], [`${fenced("```", '["a"]')}\n${fenced("```", '["b"]')}`])
    assertRefuses(Texts, ["lenient"], ['["a"]\nor\n["b"]'])
  })

  it("hold a text or a number alone, where nothing else is in the block", () => {
    assertGives(Schema.String, "lenient", [[`Sure:\n${fenced("```", '"a"')}`, "a", ["fence"]]])
    assertGives(Schema.Finite, "lenient", [[`Sure:\n${fenced("```", "4.5")}`, 4.5, ["fence"]]])
    assertRefuses(Schema.Finite, both, [`Sure:\n${fenced("```", "4.5 or 5")}`, `Sure:\n${fenced("```", "4.5\n5")}`])
  })
})

describe("an empty list or object", () => {
  it("is the answer where nothing broken stands before it", () => {
    assertGives(Texts, "lenient", [
      ["[]", []],
      ["There are none: []", [], ["prose"]]
    ])
    assertRefuses(Texts, both, ['["a", "b"; c"d\n\n[]', '["a", ... "z"] []'])
    assertRefuses(Schema.Record(Schema.String, Schema.String), both, ['{"a": "b", ...} {}'])
    assertRefuses(Texts, both, ['["a", "b", …]', '["a", "b", ...]'], "Something was left out here")
  })

  it("is none in code", () => {
    assertRefuses(Texts, both, ["Write const all = [] and go on.", "Call reduce([]) then.", "It is of.[]"])
  })
})
