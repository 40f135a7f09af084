/** Tests of stores: forks. */
import * as Effect from "effect/Effect"
import type { Commit, ThoughtRow } from "../../../Store.ts"
import { assert } from "../stage/assert.ts"
import { random } from "../stage/random.ts"
import { commit, entry, note, notes, plainNote, thought, uuid } from "../stage/rows.ts"
import { refusal, type Scene } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { randomCommits } from "./randomCommits.ts"

export const forkTests = ({ describe, test }: Define<Scene>): void => {
  describe("forks", () => {
    test("loads a fork with the notes of all ancestors, each up to the lowest fork point", function* (my) {
      const root = thought()
      const rootNotes = notes(root.id, 1, [{}, {}, {}, {}, {}])
      yield* my.write(root, { notes: rootNotes, entries: [entry(0)], nextIndex: 1 })
      const middle = thought({ parent: { id: root.id, seq: 4 } })
      const middleNotes = notes(middle.id, 5, [{}, {}])
      yield* my.write(middle, { notes: middleNotes })
      const late = thought({ parent: { id: middle.id, seq: 5 }, hidden: new Map([["key 5", 5]]) })
      const early = thought({ parent: { id: middle.id, seq: 2 } })
      const lateNotes = notes(late.id, 6, [{}])
      const earlyNotes = notes(early.id, 3, [{}])
      yield* my.write(late, { notes: lateNotes })
      yield* my.write(early, { notes: earlyNotes })
      const log = (row: ThoughtRow) => Effect.map(my.load(row), (stored) => stored?.notes.map(plainNote))
      assert.deepStrictEqual(yield* log(middle), [...rootNotes.slice(0, 4), ...middleNotes].map(plainNote))
      assert.deepStrictEqual(
        yield* log(late),
        [...rootNotes.slice(0, 4), ...middleNotes.slice(0, 1), ...lateNotes].map(plainNote)
      )
      assert.deepStrictEqual(yield* log(early), [...rootNotes.slice(0, 2), ...earlyNotes].map(plainNote))
      // Later writes of a parent or a sibling are not visible.
      yield* my.write(root, { version: 1, notes: [note(root.id, 6)] })
      yield* my.write(late, { version: 1, notes: [note(late.id, 7)] })
      assert.deepStrictEqual(yield* log(middle), [...rootNotes.slice(0, 4), ...middleNotes].map(plainNote))
      assert.deepStrictEqual((yield* log(root))?.length, 6)
      const stored = yield* my.load(late)
      assert.deepStrictEqual(stored?.entries, [])
      assert.deepStrictEqual([...(stored?.thought.hidden ?? [])], [["key 5", 5]])
      assert.deepStrictEqual(stored?.thought.parent, { id: middle.id, seq: 5 })
    })

    test("writes missing ancestors first, oldest first, each once", function* (my) {
      const root = thought()
      const middle = thought({ parent: { id: root.id, seq: 2 } })
      const leaf = thought({ parent: { id: middle.id, seq: 3 } })
      const sibling = thought({ parent: { id: middle.id, seq: 3 } })
      const rootCommit = commit(root, { notes: notes(root.id, 1, [{}, {}]) })
      const middleCommit = commit(middle, { notes: [note(middle.id, 3)], parent: rootCommit })
      yield* my.write(leaf, { notes: [note(leaf.id, 4)], parent: middleCommit })
      yield* my.write(sibling, { notes: [note(sibling.id, 4)], parent: middleCommit })
      for (const [row, length] of [
        [root, 2],
        [middle, 3],
        [leaf, 4],
        [sibling, 4]
      ] as const) {
        const stored = yield* my.load(row)
        assert.deepStrictEqual([stored?.version, stored?.notes.length], [1, length])
      }
    })

    test("adds the notes that a fork begins with to a stored parent", function* (my) {
      const { row: root } = yield* my.addOne()
      const child = thought({ parent: { id: root.id, seq: 2 } })
      const parent = commit(root, { version: 1, notes: [note(root.id, 2)] })
      yield* my.write(child, { parent })
      assert.strictEqual((yield* my.load(root))?.version, 2)
      assert.strictEqual((yield* my.load(child))?.notes.length, 2)
    })

    test("refuses a fork whose parent is absent, too short, or diverged", function* (my) {
      const { one, row: root } = yield* my.addOne()
      const refused = Effect.fnUntraced(function* (parentId: string, seq: number, parent?: Commit) {
        const row = thought({ parent: { id: parentId, seq } })
        assert.strictEqual(
          yield* refusal(my.write(row, { notes: [note(row.id, seq + 1)], parent })),
          "ConcurrencyConflict"
        )
        assert.isUndefined(yield* my.load(row))
      })
      yield* refused(uuid(), 1)
      yield* refused(root.id, 2)
      yield* refused(root.id, 1, commit(root, { notes: [note(root.id, 1)] }))
      // the parent has the note, but at another position
      yield* refused(root.id, 1, commit(root, { notes: [{ ...one, seq: 2 }] }))
      yield* refused(root.id, 1, commit(root, { version: 7, notes: [{ ...one, seq: 3 }] }))
      const gone = thought()
      yield* refused(gone.id, 2, commit(gone, { version: 1, notes: [note(gone.id, 2)] }))
      assert.isUndefined(yield* my.load(gone))
    })

    test("writes neither a fork nor what its parent adds if one of them is refused", function* (my) {
      const { one, row: root } = yield* my.addOne()
      for (const [added, reason] of [
        [note(root.id, 5), "ConcurrencyConflict"],
        [note(thought().id, 2), "ConcurrencyConflict"],
        [{ ...note(root.id, 2), id: one.id }, "Query 23505"]
      ] as const) {
        // the fork needs nothing of what the parent adds
        const fork = thought({ parent: { id: root.id, seq: 1 } })
        const last = thought({ parent: { id: fork.id, seq: 1 } })
        const above = commit(fork, { parent: commit(root, { version: 1, notes: [added] }) })
        assert.strictEqual(yield* refusal(my.write(last, { parent: above })), reason)
        for (const row of [fork, last]) assert.isUndefined(yield* my.load(row))
      }
      const fork = thought({ parent: { id: root.id, seq: 1 } })
      const parent = commit(root, { version: 1, notes: [note(root.id, 2)] })
      assert.strictEqual(yield* refusal(my.write(fork, { notes: [note(fork.id, 3)], parent })), "ConcurrencyConflict")
      assert.isUndefined(yield* my.load(fork))
      const stored = yield* my.load(root)
      assert.deepStrictEqual([stored?.version, stored?.notes.map(plainNote)], [1, [plainNote(one)]])
    })

    test("writes commits of several thoughts in order, including forks of new ones", function* (my) {
      const [root, other] = [thought(), thought()]
      yield* my.write(root, { notes: [note(root.id, 1)] })
      const child = thought({ parent: { id: root.id, seq: 2 } })
      const grandchild = thought({ parent: { id: child.id, seq: 3 } })
      const version = yield* my.write(grandchild, {
        notes: [note(grandchild.id, 4)],
        before: [
          commit(root, { version: 1, notes: [note(root.id, 2)], entries: [entry(0)], nextIndex: 1 }),
          commit(other, { notes: [note(other.id, 1)] }),
          commit(child, { notes: [note(child.id, 3)] })
        ]
      })
      assert.strictEqual(version, 1)
      for (const [row, version, length] of [
        [root, 2, 2],
        [other, 1, 1],
        [child, 1, 3],
        [grandchild, 1, 4]
      ] as const) {
        const stored = yield* my.load(row)
        assert.deepStrictEqual([stored?.version, stored?.notes.length], [version, length])
      }
    })

    test("writes none of several commits if any of them is refused", function* (my) {
      const { row: root } = yield* my.addOne()
      for (const refused of [0, 1, 2]) {
        const rows = [thought(), thought(), thought({ parent: { id: root.id, seq: 1 } })]
        const commits = rows.map((row, i) =>
          i === refused
            ? commit(root, { version: 7, notes: [note(root.id, 3)] })
            : commit(row, { notes: [note(row.id, 1 + (row.parent?.seq ?? 0))] })
        )
        const first = commit(root, { version: 1, notes: [note(root.id, 2)] })
        const before = [first, ...commits.slice(0, 2)]
        assert.strictEqual(yield* refusal(my.store.commit(my.scope, { ...commits[2]!, before })), "ConcurrencyConflict")
        for (const row of rows) assert.isUndefined(yield* my.load(row))
        assert.strictEqual((yield* my.load(root))?.version, 1)
      }
    })

    for (const seed of [1, 2, 3, 4]) {
      test(`keeps every thought as it was written through random commits, seed ${seed}`, function* (my) {
        yield* randomCommits(my.store, random(seed), 60)
      })
    }
  })
}
