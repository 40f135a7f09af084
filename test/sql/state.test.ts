/** The state of a schema, according to the steps that it has taken. */
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
      ["without a step in between", [first, third], "torn"],
      ["with a later step", [first, second, third, "0004_later"], "newer"],
      ["with a later step, but without an earlier one", [first, third, "0004_later"], "newer"],
      ["with only a later step", ["0004_later"], "newer"],
      ["with the ten original steps", tenSteps, "older"],
      ["with some of the original steps", tenSteps.slice(0, 9), "early"],
      ["with only the last original step", tenSteps.slice(-1), "early"],
      ["with the original steps and the first current one", [...tenSteps, first], "early"],
      ["with ten steps of both kinds", [...tenSteps.slice(0, 9), first], "early"],
      ["with the original steps and a later one", [...tenSteps, "0011_later"], "newer"]
    ]

  it.each(cases)("%s", (_, names, state) => {
    assert.strictEqual(stateOf(names, known), state)
  })
})
