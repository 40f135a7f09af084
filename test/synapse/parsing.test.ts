import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import type { Synapse } from "cogito"
import { compile } from "../../src/synapse/form.ts"
import { reading } from "../corpus/parse.ts"
import { chance } from "../corpus/generated.ts"
import { texts } from "../properties/texts.ts"

const Person = Schema.Struct({
  name: Schema.String,
  age: Schema.Int,
  isMember: Schema.optionalKey(Schema.Boolean)
})
const Texts = Schema.Array(Schema.String)
const person = { name: "Ann", age: 41 }
const json = JSON.stringify(person)

const read = <A>(schema: Schema.Codec<A, any>, text: string, parsing: Synapse.Parsing = "lenient") =>
  reading(compile("answer", schema, (value) => value)).decode(text, parsing)

const assertReads = <A>(schema: Schema.Codec<A, any>, text: string, value: A, kinds: ReadonlyArray<string>) => {
  const result = read(schema, text)
  assert.isTrue(Result.isSuccess(result), `${text}\n${JSON.stringify(result)}`)
  if (Result.isFailure(result)) return
  assert.deepStrictEqual(result.success.value, value, text)
  const told = result.success.coercions.map(({ kind, path }) => [...path, kind].join("."))
  assert.deepStrictEqual(told, kinds, text)
  assert.isTrue(
    result.success.coercions.every(({ lossy }) => !lossy),
    text
  )
}

const assertRejects = (
  schema: Schema.Codec<any, any>,
  text: string,
  message: string,
  parsing: Synapse.Parsing = "lenient"
) => {
  const result = read(schema, text, parsing)
  assert.isTrue(Result.isFailure(result), `${text}\n${JSON.stringify(result)}`)
  if (Result.isSuccess(result)) return
  const issues = result.failure.map((issue) => [...issue.path, issue.message].join(": "))
  assert.include(issues.join("\n"), message, text)
}

describe("an answer of the form", () => {
  it.prop("is what JSON.parse makes of it, whatever it holds, and nothing is done to it", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    for (const written of [text, ` \n${JSON.stringify(value, undefined, 2)}\r\n`, `\ufeff${text}`]) {
      for (const parsing of ["strict", "lenient", "lossy"] as const) {
        const result = read(Schema.Struct({ it: Schema.Json }), `{"it":${written.trim()}}`, parsing)
        assert.deepStrictEqual(Result.getOrUndefined(result), { value: { it: JSON.parse(text) }, coercions: [] })
      }
    }
  })

  it("may leave out the object around a value that is not an object", () => {
    for (const text of ['{"value":[1,2]}', "[1,2]", " \n[1, 2]\r\n"]) {
      assertReads(Schema.Array(Schema.Int), text, [1, 2], [])
    }
    assertReads(Schema.String, '"text"', "text", [])
    assertReads(Schema.Null, "null", null, [])
    assertReads(Schema.Finite, "0", 0, [])
  })

  it("keeps the value of a union whose members have a value of their own", () => {
    const Reply = Schema.Union([Schema.Struct({ kind: Schema.Literal("a"), value: Schema.Int }), Schema.Null])
    assertReads(Reply, '{"kind":"a","value":5}', { kind: "a", value: 5 }, [])
    assertReads(Reply, '{"value":{"kind":"a","value":5}}', { kind: "a", value: 5 }, [])
  })
})

