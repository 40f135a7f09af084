import { assert, describe, it } from "@effect/vitest"
import { cut } from "../../src/text/legible.ts"

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
