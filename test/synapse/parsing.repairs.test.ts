/** Answers that are JSON but for one mark, and values that words around them take back or confirm. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int, city: Schema.NullOr(Schema.String) })
const Ticket = Schema.Struct({
  title: Schema.String,
  tags: Schema.Array(Schema.String),
  priority: Schema.Literals(["low", "high"])
})
const Texts = Schema.Array(Schema.String)
const Point = Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.Int) })
const both = ["lenient", "lossy"] as const
const ada = { name: "Ada", age: 36, city: "London" }
const crash = { title: "Crash", tags: ["ios", "login"], priority: "high" }

describe("one mark that is wrong", () => {
  it("is repaired where the schema leaves one value, and reported", () => {
    assertGives(Ticket, "lenient", [
      ['{"title": "Crash", "tags": ["ios", "login", "priority": "high"}', crash, ["missing-bracket"]],
      ['{"title": "Crash", "tags": ["ios", "login"}, "priority": "high"}', crash, ["wrong-bracket"]],
      ['{"title": "Crash", "tags": [["ios", "login"], "priority": "high"}', crash, ["extra-bracket"]]
    ])
    assertGives(Person, "lenient", [
      ['{"name": "Ada", "age": 36}, "city": "London"}', ada, ["extra-bracket"]],
      ['{"name": "Ada, "age": 36, "city": "London"}', ada, ["missing-quote"]],
      ['{"name": Ada", "age": 36, "city": "London"}', ada, ["missing-quote"]],
      ['{"name": "Ada", age": 36, "city": "London"}', ada, ["missing-quote"]],
      ['{"name": "Ada", "age: 36, "city": "London"}', ada, ["missing-quote"]],
      ['{"name": ""Ada", "age": 36, "city": "London"}', ada, ["extra-quote"]],
      ['{"name": "Ada", "age": "36, "city": "London"}', ada, ["extra-quote"]],
      ['Here: {"name": "Ada, "age": 36, "city": "London"} Done.', ada, ["missing-quote"]],
      ['Here: {, "name": "Ada", "age": 36, "city": "London"}', ada, ["prose", "extra-comma"]]
    ])
    assertGives(Texts, "lenient", [['"red", "green"]', ["red", "green"], ["missing-bracket"]]])
  })

  it("is refused where two readings fit, each with another value", () => {
    assertRefuses(
      Schema.Struct({ start: Point, y: Schema.optionalKey(Schema.Int), end: Point }),
      both,
      ['{"start": {"x": 1}, "y": 2}, "end": {"x": 3}}'],
      "more than one way"
    )
    assertRefuses(Texts, both, ['["a", "b", c", "d"]', '["It"s late"]'], "more than one way")
  })

  it("is not repaired where the mark may have been meant", () => {
    assertRefuses(Schema.Array(Schema.Int), both, ["[12 500, 3]", "[12 500]"])
    assertRefuses(
      Schema.Struct({ total: Schema.Int, paid: Schema.Boolean }),
      ["lenient"],
      ['{"total": 12,50, "paid": true}']
    )
    assertRefuses(Texts, ["lenient"], [String.raw`["a\,b"]`, String.raw`["\ud,c00"]`, String.raw`["\:"]`])
  })

  it("is not repaired where there is more than one block, or the answer is taken back", () => {
    const broken = '{"name": "Ada, "age": 36, "city": "London"}'
    const block = (text: string) => "```json\n" + text + "\n```\n"
    assertGives(Person, "lenient", [[block(broken), ada, ["missing-quote"]]])
    assertRefuses(Person, both, [block(broken) + block(broken), block(broken) + block("{}")])
    assertRefuses(Person, both, [`${broken} Wait, that is wrong.`, `${block(broken)}Sorry, scratch that.`])
  })

  it("is never two values of one key", () => {
    assertRefuses(Person, both, ['{"name": "Ada", "age": 36, "city": null{"name": "Bob", "age": 41, "city": null}'])
  })

  it("does not reach into what is cut off", () => {
    assertRefuses(Texts, ["lenient"], ['["red", "green"', '["red", "gre'])
    assertRefuses(Schema.Array(Person), ["lenient"], ['[{"name": "Ada", "age": 36, "city": null}, {"name": "B'])
    assertRefuses(Person, both, ['{"sender": {"name": "Ada", "age": 36, "city": null}, "receiver": {"name": "Bo'])
  })

  it("is not looked for where the answer is another shape", () => {
    assertRefuses(Schema.Array(Schema.Array(Schema.Int)), both, ["[[1, 2, 3], 4, 5]"])
  })
})

describe("words around values", () => {
  const [first, second] = ['{"name": "Ada", "age": 35, "city": null}', '{"name": "Ada", "age": 36, "city": "London"}']

  it("say that the last of two counts", () => {
    for (const words of [
      "Correction:",
      "Wait, I misread it.",
      "Actually, she is older:",
      "Final version:",
      "Korrektur:",
      "Corrigé :",
      "Исправлено:"
    ]) {
      assertGives(Person, "lenient", [[`${first}\n\n${words}\n\n${second}`, ada, ["prose"]]])
    }
    assertRefuses(
      Person,
      both,
      [`${first}\nor\n${second}`, `Option A: ${first}\nOption B: ${second}`],
      "several answers"
    )
  })

  it("say that a value is an example, or what the answer is not", () => {
    assertGives(Person, "lenient", [
      [`The form is, for example, ${first}.\nThe answer is:\n${second}`, ada, ["prose"]],
      [`Not like this: ${first}\nBut like this: ${second}`, ada, ["prose"]]
    ])
    assertRefuses(
      Person,
      both,
      [`I would answer, for example, ${first}.`, `It should not be ${first}, I think.`],
      "example"
    )
  })

  it("take back the only value", () => {
    assertRefuses(
      Person,
      both,
      [`${first}\n\nWait, that is wrong. I start again.`, `${first}\nScratch that.`],
      "retracted by"
    )
    assertGives(Person, "lenient", [[`${second}\n\nPlease wait for the second page.`, ada, ["prose"]]])
  })
})

describe("an object of one key", () => {
  it("is a wrapper around a text where the key says that it is the answer", () => {
    assertGives(Schema.String, "lenient", [
      ['{"answer": "Paris"}', "Paris", ["wrapper"]],
      ['{"final_answer": "Paris"}', "Paris", ["wrapper"]]
    ])
    assertRefuses(Schema.String, both, [
      `{"refusal": "I won't"}`,
      '{"reason": "Nobody signed it."}',
      '{"clarifying_question": "Which one?"}',
      '{"thought": "Paris"}'
    ])
    assertGives(Schema.Finite, "lenient", [['{"count": 4}', 4, ["wrapper"]]])
  })
})

describe("keys without quotes", () => {
  it("may be of any script, with blanks and signs that part nothing", () => {
    const Words = Schema.Record(Schema.String, Schema.String)
    assertGives(Words, "lenient", [
      ['{"a": "one", b: "two"}', { a: "one", b: "two" }, ["b.unquoted-key"]],
      [
        "{1: 'one', 2: 'two'}",
        { 1: "one", 2: "two" },
        ["1.single-quotes", "1.unquoted-key", "2.single-quotes", "2.unquoted-key"]
      ],
      ['{first name: "Ada"}', { "first name": "Ada" }, ["first name.unquoted-key"]],
      ['{@id: "p-1"}', { "@id": "p-1" }, ["@id.unquoted-key"]],
      ['{👍: "yes"}', { "👍": "yes" }, ["👍.unquoted-key"]]
    ])
    assertRefuses(Schema.Struct({ approved: Schema.Boolean }), both, ["{!approved: true}"])
  })
})

describe("a look ahead", () => {
  it("passes over comments and blanks of any length", () => {
    const long = "said twice, ".repeat(200)
    assertGives(Person, "lenient", [
      [`{"name": "Ada", /* ${long} */ "age": 36, "city": "London"}`, ada, ["comment"]],
      [
        `{name: "Ada", // ${long}\n age: 36, city: "London"}`,
        ada,
        ["comment", "name.unquoted-key", "age.unquoted-key", "city.unquoted-key"]
      ],
      [
        `{${" ".repeat(5000)}name${" ".repeat(600)}: "Ada",${" ".repeat(5000)}age: 36, city: "London"}`,
        ada,
        ["name.unquoted-key", "age.unquoted-key", "city.unquoted-key"]
      ]
    ])
  })
})
