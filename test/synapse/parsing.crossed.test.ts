/** Answers that are unusual in two ways at once, each of which is read alone. */
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { assertGives, assertRefuses } from "./reading.ts"

const both = ["lenient", "lossy"] as const
const Person = Schema.Struct({ name: Schema.String, note: Schema.String })
const Tags = Schema.Struct({ tags: Schema.Array(Schema.String) })
const value = { name: "Ada", note: "b" }
const written = JSON.stringify(value)

interface Branch {
  readonly label: string
  readonly branches: ReadonlyArray<Branch>
}

const Branch = Schema.Struct({
  label: Schema.String,
  branches: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
})

describe("one value for a list", () => {
  it("is taken where the list has at least one item, and not where it has two", () => {
    const listOf = (least: number) =>
      Schema.Struct({ tags: Schema.Array(Schema.String).check(Schema.isMinLength(least)) })
    assertGives(listOf(1), "lenient", [['{"tags": "red"}', { tags: ["red"] }, ["tags.list-from-one"]]])
    assertRefuses(listOf(2), both, ['{"tags": "red"}'])
  })

  it("does not count if it begins like a list, in a text that lacks a bracket", () => {
    assertRefuses(Tags, both, [String.raw`{"tags": "[\"red\""}`])
  })

  it("that has a list of its own is no wrapper of that list", () => {
    const leaf = '{"label":"leaf","branches":[]}'
    const branches = [{ label: "leaf", branches: [] }]
    assertGives(Branch, "lenient", [
      [`{"label":"root","branches":${leaf}}`, { label: "root", branches }, ["branches.list-from-one"]]
    ])
  })
})

describe("after a thought", () => {
  it("a block in it is forgotten where the answer is lines", () => {
    assertGives(Person, "lenient", [
      [
        "So:\n```\nname: Bob\nnote: c\n```\nNo.\n</think>\nname: Ada\nnote: b",
        value,
        ["thought", "lines", "name.unquoted", "note.unquoted"]
      ]
    ])
  })

  it("in a channel, a draft in it is passed over", () => {
    const draft = '{"name":"Bob","note":"c"}'
    assertGives(Person, "lenient", [[`<|channel|>analysis Maybe ${draft}<|end|>${written}`, value, ["thought"]]])
  })
})

describe("a text with a bracket missing", () => {
  it("may have slashes with backslashes", () => {
    assertGives(Person, "lenient", [
      [String.raw`{"name":"https:\/\/a.b","note":"b"`, { name: "https://a.b", note: "b" }, ["missing-bracket"]]
    ])
  })

  it("may stand in quoted lines, which is reported too", () => {
    assertGives(Person, "lenient", [['> {"name":"Ada",\n> "note":"b"', value, ["quoted-lines", "missing-bracket"]]])
  })
})

describe("what follows an answer", () => {
  it("takes back a table, and a value whose quote is missing", () => {
    const rest = "\n\nWait, that is wrong."
    assertRefuses(Person, both, [
      `| name | note |\n| --- | --- |\n| Ada | b |${rest}`,
      `{"name:"Ada","note":"b"}${rest}`,
      `\`\`\`json\n{"name:"Ada","note":"b"}\n\`\`\`${rest}`
    ])
  })
})

describe("brackets that are no answer", () => {
  it("are the mark of tool calls before a text", () => {
    assertGives(Schema.String, "lenient", [['[TOOL_CALLS] "42"', "42", ["tag"]]])
    assertGives(Schema.Array(Schema.String), "lenient", [
      ["[TOOL_CALLS] - a\n- b", ["a", "b"], ["tag", "lines", "0.unquoted", "1.unquoted"]]
    ])
  })

  it("are sources beside a block", () => {
    const Either = Schema.Union([Schema.Finite, Schema.Struct({ reason: Schema.String })])
    assertGives(Either, "lenient", [
      ["See [1]:\n\n```\nreason: none\n```", { reason: "none" }, ["fence", "lines", "reason.unquoted"]]
    ])
    assertRefuses(Schema.String, ["lenient"], ['The value [1] is:\n\n```json\n"42\n```'])
  })

  it("are an argument of a call, or a member of an object that lacks its bracket", () => {
    assertRefuses(Branch, both, [
      `Here:\n\n"label": "root"; "branches": [{"label": "leaf", "branches": []}]}`,
      `Here: [label: "root", branches: [{label: "leaf", branches: []}]}`,
      "Here: answer(label='root', branches=[{'label': 'leaf', 'branches': []}]). Done."
    ])
  })
})

describe("marks around and inside a text", () => {
  it("of which the first is missing, are refused for apostrophes as for quotes", () => {
    assertRefuses(Person, both, ["{'name': Ada', 'note': 'b'}"])
  })

  it("are kept without the backslash where they are typographic", () => {
    assertGives(Person, "lenient", [
      [
        "{“name”: “say \\”hi\\” now”, “note”: “b”}",
        { name: "say ”hi” now", note: "b" },
        ["name.quotes", "name.escape", "name.quotes", "note.quotes", "note.quotes"]
      ]
    ])
  })

  it("are not a part of the text where backticks stand around the quotes", () => {
    assertGives(Schema.String, "lenient", [[String.raw`${"`"}"say \"hi\""${"`"}`, 'say "hi"']])
  })

  it("are the asterisks of all lines", () => {
    const done = ["lines", "name.unquoted", "note.unquoted"]
    assertGives(Person, "lenient", [
      ["**name: Ada\nnote: b**", value, done],
      ["**- **name**: Ada\n- **note**: b**", value, done],
      ["**name**: Ada\n**note**: **b**", { name: "Ada", note: "**b**" }, done]
    ])
  })

  it("are codes for line breaks between keys in lines, which are refused", () => {
    assertRefuses(Person, both, [String.raw`name: Ada\nnote: b`])
    const Optional = Schema.Struct({ name: Schema.String, note: Schema.optionalKey(Schema.String) })
    assertRefuses(Optional, both, [String.raw`name: Ada\nnote: b`, String.raw`- **name**: Ada\n- **note**: b`])
  })
})

describe("what stands around a value", () => {
  it("is passed over where it is broken and has a bracket in a text", () => {
    assertGives(Tags, "lenient", [
      [String.raw`The form is {"q" = say "\"}"}, so here you are: {"tags": ["a"]}`, { tags: ["a"] }, ["prose"]]
    ])
  })
})
