import { assert, describe, it } from "@effect/vitest"
import { described } from "../../src/cli/console/described.ts"

describe("the description of a command", () => {
  it("is its first sentence, and the others in an indented paragraph", () => {
    assert.strictEqual(described("First."), "First.\n  ")
    assert.strictEqual(described("First.", "Second.", "Third one."), "First.\n  Second. Third one.")
  })

  it("breaks between words if a line would be longer than 96 characters", () => {
    const [half, word] = ["x".repeat(48), "y".repeat(47)]
    assert.strictEqual(described("First.", half, word, "z"), `First.\n  ${half} ${word}\n  z`)
    assert.strictEqual(described("First.", half, `${word}y z`), `First.\n  ${half}\n  ${word}y z`)
    // a longer word has a line of its own
    assert.strictEqual(described("First.", "a", "w".repeat(97), "b"), `First.\n  a\n  ${"w".repeat(97)}\n  b`)
    // the first sentence is not broken
    assert.strictEqual(described("v ".repeat(60), "a"), `${"v ".repeat(60)}\n  a`)
  })
})
