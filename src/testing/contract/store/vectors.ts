/** Tests of stores: vectors. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Filter } from "../../../Memory.ts"
import type { Store, ThoughtRow } from "../../../Store.ts"
import { each, eachNote } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { nearby } from "../stage/query.ts"
import { awkwardTexts, commit, note, notes, plainNote, thought, uuid } from "../stage/rows.ts"
import { at, freshScope, freshSpace, type Scene } from "../stage/scene.ts"
import { type Draft, library } from "../stage/library.ts"
import type { Define } from "../stage/suite.ts"

/** A scope with one thought, whose notes have vectors at the given angles. */
const filled = Effect.fnUntraced(function* (store: Store, drafts: ReadonlyArray<Draft>, row?: ThoughtRow | string) {
  const own = yield* library(store)
  const { row: made, written } = yield* own.add(drafts, row)
  const nearest = (options: Filter & { readonly limit?: number } = {}) => own.nearby(own.space, at(0), options)
  const keys = (options?: Filter & { readonly limit?: number }) =>
    Effect.map(nearest(options), (found) => eachNote(found, "key"))
  return { ...own, row: made, written, nearest, keys }
})

export const vectorTests = ({ describe, test }: Define<Scene>): void => {
  describe("vectors", () => {
    test("finds the nearest notes first, with their thoughts", function* (my) {
      const row = thought({ traceId: "the trace", taskId: "the task", intent: "the intent" })
      const { nearest, written } = yield* filled(
        my.store,
        [{ degrees: 60 }, { degrees: 0 }, { degrees: 180 }, { degrees: 30 }],
        row
      )
      const found = yield* nearest()
      assert.deepStrictEqual(eachNote(found, "seq"), [2, 4, 1, 3])
      assert.deepStrictEqual(plainNote(found[0]!.note), plainNote(written[1]!))
      assert.deepStrictEqual(found[0]?.thought, {
        id: row.id,
        traceId: "the trace",
        taskId: "the task",
        intent: "the intent"
      })
      for (const [i, similarity] of [1, Math.cos(Math.PI / 6), 0.5, 0].entries()) {
        assert.approximately(found[i]?.similarity ?? Number.NaN, similarity, 1e-6)
      }
      assert.isTrue(found.every(({ similarity }) => similarity >= 0 && similarity <= 1))
    })

    test("orders equally near notes by id", function* (my) {
      const ids = Array.from({ length: 30 }, uuid)
      const shuffled = ids.map((id, i) => ids[(i * 7) % 30] ?? id)
      const { nearest } = yield* filled(
        my.store,
        shuffled.map((id) => ({ id, degrees: 45 }))
      )
      assert.deepStrictEqual(eachNote(yield* nearest({ limit: 30 }), "id"), ids)
      assert.deepStrictEqual(eachNote(yield* nearest({ limit: 4 }), "id"), ids.slice(0, 4))
    })

    test("finds as many as requested, however selective the filter", function* (my) {
      const { nearest } = yield* filled(
        my.store,
        Array.from({ length: 700 }, (_, i) => ({ degrees: i / 8, key: i % 50 === 49 ? "rare" : "common" }))
      )
      const found = yield* nearest({ limit: 500 })
      assert.strictEqual(new Set(found.map(({ note }) => note.id)).size, 500)
      assert.deepStrictEqual(
        eachNote(found, "seq"),
        Array.from({ length: 500 }, (_, i) => i + 1)
      )
      assert.strictEqual((yield* nearest({ keys: ["rare"], limit: 10 })).length, 10)
      assert.strictEqual((yield* nearest({ keys: ["rare"], limit: 500 })).length, 14)
    })

    test("finds the notes that pass every filter", function* (my) {
      const { keys, row, scope, space } = yield* filled(
        my.store,
        [
          {
            degrees: 0,
            key: "a",
            source: "user",
            trust: "trusted",
            millis: 1000,
            metadata: { lang: "en", team: "x" }
          },
          { degrees: 10, key: "b", source: "seek", millis: 2000, metadata: { lang: "en" } },
          { degrees: 20, key: "c", source: "decide", millis: 3000, metadata: { lang: "de" } },
          { degrees: 100, key: "d", source: "user", millis: 4000 }
        ],
        "t1"
      )
      const other = thought({ taskId: "t2" })
      const foreign = note(other.id, 1, { key: "e", content: "foreign", millis: 5000 })
      yield* my.store.commit(scope, commit(other, { notes: [foreign] }))
      yield* my.store.putVectors(scope, space, [{ noteId: foreign.id, vector: at(90) }])
      assert.deepStrictEqual(yield* keys(), ["a", "b", "c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ limit: 2 }), ["a", "b"])
      assert.deepStrictEqual(yield* keys({ keys: ["c", "a", "none"] }), ["a", "c"])
      assert.deepStrictEqual(yield* keys({ keys: [] }), [])
      assert.deepStrictEqual(yield* keys({ sources: ["user"] }), ["a", "e", "d"])
      assert.deepStrictEqual(yield* keys({ excludeSources: ["seek", "survey"] }), ["a", "c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ excludeSources: [] }), ["a", "b", "c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ taskId: "t2" }), ["e"])
      assert.deepStrictEqual(yield* keys({ taskId: "t3" }), [])
      assert.deepStrictEqual(yield* keys({ excludeThoughts: [row.id, "no id"] }), ["e"])
      assert.deepStrictEqual(yield* keys({ since: DateTime.makeUnsafe(3000) }), ["c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ until: DateTime.makeUnsafe(3000) }), ["a", "b"])
      assert.deepStrictEqual(yield* keys({ trust: "trusted" }), ["a"])
      assert.deepStrictEqual(yield* keys({ metadata: { lang: "en" } }), ["a", "b"])
      assert.deepStrictEqual(yield* keys({ metadata: { lang: "en", team: "x" } }), ["a"])
      assert.deepStrictEqual(yield* keys({ metadata: { lang: "EN" } }), [])
      assert.deepStrictEqual(yield* keys({ metadata: {} }), ["a", "b", "c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ minSimilarity: 0.95 }), ["a", "b"])
      assert.deepStrictEqual(yield* keys({ minSimilarity: 0 }), ["a", "b", "c", "e", "d"])
      assert.deepStrictEqual(yield* keys({ trust: "untrusted", metadata: { lang: "en" }, sources: ["seek"] }), ["b"])
    })

    test("filters by awkward texts exactly", function* (my) {
      const { written, nearest } = yield* filled(
        my.store,
        awkwardTexts.map((text, i) => ({ degrees: i, key: text, source: text, metadata: { [text]: text } }))
      )
      for (const [i, text] of awkwardTexts.entries()) {
        for (const options of [{ keys: [text] }, { sources: [text] }, { metadata: { [text]: text } }]) {
          const found = yield* nearest(options)
          assert.deepStrictEqual(eachNote(found, "id"), [written[i]?.id])
        }
      }
    })

    test("includes a match exactly at the minimal similarity", function* (my) {
      const { nearest } = yield* filled(my.store, [{ degrees: 10 }, { degrees: 33 }, { degrees: 71 }])
      for (const { note, similarity } of yield* nearest()) {
        const found = yield* nearest({ minSimilarity: similarity })
        assert.include(eachNote(found, "id"), note.id)
      }
    })

    test("finds notes of the scope only, even if another scope has the same ids", function* (my) {
      const row = thought()
      const id = uuid()
      const one = yield* filled(my.store, [{ id, degrees: 0 }], row)
      const other = freshScope()
      const near = note(row.id, 1, { id, content: "theirs" })
      yield* my.store.commit(other, commit(row, { notes: [near, note(row.id, 2)] }))
      assert.deepStrictEqual(yield* nearby(my.store, other, one.space, at(0), { limit: 10 }), [])
      assert.strictEqual(yield* my.store.countPending(other, one.space), 2)
      yield* my.store.putVectors(other, one.space, [{ noteId: id, vector: at(80) }])
      const [mine] = yield* one.nearest()
      const [theirs] = yield* nearby(my.store, other, one.space, at(0), { limit: 10 })
      assert.approximately(mine?.similarity ?? 0, 1, 1e-6)
      assert.strictEqual(mine?.note.content, "content 1")
      assert.approximately(theirs?.similarity ?? 0, Math.cos((80 * Math.PI) / 180), 1e-6)
      assert.strictEqual(theirs?.note.content, "theirs")
    })

    test("keeps the vectors of two embedders separate", function* (my) {
      const { scope, space, written } = yield* filled(my.store, [{ degrees: 0 }, { degrees: 90 }])
      const wide = { ...space, dimensions: 3 }
      const renamed = { ...space, embedder: `${space.embedder}\u0000` }
      yield* my.store.openSpace(wide)
      yield* my.store.openSpace(renamed)
      yield* my.store.openSpace(space)
      assert.deepStrictEqual(yield* nearby(my.store, scope, renamed, at(0), { limit: 10 }), [])
      yield* my.store.putVectors(scope, wide, [{ noteId: written[1]!.id, vector: Float32Array.of(0, 0, 1) }])
      const found = yield* nearby(my.store, scope, wide, Float32Array.of(0, 0, 1), { limit: 10 })
      assert.deepStrictEqual(eachNote(found, "id"), [written[1]?.id])
      assert.deepStrictEqual(
        [
          yield* my.store.countPending(scope, space),
          yield* my.store.countPending(scope, wide),
          yield* my.store.countPending(scope, renamed)
        ],
        [0, 1, 2]
      )
    })

    test("replaces the vector of a note and ignores unknown notes", function* (my) {
      const { nearest, scope, space, written } = yield* filled(my.store, [{ degrees: 0 }, { degrees: 50 }])
      yield* my.store.putVectors(scope, space, [
        { noteId: written[0]!.id, vector: at(90) },
        { noteId: uuid(), vector: at(0) },
        { noteId: "no id", vector: at(0) }
      ])
      yield* my.store.putVectors(scope, space, [])
      assert.deepStrictEqual(eachNote(yield* nearest(), "seq"), [2, 1])
    })

    test("stores long vectors precisely enough to order them", function* (my) {
      for (const dimensions of [1, 384, 1536, 3072]) {
        const space = freshSpace(dimensions)
        yield* my.store.openSpace(space)
        const row = thought()
        const written = notes(row.id, 1, [{}, {}, {}])
        yield* my.write(row, { notes: written })
        const vectors = written.map((_, i) =>
          Float32Array.from({ length: dimensions }, (_, j) => Math.sin(1 + j * (i + 1)) / 100)
        )
        const units = vectors.map((vector) => {
          const length = Math.hypot(...vector)
          return vector.map((value) => value / length)
        })
        yield* my.putVectors(
          space,
          written.map(({ id }, i) => ({ noteId: id, vector: units[i]! }))
        )
        const found = yield* my.nearby(space, units[1]!, { limit: 3 })
        if (dimensions > 1) assert.strictEqual(found[0]?.note.id, written[1]?.id)
        assert.strictEqual(found.length, 3)
        for (const { note, similarity } of found) {
          const dot = units[1]!.reduce((sum, value, j) => sum + value * (units[note.seq - 1]?.[j] ?? 0), 0)
          assert.approximately(similarity, Math.max(0, dot), 1e-5)
        }
      }
    })

    test("lists notes without a vector, oldest first", function* (my) {
      const other = freshScope()
      const space = freshSpace()
      const [row, second] = [thought(), thought()]
      const written = notes(row.id, 1, [{ millis: 3000, content: "\u0000\ud800" }, { millis: 4000 }, { millis: 6000 }])
      const elsewhere = note(second.id, 1, { millis: 5000 })
      yield* my.write(row, { notes: written })
      yield* my.store.commit(other, commit(second, { notes: [elsewhere] }))
      yield* my.store.openSpace(space)
      assert.strictEqual(yield* my.countPending(space), 3)
      assert.deepStrictEqual(yield* my.store.pending(space, { scope: my.scope, limit: 2 }), [
        { scope: my.scope, id: written[0]!.id, content: "\u0000\ud800", createdMillis: 3000 },
        { scope: my.scope, id: written[1]!.id, content: "content 2", createdMillis: 4000 }
      ])
      const everywhere = (yield* my.store.pending(space, { limit: 100_000 })).filter(
        (one) => one.scope === my.scope || one.scope === other
      )
      assert.deepStrictEqual(
        new Set(everywhere.map(({ id }) => id)),
        new Set([...written, elsewhere].map(({ id }) => id))
      )
      yield* my.putVectors(space, [{ noteId: written[0]!.id, vector: at(0) }])
      assert.strictEqual(yield* my.countPending(space), 2)
      assert.strictEqual(yield* my.store.countPending(other, space), 1)
      assert.deepStrictEqual(each(yield* my.store.pending(space, { scope: my.scope, limit: 9 }), "id"), [
        written[1]!.id,
        written[2]!.id
      ])
    })
  })
}
