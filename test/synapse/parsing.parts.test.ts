/** The conditions of rules for parts of answers: members, items, tables, and what follows a value. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ann = { name: "Ann", age: 41 }
const json = JSON.stringify(ann)
const Texts = Schema.Array(Schema.String)

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

  it("may be a remark in parentheses", () => {
    assertGives(Person, "lenient", [
      [`It is ${json}(see above)`, ann, ["prose"]],
      [`It is ${json} (see above)`, ann, ["prose"]],
      [`As in [1](so), it is ${json}`, ann, ["prose"]]
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
    const cut = `${head}| Ann | 41 |\n| Ann | 41 |\n| Bob | 4`
    const done = ["table", "cut-off!", "0.name.unquoted", "1.name.unquoted"]
    assertGives(Schema.Array(Person), "lossy", [[cut, [ann, ann], done]])
    assertRefuses(Schema.Array(Person), ["lenient"], [cut])
    assertRefuses(Person, ["lossy"], [cut])
  })

  it("has no two columns of one name that differ", () => {
    const twice = (age: number) => `| name | age | age |\n|--|--|--|\n| Ann | ${age} | 41 |`
    assertRefuses(Schema.Array(Person), both, [twice(40)], "Expected one value")
    assertGives(Schema.Array(Person), "lenient", [
      [twice(41), [ann], ["table", "0.name.unquoted", "0.age.duplicate-key"]]
    ])
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

describe("the object around what is no object", () => {
  it("is taken off where anything may stand in it, and it holds nothing else", () => {
    assertGives(Schema.Json, "lenient", [
      ['{"value": 5,}', 5, ["trailing-comma"]],
      ['{"value": 5}', 5],
      ['{"value": 5, "b": 1,}', { value: 5, b: 1 }, ["trailing-comma"]],
      ['{"b": 1,}', { b: 1 }, ["trailing-comma"]]
    ])
  })
})

describe("one separator for another", () => {
  it("may have been meant, and is not repaired", () => {
    assertRefuses(Person, both, [
      '{"name", "Ann", "age": 41}',
      '{"name": "Ann": "age": 41}',
      '{"name": "Ann", "age", 41}'
    ])
  })
})

describe("a key without a colon", () => {
  it("is followed by a value that does not begin with a mark", () => {
    const Words = Schema.Record(Schema.String, Schema.String)
    assertGives(Words, "lenient", [['{"a" "b"}', { a: "b" }, ["a.missing-colon"]]])
    for (const mark of [",", ":", "]", "}", "{", "["]) {
      assertRefuses(Words, both, [
        `{"a" "${mark} b", "c": "d"}`,
        `{'a' '${mark} b', 'c': 'd'}`,
        `{"a" “${mark} b”, "c": "d"}`
      ])
    }
  })
})

describe("an item of a list", () => {
  it("may have three digits behind a comma, and not behind a blank alone", () => {
    const Numbers = Schema.Array(Schema.Finite)
    assertGives(Numbers, "lenient", [
      ["[12, 500,]", [12, 500], ["trailing-comma"]],
      ["[12 5000]", [12, 5000], ["missing-comma"]]
    ])
    assertRefuses(Numbers, both, ["[12 500]", "[12\n500]"])
  })

  it("is no text where literals or numbers run into it, or a mark begins it", () => {
    for (const word of ["true", "false", "null"]) {
      for (const next of ["true", "false", "null", "1", "-1"])
        assertRefuses(Texts, both, [`['a', ${word}${next}]`, `[${word}${next}, 'a']`])
    }
    for (const mark of [":", "：", "="]) assertRefuses(Texts, both, [`['a', ${mark}b]`])
  })

  it("may have a control character in its text, which counts as a line break", () => {
    assertGives(Texts, "lenient", [
      ['["a\u001fb"]', ["a\u001fb"], ["0.line-break"]],
      ['["a\u0000b"]', ["a\u0000b"], ["0.line-break"]],
      ['["a b",]', ["a b"], ["trailing-comma"]]
    ])
  })
})

describe("a text alone in its fence", () => {
  it("may have quotes of any sort, where nothing follows them", () => {
    assertGives(Schema.String, "lenient", [
      ["```\n'a'\n```", "a", ["fence", "single-quotes"]],
      ["~~~\n'a'\n~~~", "a", ["fence", "single-quotes"]]
    ])
    assertRefuses(Schema.String, ["lenient"], ["```\n'a' b\n```", "```\n'a'\n'b'\n```"])
  })
})

describe("an answer with a mark that is wrong", () => {
  it("is not brought to another shape as well", () => {
    const broken = '{"name": "Ann, "age": 41}'
    assertGives(Person, "lenient", [[broken, ann, ["missing-quote"]]])
    assertRefuses(Person, both, [`{"result": ${broken}}`, `[${broken}]`])
    const Tags = Schema.Struct({ tags: Texts, n: Schema.String })
    assertRefuses(Tags, both, ['{"tags": "a", "n: "b"}'])
    assertGives(Tags, "lenient", [['{"tags": ["a"], "n: "b"}', { tags: ["a"], n: "b" }, ["missing-quote"]]])
  })

  it("is refused where a number or a literal runs into a text", () => {
    const Pair = Schema.Struct({ t: Schema.String, u: Schema.String })
    for (const word of ["5", "-5", "true", "null"]) {
      assertRefuses(Pair, both, [`{"t": "a"${word}, "u": "b"}`])
    }
  })
})
