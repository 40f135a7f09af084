import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "cogito"
import { Embedder, Memory, Thought } from "cogito"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { moody } from "./embedder.ts"
import { soon } from "../soon.ts"

const remember = (notes: Readonly<Record<string, string>>) =>
  Effect.flatMap(Thought.make("remember", notes), (thought) => Memory.Memory.use((memory) => memory.commit(thought)))

const many = (count: number, name = "note") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `${name} ${i}`]))

const pending = Memory.Memory.use((memory) => memory.pending)
const flush = Memory.Memory.use((memory) => memory.flush)
const embedPending = Memory.Memory.use((memory) => memory.embedPending)

const embeddedTexts = (calls: ReadonlyArray<ReadonlyArray<string>>) => calls.flat()

const inMemory = (layer: Layer.Layer<Embedder.Embedder>) =>
  Effect.provide(Layer.fresh(Layer.provide(Memory.layerInMemory(), layer)))

describe("a commit", () => {
  it.effect("does not wait for the embedder, and its notes are embedded soon after", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* mood.gate.close
        yield* remember({ a: "apples" })
        yield* remember({ a: "pears" })
        assert.strictEqual(yield* pending, 2)
        const flushing = yield* Effect.forkChild(flush)
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        assert.isUndefined(flushing.pollUnsafe())
        yield* mood.gate.open
        yield* Fiber.join(flushing)
        assert.strictEqual(yield* pending, 0)
        assert.deepStrictEqual(embeddedTexts(mood.calls), ["apples", "pears"])
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is found by the search that follows it", () =>
    Effect.gen(function* () {
      const { layer } = yield* moody()
      yield* Effect.gen(function* () {
        for (let i = 0; i < 20; i++) {
          yield* remember({ a: `apple${i}` })
          const { arms, matches } = yield* Memory.search(`apple${i}`, { limit: 1 })
          assert.deepStrictEqual([matches[0]?.note.content, arms.pending], [`apple${i}`, 0])
        }
      }).pipe(inMemory(layer))
    })
  )

  it.effect("of more notes than the queue takes is embedded whole", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* remember(many(5000, "first"))
        yield* remember(many(10, "second"))
        yield* flush
        assert.strictEqual(yield* pending, 0)
        const texts = embeddedTexts(mood.calls)
        assert.strictEqual(new Set(texts).size, 5010)
        assert.strictEqual(texts.length, 5010)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is in calls of at most 128 texts and 100,000 tokens", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 90_000, countTokens: (text) => text.length })
      yield* Effect.gen(function* () {
        yield* remember({ ...many(200), big: "x".repeat(60_000), large: "y".repeat(60_000) })
        yield* flush
        assert.strictEqual(yield* pending, 0)
        for (const texts of mood.calls) {
          assert.isAtMost(texts.length, 128)
          assert.isAtMost(texts.join("").length, 100_000)
        }
        assert.isAtMost(mood.calls.length, 7)
      }).pipe(inMemory(layer))
    })
  )
})

