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
