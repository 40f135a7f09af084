import { assert, it } from "@effect/vitest"
import { Memory, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { DateTime, Effect, Layer } from "effect"
import { ask } from "../../src/testing/contract/stage/query.ts"
import { commit, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { makeStore, memory as prefilled } from "./prefilled.ts"

const memory = Layer.provide(prefilled(), Testing.embedder)

it.effect(
  "a search takes every option that it allows, however small or large",
  () =>
    Effect.gen(function* () {
      const { commit } = yield* Memory.Memory
      yield* commit(
        yield* Thought.make("test", { a: "red apples", b: "apples and pears", c: "grapes" }, { taskId: "t" })
      )
      const all = ["apples and pears", "grapes", "red apples"]
      for (const options of [
        { fusion: { vectorWeight: 1e-50 } },
        { fusion: { vectorWeight: Number.MAX_VALUE, lexicalWeight: Number.MAX_VALUE } },
        { fusion: { lexicalWeight: 1e-50, vectorWeight: 1e-50 } },
        { recency: { halfLife: "1 nano" } },
        { recency: { halfLife: Number.MAX_VALUE } },
        { recency: { halfLife: "1 day" }, fusion: { vectorWeight: 1e-50, lexicalWeight: 1e-50 } },
        { since: DateTime.makeUnsafe(-8.64e15), until: DateTime.makeUnsafe(8.64e15) }
      ] satisfies ReadonlyArray<Memory.SurveyOptions>) {
        const { matches } = yield* Memory.search("red apples", options)
        assert.deepStrictEqual(matches.map(({ note }) => note.content).toSorted(), all, JSON.stringify(options))
        assert.strictEqual((yield* Memory.survey("red apples", options)).tasks.length, 1)
      }
      // as good as no weight at all
      for (const weight of [5e-324, 0]) {
        const options = { fusion: { vectorWeight: weight }, context: { neighbours: 0 } }
        const words = yield* Memory.search("red apples", options)
        assert.sameMembers(
          words.matches.map(({ note }) => note.content),
          ["red apples", "apples and pears"]
        )
      }
    }).pipe(Effect.provide(memory)),
  60_000
)

it.effect(
  "a vector is not stored for a note that was redacted while it was made, nor in a space that was dropped",
  () =>
    Effect.gen(function* () {
      const store = yield* makeStore()
      const space = { embedder: "e", dimensions: 3, metric: "cosine" } as const
      yield* store.openSpace(space)
      const row = thought()
      const [kept, redacted] = notes(row.id, 1, [{ content: "apples" }, { content: "pears" }])
      yield* store.commit("a", commit(row, { notes: [kept!, redacted!] }))
      yield* store.redact("a", redacted!.id, 1_800_000_000_000)
      const vectors = [kept!, redacted!].map(({ id }) => ({ noteId: id, chunk: 0, vector: Float32Array.of(1, 0, 0) }))
      yield* store.putVectors("a", space, vectors)
      const [optimized] = yield* store.optimize({ index: "drop" })
      assert.strictEqual(optimized?.vectors, 1)

      const dropped = { ...space, embedder: "dropped" }
      yield* store.openSpace(dropped)
      yield* store.putVectors("a", dropped, vectors)
      assert.strictEqual(yield* store.countPending("a", dropped), 0)
      yield* store.dropSpace(dropped, { force: true })
      for (const use of [
        store.countPending("a", dropped),
        store.pending(dropped, { limit: 1, after: undefined }),
        store.putVectors("a", dropped, vectors),
        store.copyVectors("a", dropped, [kept!.id]),
        store.search("a", dropped, ask({ text: "apples" })),
        store.survey("a", dropped, ask({ text: "apples" }))
      ]) {
        const { reason } = yield* Effect.flip<unknown, Memory.MemoryError, never>(use)
        assert.deepStrictEqual(reason, {
          _tag: "Query",
          message: 'The space of the embedder "dropped" is not open: call openSpace first.'
        })
      }
      yield* store.openSpace(dropped)
      assert.strictEqual(yield* store.countPending("a", dropped), 1)
      assert.strictEqual(yield* store.countPending("a", space), 0)
    }).pipe(Effect.scoped)
)

it.effect("a match has the vector of the part of its note that is nearest to the question", () =>
  Effect.gen(function* () {
    const store = yield* makeStore()
    const space = { embedder: "e", dimensions: 3, metric: "cosine" } as const
    yield* store.openSpace(space)
    const row = thought()
    const [long] = notes(row.id, 1, [{ content: "a long text" }])
    yield* store.commit("a", commit(row, { notes: [long!] }))
    const directions = [
      [0, 1, 0],
      [1, 0, 0],
      [0, 0, 1]
    ]
    yield* store.putVectors(
      "a",
      space,
      directions.map((one, chunk) => ({ noteId: long!.id, chunk, vector: Float32Array.from(one) }))
    )
    for (const one of directions) {
      const query = ask({ vector: Float32Array.from(one), vectors: true })
      const { matches } = yield* store.search("a", space, query)
      assert.deepStrictEqual(
        matches.map(({ similarity, vector }) => [similarity, vector && [...vector]]),
        [[1, one]]
      )
    }
  }).pipe(Effect.scoped)
)

it.effect(
  "vectors of up to 4,000 dimensions can have an index, and are counted in the largest scope",
  () =>
    Effect.gen(function* () {
      const store = yield* makeStore()
      const [short, long, longer] = [2, 4000, 4001].map((dimensions) => ({
        embedder: `of ${dimensions}`,
        dimensions,
        metric: "cosine" as const
      }))
      for (const [scope, count] of [
        ["a", 1],
        ["b", 3],
        ["c", 2]
      ] as const) {
        const row = thought()
        const written = notes(
          row.id,
          1,
          Array.from({ length: count }, () => ({}))
        )
        yield* store.commit(scope, commit(row, { notes: written }))
        for (const space of [short!, long!]) {
          yield* store.openSpace(space)
          const vector = new Float32Array(space.dimensions).fill(1)
          yield* store.putVectors(
            scope,
            space,
            written.map(({ id }) => ({ noteId: id, vector }))
          )
        }
      }
      const report = (
        change: Memory.OptimizedSpace["change"],
        index: Memory.OptimizedSpace["index"]
      ): ReadonlyArray<Memory.OptimizedSpace> => [
        { ...short!, state: "active", vectors: 3, index, change },
        { ...long!, state: "building", vectors: 3, index, change }
      ]
      assert.deepStrictEqual(yield* store.optimize({}), report("none", "none"))
      assert.deepStrictEqual(yield* store.optimize({ index: "create" }), report("created", "hnsw"))
      assert.deepStrictEqual(yield* store.optimize({ index: "create" }), report("none", "hnsw"))
      yield* store.openSpace(longer!)
      const { reason } = yield* Effect.flip(store.optimize({ index: "create" }))
      assert.deepStrictEqual(reason, {
        _tag: "Query",
        message: "Vectors of 4001 dimensions cannot have an index here: at most 4000 can. Searches stay exact."
      })
      const none = { ...longer!, state: "building", vectors: 0, index: "none", change: "none" } as const
      assert.deepStrictEqual(yield* store.optimize({ index: "drop" }), [...report("dropped", "none"), none])
    }).pipe(Effect.scoped),
  60_000
)
