import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Embedder, Memory, Signal, Thought } from "cogito"
import { moody } from "./embedder.ts"

/** A memory whose embedder's calls are kept as signals, of searches and of its worker. */
const watched = (layer: Layer.Layer<Embedder.Embedder>) => {
  const signals: Array<object> = []
  const listener = Signal.layer((signal) => {
    if (signal._tag === "EmbeddingCompleted") signals.push({ texts: signal.texts })
    if (signal._tag !== "EmbeddingFailed") return
    const { error, retryable, texts } = signal
    signals.push({ texts, error, retryable })
  })
  const memory = Layer.fresh(Layer.provide(Memory.layerInMemory(), layer))
  return { signals, memory: Layer.provideMerge(memory, listener) }
}

const remember = (notes: Readonly<Record<string, string>>) =>
  Effect.flatMap(Thought.make("remember", notes), (thought) => Memory.Memory.use((memory) => memory.commit(thought)))

describe("a call of the embedder that fails", () => {
  it.effect("is signalled as interrupted, and as worth another try, if nobody waits for it any more", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      const { memory, signals } = watched(layer)
      yield* Effect.gen(function* () {
        mood.gate.closeUnsafe()
        const late = yield* Effect.forkChild(Memory.search("too late", { limit: 1 }))
        yield* TestClock.adjust("11 seconds")
        yield* Fiber.join(late)
        const stopped = yield* Effect.forkChild(Memory.search("stopped", { limit: 1 }), { startImmediately: true })
        for (let i = 0; i < 20 && mood.calls.length < 2; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(stopped)
        for (let i = 0; i < 20 && signals.length < 2; i++) yield* Effect.yieldNow
      }).pipe(Effect.provide(memory))
      const interrupted = { texts: 1, error: "Interrupted", retryable: true }
      assert.deepStrictEqual(signals, [interrupted, interrupted])
    })
  )

  it.effect("is signalled with what its error says, and each smaller call after it, too", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      const { memory, signals } = watched(layer)
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.includes("bad") ? "for good" : undefined)
        yield* remember({ a: "first", b: "second", c: "bad", d: "fourth" })
        yield* Memory.Memory.use((memory) => memory.flush)
        const refused = (texts: number) => ({ texts, error: "EmbedderError", retryable: false })
        // all, a harmless text, and the halves
        assert.deepStrictEqual(signals.splice(0), [
          refused(4),
          { texts: 1 },
          { texts: 2 },
          refused(2),
          refused(1),
          { texts: 1 }
        ])
        // a half that may do later is left alone until then
        mood.fails = (texts) => (texts.length > 2 ? "for good" : texts.includes("worse") ? "for now" : undefined)
        yield* remember({ a: "fifth", b: "sixth", c: "worse", d: "eighth" })
        yield* Memory.Memory.use((memory) => memory.flush)
        assert.deepStrictEqual(signals.splice(0), [
          refused(4),
          { texts: 1 },
          { texts: 2 },
          { ...refused(2), retryable: true }
        ])
        for (const [failure, error, retryable] of [
          ["for now", "EmbedderError", true],
          ["by defect", "Defect", false]
        ] as const) {
          mood.fails = () => failure
          yield* Effect.exit(Memory.search("query", { limit: 1 }))
          assert.deepStrictEqual(signals.splice(0)[0], { texts: 1, error, retryable })
        }
      }).pipe(Effect.provide(memory))
    })
  )

  it.effect("is signalled to who listens to nothing else", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      const heard: Array<string> = []
      const memory = Layer.fresh(Layer.provide(Memory.layerInMemory(), layer))
      mood.fails = () => "for now"
      yield* Memory.search("query", { limit: 1 }).pipe(
        Signal.on("EmbeddingFailed", ({ error }) => void heard.push(error)),
        Effect.exit,
        Effect.provide(memory)
      )
      assert.deepStrictEqual(heard, ["EmbedderError"])
      // and if tracing is disabled
      mood.fails = () => undefined
      yield* Memory.search("query", { limit: 1 }).pipe(
        Signal.on("EmbeddingCompleted", ({ texts }) => void heard.push(`${texts} embedded`)),
        Effect.withTracerEnabled(false),
        Effect.provide(memory)
      )
      assert.deepStrictEqual(heard, ["EmbedderError", "1 embedded"])
    })
  )
})
