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

describe("what follows a value", () => {
  it("may be the rest of it where it begins as one does and ends with a bracket", () => {
    for (const rest of ['"b"', "'b'", "1", "-1", "true", "false", "null"]) {
      assertRefuses(Texts, both, [`["a"] ${rest} [c]`])
    }
    for (const rest of ["so", "(b)", "see"]) {
      assertGives(Texts, "lenient", [[`["a"] ${rest} [c]`, ["a"], ["prose"]]])
    }
    for (const rest of [', "b"', ",1", ", -1", ' "b": 1', ', "b" : 1']) assertRefuses(Texts, both, [`["a"]${rest}`])
  })

  it("may be a bracket too many, which is passed over where nothing was changed", () => {
    const text = '{"name":"Ann","age":"41"}}'
    assertGives(Person, "lenient", [
      [`It is ${text}`, ann, ["extra-bracket", "age.number-from-text"]],
      [`It is ${json}}`, ann, ["prose"]],
      [`<answer>${text}`, ann, ["tag", "age.number-from-text"]]
    ])
  })

  it("is no second part of a list where each stands in a block of its own", () => {
    assertRefuses(Schema.Array(Schema.Int), both, ["```\n1\n```\n```\n2\n```"])
    assertGives(Schema.Array(Schema.Int), "lenient", [["```\n1\n```", [1], ["fence", "list-from-one"]]])
  })
})

describe("a member without its value", () => {
  it("is left out where the answer is cut off behind its key", () => {
    const Trip = Schema.Struct({ from: Schema.String, to: Schema.optionalKey(Schema.String) })
    for (const cut of ['"to":', '"to": "', '"to": "Gra', "to"]) {
      assertGives(Trip, "lossy", [[`{"from": "Wien", ${cut}`, { from: "Wien" }, ["cut-off!"]]])
    }
    const Count = Schema.Struct({ from: Schema.Int, to: Schema.optionalKey(Schema.String) })
    for (const cut of ['"to"', '"to":', '"', '"t']) {
      assertGives(Count, "lossy", [[`{"from": 1, ${cut}`, { from: 1 }, ["cut-off!"]]])
    }
    assertGives(Trip, "lossy", [['{"from": "Wien", "to": "Graz"', { from: "Wien", to: "Graz" }, ["missing-bracket"]]])
  })
})

describe("a union of lists", () => {
  it("is read as the one whose items fit", () => {
    const It = Schema.Struct({ it: Schema.Union([Schema.Array(Schema.Int), Schema.Array(Schema.Boolean)]) })
    assertGives(It, "lenient", [
      ['{"it":["true"]}', { it: [true] }, ["it.0.boolean-from-text"]],
      ['{"it":["1"]}', { it: [1] }, ["it.0.number-from-text"]],
      ['{"it":[]}', { it: [] }]
    ])
    assertRefuses(It, both, ['{"it":["2","true"]}', '{"it":["x"]}'])
  })
})

describe("symbols of another language", () => {
  it("are keys before any value", () => {
    const Any = Schema.Record(Schema.String, Schema.Json)
    for (const [written, a] of [
      ['"b"', "b"],
      ["1", 1],
      ["-1", -1],
      ["[1]", [1]],
      ['{"c": 1}', { c: 1 }],
      ["true", true],
      ["false", false],
      ["null", null]
    ] as const) {
      assertGives(Any, "lenient", [
        [`{:a ${written}}`, { a }, ["symbols"]],
        [`{:a => ${written}, :b_c => 2}`, { a, b_c: 2 }, ["symbols"]]
      ])
    }
    assertGives(Any, "lenient", [["{:a nil}", { a: null }, ["symbols"]]])
  })
})

