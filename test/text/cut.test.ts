import { assert, describe, it } from "@effect/vitest"
import { cut } from "../../src/text/legible.ts"
import { quotedShort } from "../../src/text/quotation.ts"

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

describe("a text in quotation marks on one line", () => {
  it("says that it was cut, also where what is left out stands behind many line breaks", () => {
    assert.strictEqual(quotedShort(" One\n\ntwo ", 7), "«One two»")
    assert.strictEqual(quotedShort("One two", 6), "«One tw»[cut]")
    assert.strictEqual(quotedShort(`One${"\n".repeat(80)}two`, 7), "«One »[cut]")
  })
})