describe("an answer in other words", () => {
  it("is found in a fence, with prose before and after", () => {
    assertReads(Person, `\`\`\`json\n${json}\n\`\`\``, person, ["fence"])
    assertReads(Person, `Here you are:\n\`\`\`\n${json}\n\`\`\`\nAnything else?`, person, ["fence"])
    assertReads(Person, `Sure: \`\`\`JSON  \r\n${json}\r\n  \`\`\``, person, ["fence"])
    assertReads(Person, `\`\`\`\nnot json\n\`\`\`\n\n\`\`\`json\n${json}\n\`\`\``, person, ["fence"])
    assertReads(Person, `Write \`\`\` before it.\n\`\`\`json\n${json}\n\`\`\``, person, ["fence"])
    assertReads(Schema.String, '```json\n"text"\n```', "text", ["fence"])
  })

  it("may hold fences in its own texts", () => {
    const Code = Schema.Struct({ code: Schema.String })
    assertReads(Code, '```json\n{"code":"```js\\nx\\n```"}\n```', { code: "```js\nx\n```" }, ["fence"])
    assertReads(Code, 'I say {"code":"``` 1 ```"}.', { code: "``` 1 ```" }, ["prose"])
  })

  it("is found among words, brackets and quotes of theirs aside", () => {
    assertReads(Person, `The answer is ${json} as you see.`, person, ["prose"])
    assertReads(Person, `As {said}, in {braces}: ${json}`, person, ["prose"])
    assertReads(Person, `As source [1] says: ${json}`, person, ["prose"])
    assertReads(Person, `As [1], "The paper", and [2]: "The other" say: ${json}`, person, ["prose"])
    assertReads(Person, `see [1 for details: ${json}`, person, ["prose"])
    assertReads(Person, `a smile :-{ and then ${json}`, person, ["prose"])
    assertReads(Person, `{he said "hello} and ${json}`, person, ["prose"])
    assertReads(Person, `{{ ${json} }}`, person, ["prose"])
    assertReads(Person, `"${json}"`, person, ["prose"])
    assertReads(Person, `<answer>${json}</answer>`, person, ["tag"])
  })

  it("stays whole where it has the form, though a part of it has it as well", () => {
    interface Step {
      readonly kind: "a" | "b"
      readonly value: Step | number
    }
    const Step: Schema.Codec<Step> = Schema.Union([
      Schema.Struct({ kind: Schema.Literal("a"), value: Schema.suspend(() => Schema.Union([Step, Schema.Int])) }),
      Schema.Struct({ kind: Schema.Literal("b"), value: Schema.Int })
    ])
    const step: Step = { kind: "a", value: { kind: "b", value: 1 } }
    const whole = JSON.stringify(step)
    assertReads(Step, whole, step, [])
    assertReads(Step, `\`\`\`json\n${whole}\n\`\`\``, step, ["fence"])
    assertReads(Step, `{kind: "a", "value": {"kind": "b", "value": 1}}`, step, ["kind.unquoted-key"])
    assertReads(Schema.Array(Step), `It is [${whole}]`, [step], ["prose"])
    assertReads(Schema.Array(Step), JSON.stringify(`[${whole}]`), [step], ["json-in-text"])
  })

  it("is what comes after the thoughts, never a part of them", () => {
    const decoy = JSON.stringify({ name: "Bob", age: 1 })
    assertReads(Person, `<think>It could be ${decoy}</think>\n${json}`, person, ["thought"])
    assertReads(Person, `It could be ${decoy}\n</think>\n${json}`, person, ["thought"])
    assertReads(Person, `<think>a</think><think>${decoy}</think>${json}`, person, ["thought"])
    assertReads(
      Schema.Array(Schema.String),
      "['a', '</think>', 'b']",
      ["a", "</think>", "b"],
      ["0.single-quotes", "1.single-quotes", "2.single-quotes"]
    )
    assertRejects(Person, `<think>It could be ${decoy}`, "Expected JSON")
    assertRejects(Person, `<think>It could be ${decoy}</think> I do not know.`, "Expected JSON")
  })

  it("is rejected when there are two", () => {
    const other = JSON.stringify({ name: "Bob", age: 1 })
    assertRejects(Person, `${json} or ${other}`, "several answers")
    assertRejects(Person, `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${other}\n\`\`\``, "several answers")
    assertRejects(Person, `\`\`\`\n${json}\n\`\`\`\nOr else: ${other}`, "several answers")
    assertRejects(Person, `${json} Or: {"name":"Bob","age":"old"}`, "several answers")
    assertRejects(Person, `{"name":"Bob"}\n${json}`, "several answers")
    assertReads(Person, `{"status":"ok"}\n${json}`, person, ["prose"])
    assertReads(Person, `${json} I repeat: ${json}`, person, ["prose"])
    assertReads(Person, `For example ${other}. Now:\n\`\`\`\n${json}\n\`\`\``, person, ["fence"])
  })

  it("is rejected when it is cut off, also when a part of it would fit", () => {
    assertRejects(Person, '{"name":"Ann","age":41', "The answer was cut off here")
    assertRejects(Person, '{"name":"Ann","age":41,"friend":{"name":"Bob","age":2}', "The answer was cut off here")
    assertRejects(Schema.Array(Person), `[${json},${json}`, "The answer was cut off here")
    assertRejects(Person, `\`\`\`json\n{"friend":${json},\n\`\`\``, "The answer was cut off here")
    assertRejects(Person, `First ${json}, then {"name": "An`, "name: The answer was cut off here")
    assertRejects(Schema.Array(Schema.Int), "[1, 2, ...]", "left out")
    assertRejects(Schema.Array(Schema.Int), "[1, 2 /* ... and so on */]", "left out")
  })

  it("is rejected when marks are wrong and its parts could belong together in several ways", () => {
    const A = Schema.Struct({ a: Schema.optionalKey(Schema.String) })
    const List = Schema.Array(
      Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.optionalKey(Schema.Json) })
    )
    for (const text of [
      '[{"a":"x","b":[3]]},{"a":"y"},{"a":"z"}]',
      '[{"a":"x","b":{"c":1}},{"a":"b":"x"}},{"a":"y"}]',
      '{"a":"x"}},"b":1}',
      '[{"a"false,"b":1}]',
      '[[{"a":"x"}]],[{"a":"y"}]]',
      '[{"a":"x"}]3","y"]'
    ]) {
      assert.isTrue(Result.isFailure(read(List, text)), text)
      assert.isTrue(Result.isFailure(read(A, text)), text)
    }
    for (const text of ['["0,"0"]', '["",f"]']) assert.isTrue(Result.isFailure(read(Texts, text)), text)
    assertReads(Person, `${json}}`, person, ["prose"])
    assertReads(Person, `${json},`, person, ["prose"])
  })

  it("is read when one mark is wrong and only one other reading fits", () => {
    const A = Schema.Struct({ a: Schema.optionalKey(Schema.String) })
    assertReads(Schema.Array(A), '[{"a":"x"}},{"a":"y"}]', [{ a: "x" }, { a: "y" }], ["extra-bracket"])
    assertReads(Schema.Array(A), '{"a":"x"},{"a":"y"}]', [{ a: "x" }, { a: "y" }], ["missing-bracket"])
    assertReads(Texts, '["D5",""x"]', ["D5", "x"], ["extra-quote"])
    assertReads(Texts, '["a"",""]', ["a", ""], ["extra-quote"])
    for (const text of ['[{"a":"x"}},{"a":"y"}]', '{"a":"x"},{"a":"y"}]']) {
      assert.isTrue(Result.isFailure(read(A, text)), text)
    }
  })

  it("is rejected when there is none", () => {
    for (const text of ["", "  ", "No.", "}", "]{", '"', "{a}", "``` ```", "```\n```", "undefined", "Expected {"]) {
      const result = read(Person, text)
      assert.isTrue(Result.isFailure(result), text)
    }
    assertRejects(Person, "No.", "Expected JSON")
  })

  it("is rejected when it is too deep", () => {
    const deep = (depth: number) => `{'it': ${"[".repeat(depth)}${"]".repeat(depth)}}`
    const It = Schema.Struct({ it: Schema.Json })
    assert.isTrue(Result.isSuccess(read(It, deep(255))))
    assertRejects(It, deep(256), "nested too deeply")
    assertRejects(It, deep(100_000), "nested too deeply")
  })
})

