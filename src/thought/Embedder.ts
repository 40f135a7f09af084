import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The distance of two vectors. Cosine: 1 minus the cosine of the angle, in [0, 2]. Vectors are normalised when they are
 * stored.
 *
 * @category models
 */
type Metric = "cosine"

/**
 * An embedder failed to turn text into vectors.
 *
 * `retryable` says whether the same call may succeed later. The message never contains the text.
 *
 * @category errors
 */
export class EmbedderError extends Schema.TaggedError<EmbedderError>()("EmbedderError", {
  embedder: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * The implementation of an embedder.
 *
 * @category models
 */
export interface Shape {
  /**
   * Identifies the space of its vectors, with a version: `"use-lite-en@0.2.0"`. Vectors with the same id are
   * comparable.
   */
  readonly id: string
  /** Length of every vector. */
  readonly dimensions: number
  /** Maximum length of an input in the embedder's own tokens. Longer notes are embedded in parts. */
  readonly maxTokens: number
  /** Counts its tokens in a text. Default: the estimate `Session.estimateTokens`. */
  readonly countTokens?: (text: string) => number
  readonly metric: Metric
  /** Returns one vector per text, in the same order. An empty list returns an empty list. Every vector has length 1. */
  readonly embedMany: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
  /**
   * Returns the vector of a search's query, which is to be compared with those of notes. A search waits for it, so it should
   * come before texts that wait in `embedMany`; some models also expect queries in another form than notes. Default:
   * `embedMany` with the query alone.
   */
  readonly embedQuery?: (text: string) => Effect.Effect<Float32Array, EmbedderError>
}

/**
 * The embedder in use.
 *
 * @category services
 */
export class Embedder extends Context.Service<Embedder, Shape>()("cogito/Embedder") {}
