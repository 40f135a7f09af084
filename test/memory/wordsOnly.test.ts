/** A memory without an embedder: words alone find, and it says so; an embedder that comes later embeds what is there. */
import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Layer, Logger, Stream } from "effect"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { moody } from "./embedder.ts"
import { wordsOnly } from "../pglite/prefilled.ts"

const none = { scope: "local", embedder: "none" } as const

const remember = (notes: Readonly<Record<string, string>>, taskId?: string) =>
  Effect.flatMap(Thought.make("test", notes, taskId === undefined ? {} : { taskId }), Memory.commit)

const contents = (result: Memory.SearchResult) => result.matches.map(({ note }) => note.content)

/** What is logged while a program runs. */
const logged = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel} ${String(message)}`)
    })
    const value = yield* Effect.provide(program, Logger.layer([logger]))
    return { value, lines }
  })

const works = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  assert.isUndefined(memory.embedder)
  const thought = yield* remember({ a: "red apples", b: "pears" }, "fruit")
  yield* remember({ a: "a train" }, "travel")
  yield* Memory.append(thought.id, [{ key: "c", content: "green apples" }])

  const found = yield* Memory.search("apple pie")
  assert.sameMembers(contents(found), ["red apples", "green apples", "pears"])
  assert.strictEqual(contents(found)[2], "pears")
  const exact = yield* Memory.search("apple pie", { context: { neighbours: 0 } })
  assert.sameMembers(contents(exact), ["red apples", "green apples"])
  assert.deepStrictEqual(found.arms, { vector: "none", lexical: "ok", pending: 0 })
  assert.isTrue(found.matches.every(({ ranks, similarity }) => ranks.lexical !== undefined && similarity === 0))
  assert.deepStrictEqual(contents(yield* Memory.search("fruit")), [])
  const again = yield* Memory.search("apple", {
    diversity: 0.3,
    recency: { halfLife: "1 day" },
    context: { neighbours: 0.5, task: 0.5 },
    rerank: { score: (_query, notes) => Effect.succeed(notes.map(({ content }) => content.length)) }
  })
  assert.strictEqual(contents(again)[0], "green apples")
  const survey = yield* Memory.survey("a train")
  assert.deepStrictEqual([survey.tasks.map(({ taskId }) => taskId), survey.arms.vector], [["travel"], "none"])
  for (const nothing of ["", "of the"]) {
    assert.deepStrictEqual((yield* Memory.search(nothing)).arms, { vector: "none", lexical: "unavailable", pending: 0 })
  }

  const asking = yield* Thought.make("ask", { message: "who has apples?" })
  const steps = [
    Primitive.seek("history", { query: "apples" }),
    Primitive.survey("tasks", { query: "apples" })
  ] as const
  const done = yield* Pipeline.run(Pipeline.sequence("look", steps), asking)
  assert.deepStrictEqual([done.get("history").arms.vector, done.get("tasks").arms.vector], ["none", "none"])
  assert.strictEqual(done.get("history").matches.length, 3)

  assert.strictEqual(yield* Memory.pending, 0)
  yield* Memory.flush
  assert.deepStrictEqual(yield* memory.spaces, [])
  assert.deepStrictEqual(yield* Memory.optimize(), [])
  const { isRetryable, reason } = yield* Effect.flip(Memory.embedPending)
  assert.deepStrictEqual([reason._tag, isRetryable], ["Query", false])
  assert.include(reason.message, "has no embedder")

  const lines = yield* Stream.runCollect(Memory.exportLines())
  const copied = Memory.importLines(Stream.fromIterable(lines)).pipe(Memory.withScope("copy"))
  assert.isAbove((yield* copied).imported, 2)
  const there = yield* Memory.search("train").pipe(Memory.withScope("copy"))
  assert.deepStrictEqual(contents(there), ["a train"])
  yield* Memory.remove(thought.id)
  assert.deepStrictEqual(contents(yield* Memory.search("apples", { keys: ["a", "c"] })), [])
})

describe("a memory without an embedder", () => {
  it.effect("finds by words, says so, and does all else, in plain memory", () =>
    Effect.gen(function* () {
      const { lines } = yield* logged(Effect.provide(works, Memory.layerInMemory({ embedder: "none" })))
      assert.deepStrictEqual(lines, [])
    })
  )

  it.live("does so in PGlite", () => Effect.provide(works, wordsOnly()), 60_000)

  it.effect("refuses bounds of a similarity that it cannot know", () =>
    Effect.gen(function* () {
      yield* remember({ a: "red apples" })
      for (const bound of [{ minSimilarity: 0.1 }, { maxDistance: 1.9 }]) {
        for (const asked of [
          Memory.search("apples", bound),
          Memory.survey("apples", bound),
          Memory.search("", bound)
        ]) {
          const { reason } = yield* Effect.flip<unknown, Memory.MemoryError, Memory.Memory>(asked)
          assert.strictEqual(reason._tag, "Query")
          assert.include(reason.message, "leave out minSimilarity and maxDistance")
        }
      }
      const unbounded = yield* Memory.search("apples", { minSimilarity: 0, maxDistance: 2 })
      assert.deepStrictEqual(contents(unbounded), ["red apples"])
    }).pipe(Effect.provide(Memory.layerInMemory({ embedder: "none" })))
  )

  it.effect("has all its notes embedded by a memory with an embedder that is opened later", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const words = yield* Memory.make({ ...none, store })
      for (let i = 0; i < 3; i++) yield* words.commit(yield* Thought.make("test", { a: `note ${i}`, b: " " }))
      const { embedder, layer } = yield* moody()
      const memory = yield* Effect.provide(Memory.make({ store, scope: "local" }), layer)
      assert.strictEqual(memory.embedder, embedder.id)
      assert.strictEqual(yield* memory.embedPending, 3)
      const { arms, matches } = yield* memory.search("note 1")
      assert.deepStrictEqual(arms, { vector: "ok", lexical: "ok", pending: 0 })
      assert.isAbove(matches[0]!.similarity, 0.9)
    }).pipe(Effect.scoped)
  )

  it.effect("warns where the vectors of an embedder are, leaves them alone, and leaves its notes to that one", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, layer } = yield* moody({ id: "theirs" })
      const theirs = yield* Effect.provide(Memory.make({ store, scope: "local" }), layer)
      yield* theirs.commit(yield* Thought.make("test", { a: "red apples" }))
      yield* theirs.flush
      const { lines, value: words } = yield* logged(Memory.make({ ...none, store, onEmbedderChange: "rebuild" }))
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0]!, /^Warn The memory has vectors of the embedder "theirs", but is open without an embedder/)
      yield* words.commit(yield* Thought.make("test", { a: "green apples" }))
      const found = yield* words.search("apples")
      assert.deepStrictEqual([found.matches.length, found.arms.vector, found.arms.pending], [2, "none", 0])
      assert.deepStrictEqual(
        (yield* words.spaces).map(({ embedder: id, state }) => [id, state]),
        [[embedder.id, "active"]]
      )
      assert.strictEqual(yield* theirs.pending, 1)
      assert.strictEqual(yield* theirs.embedPending, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is only what was asked for: no other value means it", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      for (const embedder of ["", "None", null, {}]) {
        // @ts-expect-error only "none"
        const made = Memory.make({ store, scope: "local", embedder })
        const { reason } = yield* Effect.provide(Effect.flip(made), Testing.embedder)
        assert.strictEqual(reason._tag, "Query")
        assert.include(reason.message, 'embedder of a memory must be "none" or absent')
      }
      const either = (off: boolean) => Memory.layerInMemory({ embedder: off ? "none" : undefined })
      const program = Effect.map(Memory.Memory, (memory) => memory.embedder)
      const ids = yield* Effect.forEach([true, false], (off) =>
        Effect.provide(program, Layer.provide(either(off), Testing.embedder))
      )
      assert.deepStrictEqual(ids, [undefined, "word-count"])
    }).pipe(Effect.scoped)
  )
})