describe("one text that the embedder does not take", () => {
  for (const failure of ["for good", "by defect"] as const) {
    it.effect(`${failure} spoils no other, and heals`, () =>
      Effect.gen(function* () {
        const { layer, mood } = yield* moody()
        yield* Effect.gen(function* () {
          mood.fails = (texts) => (texts.includes("third") ? failure : undefined)
          yield* remember({ a: "first", b: "second", c: "third", d: "fourth", e: "fifth" })
          yield* flush
          assert.strictEqual(yield* pending, 1)
          const error = yield* Effect.flip(embedPending)
          assert.deepInclude(error.reason, { _tag: "EmbedderFailed", retryable: false })
          assert.notInclude(error.message, "third")
          mood.fails = () => undefined
          assert.strictEqual(yield* embedPending, 1)
          assert.strictEqual(yield* pending, 0)
          assert.strictEqual((yield* Memory.search("third", { limit: 1 })).matches[0]?.note.content, "third")
        }).pipe(inMemory(layer))
      })
    )
  }

  it.effect("for now keeps those beside it only until they are tried again", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.includes("note 3") ? "for now" : undefined)
        yield* remember(many(100))
        yield* flush
        assert.strictEqual(yield* pending, 100)
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* pending, 1)
        assert.deepInclude((yield* Effect.flip(embedPending)).reason, { _tag: "EmbedderFailed", retryable: true })
      }).pipe(inMemory(layer))
    })
  )

  it.effect("does not keep those after it from being embedded, however many there are", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = () => "for good"
        yield* remember(many(700))
        yield* flush
        mood.fails = (texts) => (texts.some((text) => text.endsWith("7")) ? "for good" : undefined)
        const error = yield* Effect.flip(embedPending)
        assert.include(error.message, "70 notes")
        assert.strictEqual(yield* pending, 70)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is recognized by an invalid vector: zeros, not a number, infinite, too short", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<Float32Array> = [
        new Float32Array(64),
        new Float32Array(64).fill(NaN),
        new Float32Array(64).fill(Infinity),
        new Float32Array(63).fill(1)
      ]
      for (const vector of wrong) {
        const { embedder } = yield* moody()
        const { layer } = yield* moody({
          embedMany: (texts) =>
            Effect.map(embedder.embedMany(texts), (vectors) =>
              vectors.map((good, i) => (texts[i] === "bad" ? vector : good))
            )
        })
        yield* Effect.gen(function* () {
          yield* remember({ a: "good", b: "bad", c: "fine" })
          yield* flush
          assert.strictEqual(yield* pending, 1)
          const what =
            vector.length === 64
              ? "without a direction: all zeros, or not finite"
              : "whose length is not 64: correct the embedder's dimensions"
          assert.deepStrictEqual((yield* Effect.flip(embedPending)).reason, {
            _tag: "EmbedderFailed",
            message: `1 note could not be embedded, 0 were: The embedder word-count returned a vector ${what}.`,
            retryable: false
          })
          assert.strictEqual((yield* Memory.search("fine", { limit: 1 })).matches[0]?.note.content, "fine")
        }).pipe(inMemory(layer))
      }
    })
  )
})

describe("an embedder that is out of order", () => {
  it.effect("is asked no more than twice for each call that is due", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = () => "for now"
        yield* remember(many(60))
        yield* flush
        assert.strictEqual(yield* pending, 60)
        assert.isAtMost(mood.calls.length, 2)
        assert.match((yield* Effect.flip(embedPending)).message, /^60 notes or more could not be embedded, 0 were: /)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("that refuses many texts at once for now is asked for fewer, and never in a storm of calls", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.length > 10 ? "for now" : undefined)
        yield* remember(many(256))
        yield* flush
        assert.isAtMost(mood.calls.length, 40)
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual(yield* pending, 0)
        assert.isAtMost(mood.calls.length, 120)
      }).pipe(inMemory(layer))
    })
  )

  for (const [how, hang] of [
    ["", Effect.never],
    [" and cannot be interrupted", Effect.uninterruptible(Effect.never)]
  ] as const) {
    it.effect(`and does not answer${how} is given up after minutes, and asked again`, () =>
      Effect.gen(function* () {
        let hangs = true
        const { embedder } = yield* moody()
        const { layer } = yield* moody({
          embedMany: (texts) => (hangs ? hang : embedder.embedMany(texts))
        })
        yield* Effect.gen(function* () {
          yield* remember({ a: "apples" })
          const flushing = yield* Effect.forkChild(flush)
          yield* TestClock.adjust("1 minute")
          assert.isUndefined(flushing.pollUnsafe())
          yield* TestClock.adjust("2 minutes")
          yield* soon("the embedder is given up")(Fiber.join(flushing))
          assert.strictEqual(yield* pending, 1)
          hangs = false
          yield* TestClock.adjust("5 minutes")
          assert.strictEqual(yield* pending, 0)
        }).pipe(inMemory(layer))
      })
    )
  }

  it.effect("is tried again after a while, and what it missed is made up for", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = () => "for now"
        yield* remember(many(300))
        yield* flush
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* pending, 300)
        const before = mood.calls.length
        assert.isAtMost(before, 14)
        mood.fails = () => undefined
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* pending, 0)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is noticed to be well again by the next commit", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        mood.fails = () => "for good"
        yield* remember({ a: "missed" })
        yield* flush
        mood.fails = () => undefined
        yield* remember({ a: "next" })
        yield* flush
        for (let i = 0; i < 100 && (yield* pending) > 0; i++) yield* Effect.yieldNow
        assert.strictEqual(yield* pending, 0)
      }).pipe(inMemory(layer))
    })
  )
})

