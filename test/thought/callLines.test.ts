import { assert, describe, it } from "@effect/vitest"
import { linesOf, withCalls } from "../../src/thought/callLines.ts"

describe("a reply that calls tools", () => {
  const look = { name: "look", params: '{"of":"a"}' }
  const pay = { name: "pay", params: "{}" }

  it("has a line for each call, after its text if it has one", () => {
    const cases = [
      ["", [look], '[calls look with {"of":"a"}]'],
      ["", [look, pay], '[calls look with {"of":"a"}]\n[calls pay with {}]'],
      ["I look.", [look], 'I look.\n\n[calls look with {"of":"a"}]'],
      ["I look.\nThen I pay.", [look, pay], 'I look.\nThen I pay.\n\n[calls look with {"of":"a"}]\n[calls pay with {}]']
    ] as const
    for (const [text, calls, shown] of cases) {
      assert.strictEqual(withCalls(text, calls), shown)
      assert.isTrue(shown.endsWith(linesOf(calls)))
    }
  })
})
