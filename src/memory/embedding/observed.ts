/** One call of an embedder, with a span and signals. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { emit, isHeard, isTraced, traced } from "../../run/run.ts"
import { describe } from "../../run/within.ts"
import type { EmbedderError, Shape as EmbedderShape } from "../../thought/Embedder.ts"

/** Runs a call for the vectors of this number of texts in a span, and signals how it ended. */
export const observed = <A>(
  { dimensions, id }: EmbedderShape,
  texts: number,
  call: Effect.Effect<A, EmbedderError>
): Effect.Effect<A, EmbedderError> =>
  Effect.withFiber((fiber) => {
    const heard = isHeard(fiber, "EmbeddingCompleted", "EmbeddingFailed")
    if (!heard && !isTraced(fiber)) return call
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.currentTimeMillisUnsafe()
    const ended = Effect.onExit(call, (exit) => {
      const about = { embedder: id, texts, durationMillis: clock.currentTimeMillisUnsafe() - start }
      if (Exit.isSuccess(exit)) return emit(undefined, "EmbeddingCompleted", () => about)
      const { cause } = exit
      const refusal = cause.reasons.find(Cause.isFailReason)?.error
      const retryable = refusal?.retryable ?? Cause.hasInterrupts(cause)
      return Effect.andThen(
        emit(undefined, "EmbeddingFailed", () => ({ ...about, error: describe(cause), retryable })),
        Effect.annotateCurrentSpan("error.type", describe(cause))
      )
    })
    return traced(
      fiber,
      ended,
      `embeddings ${id}`,
      () => ({
        "gen_ai.operation.name": "embeddings",
        // an embedder does not say whose it is
        "gen_ai.provider.name": "_OTHER",
        "gen_ai.request.model": id,
        "gen_ai.embeddings.dimension.count": dimensions,
        "cogito.embeddings.texts": texts
      }),
      "client"
    )
  })
