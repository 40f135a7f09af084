import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Embedder, Memory, Thought } from "cogito"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { moody } from "./embedder.ts"

// When the memory asks an embedder again, and for what.

const inMemory = (embedder: Layer.Layer<Embedder.Embedder>) =>
  Effect.provide(Layer.fresh(Layer.provide(Memory.layerInMemory(), embedder)))

const remember = (notes: Readonly<Record<string, string>>) =>
  Effect.flatMap(Thought.make("remember", notes), (thought) => Memory.Memory.use((memory) => memory.commit(thought)))
const pending = Memory.Memory.use((memory) => memory.pending)
const flush = Memory.Memory.use((memory) => memory.flush)

describe("a note that is refused for now", () => {
  it.effect("is tried again ever less often, though other notes are embedded", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.includes("missed") ? "for now" : undefined)
        yield* remember({ a: "missed" })
        yield* flush
        yield* TestClock.adjust("1 hour")
        const tries = mood.calls.filter((texts) => texts.includes("missed")).length
        assert.isTrue(tries > 30 && tries < 100, String(tries))
        mood.fails = () => undefined
        yield* TestClock.adjust("90 seconds")
        assert.strictEqual(yield* pending, 0)
        // it is as quick to try again after that
        mood.fails = (texts) => (texts.includes("another") ? "for now" : undefined)
        yield* remember({ a: "another" })
        yield* flush
        mood.fails = () => undefined
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* pending, 0)
      }).pipe(inMemory(layer))
    })
  )
})

describe("a query that the embedder refuses", () => {
  it.effect("is halved twice, and no more", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        yield* remember({ a: "apples" })
        yield* flush
        for (const [longest, vector] of [
          [45, "ok"],
          [20, "unavailable"]
        ] as const) {
          mood.calls.length = 0
          mood.fails = (texts) => (texts.some((text) => text.length > longest) ? "for good" : undefined)
          const { arms } = yield* Memory.search("apples ".repeat(100), { limit: 1 })
          assert.strictEqual(arms.vector, vector)
          assert.lengthOf(
            mood.calls.filter(([text]) => text !== "note"),
            3
          )
        }
      }).pipe(inMemory(layer))
    })
  )
})

describe("a search that notices notes without vectors", () => {
  it.effect("does not delay when they are looked for", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder } = yield* moody()
      const { embedder: other, mood } = yield* moody()
      const make = (embedder: Embedder.Shape) =>
        Effect.provideService(Memory.make({ store, scope: "local" }), Embedder.Embedder, embedder)
      const memory = yield* make(embedder)
      yield* memory.embedPending
      mood.fails = () => "for good"
      const busy = yield* make(other)
      yield* busy.commit(yield* Thought.make("remember", { a: "apples" }))
      yield* busy.flush
      for (let i = 0; i < 20 && (yield* memory.pending) > 0; i++) {
        yield* memory.search("apples")
        yield* TestClock.adjust("10 seconds")
      }
      assert.strictEqual(yield* memory.pending, 0)
    }).pipe(Effect.scoped)
  )
})