describe("a key in another spelling", () => {
  it("may have quotes or blanks around it, and other signs between its words", () => {
    const Form = Schema.Struct({ first_name: Schema.String })
    for (const key of [
      "'first_name'",
      "`first_name`",
      '\\"first_name\\"',
      " first_name ",
      "first name",
      "first-name",
      "first.name"
    ]) {
      assertGives(Form, "lenient", [[`{"${key}":"Ann"}`, { first_name: "Ann" }, ["first_name.key-case"]]])
    }
    for (const key of ["first/name", "first+name", "*first_name*", "first:name", "(first_name)"]) {
      assertRefuses(Form, both, [`{"${key}":"Ann"}`])
    }
  })
})

describe("a table", () => {
  const head = "| name | age |\n|------|-----|\n"
  const rows = (text: string) => [text, [ann], ["table", "0.name.unquoted"]] as const

  it("has a rule of two dashes or more between bars, and cells that may have marks", () => {
    assertGives(Schema.Array(Person), "lenient", [
      rows(`${head}| Ann | 41 |`),
      rows("| name | age |\n|:--|--:|\n| Ann | 41 |"),
      rows("  | name | age |  \n  | :---: | -- |  \n  | Ann | 41 |  \n"),
      rows("| **name** | `age` |\n|--|--|\n| **Ann** | `41` |\n\nSo it is."),
      [`${head}| "Ann" | 41 |`, [ann], ["table"]]
    ])
    assertRefuses(Schema.Array(Person), both, [
      "| name | age |\n|-|-|\n| Ann | 41 |",
      "name | age\n--|--\nAnn | 41",
      "|--|--|\n| Ann | 41 |",
      `${head}| Ann | 41 | x |`,
      `${head}| Ann |`,
      `${head}| … | … |`,
      `${head}|  |  |`
    ])
  })

  it("is cut off in its last row, where a loss is allowed", () => {
    const cut = `${head}| Ann | 41 |\n| Bob | 4`
    assertGives(Schema.Array(Person), "lossy", [[cut, [ann], ["table", "cut-off!", "0.name.unquoted"]]])
    assertRefuses(Schema.Array(Person), ["lenient"], [cut])
    assertRefuses(Person, ["lossy"], [cut])
  })
})

describe("elements", () => {
  it("hold nothing but elements with text, of the same name at both ends", () => {
    const done = ["elements", "name.unquoted"]
    assertGives(Person, "lenient", [
      ["<a><name>Ann</name><age>41</age></a>", ann, done],
      ['<?xml version="1.0"?>\n<a x="1">\n<name >Ann</name>\n\n<age> 41 </age >\n</a>\n', ann, done],
      ['<a><p name="name">Ann</p><p name="age">41</p></a>', ann, done]
    ])
    assertRefuses(Person, both, [
      "<a><name>Ann</name>, <age>41</age></a>",
      "<a><name>Ann</nam><age>41</age></a>",
      "<a><name>Ann</name><age>41</age></b>",
      "<a><name>Ann</name><age><b>41</b></age></a>",
      "see <a><name>Ann</name><age>41</age></a>",
      "<a></a>"
    ])
  })
})

describe("a text in an answer that is cut off", () => {
  it("is left out whatever it ends with", () => {
    for (const cut of ["it is true", "null", "1, 2", "so: false "]) {
      assertGives(Texts, "lossy", [[`["a", "${cut}`, ["a"], ["cut-off!"]]])
    }
  })

  it("is no last key of an object that may have others", () => {
    const Note = Schema.Struct({ a: Schema.String })
    const Open = Schema.StructWithRest(Note, [Schema.Record(Schema.String, Schema.String)])
    assertRefuses(Open, ["lenient"], ['{"a": "x"', '{"a": "x", "b": "y"'])
    assertGives(Note, "lenient", [['{"a": "x"', { a: "x" }, ["missing-bracket"]]])
  })
})

describe("a key that is missing", () => {
  it("is no empty one", () => {
    const Counts = Schema.Record(Schema.String, Schema.Int)
    assertRefuses(Counts, both, ['{"a": 1, : 2}', "{: 2}", "{= 2}"])
    assertGives(Counts, "lenient", [['{"": 2,}', { "": 2 }, ["trailing-comma"]]])
  })
})
