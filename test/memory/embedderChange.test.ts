import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { Store } from "cogito"
import { Embedder, Memory, Thought } from "cogito"
import type { EmbedderChange } from "cogito/types"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { makeStore as makePglite } from "../pglite/prefilled.ts"
import { met } from "../soon.ts"
import { moody } from "./embedder.ts"

const open = (store: Store.Store, embedder: Embedder.Shape, change: EmbedderChange = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const memory = yield* Memory.make({ ...change, store, scope: "local" }).pipe(
      Effect.provideService(Embedder.Embedder, embedder),
      Scope.provide(scope)
    )
    return { memory, close: Scope.close(scope, Exit.void) }
  })

const many = (count: number, name = "note") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `${name}${i} of many`]))

/** The same words in twice as many dimensions. */
const wider = Effect.map(moody(), ({ embedder }) => {
  const embedMany: Embedder.Shape["embedMany"] = (texts) =>
    Effect.map(embedder.embedMany(texts), (vectors) =>
      vectors.map((vector) => Float32Array.from({ length: 128 }, (_, i) => vector[i] ?? 0))
    )
  return { id: "wide", dimensions: 128, embedMany }
}).pipe(Effect.flatMap(moody))

const until = (memory: Memory.Memory["Service"], state: Memory.StoredSpace["state"], embedder: Embedder.Shape) =>
  Effect.gen(function* () {
    for (let i = 0; i < 2000; i++) {
      const known = yield* memory.spaces
      if (known.some((one) => one.embedder === embedder.id && one.state === state)) return
      yield* Effect.yieldNow
    }
    assert.fail(`the space of ${embedder.id} is not ${state}`)
  })

const found = (memory: Memory.Memory["Service"], query: string) =>
  Effect.map(memory.search(query, { limit: 1 }), ({ arms, matches }) => ({
    content: matches[0]?.note.content,
    byMeaning: matches[0]?.ranks.vector !== undefined,
    arms
  }))

describe.each([
  ["plain memory", makeStore],
  ["PGlite", makePglite()]
] as const)("another embedder on a store in %s", (_, store) => {
  it.effect("is refused by a failure that names both, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const kept = yield* store
      const { embedder: first } = yield* moody()
      const { embedder: second } = yield* wider
      const before = yield* open(kept, first)
      yield* before.memory.commit(yield* Thought.make("test", { a: "apples" }))
      yield* before.close
      const error = yield* Effect.flip(open(kept, second))
      assert.deepInclude(error.reason, {
        _tag: "EmbedderMismatch",
        stored: "word-count (64 dimensions, cosine)",
        configured: "wide (128 dimensions, cosine)"
      })
      assert.include(error.message, "word-count")
      assert.include(error.message, "wide")
      assert.isFalse(error.isRetryable)
      assert.strictEqual((yield* kept.spaces).length, 1)
      const again = yield* open(kept, first)
      assert.strictEqual((yield* found(again.memory, "apples")).content, "apples")
      yield* again.close
    }).pipe(Effect.scoped)
  )

  it.effect("takes over once every note is embedded; searches and commits go on meanwhile, with the old one", () =>
    Effect.gen(function* () {
      const kept = yield* store
      const { embedder: first, mood: firstMood } = yield* moody()
      const { embedder: second, mood } = yield* wider
      const before = yield* open(kept, first)
      yield* before.memory.commit(yield* Thought.make("test", many(300)))
      yield* before.close

      yield* mood.gate.close
      const change = { onEmbedderChange: "rebuild", previousEmbedder: first } as const
      const during = yield* open(kept, second, change)
      const old = yield* found(during.memory, "note17")
      assert.deepStrictEqual([old.content, old.byMeaning, old.arms.vector], ["note17 of many", true, "ok"])
      yield* during.memory.commit(yield* Thought.make("test", { a: "brand new apples" }))
      assert.strictEqual(yield* during.memory.pending, 301)
      yield* mood.gate.open
      yield* until(during.memory, "active", second)
      yield* during.memory.flush
      assert.strictEqual(yield* during.memory.pending, 0)
      const asked = firstMood.calls.length
      for (const query of ["note17", "brand new apples"]) {
        const after = yield* found(during.memory, query)
        assert.deepStrictEqual([after.byMeaning, after.arms.vector], [true, "ok"])
        assert.include(after.content, query)
      }
      assert.strictEqual(firstMood.calls.length, asked)
      assert.deepStrictEqual(
        (yield* during.memory.spaces).map(({ embedder, state }) => [embedder, state]),
        [
          ["word-count", "retired"],
          ["wide", "active"]
        ]
      )
      for (const space of yield* during.memory.spaces) {
        const dropped = yield* Effect.exit(during.memory.dropSpace(space))
        assert.strictEqual(Exit.isSuccess(dropped), space.state === "retired")
      }
      yield* during.close
      const plain = yield* open(kept, second)
      assert.strictEqual((yield* plain.memory.spaces).length, 1)
      yield* plain.close
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where it was stopped, embeds no note twice, and serves words without the old one", () =>
    Effect.gen(function* () {
      const kept = yield* store
      const { embedder: first } = yield* moody()
      const { embedder: second, mood } = yield* wider
      const before = yield* open(kept, first)
      yield* before.memory.commit(yield* Thought.make("test", many(700)))
      yield* before.close

      mood.fails = () => (mood.calls.length > 5 ? "for now" : undefined)
      const stopped = yield* open(kept, second, { onEmbedderChange: "rebuild" })
      yield* met("the second embedder fails", () => mood.calls.length >= 7)
      yield* stopped.close
      const half = yield* kept.countPending("local", { embedder: "wide", dimensions: 128, metric: "cosine" })
      assert.isTrue(half > 0 && half < 700, `${half}`)
      assert.strictEqual((yield* Effect.flip(open(kept, second))).reason._tag, "EmbedderMismatch")

      mood.fails = () => undefined
      mood.calls.length = 0
      yield* mood.gate.close
      const resumed = yield* open(kept, second, { onEmbedderChange: "rebuild" })
      assert.deepInclude((yield* resumed.memory.spaces)[1], { embedder: "wide", state: "building" })
      yield* mood.gate.open
      yield* until(resumed.memory, "active", second)
      const texts = mood.calls.flat()
      assert.strictEqual(texts.length, half)
      assert.strictEqual(new Set(texts).size, half)
      assert.strictEqual((yield* found(resumed.memory, "note17")).content, "note17 of many")
      yield* resumed.close
    }).pipe(Effect.scoped)
  )
})