describe("an answer that only looks like one of the form", () => {
  const rejects = (schema: Schema.Codec<any, any>, ...all: ReadonlyArray<string>) => {
    for (const text of all) {
      for (const parsing of ["lenient", "lossy"] as const) {
        assert.isTrue(Result.isFailure(read(schema, text, parsing)), `${parsing}: ${text}`)
      }
    }
  }

  it("has marks only, where the schema has a value without any, or another number", () => {
    const Level = Schema.Struct({ level: Schema.Literals(["", "low", "high"]) })
    rejects(Level, '{"level":"..."}', '{"level":"*"}', '{"level":"\'\'"}', '{"level":" "}')
    assertReads(Level, '{"level":""}', { level: "" }, [])
    rejects(Schema.Struct({ level: Schema.Literals(["*", "low", "high"]) }), '{"level":""}', '{"level":"."}')
    const Range = Schema.Struct({ range: Schema.Literals(["1-2", "12-3", "Q1 2026"]) })
    rejects(Range, '{"range":"12"}', '{"range":"1-23"}')
    assertReads(Range, '{"range":"q1-2026"}', { range: "Q1 2026" }, ["range.enum-case"])
  })

  it("has keys with signs that change what they mean", () => {
    rejects(
      Schema.Struct({ approved: Schema.Boolean }),
      '{"!approved":true}',
      '{"approved?":true}',
      '{"-approved":true}'
    )
    rejects(Schema.Struct({ c: Schema.Int }), '{"c++":3}', '{"c#":3}')
    rejects(Schema.Struct({ v12: Schema.Int }), '{"v1.2":3}', '{"v1_2":3}')
    assertReads(Schema.Struct({ first_name: Schema.String }), '{"\'First-Name\'":"a"}', { first_name: "a" }, [
      "first_name.key-case"
    ])
  })

  it("is in a wrapper or a tag that says it is not an answer", () => {
    const keys =
      "incorrect rejected wrong_answer example_output previousAnswer counterexample input not_this Bad-Answer error".split(
        " "
      )
    rejects(Person, ...keys.map((key) => `{"${key}":${json}}`))
    rejects(Schema.Array(Person), ...keys.map((key) => `{"${key}":[${json}]}`))
    rejects(Schema.Int, ...keys.map((key) => `{"${key}":5}`))
    assertReads(Person, `{"notes":${json}}`, person, ["wrapper"])
    assertReads(Person, `{"name":"save","input":${json}}`, person, ["wrapper"])
    for (const tag of ["example", "Example_Output", "incorrect", "draft"]) {
      rejects(Person, `<${tag}>${json}</${tag}> I refuse.`, `<${tag}>${json}`)
    }
    for (const [open, close] of [
      ["◁think▷", "◁/think▷"],
      ["<|channel|>analysis<|message|>", "<|end|>"],
      ["<plan>", "</plan>"]
    ]) {
      rejects(Person, `${open}${json}${close} No.`, `${open}${json}`)
      assertReads(Person, `${open}It could be {"name":"Bob","age":1}${close}\n${json}`, person, ["thought"])
    }
    assertReads(Person, `${json}<|end|>`, person, ["prose"])
    const other = JSON.stringify({ name: "Bob", age: 1 })
    assertReads(Person, `<example>${other}</example>\n${json}`, person, ["thought"])
  })

  it("is in lines of which some are no members of it", () => {
    const Reply = Schema.Struct({ decision: Schema.Boolean, reasoning: Schema.Array(Schema.String) })
    const lines = "decision: true\nreasoning: It looks urgent."
    assertReads(Reply, lines, { decision: true, reasoning: ["It looks urgent."] }, [
      "lines",
      "reasoning.list-from-one",
      "reasoning.0.unquoted"
    ])
    rejects(Reply, `${lines}\nHowever: it is not.`, `Note: as asked\n${lines}`)
    rejects(Reply, "decision: true\nreasoning: >-\n  Note: it is late", "decision: true\nreasoning: |")
    rejects(Schema.Array(Reply), `${lines}\nHowever: it is not.`)
    assertReads(
      Schema.Array(Schema.String),
      "Tags:\n* red\n* blue",
      ["red", "blue"],
      ["lines", "wrapper", "0.unquoted", "1.unquoted"]
    )
    rejects(Schema.Array(Schema.String), "Tags:\n* red\n* blue\nHowever: none of them", "Wrong:\n* red\n* blue")
    const Words = Schema.Record(Schema.String, Schema.String)
    assertReads(Words, "a: b\nc: d", { a: "b", c: "d" }, ["lines", "a.unquoted", "c.unquoted"])
  })

  it("is an entry of a record beside others", () => {
    const Numbers = Schema.Record(Schema.String, Schema.Finite)
    rejects(Numbers, '{"result":{"a":1},"b":2}')
    assertReads(Numbers, '{"result":{"a":1}}', { a: 1 }, ["wrapper"])
  })

  it("is one text for a list of texts that lists several, or none", () => {
    const Tags = Schema.Struct({ tags: Schema.Array(Schema.String) })
    rejects(Tags, '{"tags":"red, green, blue"}', '{"tags": red, green}', '{"tags":"red; green"}', '{"tags":"a | b"}')
    rejects(Tags, '{"tags":"- red\\n- green"}', '{"tags":"- red"}', '{"tags":"1. red"}')
    rejects(Tags, '{"tags":"none"}', '{"tags":""}', '{"tags":" "}', '{"tags":"N/A"}', '{"tags":"-"}')
    assertReads(Tags, '{"tags":"red"}', { tags: ["red"] }, ["tags.list-from-one"])
    rejects(Tags, '{"tags":"red, green, blue."}', '{"tags":"order a new keyboard, call Ann"}')
    for (const text of ["It is late, and he waits.", 'He said; "I wait here, and wait."']) {
      assertReads(Tags, JSON.stringify({ tags: text }), { tags: [text] }, ["tags.list-from-one"])
    }
    assertReads(Tags, '{"tags":"👍"}', { tags: ["👍"] }, ["tags.list-from-one"])
    const Ways = Schema.Struct({ ways: Schema.Array(Schema.Literals(["none", "up, down"])) })
    assertReads(Ways, '{"ways":"up, down"}', { ways: ["up, down"] }, ["ways.list-from-one"])
    assertReads(Ways, '{"ways":"none"}', { ways: ["none"] }, ["ways.list-from-one"])
  })
})

