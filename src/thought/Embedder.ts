import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * How near two vectors are. Cosine: 1 minus the cosine of the angle, in [0, 2]. Vectors are normalised when stored.
 *
 * @category models
 */
type Metric = "cosine"

/**
 * An embedder could not turn text into vectors.
 *
 * `retryable` says whether the same call may succeed later. The message never holds the text.
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
 * What an embedder offers.
 *
 * @category models
 */
export interface Shape {
  /** Names the space of its vectors, with version: `"use-lite-en@0.2.0"`. Same id, comparable vectors. */
  readonly id: string
  /** Length of every vector. */
  readonly dimensions: number
  /** Longest input in the embedder's own tokens. Longer notes are embedded in parts. */
  readonly maxTokens: number
  /** How many of its tokens a text is. Default: an estimate, `Session.estimateTokens`. */
  readonly countTokens?: (text: string) => number
  readonly metric: Metric
  /** One vector a text, in the order given; an empty list gives an empty list. Every vector has length 1. */
  readonly embedMany: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
}

/**
 * The embedder in use.
 *
 * @category services
 */
export class Embedder extends Context.Service<Embedder, Shape>()("cogito/Embedder") {}