describe("a long note", () => {
  const story = (about: string) => Array.from({ length: 60 }, (_, i) => `Sentence ${i} says nothing.`).join(" ") + about

  it.effect("is found by what its end says", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        yield* remember({ long: story(" The treasure lies under the oak."), other: "A note on oak furniture for sale" })
        const { matches } = yield* Memory.search("treasure under the oak", { limit: 1 })
        assert.strictEqual(matches[0]?.note.key, "long")
        assert.isAbove(matches[0]!.similarity, 0.4)
        assert.strictEqual(yield* pending, 0)
        for (const text of embeddedTexts(mood.calls)) assert.isBelow(text.length, 200)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is embedded in smaller parts when the embedder finds them too long", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.some((text) => text.length > 90) ? "for good" : undefined)
        yield* remember({ long: story("") })
        yield* flush
        assert.strictEqual(yield* pending, 0)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("is all or not at all in the vectors", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        mood.fails = (texts) => (texts.some((text) => text.includes("Sentence 59")) ? "for good" : undefined)
        yield* remember({ long: story(""), short: "short" })
        yield* flush
        assert.strictEqual(yield* pending, 1)
        mood.fails = () => undefined
        assert.strictEqual(yield* embedPending, 1)
      }).pipe(inMemory(layer))
    })
  )

  it.effect("goes on where the embedder left off, and no part is embedded twice", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 4, countTokens: (text) => text.split(" ").length - 1 })
      yield* Effect.gen(function* () {
        const words = Array.from({ length: 1200 }, (_, i) => `word${i}`)
        mood.fails = () => (mood.calls.length > 2 ? "for now" : undefined)
        yield* remember({ long: words.join(" "), short: "short one" })
        yield* flush
        assert.isAtMost(mood.calls.length, 4)
        assert.include([1, 2], yield* pending)
        const done = mood.calls.slice(0, 2).flat()
        assert.strictEqual(done.length, 256)
        mood.fails = () => undefined
        mood.calls.length = 0
        yield* embedPending
        assert.strictEqual(yield* pending, 0)
        const texts = embeddedTexts(mood.calls)
        assert.deepStrictEqual(
          texts.filter((text) => done.includes(text)),
          []
        )
        assert.strictEqual([...done, ...texts].join("").replace("short one", "").trim(), words.join(" "))
      }).pipe(inMemory(layer))
    })
  )

  it.effect("as a query is cut to what the embedder takes", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        yield* remember({ a: "apples" })
        yield* Memory.search("apples ".repeat(100_000), { limit: 1 })
        assert.isBelow(mood.calls.at(-1)![0]!.length, 200)
      }).pipe(inMemory(layer))
    })
  )
})