describe("an answer that is nearly JSON", () => {
  const Texts = Schema.Array(Schema.String)
  const Note = Schema.Struct({ text: Schema.String, ok: Schema.optionalKey(Schema.Boolean) })

  it("may have comments, and commas too many or too few", () => {
    assertReads(Person, '{"name":"Ann", // her\n"age":41 /* now */ # so\n}', person, ["comment"])
    assertReads(Person, '{"name":"Ann","age":41,}', person, ["trailing-comma"])
    assertReads(Person, '{"name":"Ann",,"age":41}', person, ["extra-comma"])
    assertReads(Person, '{"name":"Ann" "age":41}', person, ["missing-comma"])
    assertReads(Texts, '["a"\n"b"]', ["a", "b"], ["missing-comma"])
  })

  it("may have quotes of other sorts, or none", () => {
    assertReads(Person, "{'name':'Ann','age':41}", person, [
      "name.single-quotes",
      "name.single-quotes",
      "age.single-quotes"
    ])
    assertReads(Note, "{“text”: “it’s”}", { text: "it’s" }, ["text.quotes", "text.quotes"])
    assertReads(Note, "{'text': 'it's Ann's'}", { text: "it's Ann's" }, [
      "text.single-quotes",
      "text.inner-quote",
      "text.single-quotes"
    ])
    assertReads(Note, "{text: `one\ntwo`}", { text: "one\ntwo" }, [
      "text.quotes",
      "text.line-break",
      "text.unquoted-key"
    ])
    assertReads(Note, "{text: so it is, really, ok: true}", { text: "so it is, really", ok: true }, [
      "text.unquoted",
      "text.unquoted-key",
      "ok.unquoted-key"
    ])
  })

  it("may have quotes in a text that nobody escaped", () => {
    assertReads(
      Note,
      '{"text": "He said "no", and "yes"", "ok": false}',
      { text: 'He said "no", and "yes"', ok: false },
      ["text.inner-quote"]
    )
    assertReads(Note, '{"text": "if (a) { return "x"; }"}', { text: 'if (a) { return "x"; }' }, ["text.inner-quote"])
    assertReads(Note, '{"text": "f() { return "x" }"}', { text: 'f() { return "x" }' }, ["text.inner-quote"])
    assertReads(Note, '{"text": "x = {"a": 1, "b": 2}"}', { text: 'x = {"a": 1, "b": 2}' }, ["text.inner-quote"])
    assertReads(
      Texts,
      "['so it is', 'it's', 'Ann's mug']",
      ["so it is", "it's", "Ann's mug"],
      ["0.single-quotes", "1.single-quotes", "1.inner-quote", "2.single-quotes", "2.inner-quote"]
    )
    assertReads(Texts, '["He said "no" twice", "a"]', ['He said "no" twice', "a"], ["0.inner-quote"])
    assertRejects(Texts, '["He said "no", "yes" and "maybe""]', "not valid JSON")
    assertReads(Texts, '["x = ["a"]"]', ['x = ["a"]'], ["0.inner-quote"])
    assertRejects(Note, '{"text": "one" "two"}', "not valid JSON")
  })

  it("is never read as other texts than were written, whatever quotes are in them", () => {
    const Form = Schema.Struct({ title: Schema.String, tags: Schema.Array(Schema.String), done: Schema.Boolean })
    const words = ["the", "it's", "said", "title", "x = 1", "end"]
    const marks = [
      '"',
      "'",
      ",",
      ", ",
      ": ",
      "{",
      "}",
      "[",
      "]",
      ". ",
      "\n",
      ";",
      "(",
      ")",
      "//",
      "#",
      '"}',
      '": "',
      "`"
    ]
    let readings = 0
    for (let seed = 0; seed < 1000; seed++) {
      const { below, one } = chance(seed)
      const text = () =>
        Array.from({ length: below(5) }, () => one(words) + (below(3) === 0 ? one(marks) : " ")).join("") + one(words)
      const written = { title: text(), tags: Array.from({ length: below(4) }, text), done: below(2) === 0 }
      const [key, mark, gap, last] = [one(['"', "'", ""]), one(['"', "'"]), one([" ", "\n  "]), one(["", ","])]
      const tags = written.tags.map((tag) => mark + tag + mark).join(`,${gap}`)
      const members = [
        `title${key}: ${mark}${written.title}${mark}`,
        `tags${key}: [${tags}]`,
        `done${key}: ${written.done}`
      ]
      const result = read(Form, `{${gap}${members.map((member) => key + member).join(`,${gap}`)}${last}${gap}}`)
      if (Result.isFailure(result)) continue
      assert.deepStrictEqual(result.success.value, written)
      readings++
    }
    assert.isAbove(readings, 600)
  })

  it("may have the words of other languages", () => {
    assertReads(Note, '{"text": "a", "ok": True}', { text: "a", ok: true }, ["ok.literal"])
    assertReads(Note, '{"text": "a", "ok": undefined}', { text: "a" }, ["ok.literal", "ok.null-dropped"])
    assertReads(Texts, "('a', 'b')", ["a", "b"], ["tuple", "0.single-quotes", "1.single-quotes"])
    assertReads(Note, '{"text": """one "two" three"""}', { text: 'one "two" three' }, ["text.triple-quotes"])
    assertReads(Note, '{"text": "one " + "two"}', { text: "one two" }, ["text.concatenation"])
    assertReads(
      Schema.Array(Schema.Finite),
      "[0x10, +1, .5, 1_000]",
      [16, 1, 0.5, 1000],
      ["0.number-form", "1.number-form", "2.number-form", "3.number-form"]
    )
  })

  it("may be deep where it is JSON, whatever digits are in its texts", () => {
    const It = Schema.Struct({ it: Schema.Unknown })
    const deep = (inner: string) => `{"it":${"[".repeat(250)}${inner}${"]".repeat(250)}}`
    for (const inner of ['"1234567890123456"', '"x"', '"\\"12345678901234567\\""']) {
      assertReads(It, deep(inner), JSON.parse(deep(inner)), [])
    }
    assert.isTrue(Result.isFailure(read(It, deep("9007199254740993"))))
  })

  it("has no numbers with zeros before them, which are texts", () => {
    assertReads(Texts, "[007]", ["007"], ["0.unquoted"])
    assertRejects(Schema.Array(Schema.Int), "[007]", "Expected number")
  })

  it("has no dates that are written as numbers", () => {
    assertRejects(Schema.Struct({ at: Schema.DateTimeUtcFromString }), '{"at": 2026}', "at: Expected string")
    const result = read(Schema.Struct({ id: Schema.BigInt }), '{"id": 90071992547409931}')
    assert.deepStrictEqual(Result.getOrUndefined(result), {
      value: { id: 90071992547409931n },
      coercions: [{ path: ["id"], kind: "text-from-number", lossy: false }]
    })
  })

  it("may not mix literal backslashes with line breaks", () => {
    assertReads(Note, String.raw`{"text": "C:\Users"}`, { text: "C:\\Users" }, ["text.escape"])
    assertRejects(Note, String.raw`{"text": "C:\Users\new"}`, "not valid JSON")
  })

  it("says one thing for each key", () => {
    assertReads(Note, "{text: 'a', text: 'a'}", { text: "a" }, [
      "text.duplicate-key",
      "text.single-quotes",
      "text.unquoted-key"
    ])
    assertRejects(Note, "{text: 'a', text: 'b'}", "Expected one value")
    assertRejects(Note, '{"text": "a", "Text": "b",}', "text: Expected one value")
    assertRejects(Note, '{"ok": "true", "text": "a", "OK": "false"}', "ok: Expected one value")
    assertReads(Note, '{"text": "a", "Text": "a",}', { text: "a" }, ["trailing-comma"])
    assertReads(Note, '{"text": "a", "Text": "b"}', { text: "a" }, [])
    assertReads(Note, '{"text": "a", "text": "b"}', { text: "b" }, [])
    assertReads(Note, '```\n{"text": "a", "text": "b"}\n```', { text: "b" }, ["fence"])
  })

  it("reaches no prototype", () => {
    assertReads(Note, '{"text": "a", "__proto__": {"ok": true},}', { text: "a" }, ["trailing-comma"])
    const Words = Schema.Record(Schema.String, Schema.Json)
    const result = read(Words, '{"__proto__": {"polluted": true}, "constructor": 1,}')
    assert.isTrue(Result.isSuccess(result))
    if (Result.isSuccess(result)) assert.strictEqual(result.success.value["constructor"], 1)
    assert.isUndefined(({} as { polluted?: boolean }).polluted)
  })

  it.prop("is read without an exception, whatever it is", [Arbitrary.array(texts)], ([parts]) => {
    for (const parsing of ["strict", "lenient", "lossy"] as const) {
      read(Person, parts.join("{"), parsing)
      read(Texts, `["${parts.join('"')}`, parsing)
    }
  })
})
