/** Programs that use one store with different embedders. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Embedder, Memory, Store, Thought } from "cogito"
import type { EmbedderChange } from "cogito/types"
import { moody } from "./embedder.ts"

const open = (store: Store.Store, embedder: Embedder.Shape, change: EmbedderChange = {}) =>
  Memory.make({ ...change, store, scope: "local" }).pipe(Effect.provideService(Embedder.Embedder, embedder))

/** A store with a note that the embedder "first" has embedded, and the memory that did it. */
const begun = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  const first = yield* open(store, (yield* moody({ id: "first" })).embedder)
  yield* first.commit(yield* Thought.make("keep", { a: "apples" }))
  assert.strictEqual(yield* first.embedPending, 0)
  return { store, first }
})

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const named = (id: string, dimensions = 64) => `${id} (${dimensions} dimensions, cosine)`

describe("an embedder", () => {
  it.effect("does not match the stored one if it has another id or other dimensions", () =>
    Effect.gen(function* () {
      const { store } = yield* begun
      for (const [more, configured] of [
        [{ id: "second" }, named("second")],
        [{ id: "first", dimensions: 32 }, named("first", 32)],
        [{ id: "first@2", dimensions: 128 }, named("first@2", 128)]
      ] as const) {
        const { embedder } = yield* moody(more)
        const reason = yield* reasonOf(open(store, embedder))
        assert.deepInclude(reason, { _tag: "EmbedderMismatch", stored: named("first"), configured })
      }
      assert.lengthOf(yield* store.spaces, 1)
      yield* open(store, (yield* moody({ id: "first" })).embedder)
    }).pipe(Effect.scoped)
  )

  it.effect("embeds nothing after another program has replaced it, whether its vectors are kept or dropped", () =>
    Effect.gen(function* () {
      for (const isDropped of [false, true]) {
        const { first, store } = yield* begun
        const second = yield* open(store, (yield* moody({ id: "second" })).embedder, { onEmbedderChange: "rebuild" })
        yield* second.embedPending
        const [old] = yield* second.spaces
        if (isDropped && old !== undefined) yield* second.dropSpace(old)
        assert.deepStrictEqual(
          (yield* store.spaces).map(({ embedder, state }) => [embedder, state]),
          isDropped
            ? [["second", "active"]]
            : [
                ["first", "retired"],
                ["second", "active"]
              ]
        )
        assert.deepStrictEqual(yield* reasonOf(first.embedPending), {
          _tag: "EmbedderMismatch",
          stored: named("second"),
          configured: named("first"),
          message:
            `Another program has changed the memory to the embedder ${named("second")}; ` +
            `this one still uses ${named("first")}: start it again with that embedder.`
        })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is used as the previous one only if it made the stored vectors", () =>
    Effect.gen(function* () {
      for (const [more, isUsed] of [
        [{ id: "first" }, true],
        [{ id: "first", dimensions: 32 }, false],
        [{ id: "other" }, false]
      ] as const) {
        const { store } = yield* begun
        const previous = yield* moody(more)
        const second = yield* moody({ id: "second" })
        // as long as a note is missing, the change goes on
        second.mood.fails = (texts) => (texts.includes("apples") ? "for now" : undefined)
        const memory = yield* open(store, second.embedder, {
          onEmbedderChange: "rebuild",
          previousEmbedder: previous.embedder
        })
        yield* Effect.exit(memory.embedPending)
        second.mood.calls.length = 0
        yield* memory.search("pears")
        assert.deepStrictEqual(
          [previous.mood.calls, second.mood.calls],
          isUsed ? [[["pears"]], []] : [[], [["pears"]]],
          JSON.stringify(more)
        )
      }
    }).pipe(Effect.scoped)
  )
})

describe("the options of a memory", () => {
  it.effect("are refused if the scope or the embedder is not valid", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { embedder, layer } = yield* moody()
      for (const wrong of [null, "", "words", embedder, false]) {
        const options = { store, scope: "local", embedder: wrong as "none" }
        const { message } = yield* Effect.flip(Memory.make(options))
        assert.include(message, 'The option embedder of a memory must be "none" or absent')
      }
      const made = (options: Parameters<typeof Memory.layerInMemory>[0]) =>
        Effect.result(Effect.scoped(Layer.build(Layer.provide(Memory.layerInMemory(options), layer))))
      for (const scope of ["", null as never, 7 as never]) {
        const outcome = yield* made({ scope })
        assert.strictEqual(
          outcome._tag === "Failure" ? outcome.failure.reason._tag : "made",
          scope === null ? "made" : "Query"
        )
      }
      const change = { scope: "tenant", onEmbedderChange: "rebuild", previousEmbedder: embedder } as const
      assert.strictEqual((yield* made(change))._tag, "Success")
    }).pipe(Effect.scoped)
  )

  it.effect("allow references to thoughts by trace id", () =>
    Effect.gen(function* () {
      const thought = yield* Memory.commit(yield* Thought.make("t", { a: "a" }, { traceId: "trace" }))
      assert.strictEqual((yield* Memory.load({ traceId: "trace" })).id, thought.id)
      yield* Memory.append({ traceId: "trace" }, [{ key: "b", content: "b" }])
      yield* Memory.remove({ traceId: "trace" })
      assert.deepStrictEqual(yield* Memory.thoughts(), [])
    }).pipe(Effect.provide(Memory.layerInMemory({ embedder: "none" })))
  )
})
