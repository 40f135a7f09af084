import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import { Embedder } from "../Embedder.ts"
import { layerInMemory, type Memory, type MemoryError } from "../Memory.ts"

const dimensions = 64

/** A vector that counts words: each word increases one dimension, so texts with the same words are near each other. */
const vectorOf = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const dimension = (Hash.string(word) >>> 0) % dimensions
    vector[dimension] = (vector[dimension] ?? 0) + 1
  }
  if (vector.every((value) => value === 0)) vector[0] = 1
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/**
 * An embedder for tests that counts words: texts with the same words are near. It loads nothing.
 *
 * @category layers
 */
export const embedder: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  id: "word-count",
  dimensions,
  maxTokens: 100_000,
  metric: "cosine",
  embedMany: (texts) => Effect.sync(() => texts.map(vectorOf))
})

/**
 * A memory with the in-memory store and the word-counting embedder. Every build of the layer starts empty.
 *
 * @category layers
 */
export const memory: Layer.Layer<Memory, MemoryError> = Layer.provide(layerInMemory(), embedder)
