/** The memory's calls to its embedder: a vector or a failure for each text. */
import { observed } from "./observed.ts"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { EmbedderError, type Shape as EmbedderShape } from "../../thought/Embedder.ts"
import { beginningOf, counterOf } from "./chunks.ts"

/** A vector of length 1, or the reason why the value cannot be one. */
type Outcome = Result.Result<Float32Array, EmbedderError>

export interface Vectors {
  /**
   * The vector of a query, or of its beginning if it is longer than the embedder accepts. Undefined if the embedder has no
   * vector for this query but works for others.
   */
  readonly ofQuery: (text: string) => Effect.Effect<Float32Array | undefined, EmbedderError>
  /**
   * One outcome for each text: a text that the embedder refuses does not affect the others. Fails if the embedder itself is
   * out of order.
   */
  readonly ofEach: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Outcome>, EmbedderError>
}

/** A text that every working embedder can embed. */
const harmless = "note"

/** How long a call for notes may take. */
const notesDeadline = "2 minutes"
/** How long all calls for one query may take together, or the call for the harmless text. */
const shortDeadline = "10 seconds"
/** If an embedder refuses a query that should be short enough, half of it may be accepted. */
const queryHalvings = 2

export const makeVectors = (embedder: EmbedderShape): Vectors => {
  const refuse = (message: string) => new EmbedderError({ embedder: embedder.id, message, retryable: false })
  const count = counterOf(embedder)

  const unit = (vector: Float32Array): Outcome => {
    // code without a compiler may return arrays
    if (!(vector instanceof Float32Array)) {
      const message = `The embedder ${embedder.id} returned a vector that is no Float32Array: convert it with Float32Array.from.`
      return Result.fail(refuse(message))
    }
    if (vector.length !== embedder.dimensions) {
      return Result.fail(
        refuse(
          `The embedder ${embedder.id} returned a vector whose length is not ${embedder.dimensions}: correct the embedder's dimensions.`
        )
      )
    }
    const squared = vector.reduce((sum, value) => sum + value * value, 0)
    if (!(squared > 0 && squared < Number.POSITIVE_INFINITY)) {
      return Result.fail(
        refuse(`The embedder ${embedder.id} returned a vector without a direction: all zeros, or not finite.`)
      )
    }
    if (Math.abs(squared - 1) < 1e-6) return Result.succeed(vector)
    const length = Math.sqrt(squared)
    return Result.succeed(vector.map((value) => value / length))
  }

  const broke = refuse(`The embedder ${embedder.id} failed unexpectedly.`)
  const silent = new EmbedderError({
    embedder: embedder.id,
    message: `The embedder ${embedder.id} did not answer in time.`,
    retryable: true
  })

  const answer = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>, EmbedderError> =>
    Effect.flatMap(observed(embedder, texts.length, embedder.embedMany(texts)), (vectors) =>
      vectors.length === texts.length
        ? Effect.succeed(vectors.map(unit))
        : Effect.fail(
            refuse(
              `The embedder ${embedder.id} returned ${vectors.length} vectors for ${texts.length} texts; it must return one for each.`
            )
          )
    )

  /**
   * A call on a fiber of its own: a caller can stop waiting even if the call cannot be interrupted. Errors
   * never repeat what a broken embedder throws, as it may contain texts.
   */
  const call = Effect.fnUntraced(function* <A>(
    request: () => Effect.Effect<A, EmbedderError>
  ): Effect.fn.Return<A, EmbedderError> {
    const fiber = yield* Effect.forkDetach(Effect.suspend(request), { startImmediately: true })
    const stop = Effect.sync(() => fiber.interruptUnsafe())
    const exit = yield* Effect.onInterrupt(Fiber.await(fiber), () => stop)
    if (Exit.isSuccess(exit)) return exit.value
    const error = Result.getOrElse(Cause.findError(exit.cause), () => broke)
    // an embedder of other code may fail with anything
    return yield* error instanceof EmbedderError ? error : broke
  })
  const within = <A>(deadline: Duration.Input, asking: Effect.Effect<A, EmbedderError>) =>
    Effect.timeoutOrElse(asking, { duration: deadline, orElse: () => Effect.fail(silent) })
  const ofTexts = (texts: ReadonlyArray<string>) =>
    within(
      notesDeadline,
      call(() => answer(texts))
    )

  const first = (outcomes: ReadonlyArray<Outcome>) =>
    Effect.fromResult(outcomes[0] ?? Result.fail(refuse(`The embedder ${embedder.id} returned no vector.`)))
  const ofOne = (text: string) =>
    Effect.flatMap(
      call(() => answer([text])),
      first
    )
  const { embedQuery } = embedder
  const ofOneQuery =
    embedQuery === undefined
      ? ofOne
      : (text: string) =>
          Effect.flatMap(
            call(() => observed(embedder, 1, embedQuery(text))),
            (vector) => Effect.fromResult(unit(vector))
          )

  const part = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.catch(ofTexts(texts), (error) =>
      texts.length <= 1 || error.retryable ? Effect.succeed(texts.map(() => Result.fail(error))) : halve(texts)
    )

  /** After a call that failed for all texts: finds those that cause the failure. */
  const halve = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Outcome>> => {
    const middle = Math.ceil(texts.length / 2)
    return Effect.zipWith(part(texts.slice(0, middle)), part(texts.slice(middle)), (left, right) => [...left, ...right])
  }

  const ofEach: Vectors["ofEach"] = (texts) =>
    texts.length === 0
      ? Effect.succeed([])
      : Effect.catch(ofTexts(texts), (error) =>
          Effect.flatMap(Effect.result(within(shortDeadline, ofOne(harmless))), (probe): ReturnType<typeof ofEach> => {
            if (Result.isFailure(probe)) return Effect.fail(error)
            // texts that may succeed later are not tried again at once, in more calls
            return texts.length === 1 || error.retryable
              ? Effect.succeed(texts.map(() => Result.fail(error)))
              : halve(texts)
          })
        )

  /** Shortens a query that is too long for the embedder. A query without a vector, although others have one, is left to the words. */
  const ofQuery: Vectors["ofQuery"] = (text) => {
    const attempt = (
      asked: string,
      limit: number,
      halvingsLeft: number
    ): Effect.Effect<Float32Array | undefined, EmbedderError> =>
      Effect.catch(ofOneQuery(asked), (error) => {
        if (error.retryable) return Effect.fail(error)
        const shorter = halvingsLeft > 0 ? beginningOf(asked, Math.ceil(limit / 2), count) : asked
        if (shorter.length < asked.length) return attempt(shorter, limit / 2, halvingsLeft - 1)
        return Effect.matchEffect(ofOne(harmless), {
          onFailure: () => Effect.fail(error),
          onSuccess: () => Effect.undefined
        })
      })
    const { maxTokens } = embedder
    return within(shortDeadline, attempt(beginningOf(text, maxTokens, count), maxTokens, queryHalvings))
  }

  return { ofQuery, ofEach }
}
