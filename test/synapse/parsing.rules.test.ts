/** The conditions of single rules: each with the texts that meet it, and with the nearest ones that do not. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ann = { name: "Ann", age: 41 }
const json = JSON.stringify(ann)
const bob = '{"name":"Bob","age":1}'
const Texts = Schema.Array(Schema.String)
const Mixed = Schema.Array(Schema.Union([Schema.Finite, Schema.Boolean, Schema.Null]))

describe("an answer with one mark that is wrong", () => {
  const broken = '{"name": "Ann, "age": 41}'

  it("may stand among words, which end or begin with a mark of a sentence", () => {
    for (const after of [
      " Done",
      ".",
      "!",
      "?",
      ";",
      ")",
      "*",
      "`",
      "。",
      "！",
      "？",
      "；",
      "）",
      "…",
      ". So it is",
      "\n"
    ]) {
      assertGives(Person, "lenient", [[`Here: ${broken}${after}`, ann, ["missing-quote"]]])
    }
    for (const after of [":", ",", " : x", " , x", "x", "-", ".x", "!1", ' "b"', " {", " ["]) {
      assertRefuses(Person, both, [`Here: ${broken}${after}`])
    }
  })

  it("may stand in one block, and in no other place beside it", () => {
    const block = `\`\`\`json\n${broken}\n\`\`\``
    assertGives(Person, "lenient", [
      [block, ann, ["missing-quote"]],
      [`Here:\n${block}\nDone.`, ann, ["missing-quote"]]
    ])
    assertRefuses(Person, both, [`${block}\n${block}`])
  })
})

describe("an answer that is cut off", () => {
  it("ends with a literal where nothing but a mark or a blank stands before that", () => {
    for (const [written, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
      ["True", true],
      ["False", false],
      ["None", null]
    ] as const) {
      const done = /^[TFN]/.test(written) ? ["literal"] : []
      const at = (path: number) => ["cut-off!", ...done.map((kind) => `${path}.${kind}`)]
      assertGives(Mixed, "lossy", [
        [`[${written}`, [value], at(0)],
        [`[1,${written}`, [1, value], at(1)],
        [`[1, ${written} `, [1, value], at(1)]
      ])
      assertRefuses(Mixed, ["lossy"], [`[${written.slice(0, -1)}`])
    }
  })

  it("lacks its bracket alone only where nothing follows its last member", () => {
    assertGives(Person, "lenient", [['{"age":41,"name":"Ann"', ann, ["missing-bracket"]]])
    assertRefuses(
      Person,
      ["lenient"],
      ['{"age":41,"name":"Ann",', '{"age":41,"name":"Ann","x', '{"a":{"age":41,"name":"Ann"']
    )
    assertGives(Person, "lossy", [['{"age":41,"name":"Ann",', ann, ["cut-off!"]]])
  })

  it("is not closed where a bracket does not fit, or a quote takes in lines or brackets", () => {
    assertRefuses(Texts, both, ['["a", "b"}, "c', '["a", "b\nc', '["a", "b{ c', '["a", "b[', "}["])
    assertGives(Texts, "lossy", [
      ['["a", // one "\n"b"', ["a", "b"], ["cut-off!", "comment"]],
      ['["a\\"b", "c', ['a"b'], ["cut-off!"]]
    ])
  })
})

describe("a thought", () => {
  it("that ends inside a list that never does takes the values before it along", () => {
    assertGives(Person, "lenient", [[`${bob} or [1, 2 </think>\n${json}`, ann, ["thought"]]])
  })
})

describe("lines", () => {
  it("under a key that denies are no items of it", () => {
    const Tags = Schema.Struct({ tags: Texts })
    const Any = Schema.Record(Schema.String, Texts)
    assertGives(Tags, "lenient", [["tags:\n- a", { tags: ["a"] }, ["lines", "tags.0.unquoted"]]])
    for (const word of ["not", "no", "cannot", "unable", "sorry", "never", "Never"]) {
      assertRefuses(Any, both, [`${word} these:\n- a\n- b`])
    }
    assertGives(Any, "lenient", [["notes:\n- a", { notes: ["a"] }, ["lines", "notes.0.unquoted"]]])
  })

  it("hold a value in quotes or brackets, a number or a text", () => {
    const V = Schema.Struct({ a: Schema.Json, b: Schema.Int })
    const of = (a: string) => `a: ${a}\nb: 2`
    assertGives(V, "lenient", [
      [of('"x",'), { a: "x", b: 2 }, ["lines"]],
      [of("'x'"), { a: "x", b: 2 }, ["lines", "a.single-quotes"]],
      [of("“x”"), { a: "x", b: 2 }, ["lines", "a.quotes"]],
      [of("5,"), { a: 5, b: 2 }, ["lines"]],
      [of("x, y,"), { a: "x, y,", b: 2 }, ["lines", "a.unquoted"]]
    ])
    assertRefuses(V, both, [of('"x'), of("[1"), of("{"), of("]"), of("}, x"), of("|"), of(">-"), of("|+2")])
  })

  it("have a key in any of the ways of Markdown", () => {
    for (const key of ["name", "- name", "* name", "# name", "#### name", "**name**", "`name`", "  name"]) {
      assertGives(Person, "lenient", [[`${key}: Ann\nage: 41`, ann, ["lines", "name.unquoted"]]])
      assertGives(Person, "lenient", [[`${key} = Ann\nage = 41`, ann, ["lines", "name.unquoted"]]])
      assertGives(Person, "lenient", [[`${key}： Ann\nage： 41`, ann, ["lines", "name.unquoted"]]])
    }
    assertRefuses(Person, both, ["name:Ann\nage:41", "##### name: Ann\nage: 41", "5name: Ann\nage: 41"])
  })
})

describe("the language of a fence", () => {
  it("may have any name, also with signs", () => {
    for (const label of ["c++", "c#", "objective-c", ".json", "json_5", "JSON", "json5 ", " json"]) {
      assertGives(Schema.Int, "lenient", [[`\`\`\`${label}\n5\n\`\`\``, 5, ["fence"]]])
    }
  })
})

describe("values that follow each other", () => {
  it("are a list with blanks, commas and semicolons between them", () => {
    for (const gap of ["", " ", "\t", "\r", "\r\n", ",", ";", " ,\n"]) {
      assertGives(Schema.Array(Person), "lenient", [
        [`${json}${gap}${bob}`, [ann, { name: "Bob", age: 1 }], ["prose", "sequence"]]
      ])
    }
    for (const gap of [".", " / ", " & ", " - "]) {
      assertRefuses(Schema.Array(Person), both, [`${json}${gap}${bob}`])
    }
  })
})

describe("why an answer is refused", () => {
  it("is said of the value that is marked, however long others are", () => {
    const long = `{"name":7,"note":"${"long ".repeat(50)}"}`
    const marked = '{"name":"Ann","age":"old"}'
    assertRefuses(
      Person,
      ["lenient"],
      [`${long}\n\`\`\`\n${marked}\n\`\`\``, `${long} <answer>${marked}</answer>`],
      "age: Expected number"
    )
    assertRefuses(Person, ["lenient"], [`${long} or ${marked}`], "age: Missing key")
  })
})

describe("a choice", () => {
  const of = (...values: ReadonlyArray<string>) => Schema.Struct({ v: Schema.Literals(values) })
  const given = (written: string, v: string) => [JSON.stringify({ v: written }), { v }, ["v.enum-case"]] as const

  it("may have marks around it", () => {
    for (const mark of ['"', "'", "`", "*", "“", "”", "‘", "’"]) {
      assertGives(of("high", "low"), "lenient", [
        given(`${mark}high${mark}`, "high"),
        given(`  ${mark}${mark}HIGH`, "high")
      ])
    }
    for (const mark of [".", "!", ",", ";", ":"]) {
      assertGives(of("high", "low"), "lenient", [given(`high${mark}`, "high"), given(`High${mark}${mark} `, "high")])
      assertRefuses(of("high", "low"), ["lenient"], [`{"v":"${mark}high"}`])
    }
    for (const mark of ["?", "+", "#", "(", "-"]) assertRefuses(of("high"), ["lenient"], [`{"v":"high${mark}"}`])
  })

  it("may have other signs between its words, while its numbers stay apart", () => {
    for (const sign of ["", " ", "_", "-", " - "]) {
      assertGives(of("notFound", "ok"), "lenient", [given(`not${sign}found`, "notFound")])
      assertGives(of("plan_10x", "ok"), "lenient", [given(`Plan${sign}10x`, "plan_10x")])
      assertGives(of("10plan", "ok"), "lenient", [given(`10${sign}Plan`, "10plan")])
    }
    for (const sign of [" ", "-", " - "]) assertGives(of("1_2"), "lenient", [given(`1${sign}2`, "1_2")])
    assertRefuses(of("1_2"), ["lenient"], ['{"v":"12"}', '{"v":"1.2"}'])
    assertRefuses(of("not.found"), ["lenient"], ['{"v":"notfound"}', '{"v":"not found"}'])
  })

  it("is one of several that are written alike only as it stands", () => {
    assertRefuses(of("a_b", "ab"), ["lenient"], ['{"v":"A-B"}'])
    assertGives(of("a_b", "ab"), "lenient", [['{"v":"ab"}', { v: "ab" }]])
    const Numbers = Schema.Struct({ v: Schema.Literals([1, 2, "3", true]) })
    assertGives(Numbers, "lenient", [
      ['{"v":"1"}', { v: 1 }, ["v.number-from-text"]],
      ['{"v":" 2 "}', { v: 2 }, ["v.number-from-text"]],
      ['{"v":3}', { v: "3" }, ["v.text-from-number"]],
      ['{"v":"True"}', { v: true }, ["v.boolean-from-text"]]
    ])
    assertRefuses(Numbers, both, ['{"v":"false"}', '{"v":4}', '{"v":"4"}', '{"v":null}', '{"v":3.0}'])
  })
})

describe("a key without quotes", () => {
  it("has no sign in it that parts things", () => {
    const Counts = Schema.Record(Schema.String, Schema.Int)
    assertGives(Counts, "lenient", [["{a-b: 1}", { "a-b": 1 }, ["a-b.unquoted-key"]]])
    for (const sign of '}[]()"“”„«»「」『』＂,;，；、،|:：=<>#\\`') assertRefuses(Counts, both, [`{a${sign}b: 1}`])
    for (const sign of '}[]()"“”„«»「」『』＂;，；、،|=<>#/\\`') assertRefuses(Counts, both, [`{${sign}b 1}`])
  })
})
