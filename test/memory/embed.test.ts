/** What happens to the notes of one turn: how many are embedded or fail, and which must be tried again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Embedder, Store } from "cogito"
import { makeEmbedding } from "../../src/memory/embedding/embed.ts"
import { makeVectors } from "../../src/memory/embedding/vectors.ts"
import { freshSpace, scene } from "../../src/testing/contract/stage/scene.ts"

/** An embedder of two dimensions, its calls, and a scope with notes of these texts. */
const given = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, more: Partial<Embedder.Shape> = {}) {
  const calls: Array<ReadonlyArray<string>> = []
  const refuse = (message: string) => new Embedder.EmbedderError({ embedder: "own@1", message, retryable: false })
  const embedder: Embedder.Shape = {
    id: "own@1",
    dimensions: 2,
    maxTokens: 1000,
    metric: "cosine",
    embedMany: (asked) =>
      Effect.suspend(() => {
        calls.push(asked)
        const bad = asked.find((text) => text.startsWith("bad"))
        return bad === undefined ? Effect.succeed(asked.map(() => Float32Array.of(0, 1))) : Effect.fail(refuse(bad))
      }),
    ...more
  }
  const { add, scope, store } = yield* scene(yield* Store.makeInMemory)
  const space = freshSpace()
  yield* store.openSpace(space)
  const { written } = yield* add(texts.map((content) => ({ content })))
  const notes = written.map(({ content, id }) => ({ scope, id, content }))
  const { embed } = makeEmbedding(store, space, embedder)
  const report = (some = notes) =>
    Effect.map(embed(some), ({ error, unfinished, ...counts }) => ({
      ...counts,
      unfinished: unfinished.map(({ content }) => content),
      error: error?.message
    }))
  return { calls, notes, report, pending: store.countPending(scope, space) }
})

const all = { embedded: 0, failed: 0, unfinished: [], error: undefined, down: false }

describe("a turn of notes", () => {
  it.effect("neither counts nor embeds blank notes", () =>
    Effect.gen(function* () {
      const { calls, report } = yield* given(["", " \n", "plums"])
      assert.deepStrictEqual(yield* report(), { ...all, embedded: 1 })
      assert.deepStrictEqual(calls, [["plums"]])
    })
  )

  it.effect("counts a note as embedded, without a call, if a note with the same text has vectors", () =>
    Effect.gen(function* () {
      const { calls, notes, pending, report } = yield* given(["plums", "plums", "pears", "plums"])
      assert.deepStrictEqual(yield* report(notes.slice(0, 1)), { ...all, embedded: 1 })
      assert.deepStrictEqual(yield* report(notes.slice(1)), { ...all, embedded: 3 })
      assert.deepStrictEqual(calls, [["plums"], ["pears"]])
      assert.strictEqual(yield* pending, 0)
    })
  )

  it.effect("reports how many notes failed, and the last error", () =>
    Effect.gen(function* () {
      const { pending, report } = yield* given(["bad 1", "plums", "bad 2", "", "pears"])
      assert.deepStrictEqual(yield* report(), { ...all, embedded: 2, failed: 2, error: "bad 2" })
      assert.strictEqual(yield* pending, 2)
    })
  )

  it.effect("sends at most 100,000 tokens in one call, or a longer part alone", () =>
    Effect.gen(function* () {
      const countTokens = (text: string) => Number(text)
      const many = ["60000", "40000", "150000", "100000", "1"]
      const { calls, notes, report } = yield* given(many, { maxTokens: Infinity, countTokens })
      assert.deepStrictEqual(yield* report(), { ...all, embedded: 3, unfinished: ["100000", "1"] })
      assert.deepStrictEqual(yield* report(notes.slice(3)), { ...all, embedded: 2 })
      assert.deepStrictEqual(calls, [["60000", "40000"], ["150000"], ["100000"], ["1"]])
    })
  )
})

describe("the vector of a question", () => {
  it.effect("is normalized to length 1, and undefined if it has no direction or the wrong size", () =>
    Effect.gen(function* () {
      const vectors: Readonly<Record<string, ReadonlyArray<number>>> = {
        note: [1, 0],
        fine: [0.6, 0.8],
        long: [3, 4],
        short: [0, -0.5],
        other: [1, 0, 0],
        nothing: [0, 0],
        endless: [Infinity, 0],
        wrong: [Number.NaN, 1]
      }
      const vectorOf = (text: string) => Float32Array.from(vectors[text] ?? [])
      const embedder: Embedder.Shape = {
        id: "own@1",
        dimensions: 2,
        maxTokens: 1000,
        metric: "cosine",
        embedMany: (texts) => Effect.succeed(texts.map(vectorOf))
      }
      for (const own of [embedder, { ...embedder, embedQuery: (text: string) => Effect.succeed(vectorOf(text)) }]) {
        const { ofQuery } = makeVectors(own)
        for (const [text, expected] of [
          ["fine", [0.6, 0.8]],
          ["long", [0.6, 0.8]],
          ["short", [0, -1]],
          ["other", undefined],
          ["nothing", undefined],
          ["endless", undefined],
          ["wrong", undefined]
        ] as const) {
          assert.deepStrictEqual(yield* ofQuery(text), expected && Float32Array.from(expected), text)
        }
      }
    })
  )
})