it.effect("a program whose vectors another one has dropped learns both embedders", () =>
  Effect.gen(function* () {
    const kept = yield* makePglite()
    const { embedder: first } = yield* moody()
    const { embedder: second } = yield* wider
    const old = yield* open(kept, first)
    yield* old.memory.commit(yield* Thought.make("test", { a: "apples" }))
    yield* old.memory.flush
    const next = yield* open(kept, second, { onEmbedderChange: "rebuild" })
    yield* next.memory.embedPending
    assert.strictEqual((yield* found(old.memory, "apples")).content, "apples")
    for (const space of yield* kept.spaces) if (space.state === "retired") yield* next.memory.dropSpace(space)
    const error = yield* Effect.flip(found(old.memory, "apples"))
    assert.deepInclude(error.reason, {
      _tag: "EmbedderMismatch",
      stored: "wide (128 dimensions, cosine)",
      configured: "word-count (64 dimensions, cosine)"
    })
    yield* old.close
    yield* next.close
  }).pipe(Effect.scoped)
)

it.effect("a note that cannot be embedded does not keep the new vectors from taking over", () =>
  Effect.gen(function* () {
    const kept = yield* makeStore
    const { embedder: first } = yield* moody()
    const { embedder: second, mood } = yield* wider
    const before = yield* open(kept, first)
    yield* before.memory.commit(yield* Thought.make("test", many(100)))
    yield* before.close
    mood.fails = (texts) => (texts.includes("note7 of many") ? "for good" : undefined)
    const during = yield* open(kept, second, { onEmbedderChange: "rebuild" })
    yield* until(during.memory, "active", second)
    assert.strictEqual(yield* during.memory.pending, 1)
    yield* during.close
  })
)

it.effect("searches without the old embedder find by words what is not embedded yet, and say so", () =>
  Effect.gen(function* () {
    const kept = yield* makeStore
    const { embedder: first } = yield* moody()
    const { embedder: second, mood } = yield* wider
    const before = yield* open(kept, first)
    yield* before.memory.commit(yield* Thought.make("test", many(100)))
    yield* before.close
    mood.fails = (texts) => (texts.length > 1 || texts[0] === "note" ? "for now" : undefined)
    const during = yield* open(kept, second, { onEmbedderChange: "rebuild" })
    const { arms, content } = yield* found(during.memory, "note17")
    assert.deepInclude(arms, { vector: "partial", pending: 100 })
    assert.strictEqual(content, "note17 of many")
    yield* during.close
  })
)

it.effect("a text that is in the memory already is not embedded again, in its scope", () =>
  Effect.gen(function* () {
    const kept = yield* makeStore
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(kept, embedder)
    yield* memory.commit(yield* Thought.make("test", { a: "apples", b: "apples" }))
    yield* memory.flush
    yield* memory.commit(yield* Thought.make("test", { a: "apples", b: "pears" }))
    yield* memory.flush
    assert.deepStrictEqual(mood.calls.flat(), ["apples", "pears"])
    yield* Memory.withScope("other")(memory.commit(yield* Thought.make("test", { a: "apples" })))
    yield* memory.flush
    assert.strictEqual(mood.calls.flat().length, 3)
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)
