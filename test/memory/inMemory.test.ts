import { assert, describe, it } from "@effect/vitest"
import { Store } from "cogito"
import { Effect } from "effect"
import { library } from "../../src/testing/contract/stage/library.ts"
import { at } from "../../src/testing/contract/stage/scene.ts"
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
})
