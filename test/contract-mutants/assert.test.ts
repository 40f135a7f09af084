/** What the contract says where a store does not keep it. */
import nodeAssert from "node:assert/strict"
import { assert, describe, it } from "@effect/vitest"
import { assert as checked } from "../../src/testing/contract/stage/assert.ts"

const failureOf = (actual: unknown, expected: unknown): nodeAssert.AssertionError => {
  try {
    checked.deepStrictEqual(actual, expected)
  } catch (error) {
    return error as nodeAssert.AssertionError
  }
  return assert.fail("the values are equal")
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ frame: `/${i}`, usage: { inputTokens: i } }))

describe("a comparison of the contract", () => {
  it("shows both values if they are small", () => {
    const failure = failureOf({ rows: rows(2) }, { rows: rows(3) })
    assert.instanceOf(failure, nodeAssert.AssertionError)
    assert.include(failure.message, "/0")
    assert.include(failure.message, "/2")
  })

  it("shows only the first rows that differ of thousands", () => {
    for (const [actual, expected, shown] of [
      [rows(2500), rows(2501), "at 2500: undefined is not { frame: '/2500', usage: { inputTokens: 2500 } }"],
      [rows(2500).toReversed(), rows(2500), "at 0: { frame: '/2499', usage: { inputTokens: 2499 } } is not"],
      [new Set(rows(2500)), rows(2500), "at 0: undefined is not { frame: '/0'"],
      [rows(2500).map(({ frame }) => frame), new Set([1]), "at 0: '/0' is not undefined"]
    ] as const) {
      const failure = failureOf({ steps: [], calls: actual }, { steps: [], calls: expected })
      assert.instanceOf(failure, nodeAssert.AssertionError)
      assert.include(failure.message, shown)
      assert.isBelow(failure.message.length, 500)
    }
  })

  it("accepts equal values of any size", () => {
    checked.deepStrictEqual(rows(2500), rows(2500))
    assert.throws(() => checked.deepStrictEqual(new Map([[1, rows(900)]]), new Map([[1, rows(901)]])))
  })
})