describe("a query", () => {
  const asked = (more: Partial<Embedder.Shape>) =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody(more)
      const found = yield* Effect.gen(function* () {
        yield* remember({ a: "apples", b: "pears" })
        yield* flush
        mood.fails = () => undefined
        const searching = yield* Effect.forkChild(Memory.search("apples 🙂", { limit: 1 }))
        yield* TestClock.adjust("11 seconds")
        return yield* Effect.exit(Fiber.join(searching))
      }).pipe(inMemory(layer))
      return { found, calls: mood.calls }
    })
  const words = Effect.map(moody(), ({ embedder }) => embedder)
  const isQuery = (texts: ReadonlyArray<string>) => texts.some((text) => text.includes("🙂"))

  for (const [how, hang] of [
    ["hangs", Effect.never],
    ["hangs and cannot be interrupted", Effect.uninterruptible(Effect.never)]
  ] as const) {
    it.effect(`that the embedder ${how} on is answered by words after 10 seconds`, () =>
      Effect.gen(function* () {
        const { embedMany } = yield* words
        const { found } = yield* asked({ embedMany: (texts) => (isQuery(texts) ? hang : embedMany(texts)) })
        assert.isTrue(Exit.isSuccess(found))
        if (!Exit.isSuccess(found)) return
        assert.strictEqual(found.value.arms.vector, "unavailable")
        assert.deepStrictEqual(
          found.value.matches.map(({ note }) => note.content),
          ["apples"]
        )
      })
    )
  }

  it.effect("that the embedder has no vector for is answered by words", () =>
    Effect.gen(function* () {
      const { embedMany } = yield* words
      const zeros = (texts: ReadonlyArray<string>) => Effect.succeed(texts.map(() => new Float32Array(64)))
      const { calls, found } = yield* asked({
        embedMany: (texts) => (isQuery(texts) ? zeros(texts) : embedMany(texts))
      })
      assert.isTrue(Exit.isSuccess(found))
      if (!Exit.isSuccess(found)) return
      assert.strictEqual(found.value.arms.vector, "unavailable")
      assert.strictEqual(found.value.matches[0]?.note.content, "apples")
      assert.strictEqual(calls.length, 3)
    })
  )

  it.effect("that breaks the embedder fails without its text", () =>
    Effect.gen(function* () {
      const breaking: ReadonlyArray<Embedder.Shape["embedMany"]> = [
        (texts) => Effect.die(new Error(texts.join())),
        () => Effect.interrupt,
        (texts) => {
          throw new Error(texts.join())
        }
      ]
      for (const embedMany of breaking) {
        const layer = Layer.succeed(Embedder.Embedder, { ...(yield* words), embedMany })
        const error = yield* Effect.flip(Memory.search("secret", { limit: 1 })).pipe(inMemory(layer))
        assert.deepInclude(error.reason, { _tag: "EmbedderFailed", retryable: false })
        assert.match(error.message, /^The query could not be embedded: The embedder .* failed unexpectedly\.$/)
        assert.notInclude(String(error) + JSON.stringify(error), "secret")
      }
    })
  )

  it.effect("that is too long although it should not be is cut once more", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({ maxTokens: 40 })
      yield* Effect.gen(function* () {
        yield* remember({ a: "apples" })
        yield* flush
        mood.fails = (texts) => (texts.some((text) => text.length > 90) ? "for good" : undefined)
        const { arms, matches } = yield* Memory.search("apples ".repeat(100), { limit: 1 })
        assert.strictEqual(arms.vector, "ok")
        assert.isAbove(matches[0]?.similarity ?? 0, 0.9)
      }).pipe(inMemory(layer))
    })
  )
})

describe("a blank note", () => {
  it.effect("has nothing to be embedded", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody({
        embedMany: (texts) => Effect.succeed(texts.map(() => new Float32Array(64)))
      })
      yield* Effect.gen(function* () {
        yield* remember({ a: "", b: " \n\t\u00a0\ufeff" })
        yield* flush
        assert.strictEqual(yield* pending, 0)
        assert.strictEqual(yield* embedPending, 0)
        assert.deepStrictEqual(mood.calls, [])
      }).pipe(inMemory(layer))
    })
  )
})

describe("the end of a memory", () => {
  const opened = (store: Store.Store, embedder: Embedder.Shape) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const memory = yield* Memory.make({ store, scope: "local" }).pipe(
        Effect.provideService(Embedder.Embedder, embedder),
        Scope.provide(scope)
      )
      return { memory, close: Scope.close(scope, Exit.void) }
    })

  it.effect("waits for what was committed", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody()
      const { close, memory } = yield* opened(store, embedder)
      yield* mood.gate.close
      yield* memory.commit(yield* Thought.make("test", { a: "apples" }))
      const closing = yield* Effect.forkChild(close)
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      assert.isUndefined(closing.pollUnsafe())
      yield* mood.gate.open
      yield* soon("the memory is closed")(Fiber.join(closing))
      const space = { embedder: embedder.id, dimensions: 64, metric: "cosine" } as const
      assert.strictEqual(yield* store.countPending("local", space), 0)
    })
  )

  it.live(
    "comes within seconds though the embedder hangs, and the next start embeds what is left",
    () =>
      Effect.gen(function* () {
        const store = yield* makeStore
        const { embedder, mood } = yield* moody()
        const first = yield* opened(store, embedder)
        yield* mood.gate.close
        yield* first.memory.commit(yield* Thought.make("test", { a: "apples" }))
        yield* Memory.withScope("other")(first.memory.commit(yield* Thought.make("test", { a: "pears" })))
        yield* soon("the memory is closed", 10_000)(first.close)
        assert.strictEqual(yield* first.memory.pending, 1)
        yield* mood.gate.open
        const second = yield* opened(store, embedder)
        for (let i = 0; i < 200 && (yield* second.memory.pending) > 0; i++) yield* Effect.yieldNow
        assert.strictEqual(yield* second.memory.pending, 0)
        assert.strictEqual(yield* Memory.withScope("other")(second.memory.pending), 0)
        yield* second.close
      }),
    20_000
  )
})
