import { assert, describe, it } from "@effect/vitest"
import { Embedder, Memory, Pipeline, Primitive, Session, Store, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Layer, Stream } from "effect"
import { makeArchive } from "../../src/memory/archive/archive.ts"

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const noThoughts = Effect.map(Memory.thoughts(), (found) => assert.deepStrictEqual(found, []))

/** A memory of its own. */
const own = Effect.provide(Layer.fresh(Testing.memory))

describe("a text or a number of notes over its limit", () => {
  it.effect("is refused with its field and limit before anything is written or embedded", () =>
    Effect.gen(function* () {
      const embedded: Array<string> = []
      const embedder = yield* Embedder.Embedder
      const counting = Layer.succeed(Embedder.Embedder, {
        ...embedder,
        embedMany: (texts) =>
          Effect.andThen(
            Effect.sync(() => embedded.push(...texts)),
            embedder.embedMany(texts)
          )
      })
      const x = (length: number) => "x".repeat(length)
      const cases: ReadonlyArray<readonly [string, number, Effect.Effect<Thought.Thought<any>>, string]> = [
        [
          "traceId",
          256,
          Thought.make("t", {}, { traceId: x(257) }),
          "The trace id is longer than 256 characters: shorten it."
        ],
        [
          "taskId",
          256,
          Thought.make("t", {}, { taskId: x(257) }),
          "The task id is longer than 256 characters: shorten it."
        ],
        ["intent", 100_000, Thought.make(x(100_001)), "The intent is longer than 100000 characters: shorten it."],
        [
          "a",
          4_000_000,
          Thought.make("t", { a: x(4_000_001) }),
          'The note "a" is longer than 4000000 characters: split it.'
        ],
        [
          "source",
          256,
          Thought.make("t", { a: { content: "a", source: x(257) } }),
          'The source of the note "a" is longer than 256 characters: shorten it.'
        ],
        [
          "metadata",
          100_000,
          Thought.make("t", { a: { content: "a", metadata: { [x(50_000)]: x(50_001) } } }),
          'The metadata of the note "a" has more than 100000 characters: keep less of it.'
        ],
        [
          "notes",
          10_000,
          Thought.make("t", Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`key ${i}`, ""]))),
          "More than 10000 notes in one commit: add them in parts."
        ],
        [
          "notes",
          64_000_000,
          Thought.make("t", Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`key ${i}`, x(3_900_000)]))),
          "More than 64000000 characters in one commit: add them in parts."
        ],
        // five messages that are long, but may be stored one at a time
        [
          "notes",
          64_000_000,
          Effect.map(Thought.make("t"), (made) =>
            Thought.withSession(
              made,
              Session.append(
                Session.empty,
                ...Array.from({ length: 5 }, () => ({ role: "user" as const, text: x(13_000_000) }))
              )
            )
          ),
          "More than 64000000 characters in one commit: add them in parts."
        ],
        [
          "taskId",
          256,
          Effect.flatMap(Thought.make("t", {}, { taskId: x(257) }), Thought.fork),
          "The task id is longer than 256 characters: shorten it."
        ]
      ]
      yield* Effect.gen(function* () {
        for (const [field, limit, made, message] of cases) {
          const reason = yield* reasonOf(Effect.flatMap(made, Memory.commit))
          assert.deepInclude(reason, { _tag: "TooLarge", field, limit, message })
        }
        yield* Memory.flush
        yield* noThoughts
        const most = yield* Thought.make(
          x(100_000),
          { a: { content: x(4_000_000), source: x(256), metadata: { a: x(99_999) } } },
          { traceId: x(256), taskId: x(256) }
        )
        yield* Memory.commit(most)
        assert.strictEqual((yield* Memory.load({ traceId: x(256) })).note("a")?.metadata["a"]?.length, 99_999)
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), counting)))
      assert.isAbove(embedded.length, 0)
      assert.isTrue(embedded.every((text) => text.startsWith("x")))
    }).pipe(Effect.provide(Testing.embedder))
  )

  it.effect("is refused in what is appended and imported as well", () =>
    Effect.gen(function* () {
      const thought = yield* Memory.commit(yield* Thought.make("t", { a: "a" }, { traceId: "trace" }))
      const long = "x".repeat(257)
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<Memory.AppendedNote>]> = [
        ["source", [{ key: "b", content: "b", source: long }]],
        ["metadata", [{ key: "b", content: "b", metadata: { b: "x".repeat(100_000) } }]],
        ["b", [{ key: "b", content: "x".repeat(4_000_001) }]],
        ["notes", Array.from({ length: 10_001 }, () => ({ key: "b", content: "" }))]
      ]
      for (const [field, notes] of wrong) {
        assert.deepInclude(yield* reasonOf(Memory.append(thought.id, [{ key: "ok", content: "" }, ...notes])), {
          _tag: "TooLarge",
          field
        })
      }
      assert.strictEqual((yield* Memory.load(thought.id)).length, 1)
      const [header, line] = yield* Stream.runCollect(Memory.exportLines())
      for (const [from, to] of [
        ['"trace"', JSON.stringify(long)],
        ['"key":"a"', `"key":"${long}"`]
      ] as const) {
        const lines = Stream.make(header ?? "", (line ?? "").replace(from, to))
        const reason = yield* reasonOf(Memory.importLines(lines).pipe(Memory.withScope("other")))
        assert.strictEqual(reason._tag, "TooLarge")
      }
      yield* noThoughts.pipe(Memory.withScope("other"))
    }).pipe(own)
  )

  it.effect("stops a run before its first call of a model", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([])
      const step = Primitive.decide("d", { question: "q?" })
      const start = yield* Thought.make("t", { a: "a" }, { taskId: "x".repeat(257) })
      const failed = yield* Effect.flip(Pipeline.run(step, start).pipe(Effect.provide(model.layer)))
      assert.deepInclude((failed.cause as Memory.MemoryError).reason, { _tag: "TooLarge", field: "taskId" })
      assert.strictEqual(model.requests.length, 0)
    }).pipe(own)
  )
})

