/** Embedders of other code: what a memory refuses at its start, and what it makes of wrong answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Embedder, Memory, Store, Thought } from "cogito"
import { moody } from "./embedder.ts"

/** A memory whose embedder has other fields than it must. */
const opened = (more: object) =>
  Effect.flatMap(moody(), ({ embedder }) =>
    Effect.flatMap(Store.makeInMemory, (store) =>
      Effect.provideService(
        Memory.make({ store, scope: "local" }),
        Embedder.Embedder,
        // code without a compiler may give anything
        { ...embedder, ...more } as Embedder.Shape
      )
    )
  )

describe("an embedder of other code", () => {
  it.effect("is refused with the field that is missing or wrong", () =>
    Effect.gen(function* () {
      const name = "id needs a name with a version, which is a string"
      const dimensions = "dimensions needs a whole number from 1 to 16000"
      for (const [more, lack] of [
        [{ id: undefined }, name],
        [{ id: " " }, name],
        [{ dimensions: 0 }, dimensions],
        [{ dimensions: 1.5 }, dimensions],
        [{ dimensions: 16_001 }, dimensions],
        [{ dimensions: "3" }, dimensions],
        [{ maxTokens: 0 }, "maxTokens needs a number from 1"],
        [{ maxTokens: undefined }, "maxTokens needs a number from 1"],
        [{ metric: undefined }, 'metric needs to be "cosine"'],
        [{ metric: "l2" }, 'metric needs to be "cosine"'],
        [{ embedMany: undefined }, "embedMany needs a function"]
      ] as const) {
        const { reason } = yield* Effect.flip(opened({ id: "own@1", ...more }))
        const id = "id" in more ? String(more.id) : "own@1"
        assert.deepStrictEqual(reason, { _tag: "Query", message: `The embedder "${id}" cannot be used: ${lack}.` })
      }
      for (const more of [{ dimensions: 1 }, { dimensions: 16_000 }, { maxTokens: 1 }, { maxTokens: Infinity }]) {
        assert.isDefined(yield* opened(more))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is refused as the embedder before, too", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { embedder } = yield* moody()
      const { previous, ...rest } = { previous: { ...embedder, id: "old@1", dimensions: 0 }, ...embedder }
      const { message } = yield* Effect.flip(
        Effect.provideService(
          Memory.make({ store, scope: "local", onEmbedderChange: "rebuild", previousEmbedder: previous }),
          Embedder.Embedder,
          rest
        )
      )
      assert.match(message, /^The embedder "old@1" cannot be used: dimensions needs/)
    }).pipe(Effect.scoped)
  )

  it.effect("fails typed with an error of its own, or with arrays, and says why without the text", () =>
    Effect.gen(function* () {
      for (const [embedMany, message] of [
        [() => Effect.fail({ secret: "canary" }), /failed unexpectedly/],
        [
          (texts: ReadonlyArray<string>) => Effect.succeed(texts.map(() => [1, 0, 0])),
          /returned a vector that is no Float32Array: convert it with Float32Array\.from/
        ]
      ] as const) {
        const memory = yield* opened({ dimensions: 3, embedMany })
        yield* memory.commit(yield* Thought.make("triage", { message: "canary" }))
        const { reason } = yield* Effect.flip(memory.embedPending)
        assert.strictEqual(reason._tag === "EmbedderFailed" && reason.retryable, false)
        assert.match(reason.message, message)
        assert.notInclude(reason.message, "canary")
        const found = yield* Effect.flip(memory.search("canary"))
        assert.strictEqual(found.reason._tag, "EmbedderFailed")
      }
    }).pipe(Effect.scoped)
  )
})
