/** An embedding model of `effect/ai` as an embedder. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EmbeddingModel } from "effect/ai/EmbeddingModel"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { Embedder, EmbedderError, type Shape } from "../Embedder.ts"
import type { ProviderError } from "../Provider.ts"
import { fromAiError, timeoutOf, tooLate } from "./failure.ts"
import { quoted } from "../text/legible.ts"

/**
 * Options of an embedder: what an embedding model of `effect/ai` does not say about itself.
 *
 * **Details**
 *
 * - `id`: names the space of the vectors, with a version. Vectors with the same id are comparable
 * - `dimensions`: length of every vector
 * - `maxTokens`: the longest text that the model accepts, in its own tokens
 * - `countTokens`: counts these tokens in a text. Default: an estimate
 * - `timeout`: total time for a call, by default 60 seconds
 *
 * @category models
 */
export interface EmbedderOptions {
  readonly id: string
  readonly dimensions: number
  readonly maxTokens: number
  readonly countTokens?: (text: string) => number
  readonly timeout?: Duration.Input
}

const isPositive = (value: number): boolean => Number.isInteger(value) && value > 0

/** The vector with length 1. Undefined if it has no valid length. */
const normalised = (vector: ReadonlyArray<number>): Float32Array | undefined => {
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(vector, (value) => value / length) : undefined
}

/**
 * Makes an embedder of an embedding model of `effect/ai`. Its vectors are scaled to length 1.
 *
 * **Details**
 *
 * Fails with an `EmbedderError`, which is retryable if the model says so. It is not retryable for a vector whose length
 * is not `dimensions`, or that consists of zeros. Throws if `id` is blank, or if `dimensions` or `maxTokens` is not a
 * positive whole number.
 *
 * **Example** (Vectors of length 1)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { EmbeddingModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { EffectAi } from "cogito/effect-ai"
 *
 * const program = Effect.gen(function*() {
 *   const model = yield* EmbeddingModel.make({
 *     embedMany: ({ inputs }) => Effect.succeed({ results: inputs.map(() => [3, 4]), usage: { inputTokens: undefined } })
 *   })
 *   const embedder = EffectAi.fromEmbeddingModel(model, { id: "three-four", dimensions: 2, maxTokens: 100 })
 *   return yield* embedder.embedMany(["Hello"])
 * })
 *
 * assert.deepEqual(await Effect.runPromise(program), [Float32Array.of(0.6, 0.8)])
 * ```
 *
 * @category constructors
 */
export const fromEmbeddingModel = taking("EffectAi.fromEmbeddingModel", {
  args: [kinds.object],
  options: 1,
  known: ["countTokens", "dimensions", "id", "maxTokens", "timeout"],
  texts: ["id"]
})((model: EmbeddingModel, options: EmbedderOptions): Shape => {
  const { countTokens, dimensions, id, maxTokens } = options
  if (!isPositive(dimensions)) throw new Error(`dimensions must be a positive whole number, not ${quoted(dimensions)}.`)
  if (!isPositive(maxTokens)) throw new Error(`maxTokens must be a positive whole number, not ${quoted(maxTokens)}.`)

  const broken = (message: string) => new EmbedderError({ embedder: id, message, retryable: false })
  const caller = { name: "effect-ai", model: id }
  const timeout = timeoutOf(options.timeout)
  const toError = ({ isRetryable, reason }: ProviderError) =>
    new EmbedderError({ embedder: id, message: reason.message, retryable: isRetryable })

  const toVector = (vector: ReadonlyArray<number>): Effect.Effect<Float32Array, EmbedderError> => {
    if (vector.length !== dimensions) {
      return Effect.fail(
        broken(
          `the model sent a vector with ${vector.length} numbers instead of ${dimensions}: correct the option dimensions`
        )
      )
    }
    const found = normalised(vector)
    return found === undefined ? Effect.fail(broken("the model sent a vector without length")) : Effect.succeed(found)
  }

  return {
    id,
    dimensions,
    maxTokens,
    metric: "cosine",
    ...(countTokens !== undefined && { countTokens }),
    embedMany: (texts) =>
      model.embedMany(texts).pipe(
        Effect.mapError((error) => fromAiError(error, caller)),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooLate(caller, timeout)) }),
        Effect.mapError(toError),
        Effect.flatMap(({ embeddings }) => Effect.forEach(embeddings, ({ vector }) => toVector(vector)))
      )
  }
})

/**
 * Provides the embedding model of `effect/ai` in the context as an embedder, as `fromEmbeddingModel` does.
 *
 * **Example** (A memory over it)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { EmbeddingModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { Embedder } from "cogito"
 * import { EffectAi } from "cogito/effect-ai"
 *
 * const model = Layer.effect(
 *   EmbeddingModel.EmbeddingModel,
 *   EmbeddingModel.make({
 *     embedMany: ({ inputs }) => Effect.succeed({ results: inputs.map(() => [1, 0]), usage: { inputTokens: undefined } })
 *   })
 * )
 * const embedder = EffectAi.embedder({ id: "one@1", dimensions: 2, maxTokens: 100 }).pipe(Layer.provide(model))
 *
 * const id = await Effect.runPromise(Effect.provide(Effect.map(Embedder.Embedder, (it) => it.id), embedder))
 * assert.equal(id, "one@1")
 * ```
 *
 * @category layers
 */
export const embedder = taking("EffectAi.embedder", {
  options: 0,
  known: ["countTokens", "dimensions", "id", "maxTokens", "timeout"]
})((options: EmbedderOptions): Layer.Layer<Embedder, never, EmbeddingModel> =>
  Layer.effect(
    Embedder,
    Effect.map(EmbeddingModel, (model) => fromEmbeddingModel(model, options))
  )
)
