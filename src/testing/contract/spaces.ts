/** Tests of stores: vectors in parts, copied vectors, and vectors of several embedders. */
import * as Effect from "effect/Effect"
import type { ChunkVector, Store } from "../../Store.ts"
import { uuid } from "./stage/rows.ts"
import { each } from "./stage/each.ts"
import { assert } from "./stage/assert.ts"
import { at, scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

import { pendingTests } from "./pending.ts"
import { opened, spaceNamed, written } from "./stage/space.ts"

const statesOf = ({ spaces }: Store) => Effect.map(spaces, (known) => each(known, "state"))

export const spacesTests = (): ReadonlyArray<StoreTest> =>
  suite("the vectors of the store", { fresh: true, set: scene }, (define) => {
    const { test } = define
    test("has one active space: the first, or one that is activated later", function* (my) {
      assert.deepStrictEqual(yield* my.store.spaces, [])
      const [first, second] = [spaceNamed("a\u0000 \ud800"), spaceNamed("a\u0000 \ud800", 3)]
      const states = Effect.map(my.store.spaces, (known) => known.map(({ dimensions, state }) => [dimensions, state]))
      yield* my.store.openSpace(first)
      yield* my.store.openSpace(first)
      assert.deepStrictEqual(yield* my.store.spaces, [{ ...first, state: "active" }])
      yield* my.store.openSpace(second)
      assert.deepStrictEqual(yield* states, [
        [2, "active"],
        [3, "building"]
      ])
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* states, [
        [2, "retired"],
        [3, "active"]
      ])
      const unknown = yield* Effect.flip(my.store.activateSpace(spaceNamed("nobody")))
      assert.strictEqual(unknown.reason._tag, "Query")
      assert.deepStrictEqual((yield* my.store.spaces).filter(({ state }) => state === "active").length, 1)
    })

    test("does not activate a space without vectors if the active one has some", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}])
      for (const space of [first, second]) yield* my.store.openSpace(space)
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(first)
      yield* my.putVectors(first, [{ noteId: one!.id, vector: at(0) }])
      const refused = yield* Effect.flip(my.store.activateSpace(second))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.isFalse(refused.isRetryable)
      assert.deepStrictEqual(yield* statesOf(my.store), ["active", "retired"])
      assert.strictEqual((yield* my.nearby(first, at(0))).length, 1)
      yield* my.putVectors(second, [{ noteId: one!.id, vector: at(0) }])
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
    })

    test("has no vectors in a space any more when their notes are redacted", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one, two]
      } = yield* my.add([{}, {}])
      for (const space of [first, second]) yield* my.store.openSpace(space)
      yield* my.putVectors(first, [{ noteId: one!.id, vector: at(0) }])
      yield* my.putVectors(second, [{ noteId: two!.id, vector: at(0) }])
      yield* my.redact(two!.id, 1_800_000_000_000)
      const refused = yield* Effect.flip(my.store.activateSpace(second))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.deepStrictEqual(yield* statesOf(my.store), ["active", "building"])
      // like an embedder that has read the note before
      for (const space of [first, second]) {
        yield* my.putVectors(space, [{ noteId: two!.id, vector: at(0) }])
        assert.strictEqual(yield* my.countPending(space), space === first ? 0 : 1)
        assert.strictEqual((yield* my.nearby(space, at(0))).length, space === first ? 1 : 0)
      }
      assert.strictEqual((yield* Effect.flip(my.store.activateSpace(second))).reason._tag, "Query")
      yield* my.redact(one!.id, 1_800_000_000_000)
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
    })

    test("drops a space with its vectors, but not the active one", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}])
      for (const space of [first, second]) {
        yield* my.store.openSpace(space)
        yield* my.putVectors(space, [{ noteId: one!.id, vector: at(0) }])
      }
      const refused = yield* Effect.flip(my.store.dropSpace(first))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.strictEqual((yield* my.nearby(first, at(0))).length, 1)
      yield* my.store.activateSpace(second)
      yield* my.store.dropSpace(first)
      yield* my.store.dropSpace(first)
      yield* my.store.dropSpace(spaceNamed("nobody"))
      assert.deepStrictEqual(yield* my.store.spaces, [{ ...second, state: "active" }])
      assert.strictEqual((yield* my.nearby(second, at(0))).length, 1)
      yield* my.store.openSpace(first)
      assert.strictEqual(yield* my.countPending(first), 1)
      const states = statesOf(my.store)
      assert.deepStrictEqual(yield* states, ["active", "building"])
      // by this program or by another one
      const begun = yield* Effect.flip(my.store.dropSpace(first))
      assert.strictEqual(begun.reason._tag, "Query")
      assert.deepStrictEqual(yield* states, ["active", "building"])
      yield* my.store.dropSpace(first, { force: true })
      const active = yield* Effect.flip(my.store.dropSpace(second, { force: true }))
      assert.strictEqual(active.reason._tag, "Query")
      assert.deepStrictEqual(yield* states, ["active"])
    })

    test("continues a retired space with its vectors when it is opened again", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}, {}])
      yield* my.store.openSpace(first)
      yield* my.store.openSpace(second)
      for (const space of [first, second]) {
        yield* my.putVectors(space, [{ noteId: one!.id, vector: at(0) }])
      }
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(first)
      yield* my.store.activateSpace(second)
      assert.strictEqual(yield* my.countPending(first), 1)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
      yield* my.store.openSpace(first)
      assert.deepStrictEqual(yield* statesOf(my.store), ["building", "active"])
      assert.strictEqual(yield* my.countPending(first), 1)
    })

    test("finds a note once, by its nearest part, and replaces all parts", function* (my) {
      const space = yield* opened(my.store, "parts")
      const { written: made } = yield* my.add([{}, {}, {}])
      const put = (noteId: string, ...degrees: ReadonlyArray<number>): ReadonlyArray<ChunkVector> =>
        degrees.map((angle, chunk) => ({ noteId, chunk, vector: at(angle) }))
      const [long, other, third] = made.map(({ id }) => id)
      yield* my.putVectors(space, [
        ...put(long!, 180, 0, 90),
        ...put(other!, 10),
        ...put(third!, 80, 85),
        ...put(uuid(), 0, 1)
      ])
      const found = (degrees: number) =>
        Effect.map(my.nearby(space, at(degrees)), (matches) => matches.map(({ note }) => note.seq))
      assert.deepStrictEqual(yield* found(0), [1, 2, 3])
      assert.deepStrictEqual(yield* found(90), [1, 3, 2])
      assert.strictEqual(yield* my.countPending(space), 0)
      yield* my.putVectors(space, put(long!, 45))
      assert.deepStrictEqual(yield* found(0), [2, 1, 3])
      // none of its parts is at 180 degrees any more
      assert.deepStrictEqual(yield* found(180), [3, 1, 2])
      yield* my.putVectors(space, put(long!, ...Array.from({ length: 2500 }, (_, i) => (i === 2400 ? 0 : 270))))
      assert.deepStrictEqual(yield* found(0), [1, 2, 3])
      assert.strictEqual(yield* my.countPending(space), 0)
    })

    test("copies vectors between notes with the same content, within one scope", function* (my) {
      const space = yield* opened(my.store, "copies")
      const { written: made } = yield* my.add([{ content: "same" }, { content: "other" }])
      const { written: again } = yield* my.add([{ content: "same" }, { content: "same" }, { content: "new" }])
      const elsewhere = yield* written(my.store, "elsewhere", [{ content: "same" }])
      const ids = again.map(({ id }) => id)
      assert.deepStrictEqual(yield* my.copyVectors(space, ids), [])
      yield* my.putVectors(space, [
        { noteId: made[0]!.id, chunk: 0, vector: at(90) },
        { noteId: made[0]!.id, chunk: 1, vector: at(0) },
        { noteId: made[1]!.id, vector: at(45) }
      ])
      assert.sameMembers([...(yield* my.copyVectors(space, [...ids, uuid(), "no id", made[0]!.id]))], ids.slice(0, 2))
      assert.deepStrictEqual(yield* my.copyVectors(space, ids), [])
      assert.deepStrictEqual(yield* my.copyVectors(space, []), [])
      assert.deepStrictEqual(yield* my.store.copyVectors("elsewhere", space, [elsewhere[0]!.id]), [])
      assert.strictEqual(yield* my.countPending(space), 1)
      assert.strictEqual(yield* my.store.countPending("elsewhere", space), 1)
      for (const degrees of [0, 90]) {
        const [best] = yield* my.nearby(space, at(degrees))
        assert.deepStrictEqual([best?.note.content, best?.copies], ["same", 3])
        assert.approximately(best?.similarity ?? 0, 1, 1e-6)
      }
      // each has its own copy of all parts, even when the note that first had them has none any more
      yield* my.redact(made[0]!.id, 1_800_000_000_000)
      for (const degrees of [0, 90]) {
        const [best] = yield* my.nearby(space, at(degrees))
        assert.deepStrictEqual([best?.note.content, best?.copies], ["same", 2])
        assert.approximately(best?.similarity ?? 0, 1, 1e-6)
      }
    })
    pendingTests(define)
  })
