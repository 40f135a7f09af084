import { assert, describe, it } from "@effect/vitest"
import { Store } from "cogito"
import { Effect } from "effect"
import { library } from "../../src/testing/contract/stage/library.ts"
import { at, freshSpace } from "../../src/testing/contract/stage/scene.ts"
import { storeContract } from "../contract/run.ts"

storeContract("plain memory", Store.makeInMemory)

describe("plain memory", () => {
  it.effect("keeps vectors unchanged if the arrays they came in change", () =>
    Effect.gen(function* () {
      const { add, nearby, putVectors, space } = yield* library(yield* Store.makeInMemory)
      const { written } = yield* add([{ degrees: 0 }])
      const vector = at(60)
      const [id = ""] = written.map((note) => note.id)
      yield* putVectors(space, [{ noteId: id, vector }])
      vector.set(at(0))
      const [found] = yield* nearby(space, at(0), {})
      assert.approximately(found?.similarity ?? Number.NaN, 0.5, 1e-6)
    })
  )

  it.effect("gives the vector of the part of a note that is nearest to the question", () =>
    Effect.gen(function* () {
      const { add, matches, putVectors, space } = yield* library(yield* Store.makeInMemory)
      const { written } = yield* add(["a long text"])
      const [noteId = ""] = written.map(({ id }) => id)
      yield* putVectors(
        space,
        [90, 10, 40].map((degrees, chunk) => ({ noteId, chunk, vector: at(degrees) }))
      )
      for (const [degrees, nearest] of [
        [0, 10],
        [50, 40],
        [100, 90]
      ] as const) {
        const [found] = yield* matches({ vector: at(degrees), vectors: true })
        assert.deepStrictEqual(found?.vector, at(nearest))
      }
    })
  )

  it.effect("gives notes at the same distance the same rank, and the next note the rank after all of them", () =>
    Effect.gen(function* () {
      const { add, matches } = yield* library(yield* Store.makeInMemory)
      yield* add({ near: 0, one: 30, two: 30, three: 30, far: 60, further: 80 })
      const found = yield* matches({ vector: at(0) })
      assert.deepStrictEqual(Object.fromEntries(found.map(({ note, ranks }) => [note.content, ranks.vector])), {
        near: 1,
        one: 2,
        two: 2,
        three: 2,
        far: 5,
        further: 6
      })
    })
  )

  it.effect(
    "finds a note with exactly the vector of the query, even if the filter requires the highest similarity",
    () =>
      Effect.gen(function* () {
        const { add, texts } = yield* library(yield* Store.makeInMemory)
        yield* add({ same: 0, near: 1 })
        for (const [filter, expected] of [
          [{ minSimilarity: 1 }, ["same"]],
          [{ maxDistance: 0 }, ["same"]],
          [{ minSimilarity: 0.99 }, ["same", "near"]]
        ] as const) {
          assert.deepStrictEqual(yield* texts({ vector: at(0), filter }), expected)
        }
      })
  )

  it.effect("shows the newest copy from a time that the query names, or else the newest copy", () =>
    Effect.gen(function* () {
      const { add, matches } = yield* library(yield* Store.makeInMemory)
      const copies = [10, 20, 30, 40, 50].map((millis) => ({ content: "plums", millis }))
      const { written } = yield* add([copies[2]!, copies[0]!, copies[4]!, copies[1]!, copies[3]!])
      const shown = (fromMillis: number, untilMillis: number) =>
        Effect.map(matches({ text: "plums", dates: { weight: 1, periods: [{ fromMillis, untilMillis }] } }), (found) =>
          found.map(({ copies: count, note }) => [count, note.created.epochMilliseconds])
        )
      assert.lengthOf(written, 5)
      assert.deepStrictEqual(yield* shown(15, 45), [[5, 40]])
      assert.deepStrictEqual(yield* shown(0, 11), [[5, 10]])
      assert.deepStrictEqual(yield* shown(60, 70), [[5, 50]])
    })
  )

  it.effect("counts the vectors of every part of a note, and zero for a note without vectors", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { add, putVectors, space } = yield* library(store)
      const counts = Effect.map(store.optimize({}), (spaces) => spaces.map(({ vectors }) => vectors))
      assert.deepStrictEqual(yield* counts, [0])
      const { written } = yield* add(["a long text", "short"])
      const [long = "", short = ""] = written.map(({ id }) => id)
      yield* putVectors(space, [
        { noteId: long, chunk: 0, vector: at(1) },
        { noteId: long, chunk: 1, vector: at(2) },
        { noteId: short, vector: at(3) }
      ])
      assert.deepStrictEqual(yield* counts, [3])
    })
  )

  it.effect("lets another embedder take over without vectors, unless the one before has some", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { add, space } = yield* library(store)
      const [second, third] = [freshSpace(), freshSpace()]
      yield* store.openSpace(second)
      yield* store.activateSpace(second)
      yield* store.activateSpace(space)
      yield* add({ apples: 0 })
      yield* store.openSpace(third)
      const { message } = yield* Effect.flip(store.activateSpace(third))
      assert.include(message, "has no vectors")
      const states = Effect.map(store.spaces, (known) => known.map(({ state }) => state))
      assert.deepStrictEqual(yield* states, ["active", "retired", "building"])
      // a retired one can be built again
      yield* store.openSpace(second)
      assert.deepStrictEqual(yield* states, ["active", "building", "building"])
    })
  )

  it.effect("says when it is optimized how many vectors the largest scope has in each space, and needs no index", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      assert.deepStrictEqual(yield* store.optimize({}), [])
      const { add, putVectors, space } = yield* library(store)
      const building = freshSpace()
      yield* store.openSpace(building)
      const { written } = yield* add({ apples: 0, pears: 90 })
      const [noteId = ""] = written.map(({ id }) => id)
      yield* putVectors(
        space,
        [0, 1, 2].map((chunk) => ({ noteId, chunk, vector: at(chunk) }))
      )
      const other = yield* library(store)
      const { written: elsewhere } = yield* other.add(["one", "two", "three"])
      yield* other.putVectors(
        space,
        elsewhere.map((one) => ({ noteId: one.id, vector: at(1) }))
      )
      const none = { index: "none", change: "none" } as const
      for (const index of [undefined, "auto", "create", "drop"] as const) {
        assert.deepStrictEqual(yield* store.optimize(index === undefined ? {} : { index }), [
          { ...space, state: "active", vectors: 4, ...none },
          { ...building, state: "building", vectors: 0, ...none },
          { ...other.space, state: "building", vectors: 0, ...none }
        ])
      }
    })
  )
})
