import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Session, Thought } from "cogito"
import { asOf } from "../../src/memory/asOf.ts"
import { position } from "../../src/testing/contract/ledger/rows.ts"
import { asStored, entry, notes, thought } from "../../src/testing/contract/stage/rows.ts"

const row = thought()
const all = notes(row.id, 1, [{ content: "a" }, { content: "b" }, { content: "c" }])
const history = {
  ...asStored(row, { version: 5, notes: all, entries: [entry(0), entry(3), entry(4)], nextIndex: 5 }),
  removed: [
    { entry: entry(2), version: 3 },
    { entry: entry(1), version: 4 },
    // redacted since
    { entry: entry(0, { index: 5, text: "" }), version: 4 }
  ]
}

/** The numbers of the messages and the texts of the notes that the thought had. */
const then = (more: Parameters<typeof position>[1]) => {
  const found = Result.getOrThrow(asOf(history, position(row.id, more)))
  return [Session.entries(found.session).map(({ index }) => index), Thought.notes(found).map(({ content }) => content)]
}

describe("a thought as it was", () => {
  it("has the messages that were removed later, in their order, and not those that were removed by then", () => {
    assert.deepStrictEqual(then({ version: 2, seq: 3, nextIndex: 5 })[0], [0, 1, 2, 3, 4])
    assert.deepStrictEqual(then({ version: 3, seq: 3, nextIndex: 5 })[0], [0, 1, 3, 4])
    assert.deepStrictEqual(then({ version: 4, seq: 3, nextIndex: 5 })[0], [0, 3, 4])
  })

  it("has no message or note that came later, and none that was redacted since", () => {
    assert.deepStrictEqual(then({ version: 2, seq: 0, nextIndex: 0 }), [[], []])
    assert.deepStrictEqual(then({ version: 2, seq: 1, nextIndex: 3 }), [[0, 1, 2], ["a"]])
    assert.deepStrictEqual(then({ version: 2, seq: 2, nextIndex: 9 }), [
      [0, 1, 2, 3, 4],
      ["a", "b"]
    ])
  })
})
