/** Answers in other notations than JSON: tables, elements, calls, and signs of other languages. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int, city: Schema.NullOr(Schema.String) })
const Words = Schema.Record(Schema.String, Schema.String)
const ada = { name: "Ada", age: 36, city: "London" }
const both = ["lenient", "lossy"] as const
const table = "| name | age | city |\n|---|---|---|\n| Ada | 36 | London |"

const withoutDone = (kinds: ReadonlyArray<string>, ...texts: ReadonlyArray<string>) =>
  texts.map((text) => [text, ada, kinds] as const)

describe("tables of Markdown", () => {
  it("hold an object in one row, one in rows of keys and values, or a list", () => {
    assertGives(Person, "lenient", [
      [table, ada, ["table", "name.unquoted", "city.unquoted"]],
      [
        "| Field | Value |\n| --- | --- |\n| name | Ada |\n| age | 36 |\n| city | London |",
        ada,
        ["table", "name.unquoted", "city.unquoted"]
      ]
    ])
    assertGives(Person, "lenient", [
      [
        table.replace("London", "Hill \\| Vale"),
        { ...ada, city: "Hill | Vale" },
        ["table", "name.unquoted", "city.unquoted"]
      ]
    ])
    assertGives(Schema.Array(Person), "lenient", [
      [`Here:\n\n${table}`, [ada], ["table", "0.name.unquoted", "0.city.unquoted"]]
    ])
    assertGives(Words, "lenient", [
      [
        "| term | meaning |\n|---|---|\n| API | interface |\n| CLI | line |",
        { API: "interface", CLI: "line" },
        ["table", "API.unquoted", "CLI.unquoted"]
      ]
    ])
  })

  it("hold nothing where a row is missing, half, or there are two tables", () => {
    assertRefuses(
      Schema.Array(Person),
      ["lenient"],
      [
        `${table}\n| ... | ... | ... |`,
        `${table}\n| Bob | 4`,
        `${table}\n\n${table}`,
        "| name | age |\n|---|---|\n| Ada | 36 |"
      ]
    )
    assertRefuses(Words, both, ["| term | meaning |\n|---|---|\n| API | interface |"])
    assertRefuses(Person, both, [`${table}\n| Bob | 41 | Leeds |`, "| name | age | city |\n|---|---|---|"])
  })
})

describe("elements of XML", () => {
  it("are keys with a text each", () => {
    const kinds = ["elements", "name.unquoted", "city.unquoted"]
    assertGives(
      Person,
      "lenient",
      withoutDone(
        kinds,
        "<person>\n <name>Ada</name>\n <age>36</age>\n <city>London</city>\n</person>",
        '<invoke name="save">\n<parameter name="name">Ada</parameter>\n<parameter name="age">36</parameter>\n<parameter name="city">London</parameter>\n</invoke>'
      )
    )
    assertRefuses(Person, both, [
      "<html><head><title>502 Bad Gateway</title></head></html>",
      "<person><name>Ada</name></person>"
    ])
  })
})

describe("notations of other languages", () => {
  it("are read as what they say", () => {
    assertGives(Person, "lenient", [
      [
        "Person(name='Ada', age=36, city='London')",
        ada,
        [
          "call",
          "name.single-quotes",
          "name.unquoted-key",
          "name.separator",
          "age.unquoted-key",
          "age.separator",
          "city.single-quotes",
          "city.unquoted-key",
          "city.separator"
        ]
      ],
      ['> {\n>   "name": "Ada",\n>   "age": 36,\n>   "city": "London"\n> }', ada, ["quoted-lines"]],
      ['```diff\n+ {\n+   "name": "Ada", "age": 36,\n+   "city": "London"\n+ }\n```', ada, ["added-lines", "fence"]],
      ['<answer><![CDATA[{"name": "Ada", "age": 36, "city": "London"}]]></answer>', ada, ["tag", "tag"]],
      ['{""name"": ""Ada"", ""age"": 36, ""city"": ""London""}', ada, ["quotes"]],
      ['{"name”: "Ada”, "age”: 36, "city”: "London”}', ada, ["quotes"]],
      [
        "｛＂name＂：＂Ada＂，＂age＂：36，＂city＂：＂London＂｝",
        ada,
        ["quotes", "separator", "name.separator", "age.separator", "city.separator"]
      ]
    ])
    assertGives(Words, "lenient", [['{"cat": „Katze”}', { cat: "Katze" }, ["cat.quotes"]]])
    assertGives(Schema.Finite, "lenient", [[String.raw`\boxed{42}`, 42, ["tag"]]])
    assertGives(Words, "lenient", [
      ['{:cat => "Katze"}', { cat: "Katze" }, ["symbols"]],
      ['{"cat" -> "Katze"}', { cat: "Katze" }, ["cat.separator"]],
      ['{cat := "Katze"}', { cat: "Katze" }, ["cat.unquoted-key", "cat.separator"]]
    ])
    assertRefuses(Person, both, ["save(name='Ada')", "save(Ada, 36)"])
  })
})

describe("one value with signs around it", () => {
  const Verdict = Schema.Literals(["approve", "reject"])

  it("is read in bold and in a tag for answers", () => {
    assertGives(Schema.Int, "lenient", [
      ["**42**", 42, ["emphasis"]],
      [" <answer> 42 </answer>\n", 42, ["tag"]]
    ])
    assertGives(Verdict, "lenient", [
      ["**Approve**", "approve", ["unquoted", "emphasis", "enum-case"]],
      ["<result>reject</result>", "reject", ["unquoted", "tag"]]
    ])
    assertRefuses(Schema.Int, ["lenient"], ["**42** of **43**", "**about 42**", "<note>42</note>", "** **"])
    assertRefuses(Verdict, ["lenient"], ["**approve** or **reject**", "not **approve**"])
    assertRefuses(Schema.Union([Schema.Int, Schema.String]), ["lenient"], ["**42**"])
  })

  it("is a list of texts in braces, in quotes of either sort", () => {
    const Texts = Schema.Array(Schema.String)
    assertGives(Texts, "lenient", [
      ['{"a", "b"}', ["a", "b"], ["wrong-bracket"]],
      ["{'a', 'it\\'s'}", ["a", "it's"], ["wrong-bracket", "0.single-quotes", "1.single-quotes", "1.escape"]],
      ["{'a'}", ["a"], ["wrong-bracket", "0.single-quotes"]]
    ])
    assertRefuses(Texts, ["lenient"], ["{'a', \"b\": 1}"])
  })
})

describe("marks of other formats", () => {
  it("before every line are left out, also with a line break at the end", () => {
    const quoted = JSON.stringify(ada, null, 2).replaceAll(/^/gm, "> ")
    for (const text of [quoted, `${quoted}\n`, `${quoted}\n\n`])
      assertGives(Person, "lenient", [[text, ada, ["quoted-lines"]]])
  })

  it("for single characters are read, however large their codes", () => {
    const text = JSON.stringify({ ...ada, city: "CODE" }).replaceAll('"', "&quot;")
    for (const [code, city] of [
      ["&#233;", "é"],
      ["&#128512;", "😀"],
      ["&#x1f600;", "😀"],
      ["&#x41;&#66;", "AB"],
      // the last of Unicode, and beyond
      ["&#x10ffff;", "\u{10ffff}"],
      ["&#x110000;&#xffffff;", "\u{10ffff}\u{10ffff}"],
      ["&nbsp;&#1234567;&#;", "&nbsp;&#1234567;&#;"]
    ] as const) {
      assertGives(Person, "lossy", [[text.replace("CODE", code), { ...ada, city }, ["entities!"]]])
    }
  })
})
