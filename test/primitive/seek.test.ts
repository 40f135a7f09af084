import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Embedder, Memory, Note, Pipeline, Primitive, type Provider, Signal, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const search = (rest: Memory.SearchOptions = {}) =>
  Primitive.seek("history", { query: Note.from(message, (text) => text), ...rest })

/** Stores a thought with these notes. */
const remember = <const N extends Readonly<Record<string, string | Thought.Draft>>>(
  notes: N,
  options: { taskId?: string } = {}
) =>
  Effect.flatMap(Thought.make("remember", notes, options), (thought) =>
    Pipeline.run(Pipeline.sequence("nothing", []), thought)
  )

const asking = (text: string) => Thought.make("ask", { message: text })

const contents = (findings: Primitive.Findings) => findings.matches.map(({ content }) => content)

describe("seek", () => {
  it.effect("finds notes of earlier thoughts by meaning, nearest first, and says where they are from", () =>
    Effect.gen(function* () {
      const near = yield* remember({ message: "I was charged twice" })
      yield* remember({ message: "The weather is fine" })
      const done = yield* Pipeline.run(search(), yield* asking("Charged twice, I was"))
      const found = done.get("history")
      assert.deepStrictEqual(contents(found), ["I was charged twice", "The weather is fine"])
      const note = near.note("message")!
      assert.deepStrictEqual(found.matches[0], {
        noteId: note.id,
        thoughtId: near.id,
        traceId: near.traceId,
        key: "message",
        content: "I was charged twice",
        created: DateTime.formatIso(note.created),
        score: found.matches[0]!.score,
        similarity: found.matches[0]!.similarity
      })
      assert.closeTo(found.matches[0]!.similarity, 1, 1e-6)
      assert.isBelow(found.matches[1]!.similarity, 0.5)
      assert.deepStrictEqual(found.arms, { vector: "ok", lexical: "ok", pending: 0 })
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not repeat the query in its note, which a model has seen where it came from", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It says so."] }])
      const steps = Pipeline.sequence("two", [search(), Primitive.decide("go", { question: "Go on?" })])
      const done = yield* Pipeline.run(steps, yield* asking("Where is my parcel?")).pipe(
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      assert.notInclude(done.note("history")!.content, "parcel")
      const sent = model.requests[0]!.messages.map(({ text }) => text).join("\n")
      assert.strictEqual(sent.split("Where is my parcel?").length, 2)
    })
  )

  it.effect("calls no model", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([])
      const done = yield* Pipeline.run(search(), yield* asking("anything")).pipe(
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      assert.deepStrictEqual(model.requests, [])
      assert.strictEqual(done.note("history")?.source, "seek")
      assert.deepStrictEqual(done.note("history")?.metadata, {})
      assert.strictEqual(done.session.length, 0)
    })
  )

  it.effect("writes that nothing was found", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(search(), yield* asking("anything"))
      assert.deepStrictEqual(done.get("history").matches, [])
      assert.deepStrictEqual(yield* Thought.read(yield* Memory.load(done.id), search()), done.get("history"))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("finds nothing for an empty query", () =>
    Effect.gen(function* () {
      yield* remember({ message: "I was charged twice" })
      for (const query of ["", " \n"]) {
        const done = yield* Pipeline.run(
          Primitive.seek("history", { query: Note.from(message, () => query) }),
          yield* asking("x")
        )
        assert.deepStrictEqual(done.get("history").matches, [])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not find the asking thought's own notes", () =>
    Effect.gen(function* () {
      const first = yield* Pipeline.run(search(), yield* asking("charged twice"))
      const again = yield* Pipeline.run(search(), yield* Thought.append(first, "message", "charged twice again"))
      assert.deepStrictEqual(again.get("history").matches, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not find notes of the thoughts that the asking one was forked from", () =>
    Effect.gen(function* () {
      const root = yield* remember({ message: "charged twice" })
      const fork = yield* Thought.fork(root)
      const child = yield* Pipeline.run(
        Pipeline.sequence("nothing", []),
        yield* Thought.append(fork, "more", "charged")
      )
      const grandchild = yield* Thought.fork(child)
      // what the root adds later is not the fork's, and not found either
      yield* Pipeline.run(Pipeline.sequence("nothing", []), yield* Thought.append(root, "late", "charged later"))
      const other = yield* remember({ message: "charged elsewhere" })
      const done = yield* Pipeline.run(search(), grandchild)
      assert.deepStrictEqual(
        done.get("history").matches.map(({ thoughtId }) => thoughtId),
        [other.id]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not find what is added to the thought it was forked from, which had no notes of its own", () =>
    Effect.gen(function* () {
      const root = yield* remember({ message: "charged twice" }, { taskId: "ticket 7" })
      const parent = yield* Memory.commit(yield* Thought.fork(root))
      const child = yield* Memory.commit(yield* Thought.fork(parent))
      yield* Memory.commit(yield* Thought.append(parent, "late", "charged later"))
      const tasks = Primitive.survey("tasks", { query: "charged" })
      const done = yield* Pipeline.run(Pipeline.sequence("both", [search(), tasks]), child)
      assert.deepStrictEqual(done.get("history").matches, [])
      assert.deepStrictEqual(done.get("tasks").tasks, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("finds notes of a parent that it shares none with", () =>
    Effect.gen(function* () {
      const root = yield* remember({ message: "charged twice" })
      const child = yield* Thought.make("test", { message: "charged" }, { parent: root })
      const done = yield* Pipeline.run(search(), child)
      assert.deepStrictEqual(
        done.get("history").matches.map(({ thoughtId }) => thoughtId),
        [root.id]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  const summarize = { sampling: { temperature: 0.25, seed: 7 } }
  const summarizing: ReadonlyArray<
    readonly [string, Step.Step<{}, {}, Memory.MemoryError | Provider.ProviderError, Memory.Memory | Provider.Provider>]
  > = [
    ["seek", Primitive.seek("it", { query: "charged", summarize })],
    ["survey", Primitive.survey("it", { query: "charged", summarize })]
  ]
  it.effect.each(summarizing)("sends the sampling of its summary with the call: %s", ([, step]) => {
    const model = Testing.scripted(["They were charged twice."])
    return Effect.gen(function* () {
      yield* remember({ message: "charged twice" }, { taskId: "billing" })
      yield* Pipeline.run(step, yield* Thought.make("test"))
      assert.deepStrictEqual(
        model.requests.map(({ sampling }) => sampling),
        [{ temperature: 0.25, seed: 7 }]
      )
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("does not find what its thought has forgotten", () =>
    Effect.gen(function* () {
      const root = yield* remember({ secret: "charged twice" })
      const fork = yield* Thought.fork(root, { hide: ["secret"], session: "fresh" })
      const done = yield* Pipeline.run(Primitive.seek("history", { query: "charged twice" }), fork)
      assert.deepStrictEqual(done.get("history").matches, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not find what earlier searches wrote, unless requested", () =>
    Effect.gen(function* () {
      yield* Pipeline.run(search(), yield* asking("charged twice"))
      const done = yield* Pipeline.run(search(), yield* asking("charged twice"))
      assert.deepStrictEqual(
        done.get("history").matches.map(({ key }) => key),
        ["message"]
      )
      const all = yield* Pipeline.run(search({ excludeSources: [] }), yield* asking("charged twice"))
      assert.deepStrictEqual(
        all
          .get("history")
          .matches.map(({ key }) => key)
          .toSorted(),
        ["history", "history", "message"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  const filters: ReadonlyArray<readonly [string, Memory.SearchOptions, ReadonlyArray<string>]> = [
    ["no filter", {}, ["note one", "note three", "note two"]],
    ["limit", { limit: 1, keys: ["b"] }, ["note two"]],
    ["keys", { keys: ["a", "c"] }, ["note one", "note three"]],
    ["sources", { sources: ["crm"] }, ["note two"]],
    ["excludeSources", { excludeSources: ["crm"] }, ["note one", "note three"]],
    ["taskId", { taskId: "t1" }, ["note one", "note two"]],
    ["trust", { trust: "trusted" }, ["note three"]],
    ["metadata", { metadata: { language: "en" } }, ["note two"]],
    ["until", { until: DateTime.makeUnsafe(0) }, []],
    ["since", { since: DateTime.makeUnsafe(1) }, []],
    ["minSimilarity, also for what the words find", { minSimilarity: 0.5 }, ["note one", "note three", "note two"]],
    ["minSimilarity, when no note is as similar", { minSimilarity: 1 }, []]
  ]
  it.effect.each(filters)("applies its filters: %s", ([, filter, expected]) =>
    Effect.gen(function* () {
      yield* remember(
        { a: "note one", b: { content: "note two", source: "crm", metadata: { language: "en" } } },
        { taskId: "t1" }
      )
      yield* remember({ c: { content: "note three", trust: "trusted" } })
      const done = yield* Pipeline.run(search(filter), yield* asking("note"))
      assert.deepStrictEqual(contents(done.get("history")).toSorted(), expected)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("excludes further thoughts on request", () =>
    Effect.gen(function* () {
      const one = yield* remember({ message: "charged once" })
      yield* remember({ message: "charged twice" })
      const done = yield* Pipeline.run(search({ excludeThoughts: [one.id] }), yield* asking("charged"))
      assert.deepStrictEqual(contents(done.get("history")), ["charged twice"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is untrusted when a note it found is, though the asking thought is trusted", () =>
    Effect.gen(function* () {
      const own = Thought.make("ask", { message: "charged" }, { trust: "trusted" })
      assert.strictEqual((yield* Pipeline.run(search(), yield* own)).note("history")?.trust, "trusted")
      yield* remember({ message: "charged twice" })
      assert.strictEqual((yield* Pipeline.run(search(), yield* own)).note("history")?.trust, "untrusted")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails like the embedder, with its retryability", () =>
    Effect.gen(function* () {
      const down = new Embedder.EmbedderError({ embedder: "down", message: "the key is wrong", retryable: false })
      const embedder = Layer.succeed(Embedder.Embedder, {
        id: "down",
        dimensions: 2,
        maxTokens: 10,
        metric: "cosine",
        embedMany: () => Effect.fail(down)
      })
      const error = yield* Pipeline.run(search(), yield* asking("charged")).pipe(
        Effect.flip,
        Effect.provide(Layer.provide(Memory.layerInMemory(), embedder))
      )
      assert.deepStrictEqual(error.path, ["history"])
      assert.instanceOf(error.cause, Memory.MemoryError)
      assert.strictEqual(error.cause.reason._tag, "EmbedderFailed")
      assert.isFalse(error.cause.isRetryable)
      assert.deepStrictEqual(
        Thought.notes(error.thought!).map(({ key }) => key),
        ["message"]
      )
      assert.notInclude(error.message, "charged")
    })
  )

  it("is refused with an invalid limit", () => {
    assert.throws(() => search({ limit: 0 }), /"history" needs a whole number from 1 to 500 as limit/)
  })

  it.effect("stays inside its scope", () =>
    Effect.gen(function* () {
      yield* remember({ message: "charged twice" }).pipe(Memory.withScope("other"))
      const done = yield* Pipeline.run(search(), yield* asking("charged"))
      assert.deepStrictEqual(done.get("history").matches, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals the number of matches", () =>
    Effect.gen(function* () {
      const found: Array<unknown> = []
      yield* remember({ message: "charged twice" })
      yield* Pipeline.run(search(), yield* asking("charged")).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "NotesFound") found.push([signal.search, signal.matches, signal.pending, signal.path])
        })
      )
      assert.deepStrictEqual(found, [["seek", 1, 0, ["history"]]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows in its outline what the query reads", () => {
    assert.deepStrictEqual(search().node, {
      name: "history",
      kind: "seek",
      reads: ["message"],
      writes: ["history"],
      surely: ["history"],
      settings: { limit: 10 },
      children: []
    })
  })
})
