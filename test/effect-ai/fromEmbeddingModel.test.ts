import { assert, describe, it } from "@effect/vitest"
import { EffectAi } from "cogito/effect-ai"
import { Duration, Effect, Fiber } from "effect"
import { AiError, EmbeddingModel } from "effect/ai"
import { TestClock } from "effect/testing"
import { assertClean, prompt } from "../faults/clean.ts"

const options = { id: "house@1", dimensions: 2, maxTokens: 100 }

/** An embedder over a model that gives these vectors, with the texts that it was asked for. */
const embedderOf = Effect.fnUntraced(function* (answer: ReadonlyArray<Array<number>> | AiError.AiError) {
  const asked: Array<ReadonlyArray<string>> = []
  const model = yield* EmbeddingModel.make({
    embedMany: ({ inputs }) =>
      Effect.suspend(() => {
        asked.push(inputs)
        if (AiError.isAiError(answer)) return Effect.fail(answer)
        return Effect.succeed({ results: [...answer], usage: { inputTokens: 1 } })
      })
  })
  return { asked, embedder: EffectAi.fromEmbeddingModel(model, options) }
})

describe("an embedding model of effect/ai", () => {
  it.effect("embeds all texts in order, and its vectors are scaled to length 1", () =>
    Effect.gen(function* () {
      const { asked, embedder } = yield* embedderOf([
        [3, 4],
        [0, -2]
      ])
      assert.deepStrictEqual(yield* embedder.embedMany(["a", "b"]), [Float32Array.of(0.6, 0.8), Float32Array.of(0, -1)])
      assert.deepStrictEqual(asked, [["a", "b"]])
      assert.deepInclude(embedder, { ...options, metric: "cosine" })
      assert.deepStrictEqual(yield* embedder.embedMany([]), [])
    })
  )

  it.effect("fails if vectors are missing, of another length, or zero", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<Array<number>>, boolean]> = [
        [[], true],
        [[[1, 2, 3]], false],
        [[[0, 0]], false]
      ]
      for (const [vectors, retryable] of cases) {
        const { embedder } = yield* embedderOf(vectors)
        const error = yield* Effect.flip(embedder.embedMany([prompt]))
        assertClean(error)
        assert.deepStrictEqual([error._tag, error.embedder, error.retryable], ["EmbedderError", "house@1", retryable])
      }
    })
  )

  it.effect("fails with the matching reason, without the text of the model", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [AiError.AiErrorReason, boolean]> = [
        [new AiError.RateLimitError({ retryAfter: Duration.seconds(1) }), true],
        [new AiError.InternalProviderError({ description: "canary" }), true],
        [new AiError.AuthenticationError({ kind: "InvalidKey", description: "canary" }), false]
      ]
      for (const [reason, retryable] of cases) {
        const { embedder } = yield* embedderOf(AiError.make({ module: "House", method: "embedMany", reason }))
        const error = yield* Effect.flip(embedder.embedMany([prompt]))
        assertClean(error)
        assert.strictEqual(error.retryable, retryable)
      }
    })
  )

  it.effect("says why it fails, and fails if the model takes too long", () =>
    Effect.gen(function* () {
      const wrong = yield* embedderOf([[1, 2, 3]])
      assert.include(
        (yield* Effect.flip(wrong.embedder.embedMany(["a"]))).message,
        "sent a vector with 3 numbers instead of 2: correct the option dimensions"
      )
      const model = yield* EmbeddingModel.make({ embedMany: () => Effect.never })
      const slow = EffectAi.fromEmbeddingModel(model, { ...options, timeout: "2 seconds" })
      const fiber = yield* Effect.forkChild(Effect.flip(slow.embedMany(["a"])))
      yield* TestClock.adjust("2 seconds")
      const { message, retryable } = yield* Fiber.join(fiber)
      assert.include(message, "within 2s")
      assert.isTrue(retryable)
    })
  )

  it("counts tokens only with the given function", () => {
    const model = {} as EmbeddingModel.EmbeddingModel
    assert.notProperty(EffectAi.fromEmbeddingModel(model, options), "countTokens")
    const counting = EffectAi.fromEmbeddingModel(model, { ...options, countTokens: (text) => text.length })
    assert.strictEqual(counting.countTokens?.("four"), 4)
  })

  it("throws for invalid options", () => {
    // never used: the options are checked first
    const model = {} as EmbeddingModel.EmbeddingModel
    assert.throws(
      () => EffectAi.fromEmbeddingModel(model, { ...options, id: " " }),
      /needs a non-empty string as the option id/
    )
    assert.throws(() => EffectAi.fromEmbeddingModel(model, { ...options, dimensions: 0 }), /dimensions must be/)
    assert.throws(() => EffectAi.fromEmbeddingModel(model, { ...options, maxTokens: 1.5 }), /maxTokens must be/)
  })
})
