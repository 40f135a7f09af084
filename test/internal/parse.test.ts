import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { parseJson } from "../../src/internal/parse.ts"
import { texts } from "../properties/texts.ts"

const assertFound = (text: string, value: unknown) => assert.deepStrictEqual(parseJson(text), { value }, text)
const assertNothing = (text: string) => assert.isUndefined(parseJson(text), text)

describe("JSON alone", () => {
  it("is found, white space around it aside", () => {
    assertFound('{"a":1}', { a: 1 })
    assertFound(" \n[1, 2]\r\n", [1, 2])
    assertFound('\ufeff{"a":1}', { a: 1 })
    assertFound('"text"', "text")
    assertFound("null", null)
    assertFound("0", 0)
  })
})

describe("JSON in a code fence", () => {
  it("is found, with prose before and after", () => {
    assertFound('```json\n{"a":1}\n```', { a: 1 })
    assertFound("Here you are:\n```\n[1]\n```\nAnything else?", [1])
    assertFound('Sure: ```JSON  \r\n{"a":1}\r\n  ```', { a: 1 })
    assertFound('```json\n"text"\n```', "text")
  })

  it("is found after fences that hold something else", () => {
    assertFound('```\nnot json\n```\n\n```json\n{"a":1}\n```', { a: 1 })
    assertFound('Write ``` before it.\n```json\n{"a":1}\n```', { a: 1 })
  })

  it("may hold fences in its own strings", () => {
    assertFound('```json\n{"code":"```js\\nx\\n```"}\n```', { code: "```js\nx\n```" })
    assertFound('I say {"code":"``` 1 ```"}.', { code: "``` 1 ```" })
  })
})

describe("JSON in prose", () => {
  it("is the first object that parses, brackets and quotes in its strings aside", () => {
    assertFound('The answer is {"a":{"b":"} ] \\" {"}} as you see.', { a: { b: '} ] " {' } })
    assertFound('{"a":1} and {"a":2}', { a: 1 })
    assertFound('As {said}, in {braces}: {"a":1}', { a: 1 })
    assertFound('Broken {"a":1,} so again {"a":2}', { a: 2 })
  })

  it("is the first array when there is no object", () => {
    assertFound("I choose [3, 1, 2] today, not [1].", [3, 1, 2])
    assertFound('As source [1] says: {"a":1}', { a: 1 })
    assertFound('It is [{"a":1},{"a":2}].', [{ a: 1 }, { a: 2 }])
  })

  it("is found after brackets and quotes of the prose that nothing closes", () => {
    assertFound('see [1 for details: {"a":1}', { a: 1 })
    assertFound('a smile :-{ and then {"a":1}', { a: 1 })
    assertFound('{he said "hello} and {"a":1}', { a: 1 })
    assertFound('{{ {"a":1} }}', { a: 1 })
  })

  it("is never a part of something broken or cut off", () => {
    assertNothing('{"a":1,"b":{"c":2}')
    assertNothing('{"a":1,"b":{"c":2},}')
    assertNothing('[{"a":1},{"a":2}')
    assertNothing('```json\n{"a":{"c":2},\n```')
    assertNothing('{ "a": "cut {\\"c\\":2} of')
  })
})

describe("text without JSON", () => {
  it("gives nothing", () => {
    for (const text of [
      "",
      "  ",
      "No.",
      "{",
      "}",
      "[",
      "]{",
      '"',
      "{a}",
      "``` ```",
      "```\n```",
      "undefined",
      "{'a':1}"
    ]) {
      assertNothing(text)
    }
  })
})

describe("time", () => {
  it("grows with the length of the text alone, however it is made", () => {
    const long = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
    const pieces = [
      "{",
      "[",
      "}",
      "{a",
      '{"',
      '{"a":',
      "[{",
      "{[",
      '"',
      "\\",
      '{"\\',
      "`",
      "```",
      "```\n",
      "a```\n",
      "```json\n"
    ]
    for (const piece of [...pieces, "{ ", "{a}", "[a]", '{"a"}', "\n", "```\n ", "{\n", "{{}"]) {
      const parsed = parseJson(long(piece))
      assert.isTrue(parsed === undefined || parsed.value !== undefined, piece)
    }
    assertFound(`${long("{a} ")}{"a":1}`, { a: 1 })
    assertFound(`{"a":"${long("{")}"}`, { a: long("{") })
  })
})

describe("any text", () => {
  it.prop("with an object in it gives that object", [texts, texts, Schema.Json], ([before, after, json]) => {
    const object = JSON.stringify({ value: json })
    const expected = { value: JSON.parse(object) as unknown }
    const prose = before.replaceAll(/[{}[\]`]/g, " ")
    assert.deepStrictEqual(parseJson(`So it is: ${prose}${object}${after.replaceAll("`", " ")}`), expected)
    assert.deepStrictEqual(parseJson(`So it is: ${prose}\n\`\`\`json\n${object}\n\`\`\`${after}`), expected)
  })

  it.prop("is read without an exception", [Arbitrary.array(texts)], ([parts]) => {
    const parsed = parseJson(parts.join("{"))
    assert.isTrue(parsed === undefined || JSON.stringify(parsed.value) !== undefined)
  })
})
