/** What the memory asks of its embedder: a vector for each text it can have one for, and a failure for each other. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { EmbedderError, type Shape as EmbedderShape } from "../Embedder.ts"
import { beginningOf, counterOf } from "./memoryChunks.ts"

/** A vector of length 1, or why there is none. */
export type Outcome = Result.Result<Float32Array, EmbedderError>

export interface Vectors {
  /** The vector of a query; of its beginning where it is longer than the embedder takes. */
  readonly ofQuery: (text: string) => Effect.Effect<Float32Array, EmbedderError>
  /**
   * One outcome for each text: a text that the embedder does not take spoils no other. Fails when it is the embedder that is
   * out of order, and not the texts.
   */
  readonly ofEach: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Outcome>, EmbedderError>
}

/** What every embedder in order can embed. */
const harmless = "note"

export const makeVectors = (embedder: EmbedderShape): Vectors => {
  const refuse = (message: string) => new EmbedderError({ embedder: embedder.id, message, retryable: false })
  const count = counterOf(embedder)

  const unit = (vector: Float32Array): Outcome => {
    if (vector.length !== embedder.dimensions) {
      return Result.fail(
        refuse(`The embedder ${embedder.id} gave a vector that has not ${embedder.dimensions} numbers.`)
      )
    }
    const squared = vector.reduce((sum, value) => sum + value * value, 0)
    if (!(squared > 0 && squared < Number.POSITIVE_INFINITY)) {
      return Result.fail(
        refuse(`The embedder ${embedder.id} gave a vector without a direction: zeros, or numbers that are none.`)
      )
    }
    if (Math.abs(squared - 1) < 1e-6) return Result.succeed(vector)
    const length = Math.sqrt(squared)
    return Result.succeed(vector.map((value) => value / length))
  }

  /** All texts in one call. */
  const call = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>, EmbedderError> =>
    Effect.flatMap(embedder.embedMany(texts), (vectors) =>
      vectors.length === texts.length
        ? Effect.succeed(vectors.map(unit))
        : Effect.fail(
            refuse(
              `The embedder ${embedder.id} gave ${vectors.length} vectors for ${texts.length} texts: one each is due.`
            )
          )
    )
  const first = (outcomes: ReadonlyArray<Outcome>) =>
    Effect.fromResult(outcomes[0] ?? Result.fail(refuse(`The embedder ${embedder.id} gave no vector.`)))

  // what a broken embedder throws may hold texts
  const guarded = (texts: ReadonlyArray<string>) =>
    Effect.catchDefect(call(texts), () => Effect.fail(refuse(`The embedder ${embedder.id} broke while it embedded.`)))

  const part = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.catch(guarded(texts), (error) =>
      texts.length <= 1 ? Effect.succeed(texts.map(() => Result.fail(error))) : halve(texts)
    )

  /** After a call that failed for all texts: which of them are at fault? */
  const halve = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>> => {
    const middle = Math.ceil(texts.length / 2)
    return Effect.zipWith(part(texts.slice(0, middle)), part(texts.slice(middle)), (left, right) => [...left, ...right])
  }

  const ofEach: Vectors["ofEach"] = (texts) =>
    texts.length === 0
      ? Effect.succeed([])
      : Effect.catch(guarded(texts), (error) =>
          Effect.flatMap(
            Effect.result(Effect.flatMap(guarded([harmless]), first)),
            (probe): ReturnType<typeof ofEach> => {
              if (Result.isFailure(probe)) return Effect.fail(error)
              return texts.length === 1 ? Effect.succeed([Result.fail(error)]) : halve(texts)
            }
          )
        )

  const ofQuery: Vectors["ofQuery"] = (text) =>
    Effect.flatMap(call([beginningOf(text, embedder.maxTokens, count)]), first)

  return { ofQuery, ofEach }
}
