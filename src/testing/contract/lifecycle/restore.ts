/** Tests of stores: restored thoughts. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StoredThought } from "../../../Store.ts"
import { assert } from "../stage/assert.ts"
import { loadAll, plant } from "../stage/forest.ts"
import { random } from "../stage/random.ts"
import { asStored, commit, note, plain, thought, uuid } from "../stage/rows.ts"
import { freshScope, refusal, type Scene } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const restoreTests = ({ describe, test }: Define<Scene>): void => {
  describe("restore", () => {
    const ownNotes = (stored: StoredThought): StoredThought => ({
      ...stored,
      notes: stored.notes.filter(({ thoughtId }) => thoughtId === stored.thought.id)
    })

    test("restores thoughts in another scope, with versions and redactions", function* (my) {
      const other = `${freshScope()} \u0000 \ud800`
      const rng = random(23)
      const planted = yield* plant(my.store, my.scope, rng, 10)
      const one = rng.pick(planted.flatMap((stored) => ownNotes(stored).notes))
      yield* my.redact(one.id, 1_800_000_000_000)
      const source = yield* loadAll(my.store, my.scope)
      let left = source
      while (left.length > 0) {
        const done = new Set(source.filter((stored) => !left.includes(stored)).map(({ thought: { id } }) => id))
        const ready = left.filter(({ thought: { parent } }) => parent === undefined || done.has(parent.id))
        for (const stored of ready) yield* my.store.restore(other, ownNotes(stored))
        left = left.filter((stored) => !ready.includes(stored))
      }
      assert.deepStrictEqual((yield* loadAll(my.store, other)).map(plain), source.map(plain))
      const first = source[0]
      if (first !== undefined) {
        assert.strictEqual(yield* refusal(my.store.restore(other, ownNotes(first))), "ConcurrencyConflict")
        const version = yield* my.store.commit(other, commit(first.thought, { version: first.version, nextIndex: 99 }))
        assert.strictEqual(version, first.version + 1)
      }
    })

    test("refuses a fork without its parent and used ids, and writes nothing", function* (my) {
      const row = thought({ traceId: "taken" })
      const one = note(row.id, 1)
      yield* my.write(row, { notes: [one] })
      const orphan = thought({ parent: { id: uuid(), seq: 0 } })
      const ahead = thought({ parent: { id: row.id, seq: 2 } })
      const namesake = thought({ traceId: "taken" })
      const thief = thought()
      assert.strictEqual(yield* refusal(my.restore(asStored(orphan, { version: 3 }))), "ConcurrencyConflict")
      assert.strictEqual(yield* refusal(my.restore(asStored(ahead, { version: 3 }))), "ConcurrencyConflict")
      assert.strictEqual(yield* refusal(my.restore(asStored(namesake, { version: 3 }))), "Query 23505")
      const stolen = { ...one, thoughtId: thief.id }
      assert.strictEqual(yield* refusal(my.restore(asStored(thief, { version: 3, notes: [stolen] }))), "Query 23505")
      assert.strictEqual((yield* loadAll(my.store, my.scope)).length, 1)
      assert.isTrue(Result.isSuccess(yield* Effect.result(my.restore(asStored(thief, { version: 3 })))))
      assert.strictEqual((yield* my.load(thief))?.version, 3)
    })
  })
}
