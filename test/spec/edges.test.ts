/** Texts of documents at the edges of what is read: escapes, white space, line ends and the longest text. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { mostLine, mostText } from "../../src/spec/model/bounds.ts"
import { parse } from "../../src/spec/text/text.ts"

const read = (text: string, format?: "json" | "yaml"): unknown =>
  Result.match(parse(text, format), { onSuccess: (value) => ({ value }), onFailure: ({ message }) => message })

describe("the text of a document", () => {
  it("may have texts that end with a backslash, or with a quote", () => {
    for (const value of ["x\\", "\\", "\\\\", '"', '\\"', 'a"\\', "\\u0041"]) {
      assert.deepStrictEqual(read(JSON.stringify({ [value]: value })), { value: { [value]: value } }, value)
    }
  })

  it("is JSON if it begins with a brace, also after white space", () => {
    for (const space of ["", " ", "\n", "\r\n\t ", "\ufeff", "\ufeff\n"]) {
      assert.deepStrictEqual(read(`${space}{"a":1}`), { value: { a: 1 } }, JSON.stringify(space))
      assert.match(
        String(read(`${space}{"a":1,"a":2}`)),
        /^This is not valid JSON: a name occurs twice in one object at /
      )
    }
    assert.deepStrictEqual(read("a: 1"), { value: { a: 1 } })
  })

  it("has lines of YAML that end in any way", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      assert.match(String(read(`a: 1${end}%b: 2`)), /^Line 2 begins with %/, JSON.stringify(end))
      assert.match(String(read(`a: 1${end}b: ${"x".repeat(mostLine)}`)), /^Line 2 is longer than /, JSON.stringify(end))
    }
  })

  it("may be as long as the limit, and no longer", () => {
    const text = '{"a":1}'.padEnd(mostText)
    assert.deepStrictEqual(read(text), { value: { a: 1 } })
    assert.strictEqual(read(`${text} `), `The document is longer than ${mostText} characters. Divide it.`)
  })
})
