/** Tests of stores: the entries of a conversation that were removed, and when. */
import { assert } from "../stage/assert.ts"
import { commit, entry, note, notes, plain, thought } from "../stage/rows.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"

export const historyTests = ({ describe, test }: Define<Desk>): void => {
  describe("history", () => {
    test("has the removed entries with the version from which on they are not live", function* (my) {
      const row = thought()
      const [one] = notes(row.id, 1, [{ content: "the reply" }])
      const entries = [
        entry(0, { kind: "summary", covers: [one!.id] }),
        entry(1, { role: "assistant", text: one!.content, carries: [one!.id] }),
        entry(2),
        entry(3),
        entry(4)
      ]
      yield* my.write(row, { notes: [one!], entries, nextIndex: 5 })
      const first = yield* my.store.history(my.scope, row.id)
      assert.deepStrictEqual(plain(first), { ...(plain(yield* my.load(row)) as object), removed: [] })
      yield* my.write(row, { version: 1, removed: [3, 1], nextIndex: 5 })
      yield* my.write(row, { version: 2, notes: notes(row.id, 2, [{}]), nextIndex: 5 })
      yield* my.write(row, { version: 3, entries: [entry(5)], removed: [0, 1], nextIndex: 6 })
      const stored = yield* my.store.history(my.scope, row.id)
      assert.deepStrictEqual(stored?.removed, [
        { entry: entries[1], version: 2 },
        { entry: entries[3], version: 2 },
        { entry: entries[0], version: 4 }
      ])
      const { removed: _removed, ...rest } = stored ?? assert.fail("the thought is there")
      assert.deepStrictEqual(plain(rest), plain(yield* my.load(row)))
      assert.deepStrictEqual(
        rest.entries.map(({ index }) => index),
        [2, 4, 5]
      )
    })

    test("tells versions apart that were committed at once", function* (my) {
      const row = thought()
      yield* my.write(row, { entries: [entry(0), entry(1)], nextIndex: 2 })
      const before = [commit(row, { version: 1, removed: [1], entries: [entry(2)], nextIndex: 3 })]
      yield* my.write(row, { version: 2, before, removed: [0, 2], nextIndex: 3 })
      assert.deepStrictEqual((yield* my.store.history(my.scope, row.id))?.removed, [
        { entry: entry(1), version: 2 },
        { entry: entry(0), version: 3 },
        { entry: entry(2), version: 3 }
      ])
    })

    test("has no text of entries that were redacted, also of those removed before", function* (my) {
      const row = thought()
      const secret = note(row.id, 1)
      const entries = [0, 1, 2].map((i) => entry(i, { role: "assistant", carries: i === 2 ? [] : [secret.id] }))
      yield* my.write(row, { notes: [secret], entries, nextIndex: 3 })
      yield* my.write(row, { version: 1, removed: [0], nextIndex: 3 })
      yield* my.redact(secret.id, 1_800_000_000_000)
      const stored = yield* my.store.history(my.scope, row.id)
      assert.deepStrictEqual(stored?.removed, [
        { entry: { ...entries[0], text: "" }, version: 2 },
        { entry: { ...entries[1], text: "" }, version: 3 }
      ])
      assert.deepStrictEqual(stored?.entries, [entries[2]])
    })

    test("shares the notes of the thoughts that it descends from", function* (my) {
      const { row } = yield* my.addOne()
      const fork = thought({ parent: { id: row.id, seq: 1 } })
      yield* my.write(fork, { entries: [entry(0)], nextIndex: 1 })
      yield* my.write(fork, { version: 1, removed: [0], nextIndex: 1 })
      const stored = yield* my.store.history(my.scope, fork.id)
      assert.deepStrictEqual([stored?.notes.length, stored?.entries, stored?.removed.length], [1, [], 1])
    })

    test("is nothing for an unknown thought", function* (my) {
      assert.isUndefined(yield* my.store.history(my.scope, thought().id))
      assert.isUndefined(yield* my.store.history(my.scope, "no id"))
    })
  })
}
