/** Embedders for tests that count what they are asked, and do not take every text. */
import { Effect, Layer, Latch } from "effect"
import { Embedder } from "cogito"
import { Testing } from "cogito/testing"

/** Words as `Testing.embedder` counts them, in as many dimensions. */
const wordCount = Effect.provide(Embedder.Embedder, Testing.embedder)

interface Mood {
  /** Each call's texts. */
  readonly calls: Array<ReadonlyArray<string>>
  /** Closed, calls wait. */
  readonly gate: Latch.Latch
  /** What is wrong with these texts of one call, if anything. */
  fails: (texts: ReadonlyArray<string>) => "for now" | "for good" | "by defect" | undefined
}

/** An embedder that counts words, as long as it is in the mood. */
export const moody = (more: Partial<Embedder.Shape> = {}) =>
  Effect.map(wordCount, (words) => {
    const mood: Mood = { calls: [], gate: Latch.makeUnsafe(true), fails: () => undefined }
    const embedder: Embedder.Shape = {
      ...words,
      ...more,
      embedMany: Effect.fnUntraced(function* (texts) {
        mood.calls.push(texts)
        yield* mood.gate.await
        const failure = mood.fails(texts)
        if (failure === "by defect") return yield* Effect.die(new Error(texts.join()))
        if (failure !== undefined) {
          return yield* new Embedder.EmbedderError({
            embedder: "moody",
            message: "it is in no mood",
            retryable: failure === "for now"
          })
        }
        return yield* (more.embedMany ?? words.embedMany)(texts)
      })
    }
    return { mood, embedder, layer: Layer.succeed(Embedder.Embedder, embedder) }
  })
