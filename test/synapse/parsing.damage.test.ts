/** Valid answers with marks too many, too few, or wrong: how often another value is read than was written. */
import { assert, describe, it } from "@effect/vitest"
import { damagedAnswers, fates } from "../corpus/damage.ts"

const total = Number(process.env["COGITO_DAMAGED_ANSWERS"] ?? 400)

describe("valid answers with marks changed by chance", () => {
  it.each([
    [1, "lenient", 2000],
    [2, "lenient", 500],
    [1, "lossy", 1000],
    [2, "lossy", 250]
  ] as const)("%i mark, %s: another value in at most 1 of %i", (marks, parsing, one) => {
    const wrong: Array<string> = []
    const counts = fates(damagedAnswers(total, marks, 7), parsing, ({ text }, fate) => {
      if (fate === "wrong") wrong.push(text)
    })
    assert.isAtMost(counts.wrong, Math.ceil(total / one), `${JSON.stringify(counts)}\n${wrong.join("\n")}`)
    if (marks === 1) assert.isAbove(counts.kept, total / 2, JSON.stringify(counts))
  })

  it("are never read strictly as another value", () => {
    const { kept, wrong } = fates(damagedAnswers(total, 1, 11), "strict")
    assert.strictEqual(wrong, 0)
    assert.isBelow(kept, total / 10)
  })
})
