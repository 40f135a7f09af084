/** Tests of stores: removed thoughts and purged scopes. */
import * as Effect from "effect/Effect"
import type { StoredThought } from "../../../Store.ts"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { loadAll, plant } from "../stage/forest.ts"
import { random } from "../stage/random.ts"
import { commit, entry, newNote, note, notes, plain, plainNote, thought } from "../stage/rows.ts"
import { freshScope, type Scene, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { space } from "./given.ts"

/** The content of a thought, which must stay the same whichever thought owns its notes. */
const content = ({ notes, ...rest }: StoredThought) => ({
  ...(plain({ ...rest, notes: [], thought: { ...rest.thought, parent: undefined, checkpoints: new Map() } }) as object),
  checkpoints: [...rest.thought.checkpoints.keys()].toSorted(),
  notes: notes.map(({ thoughtId: _id, ...one }) => plainNote({ ...one, thoughtId: "" }))
})

export const removeTests = ({ describe, test }: Define<Scene>): void => {
  describe("remove", () => {
    test("removes a thought completely, so its ids are free again", function* (my) {
      const row = thought({ traceId: "again" })
      const [a, b] = notes(row.id, 1, [{}, {}])
      const written = commit(row, { notes: [a!, b!], entries: [entry(0, { carries: [a!.id] })], nextIndex: 1 })
      yield* my.store.commit(my.scope, written)
      yield* my.putVectors(space, [{ noteId: a!.id, vector: Float32Array.of(1, 0) }])
      assert.isTrue(yield* my.remove({ traceId: "again" }, { materialize: false }))
      assert.isUndefined(yield* my.load(row))
      assert.isUndefined(yield* my.load({ traceId: "again" }))
      assert.strictEqual(yield* my.countPending(space), 0)
      assert.isFalse(yield* my.remove({ id: row.id }, { materialize: true }))
      assert.strictEqual(yield* my.store.commit(my.scope, { ...written, entries: [] }), 1)
      assert.strictEqual(yield* my.countPending(space), 2)
      assert.deepStrictEqual((yield* my.load(row))?.entries, [])
    })

    test("changes no other thought and no other scope", function* (my) {
      const other = freshScope()
      const row = thought()
      const written = commit(row, { notes: notes(row.id, 1, [{}]) })
      yield* my.store.commit(my.scope, written)
      yield* my.store.commit(other, written)
      yield* plant(my.store, my.scope, random(3), 6)
      const before = (yield* loadAll(my.store, my.scope)).filter((one) => one.thought.id !== row.id).map(plain)
      assert.isTrue(yield* my.remove({ id: row.id }, { materialize: true }))
      assert.deepStrictEqual((yield* loadAll(my.store, my.scope)).map(plain), before)
      assert.strictEqual((yield* my.store.load(other, { id: row.id }))?.notes.length, 1)
      assert.isFalse(yield* my.store.remove(freshScope(), { id: row.id }, { materialize: false }))
    })

    test("refuses a thought with forks, and reports how many", function* (my) {
      const { row } = yield* my.addOne()
      for (const seq of [0, 1, 1]) {
        yield* my.write(thought({ parent: { id: row.id, seq } }))
      }
      const { reason } = yield* Effect.flip(my.remove({ id: row.id }, { materialize: false }))
      assert.strictEqual(reason._tag === "HasForks" ? reason.forks : reason._tag, 3)
      assert.strictEqual(reason._tag === "HasForks" ? reason.thoughtId : "", row.id)
      assert.strictEqual((yield* my.load(row))?.notes.length, 1)
    })

    test("keeps the content of every fork, whichever thoughts are removed in any order", function* (my) {
      for (let seed = 1; seed <= 3; seed++) {
        const rng = random(seed * 7919)
        let left = yield* plant(my.store, my.scope, rng, 7)
        while (left.length > 0) {
          const { thought: gone } = rng.pick(left)
          const expected = left.filter(({ thought: { id } }) => id !== gone.id)
          assert.isTrue(yield* my.remove({ id: gone.id }, { materialize: true }))
          left = yield* loadAll(my.store, my.scope)
          assert.deepStrictEqual(left.map(content), expected.map(content), `seed ${seed}`)
          const ids = new Set(left.map(({ thought: { id } }) => id))
          for (const one of left) {
            const { checkpoints, parent } = one.thought
            assert.isTrue(parent === undefined || ids.has(parent.id))
            for (const { id, seq } of checkpoints.values()) {
              if (!ids.has(id)) continue
              const past = yield* my.load({ id })
              assert.isAtLeast(past?.notes.length ?? -1, Math.min(seq, one.notes.length))
            }
          }
          const next = rng.pick(left.length === 0 ? [undefined] : left)
          if (next === undefined || rng.below(2) === 0) continue
          const [added] = (yield* my.append({ id: next.thought.id }, [newNote()])) ?? []
          assert.strictEqual(added?.seq, (next.notes.at(-1)?.seq ?? 0) + 1)
          left = yield* loadAll(my.store, my.scope)
        }
        assert.strictEqual(yield* my.countPending(space), 0)
      }
    })

    test("attaches forks to the one that shares most, or to an ancestor for notes shared there", function* (my) {
      const { row: root } = yield* my.add([{}, {}])
      const gone = thought({ parent: { id: root.id, seq: 2 } })
      yield* my.write(gone, { notes: notes(gone.id, 3, [{}, {}, {}]) })
      const forks = [1, 2, 3, 4, 4].map((seq, i) =>
        thought({ parent: { id: gone.id, seq }, createdMillis: 1_700_000_000_000 + (i === 4 ? 0 : i) })
      )
      for (const fork of forks) {
        yield* my.write(fork, { notes: [note(fork.id, (fork.parent?.seq ?? 0) + 1)] })
      }
      const all = Effect.map(
        Effect.forEach(forks, ({ id }) => my.load({ id })),
        (stored) => stored.filter((one) => one !== undefined)
      )
      const before = (yield* all).map(content)
      yield* my.remove({ id: gone.id }, { materialize: true })
      const after = yield* all
      assert.deepStrictEqual(after.map(content), before)
      const heir = forks[4]?.id
      assert.deepStrictEqual(
        after.map((one) => [one.thought.parent?.id, one.thought.parent?.seq]),
        [
          [root.id, 1],
          [root.id, 2],
          [heir, 3],
          [heir, 4],
          [root.id, 2]
        ]
      )
      yield* my.remove({ id: root.id }, { materialize: true })
      assert.deepStrictEqual((yield* all).map(content), before)
    })

    test("keeps checkpoints that can be restored", function* (my) {
      const { row: root } = yield* my.add([{}, {}])
      const first = thought({ parent: { id: root.id, seq: 2 } })
      yield* my.write(first, { notes: notes(first.id, 3, [{}]) })
      const checkpoints = new Map([
        ["early", { id: first.id, seq: 2 }],
        [first.id, { id: first.id, seq: 3 }],
        ["root", { id: root.id, seq: 1 }]
      ])
      const second = thought({ parent: { id: first.id, seq: 3 }, checkpoints })
      yield* my.write(second)
      yield* my.remove({ id: first.id }, { materialize: true })
      const loaded = yield* my.load(second)
      assert.deepStrictEqual(loaded?.thought.parent, { id: root.id, seq: 2 })
      assert.deepStrictEqual(
        [...(loaded?.thought.checkpoints ?? [])],
        [
          ["early", { id: root.id, seq: 2 }],
          [first.id, { id: second.id, seq: 3 }],
          ["root", { id: root.id, seq: 1 }]
        ]
      )
    })
  })

  describe("purge", () => {
    test("removes a whole scope and nothing of the others", function* (my) {
      const other = freshScope()
      yield* plant(my.store, my.scope, random(5), 8)
      const kept = yield* plant(my.store, other, random(6), 4)
      yield* my.putVectors(
        space,
        (yield* my.store.pending(space, { scope: my.scope, limit: 5 })).map(({ id }) => ({
          noteId: id,
          vector: Float32Array.of(0, 1)
        }))
      )
      assert.strictEqual(yield* my.purge(), 8)
      assert.deepStrictEqual(yield* loadAll(my.store, my.scope), [])
      assert.strictEqual(yield* my.countPending(space), 0)
      assert.deepStrictEqual((yield* loadAll(my.store, other)).map(plain), kept.map(plain))
      assert.strictEqual(yield* my.purge(), 0)
    })

    test("leaves no vectors for notes that are stored again with the same ids", function* (my) {
      const row = thought()
      const [kept] = notes(row.id, 1, [{}])
      const writing = my.write(row, { notes: [kept!] })
      yield* writing
      yield* my.putVectors(space, [{ noteId: kept!.id, vector: Float32Array.of(0, 1) }])
      assert.strictEqual(yield* my.countPending(space), 0)
      assert.strictEqual(yield* my.purge(), 1)
      assert.strictEqual(yield* writing, 1)
      assert.strictEqual(yield* my.countPending(space), 1)
      assert.deepStrictEqual(each(yield* my.store.pending(space, { scope: my.scope, limit: 2 }), "id"), [kept!.id])
    })

    test("is complete during concurrent writes", function* (my) {
      const writing = Effect.gen(function* () {
        const row = thought()
        yield* my.write(row, { notes: notes(row.id, 1, [{}, {}]), entries: [entry(0)], nextIndex: 1 })
      })
      const purges = Effect.forEach([1, 2, 3, 4, 5, 6], () => my.purge())
      const [purged] = yield* Effect.all([purges, Effect.repeat(writing, { times: 20 })], unbounded)
      const left = yield* loadAll(my.store, my.scope)
      for (const { entries, notes } of left) assert.deepStrictEqual([notes.length, entries.length], [2, 1])
      // each thought is either removed and counted once, or still there
      assert.strictEqual(
        purged.reduce((sum, count) => sum + count, left.length),
        21
      )
    })
  })
}
