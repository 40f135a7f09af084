import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { shared } from "../sql/memoryOptions.ts"

const message = "The memory's dataDir must be the path of a directory; leave it out for a memory without files."

describe("the options of an embedded memory", () => {
  it.effect("are refused if dataDir is not a path", () =>
    Effect.gen(function* () {
      for (const dataDir of ["", " ", "\t\n", "memory://", "idb://memory", "file:///tmp/memory", "postgres://a@b/c"]) {
        for (const made of [
          PgliteMemory.makeStore({ dataDir }),
          Effect.asVoid(Layer.build(PgliteMemory.layer({ dataDir, embedder: "none" })))
        ]) {
          const { reason } = yield* Effect.flip(Effect.asVoid(made))
          assert.deepStrictEqual(reason, { _tag: "Connection", retryable: false, message })
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("of a layer include all that are documented, and no misspelled ones", () =>
    Effect.gen(function* () {
      const all: PgliteMemory.Options & { readonly embedder: "none" } = {
        dataDir: " ",
        thread: false,
        ...shared
      }
      const { reason } = yield* Effect.flip(Effect.scoped(Layer.build(PgliteMemory.layer(all))))
      assert.strictEqual(reason.message, message)
      for (const name of Object.keys(all)) {
        assert.throws(() => PgliteMemory.layer({ [`${name}s`]: 1 }), name)
      }
    })
  )
})
