/** Answers that could be read in more than one way: which are read, as what, and which are refused. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses, refusals } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const every = ["strict", "lenient", "lossy"] as const
const { Int, String: Text } = Schema
const Ints = Schema.Array(Int)
const Texts = Schema.Array(Text)
const Count = Schema.Struct({ count: Int })
const Counts = Schema.Array(Count)
const Pair = Schema.Struct({ one: Text, two: Text })
const ab = { one: "a", two: "b" }

describe("a value of a union", () => {
  it("is the object with `value` and other keys, unless no member has these keys", () => {
    const Prices = Schema.Union([Schema.Record(Text, Int), Int])
    for (const parsing of every) {
      assertGives(Prices, parsing, [
        ['{"value": 3, "apples": 4}', { value: 3, apples: 4 }],
        ['{"value": 3}', 3],
        ['{"value": 3, "note": "about"}', 3]
      ])
    }
  })

  it("is not unwrapped from an object whose other keys a member has", () => {
    const Distance = Schema.Union([Schema.Struct({ value: Int, unit: Text, year: Int }), Int])
    assertGives(Distance, "lenient", [
      ['{"value": 3, "unit": "km", "year": 2026}', { value: 3, unit: "km", year: 2026 }],
      ['{value: 3, source: "a map"}', 3, ["unquoted-key"]]
    ])
    for (const text of ['{"value": 3, "unit": "km"}', '{value: 3, unit: "km"}']) {
      for (const parsing of both) assert.deepStrictEqual(refusals(Distance, parsing, text), ["year: Missing key"])
    }
  })

  it("is refused if one of the members that fit gives another value", () => {
    const Same = Schema.Struct({ count: Schema.Union([Int, Schema.Literals([1, 2])]) })
    const Other = Schema.Struct({ count: Schema.Union([Int, Schema.Literals([1, 2]), Ints]) })
    assertGives(Same, "lenient", [['{"count": "1"}', { count: 1 }, ["count.number-from-text"]]])
    assertGives(Other, "lenient", [['{"count": 1}', { count: 1 }]])
    assertRefuses(Other, both, ['{"count": "1"}'], "count: Expected a value that can be read in one way only")
  })

  it("is recognised by its keys in another spelling, even in a wrapper or after a repair", () => {
    const Person = Schema.Struct({ firstName: Text, age: Int })
    const Named = Schema.Union([Person, Schema.Struct({ companyName: Text })])
    const ada = { firstName: "Ada", age: 36 }
    const renamed = ["firstName.key-case"]
    assertGives(Named, "lenient", [
      ['{"first_name": "Ada", "age": 36}', ada, renamed],
      ['{"company_name": "Ada"}', { companyName: "Ada" }, ["companyName.key-case"]]
    ])
    assertGives(Person, "lenient", [
      ['{"result": {"first_name": "Ada", "age": 36}}', ada, ["wrapper", ...renamed]],
      ['{"first_name": "Ada, "age": 36}', ada, ["missing-quote", ...renamed]]
    ])
    assertRefuses(Person, both, ['{"result": {"first_name": "Ada"}}'], "age: Missing key")
  })
})

describe("a list", () => {
  it("of lists cannot contain both rows and single items", () => {
    const Rows = Schema.Array(Ints)
    assertGives(Rows, "lenient", [
      ["[[1, 2], [3]]", [[1, 2], [3]]],
      ["[1, 2]", [[1], [2]], ["0.list-from-one", "1.list-from-one"]]
    ])
    assertRefuses(Rows, both, ["[[1, 2], 3]", "[3, [1, 2]]", "[[1, 2], 3, [4]]"], "Expected only lists, or no lists")
  })

  it("of nullable values is not made from null", () => {
    const Named = Schema.Struct({ names: Schema.Array(Schema.NullOr(Text)) })
    assertGives(Named, "lenient", [
      ['{"names": [null]}', { names: [null] }],
      ['{"names": "Ada"}', { names: ["Ada"] }, ["names.list-from-one"]]
    ])
    assertRefuses(Named, both, ['{"names": null}'], "names: Expected array")
    assertRefuses(Schema.Array(Schema.NullOr(Int)), both, ["null"], "Expected array")
  })

  it("is joined from objects that are separated only by line endings, commas or semicolons", () => {
    const two = [{ count: 1 }, { count: 2 }]
    const joined = ["prose", "sequence"]
    for (const between of ["\n", "\r\n", "\r\n\r\n", ", ", ";\t"]) {
      assertGives(Counts, "lenient", [[`{"count": 1}${between}{"count": 2}`, two, joined]])
    }
    const several = ['{"count": 1}, {"count": 2} and {"count": 3}', '{"count": 1}\nand\n{"count": 2}\n{"count": 3}']
    assertRefuses(Counts, both, several, "several answers")
  })

  it("reports at most 100 changes of each kind, but every kind", () => {
    const rows = Array.from({ length: 120 }, (_, count) => ({ count }))
    const text = rows.map(({ count }) => (count === 119 ? `{'count': "119"}` : `{count: ${count}}`)).join(", ")
    const unquoted = Array.from({ length: 100 }, (_, i) => `${i}.count.unquoted-key`)
    assertGives(Counts, "lenient", [
      [`[${text}]`, rows, [...unquoted, "119.count.single-quotes", "119.count.number-from-text"]]
    ])
  })
})

describe("a choice", () => {
  it("is taken in another letter case only if it matches exactly one value", () => {
    const Vote = Schema.Struct({ vote: Schema.Literals(["No", "NO", "Yes"]) })
    assertGives(Vote, "lenient", [
      ['{"vote": "NO"}', { vote: "NO" }],
      ['{"vote": "yes"}', { vote: "Yes" }, ["vote.enum-case"]]
    ])
    assertRefuses(Vote, both, ['{"vote": "no"}'], 'vote: Expected "No" | "NO" | "Yes"')
  })
})

describe("an answer after thinking that has broken JSON", () => {
  const thinking = 'Perhaps {"count": } or not. </think>\n'

  it("is read in every form", () => {
    assertGives(Count, "lenient", [
      [`${thinking}{"count": 2}`, { count: 2 }, ["thought"]],
      [`${thinking}count: 2`, { count: 2 }, ["thought", "lines"]]
    ])
    assertGives(Int, "lenient", [
      [`${thinking}7`, 7, ["thought"]],
      [`${thinking}**7**`, 7, ["thought", "emphasis"]]
    ])
    assertGives(Text, "lenient", [[`${thinking}"seven"`, "seven", ["thought"]]])
  })

  it("is read in the same way each time", () => {
    const text = 'Perhaps {"count": x </think>\n{"count": 2}'
    for (const parsing of [...both, ...both]) assertGives(Count, parsing, [[text, { count: 2 }, ["thought"]]])
  })
})

describe("a value before the answer", () => {
  it("ends where its brackets close, whatever its texts contain", () => {
    const rest = ' then {"count": 1}'
    for (const broken of [
      '{"b": <x>, "c": "5\\" wide"}',
      '{"b": <x>, "c": "a \\"{\\" b"}',
      '{"b": <x>, "c": "\\\\"}'
    ]) {
      assertGives(Count, "lenient", [[`See ${broken}${rest}`, { count: 1 }, ["prose"]]])
    }
    assertRefuses(Count, both, [`See {"b": "x\\"} {", "c": ] }${rest}`], "c: This is not valid JSON")
  })

  it("may be a bracket in quotes", () => {
    const read = ["prose", "count.number-from-text"]
    assertGives(Count, "lenient", [
      ['"{" opens, {"count": "1"} closes', { count: 1 }, read],
      ['{"count": "1"} closes with "}". {ok}', { count: 1 }, read]
    ])
    assertRefuses(Count, both, ['{"count": "1"}, "[" is missing]'], "This is not valid JSON")
  })
})

describe("an issue", () => {
  it("names the item and the key that could not be read", () => {
    const cases = [
      [Ints, "[1, 2, <3>]", "2: This is not valid JSON"],
      [Counts, '[{"count": 1}, {"count": ...}]', "1: count: Something was left out here: write all of it"],
      [Pair, '{"one": …, "two": "b"}', "one: Something was left out here: write all of it"],
      [Pair, '{"one": …and so on, "two": "b"}', "one: Something was left out here: write all of it"]
    ] as const
    for (const [schema, text, issue] of cases) {
      for (const parsing of both) assert.deepStrictEqual(refusals(schema, parsing, text), [issue], text)
    }
  })

  it("says that the answer was cut off if it ends with an omission", () => {
    for (const text of ['{"one": ...', '{"one": …', '{"one": "a']) {
      assert.deepStrictEqual(refusals(Pair, "lenient", text), ["one: The answer was cut off here: write all of it"])
    }
  })
})

describe("a repair", () => {
  it("works with all line endings and number notations", () => {
    for (const end of ["\n", "\r\n", "\r\n  ", " "]) {
      assertGives(Pair, "lenient", [[`{${end}"one": "a,${end}"two": "b"${end}}`, ab, ["missing-quote"]]])
    }
    const Weight = Schema.Struct({ of: Text, grams: Schema.Finite })
    for (const [written, grams] of [
      ["1e+5", 100_000],
      ["1E5", 100_000],
      ["-1.5e-2", -0.015]
    ] as const) {
      assertGives(Weight, "lenient", [[`{"of": "it, "grams": ${written}}`, { of: "it", grams }, ["missing-quote"]]])
    }
  })

  it("is reported together with the notation that was rewritten", () => {
    assertGives(Pair, "lenient", [
      ['{\\"one\\": \\"a, \\"two\\": \\"b\\"}', ab, ["escaped", "missing-quote"]],
      ['> {"one": "a,\n> "two": "b"}', ab, ["quoted-lines", "missing-quote"]],
      ['+ {"one": a",\n+ "two": "b"}', ab, ["added-lines", "missing-quote"]]
    ])
  })

  it("adds a bracket that is missing at the end of a code block", () => {
    const Nested = Schema.Struct({ name: Text, counts: Counts })
    assertGives(Nested, "lenient", [
      [
        '```json\n{"name": "x", "counts": [{"count": 1}]\n```',
        { name: "x", counts: [{ count: 1 }] },
        ["missing-bracket"]
      ]
    ])
  })

  it("is certain if one of the edits that lead to it is certain", () => {
    assertGives(Pair, "lenient", [['{"one": "a}", ""two": "b"}', { one: "a}", two: "b" }, ["extra-quote"]]])
    const Named = Schema.Struct({ name: Text, parts: Texts })
    assertGives(Named, "lenient", [
      ['{ "name": "x", "parts": ["a", " " ]] }', { name: "x", parts: ["a", " "] }, ["extra-bracket"]]
    ])
  })

  it("is refused if a doubtful edit gives another value", () => {
    assertRefuses(Texts, both, ['["a",",,"b"]', '["a","b:]'], "more than one way")
    assertRefuses(Schema.Struct({ all: Texts }), both, ['{"all":["a","b:]}'], "more than one way")
  })
})