describe("a scope", () => {
  it("that is no text or empty is refused at once", () => {
    for (const wrong of [undefined, null, "", 7, {}]) {
      // what comes from a program without types
      assert.throws(() => Memory.withScope(wrong as string), /scope must be a non-empty string/)
    }
  })

  it.effect("that can be none is refused wherever it comes from", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      assert.strictEqual((yield* reasonOf(Memory.make({ store, scope: "" })))._tag, "Query")
      const long = "x".repeat(257)
      assert.deepInclude(yield* reasonOf(Memory.make({ store, scope: long })), { _tag: "TooLarge", field: "scope" })
      const thought = yield* Thought.make("t", { a: "a" })
      const note = Thought.history(thought, "a")[0]
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const operations: ReadonlyArray<Effect.Effect<unknown, Memory.MemoryError>> = [
          memory.commit(thought),
          memory.load(thought.id),
          memory.search("a"),
          memory.survey("a"),
          memory.thoughts(),
          memory.append(thought.id, []),
          memory.remove(thought.id),
          memory.purge,
          memory.redact(note?.id ?? ""),
          memory.pending,
          Stream.runCollect(memory.exportLines()),
          memory.importLines(Stream.empty)
        ]
        for (const operation of operations) {
          assert.deepInclude(yield* reasonOf(operation.pipe(Memory.withScope(long))), { _tag: "TooLarge" })
          const empty = operation.pipe(Effect.provideService(Memory.CurrentScope, ""))
          assert.deepInclude(yield* reasonOf(empty), { _tag: "Query" })
        }
        const archive = makeArchive(store, Effect.succeed(long))
        assert.strictEqual((yield* reasonOf(archive.importLines(Stream.empty)))._tag, "TooLarge")
      }).pipe(Effect.provide(Memory.layerInMemory()))
    }).pipe(Effect.scoped, Effect.provide(Testing.embedder))
  )
})

describe("a line of 12,000 forks", () => {
  it.effect("is committed, loaded, searched, redacted and removed like any other", () =>
    Effect.gen(function* () {
      const first = yield* Thought.make("t", { a: "apples" })
      let last: Thought.Thought<any> = first
      for (let i = 0; i < 12_000; i++) last = yield* Thought.fork(last)
      yield* Memory.commit(last)
      const loaded = yield* Memory.load(last.id)
      assert.strictEqual(loaded.note("a")?.content, "apples")
      assert.strictEqual((yield* Memory.ancestors(last.id)).length, 12_000)
      assert.strictEqual((yield* Memory.search("apples")).matches.length, 1)
      assert.deepStrictEqual((yield* Memory.search("apples", { excludeLineageOf: [last.id] })).matches, [])
      const noteId = Thought.history(first, "a")[0]?.id ?? ""
      assert.deepStrictEqual(yield* Memory.redact(noteId), [noteId])
      assert.isUndefined((yield* Memory.load(last.id)).note("a"))
      yield* Memory.remove(first.id, { materialize: true })
      assert.strictEqual((yield* Memory.load(last.id)).length, 1)
    }).pipe(own)
  )
})
