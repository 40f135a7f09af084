/** The limits of the reader, each at its last value and at the first one beyond it. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { formOf } from "../corpus/parse.ts"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const

const Person = Schema.Struct({ name: Schema.String, age: Schema.Int })
const ada = { name: "Ada", age: 36 }
const json = JSON.stringify(ada)
const Counts = Schema.Record(Schema.String, Schema.Int)
const Numbers = Schema.Array(Schema.Finite)
const Words = Schema.Record(Schema.String, Schema.String)

const issuesOf = (schema: Schema.Codec<any, any>, text: string) =>
  Result.match(formOf(schema).decode(text, "lenient"), { onFailure: (issues) => issues, onSuccess: () => [] })

describe("the values of an answer", () => {
  const many = (count: number) => Array.from({ length: count }, () => json).join("\n")

  it("are compared up to 10,000", () => {
    assertGives(Person, "lenient", [[many(10_000), ada, ["prose"]]])
    assertRefuses(Person, ["lenient"], [many(10_001)], "too many values here")
  })

  it("that do not fit are asked what is wrong with them up to 16, of which the longest says it", () => {
    const text = (others: number) => `{"name":7}${" {}".repeat(others)} {"name":"Ada","age":"unknown"}`
    assertRefuses(Person, ["lenient"], [text(14)], "age: Expected number")
    assertRefuses(Person, ["lenient"], [text(15), text(40)], "age: Missing key")
  })

  it("that never end are tried as JSON, and left for a thought, eight times", () => {
    const broken = "[1, 2 </think>\n"
    assertGives(Person, "lenient", [[`${broken.repeat(8)}${json}`, ada, ["thought"]]])
    assertRefuses(Person, ["lenient"], [`${broken.repeat(9)}${json}`])
  })
})

describe("what is reported", () => {
  it("names at most 100 places of one kind", () => {
    const texts = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => String(i)))
    const values = (count: number) => Array.from({ length: count }, (_, i) => i)
    const done = (count: number) => values(count).map((i) => `${i}.number-from-text`)
    assertGives(Numbers, "lenient", [
      [texts(100), values(100), done(100)],
      [texts(101), values(101), done(100)]
    ])
  })

  it("names every kind, however many places another one has", () => {
    const Several = Schema.Array(Schema.Union([Schema.Finite, Schema.Boolean]))
    const values = Array.from({ length: 101 }, (_, i) => i)
    const text = JSON.stringify([...values.map(String), "true", "false"])
    assertGives(Several, "lenient", [
      [
        text,
        [...values, true, false],
        [...values.slice(0, 100).map((i) => `${i}.number-from-text`), "101.boolean-from-text", "102.boolean-from-text"]
      ]
    ])
  })

  it("names at most 100 problems", () => {
    const big = (count: number) => `[${"9007199254740993,".repeat(count)}]`
    assert.lengthOf(issuesOf(Schema.Array(Schema.Unknown), big(100)), 100)
    assert.lengthOf(issuesOf(Schema.Array(Schema.Unknown), big(101)), 100)
  })

  it("says of a list of more than 100 items only that it is one", () => {
    const Text = Schema.Struct({ text: Schema.String })
    const list = (count: number) => `{"text": [${"1,".repeat(count)}]}`
    const message = "Expected another value than a long list"
    assertRefuses(Text, both, [list(101)], message)
    assert.notInclude(JSON.stringify(issuesOf(Text, list(100))), message)
  })
})

describe("a key", () => {
  it("in quotes is known from afar up to 254 characters", () => {
    const text = (length: number) =>
      [`See {"${"k".repeat(length)}": 1}.`, { ["k".repeat(length)]: 1 }, ["prose"]] as const
    assertGives(Counts, "lenient", [text(254)])
    assertRefuses(Counts, both, [text(255)[0]])
  })

  it("without quotes has up to 127 characters", () => {
    const key = (length: number) => "k".repeat(length)
    assertGives(Counts, "lenient", [[`{${key(127)}: 1}`, { [key(127)]: 1 }, [`${key(127)}.unquoted-key`]]])
    assertRefuses(Counts, both, [`{${key(128)}: 1}`])
  })

  it("is known in another spelling up to 256 characters", () => {
    const name = (length: number) => "k".repeat(length)
    const text = (length: number) => `{"${name(length).toUpperCase()}": 1}`
    const schema = (length: number) => Schema.Struct({ [name(length)]: Schema.Int })
    assertGives(schema(256), "lenient", [[text(256), { [name(256)]: 1 }, [`${name(256)}.key-case`]]])
    assertRefuses(schema(257), both, [text(257)])
  })

  it("of a line has up to 64 characters", () => {
    const key = (length: number) => "k".repeat(length)
    assertGives(Counts, "lenient", [[`${key(64)}: 1\nb: 2`, { [key(64)]: 1, b: 2 }, ["lines"]]])
    assertRefuses(Counts, both, [`${key(65)}: 1\nb: 2`])
  })

  it("of an element has up to 64 characters, in its name or its attribute", () => {
    const key = (length: number) => "k".repeat(length)
    const done = (length: number) => ["elements", `${key(length)}.unquoted`]
    assertGives(Words, "lenient", [
      [`<o><${key(64)}>v</${key(64)}></o>`, { [key(64)]: "v" }, done(64)],
      [`<o><p name="${key(64)}">v</p></o>`, { [key(64)]: "v" }, done(64)]
    ])
    assertRefuses(Words, ["lenient"], [`<o><${key(65)}>v</${key(65)}></o>`, `<o><p name="${key(65)}">v</p></o>`])
  })
})

describe("a number", () => {
  it("in digits of another script has up to 15", () => {
    for (const one of ["１", "١", "۱", "१"]) {
      const V = Schema.Struct({ v: Schema.Finite })
      assertGives(V, "lenient", [[`{"v": ${one.repeat(15)}}`, { v: 111_111_111_111_111 }, ["v.number-form"]]])
      assertRefuses(V, both, [`{"v": ${one.repeat(16)}}`])
    }
  })

  it("beyond the whole numbers that are exact has up to 400 characters", () => {
    const text = (length: number) => `[${"18446744073709551616.".padEnd(length, "0")},]`
    assertGives(Numbers, "lenient", [[text(400), [2 ** 64], ["trailing-comma"]]])
    assertRefuses(Numbers, both, [text(401)], "kept exactly")
  })

  it("is read beside a mark that is wrong up to 400 characters", () => {
    const Line = Schema.Struct({ text: Schema.String, sum: Schema.Finite })
    const text = (length: number) => `{"text":"a,"sum":${"0.".padEnd(length, "1")}}`
    assertGives(Line, "lenient", [[text(400), { text: "a", sum: 1 / 9 }, ["missing-quote"]]])
    assertRefuses(Line, both, [text(401)])
  })

  it("that begins a list among words has up to six blanks behind it", () => {
    const text = (length: number, blanks: number) => `See [${"1".padEnd(length, "0")}${" ".repeat(blanks)}]: it.`
    assertGives(Numbers, "lenient", [
      [text(16, 0), [1e15], ["prose"]],
      [text(16, 6), [1e15], ["prose"]]
    ])
    assertRefuses(Numbers, both, [text(16, 7)])
  })
})

describe("a choice", () => {
  it("of four letters or more may have one that is wrong", () => {
    const near = (value: string, v: string) =>
      [Schema.Struct({ v: Schema.Literal(value) }), `{"v":"${v}"}`, { v: value }] as const
    for (const [schema, text, value] of [
      near("high", "hihg"),
      near("green", "gren"),
      near("green", "greeen"),
      near("green", "grene"),
      near("green", "greem")
    ]) {
      assertGives(schema, "lossy", [[text, value, ["v.enum-near!"]]])
    }
    for (const [schema, text] of [
      near("low", "lov"),
      near("lows", "low"),
      near("high", "hgi"),
      near("green", "gre"),
      near("green", "greeeen"),
      near("green", "nerge"),
      near("plan 10", "plan 11")
    ]) {
      assertRefuses(schema, ["lossy"], [text])
    }
  })
})

describe("what stands around a value", () => {
  it("is a remark in a script without blanks up to 256 characters", () => {
    const text = (length: number) => `${json}${"是".repeat(length)}`
    assertGives(Person, "lenient", [[text(256), ada, ["prose"]]])
    assertRefuses(Person, both, [text(257), `${json}是"b"`, `${json}是: b`])
  })

  it("is the name of a fence's language up to 32 characters", () => {
    const text = (length: number) => `\`\`\`${"l".repeat(length)}\n5\n\`\`\``
    assertGives(Schema.Int, "lenient", [[text(32), 5, ["fence"]]])
    assertRefuses(Schema.Int, both, [text(33)])
  })

  it("is a mark of a list's line behind up to 16 blanks, with up to four digits", () => {
    const Texts = Schema.Array(Schema.String)
    const done = ["lines", "0.unquoted", "1.unquoted"]
    const text = (mark: string) => `${mark} a\n${mark} b`
    for (const mark of [`${" ".repeat(16)}-`, "1234.", "1234)", "\t*"]) {
      assertGives(Texts, "lenient", [[text(mark), ["a", "b"], done]])
    }
    assertRefuses(Texts, both, [text("12345."), text(`${" ".repeat(17)}-`)])
  })
})

describe("an object or a list", () => {
  it("is as deep as 256 where one mark is wrong", () => {
    const Lists = Schema.Array(Schema.Unknown)
    assertRefuses(Lists, both, [`${"[".repeat(300)}1${"]".repeat(299)}}`])
  })
})
