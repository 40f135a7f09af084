/** Which spaces have an index. */
import { assert, describe, it } from "@effect/vitest"
import { isWanted } from "../../src/sql/search/optimize.ts"

describe("an index is made automatically", () => {
  const space = { dimensions: 384, state: "active" } as const

  it.each([
    [30_000, 30_000, 384, true],
    [30_000, 59_999, 384, true],
    [30_000, 60_000, 384, false],
    [30_000, 90_000, 384, false],
    [25_001, 25_001, 384, true],
    [25_000, 25_000, 384, false],
    [25_000, 25_000, 768, true],
    [30_000, 30_000, 4000, true],
    [30_000, 30_000, 4001, false],
    [0, 0, 384, false]
  ])(
    "if the largest scope is large and has more than half of the vectors: %i of %i in %i dimensions",
    (vectors, total, dimensions, wanted) => {
      assert.strictEqual(isWanted({ ...space, dimensions }, { vectors, total }, "auto"), wanted)
      assert.strictEqual(isWanted({ ...space, dimensions, state: "building" }, { vectors, total }, "auto"), wanted)
    }
  )

  it('unless it is to be dropped or its space is retired, and always if the option is "create"', () => {
    const [few, many] = [
      { vectors: 1, total: 90_000 },
      { vectors: 30_000, total: 30_000 }
    ]
    for (const index of ["auto", "create", "drop"] as const) {
      for (const state of ["active", "building", "retired"] as const) {
        const isUsed = state !== "retired" && index !== "drop"
        assert.strictEqual(isWanted({ ...space, state }, many, index), isUsed, `${index} ${state}`)
        assert.strictEqual(isWanted({ ...space, state }, few, index), isUsed && index === "create", `${index} ${state}`)
      }
    }
  })
})
