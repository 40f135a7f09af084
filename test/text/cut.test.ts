import { assert, describe, it } from "@effect/vitest"
import { cut, quoted as quotedInMessage } from "../../src/text/legible.ts"
import { quoted, quotedShort } from "../../src/text/quotation.ts"

describe("a text that is cut", () => {
  it("stays whole as long as it has no more characters than the limit", () => {
    for (const letter of ["x", "é", "😀"]) {
      for (const length of [0, 9, 10]) assert.strictEqual(cut(letter.repeat(length), 10), letter.repeat(length))
    }
  })

  it("ends in three dots within the limit, and splits no character", () => {
    for (const letter of ["x", "é", "😀"]) {
      for (const length of [11, 20, 500]) assert.strictEqual(cut(letter.repeat(length), 10), `${letter.repeat(7)}...`)
    }
  })
})

describe("a name in a message", () => {
  it("is quoted on one line, without hidden characters, and cut after 200 characters", () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      ["a b", '"a b"'],
      ['a"b\nc', String.raw`"a\"b\nc"`],
      ["a\u200bb\u2028", String.raw`"a\u{200b}b\u{2028}"`],
      ["x".repeat(200), `"${"x".repeat(200)}"`],
      ["x".repeat(201), `"${"x".repeat(200)}…"`],
      [3, "3"],
      [false, "false"],
      [null, "null"],
      [undefined, "undefined"],
      [{ secret: 1 }, "object"],
      [["secret"], "object"],
      [() => "secret", "function"]
    ]
    for (const [given, shown] of cases) assert.strictEqual(quotedInMessage(given), shown)
  })
})

describe("a text in quotation marks", () => {
  it("has no other quotation marks, and keeps combining marks except at its start", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["", "«»"],
      ["One\n\ttwo", "«One\n\ttwo»"],
      ["«One» two", "«[U+00AB]One[U+00BB] two»"],
      ["\u0301One", "«[U+0301]One»"],
      ["e\u0301", "«e\u0301»"],
      ["a\u200bb", "«a[U+200B]b»"]
    ]
    for (const [text, shown] of cases) assert.strictEqual(quoted(text), shown)
    assert.strictEqual(quotedShort("\u0301One", 20), "«[U+0301]One»")
  })
})

describe("a text in quotation marks on one line", () => {
  it("says that it was cut, also where what is left out stands behind many line breaks", () => {
    assert.strictEqual(quotedShort(" One\n\ntwo ", 7), "«One two»")
    assert.strictEqual(quotedShort("One two", 6), "«One tw»[cut]")
    assert.strictEqual(quotedShort(`One${"\n".repeat(80)}two`, 7), "«One »[cut]")
  })
})
