/** What the steps that a schema has taken say of it. */
import { assert, describe, it } from "@effect/vitest"
import { stateOf, tenSteps } from "../../src/sql/migrations/state.ts"

const step = { up: () => Promise.resolve() }
const known = { "0001_all": step, "0002_more": step, "0003_last": step }
const [first, second, third] = Object.keys(known) as [string, string, string]

describe("the state of a schema", () => {
  const cases: ReadonlyArray<readonly [what: string, names: ReadonlyArray<string>, state: ReturnType<typeof stateOf>]> =
    [
      ["without a step", [], "missing"],
      ["with the first step", [first], "older"],
      ["with all but the last step", [first, second], "older"],
      ["with all steps", [first, second, third], "current"],
      ["without the first step", [second, third], "torn"],
      ["without a step between", [first, third], "torn"],
      ["with a later step", [first, second, third, "0004_later"], "newer"],
      ["with a later step and without one before", [first, third, "0004_later"], "newer"],
      ["with a later step alone", ["0004_later"], "newer"],
      ["with the ten steps of before", tenSteps, "older"],
      ["with some of these", tenSteps.slice(0, 9), "early"],
      ["with the last of these alone", tenSteps.slice(-1), "early"],
      ["with these and one that came after them", [...tenSteps, first], "early"],
      ["with as many, of both kinds", [...tenSteps.slice(0, 9), first], "early"],
      ["with these and a later step", [...tenSteps, "0011_later"], "newer"]
    ]

  it.each(cases)("%s", (_, names, state) => {
    assert.strictEqual(stateOf(names, known), state)
  })
})
