import { assert, describe, it } from "@effect/vitest"
import type { Store } from "cogito"
import { Embedder, Memory, Note, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { DateTime, Effect, Fiber, Latch, Layer, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeInMemory as makeStore } from "../src/memory/inMemory/store.ts"

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

const tagOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(reasonOf(effect), (reason) => reason._tag)

const contents = (result: Memory.SearchResult) => result.matches.map(({ note }) => note.content)

const numbers = Note.handle("numbers", Schema.Array(Schema.Finite))

/** An embedder that counts words, and fails or is held up when it is told to. */
const moody = Effect.gen(function* () {
  const embedder = yield* Embedder.Embedder
  const state = { broken: false, calls: 0, texts: [] as Array<string>, gate: Latch.makeUnsafe(true) }
  const layer = Layer.succeed(Embedder.Embedder, {
    ...embedder,
    embedMany: (texts) =>
      Effect.gen(function* () {
        state.calls++
        yield* state.gate.await
        if (state.broken) {
          return yield* new Embedder.EmbedderError({ embedder: "moody", message: "it is in no mood", retryable: true })
        }
        state.texts.push(...texts)
        return yield* embedder.embedMany(texts)
      })
  })
  return { state, memory: Layer.provide(Memory.layerInMemory(), layer) }
}).pipe(Effect.provide(Testing.embedder))

const withMemory = <A, E>(effect: Effect.Effect<A, E, Memory.Memory>) => Effect.provide(effect, Testing.memory)

describe("what is committed", () => {
  it.effect("comes back as it was, by id and by trace id, and goes on from there", () =>
    withMemory(
      Effect.gen(function* () {
        yield* TestClock.adjust("3 hours")
        const memory = yield* Memory.Memory
        let thought: Thought.Thought<any> = yield* Thought.make(
          "triage",
          { message: { content: "I\0 was \ud800 charged\r\n twice", metadata: { lang: "en", "": "\u2028" } } },
          { taskId: "task", traceId: "trace 1", trust: "trusted" }
        )
        thought = yield* Thought.write(thought, numbers, [1, 2.5])
        thought = yield* Thought.append(thought, "message", "again")
        const [first] = Thought.notes(thought)
        const session = Session.append(
          Session.empty,
          { role: "user", text: "q", carries: [first!.id] },
          { role: "assistant", text: "a" },
          { role: "user", text: "sum", kind: "summary", covers: [first!.id] }
        )
        thought = Thought.withSession(thought, Session.withUsage(yield* Session.remove(session, 1), { inputTokens: 0 }))
        const stored = yield* memory.commit(thought)
        assert.deepStrictEqual(JSON.parse(JSON.stringify(stored)), JSON.parse(JSON.stringify(thought)))
        for (const loaded of [yield* memory.load(thought.id), yield* Memory.load({ traceId: "trace 1" })]) {
          assert.deepStrictEqual(JSON.parse(JSON.stringify(loaded)), JSON.parse(JSON.stringify(thought)))
          assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(thought))
          assert.deepStrictEqual(Thought.unpublished(loaded), Thought.unpublished(thought))
          assert.deepStrictEqual((yield* Thought.require(loaded, [numbers])).get("numbers"), [1, 2.5])
          assert.strictEqual(yield* memory.commit(loaded), loaded)
        }
        const longer = yield* Thought.append(yield* memory.load(thought.id), "more", "1")
        yield* memory.commit(longer)
        assert.deepStrictEqual(Thought.notes(yield* memory.load(thought.id)), Thought.notes(longer))
      })
    )
  )

  it.effect("is only what is new: committing again what is stored does nothing", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const once = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        assert.strictEqual(yield* memory.commit(once), once)
        const empty = yield* memory.commit(yield* Thought.make("nothing"))
        assert.strictEqual((yield* memory.load(empty.id)).length, 0)
        const talked = Thought.withSession(once, Session.append(once.session, { role: "user", text: "q" }))
        const twice = yield* memory.commit(talked)
        const cleared = yield* memory.commit(Thought.withSession(twice, Session.clear(twice.session)))
        const { session } = yield* memory.load(once.id)
        assert.deepStrictEqual([session.length, session.nextIndex], [0, 1])
        assert.strictEqual(cleared.length, 1)
      })
    )
  )

  it.effect("has the usage of the conversation, also when nothing else is new", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        let thought = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        for (const usage of [{ inputTokens: 10, outputTokens: 2 }, { inputTokens: 12 }]) {
          thought = yield* memory.commit(Thought.withSession(thought, Session.withUsage(thought.session, usage)))
          assert.deepStrictEqual((yield* memory.load(thought.id)).session.usage, usage)
        }
      })
    )
  )

  it.effect("has the conversation that was put in the place of another, although both count from 0", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const said = (...texts: ReadonlyArray<string>) =>
          Session.append(Session.empty, ...texts.map((text) => ({ role: "user", text }) as const))
        const first = yield* memory.commit(Thought.withSession(yield* Thought.make("test"), said("a", "b")))
        const second = yield* memory.commit(Thought.withSession(first, said("x", "y")))
        const loaded = yield* memory.load(first.id)
        assert.deepStrictEqual(
          Session.entries(loaded.session).map(({ text }) => text),
          ["x", "y"]
        )
        assert.deepStrictEqual(Session.entries(loaded.session), Session.entries(second.session))
        const early = yield* memory.commit(Thought.withSession(second, said("x")))
        assert.strictEqual((yield* memory.load(early.id)).session.length, 1)
      })
    )
  )

  it.effect("is not found under any other name", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* memory.commit(yield* Thought.make("test", {}, { traceId: "trace" }))
        const uuid = "01890a5d-ac96-774b-bcce-b302099a8057"
        for (const ref of [uuid, { traceId: "gone" }, { traceId: "ticket-7:a_b.c" }, { traceId: thought.id }]) {
          const reason = yield* reasonOf(memory.load(ref))
          assert.strictEqual(reason._tag, "NotFound")
          assert.include(reason.message, JSON.stringify(typeof ref === "string" ? ref : ref.traceId))
        }
        // what cannot be an id may be any text, and is not said
        for (const text of ["gone", "SECRET", `${uuid} `, "x".repeat(65), "My card is 1234", "two\nlines"]) {
          const reasons = [yield* reasonOf(memory.load(text)), yield* reasonOf(memory.load({ traceId: `${text} ?` }))]
          for (const reason of reasons) {
            assert.strictEqual(reason._tag, "NotFound")
            assert.notInclude(reason.message, JSON.stringify(text).slice(1, -1))
          }
        }
        assert.strictEqual((yield* reasonOf(memory.load("")))._tag, "NotFound")
      })
    )
  )

  it.effect("is refused whole when a trace id is taken", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const first = yield* memory.commit(yield* Thought.make("test", {}, { traceId: "trace" }))
        const second = yield* Thought.make("test", { a: "1" }, { traceId: "trace" })
        assert.strictEqual(yield* tagOf(memory.commit(second)), "Query")
        assert.strictEqual(yield* tagOf(memory.load(second.id)), "NotFound")
        assert.strictEqual((yield* memory.load({ traceId: "trace" })).id, first.id)
      })
    )
  )

  it.effect("is refused before anything is written when a note is too large", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const limit = 4_000_000
        const largest = yield* memory.commit(yield* Thought.make("test", { a: "x".repeat(limit) }))
        assert.strictEqual((yield* memory.load(largest.id)).note("a")?.content.length, limit)
        const thought = yield* Thought.make("test", { small: "1", large: "x".repeat(limit + 1) })
        const fork = yield* Thought.append(yield* Thought.fork(thought), "own", "2")
        for (const refused of [thought, fork]) {
          const reason = yield* reasonOf(memory.commit(refused as Thought.Thought<any>))
          assert.deepInclude(reason, { _tag: "TooLarge", field: "large", limit })
          assert.isBelow(reason.message.length, 200)
          assert.strictEqual(yield* tagOf(memory.load(refused.id)), "NotFound")
        }
      })
    )
  )

  it.effect("is refused as corrupt when the stored rows make no thought", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const gapped: Store.Store = {
        ...store,
        load: (scope, ref) =>
          Effect.map(store.load(scope, ref), (stored) =>
            stored === undefined ? undefined : { ...stored, notes: stored.notes.slice(1) }
          )
      }
      const memory = yield* Memory.make({ store: gapped, scope: "test" })
      const { id } = yield* memory.commit(yield* Thought.make("test", { a: "secret", b: "secret" }))
      const reason = yield* reasonOf(memory.load(id))
      assert.strictEqual(reason._tag, "Corrupt")
      assert.include(reason.message, id)
      assert.notInclude(reason.message, "secret")
    }).pipe(Effect.provide(Testing.embedder))
  )
})

describe("two holders of one thought", () => {
  it.effect("cannot both commit: the second is told to load again, and can", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const shared = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        const mine = yield* Thought.append(shared, "a", "mine")
        const theirs = yield* Thought.append(yield* memory.load(shared.id), "a", "theirs")
        yield* memory.commit(mine)
        const reason = yield* reasonOf(memory.commit(theirs as Thought.Thought<any>))
        assert.deepInclude(reason, { _tag: "ConcurrencyConflict", thoughtId: shared.id })
        assert.match(reason.message, /Load it again/)
        assert.deepStrictEqual(Thought.notes(yield* memory.load(shared.id)), Thought.notes(mine))
        const again = yield* memory.commit(yield* Thought.append(yield* memory.load(shared.id), "a", "theirs"))
        assert.strictEqual(again.note("a")?.seq, 3)
      })
    )
  )

  it.effect("cannot both commit when they do so at once, a new thought included", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const fresh = yield* Thought.make("test")
        const stored = yield* memory.commit(yield* Thought.make("test"))
        for (const thought of [fresh, stored]) {
          const results = yield* Effect.forEach(
            ["1", "2", "3", "4", "5"],
            (content) =>
              Effect.flatMap(Thought.append(thought, "a", content), (longer) => Effect.result(memory.commit(longer))),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(results.filter(Result.isSuccess).length, 1)
          const loaded = yield* memory.load(thought.id)
          assert.deepStrictEqual(
            Thought.notes(loaded),
            results.filter(Result.isSuccess).flatMap(({ success }) => Thought.notes(success))
          )
        }
      })
    )
  )

  it.effect("cannot both change the conversation", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const shared = yield* memory.commit(yield* Thought.make("test"))
        const saying = (text: string) =>
          memory.commit(Thought.withSession(shared, Session.append(shared.session, { role: "user", text })))
        yield* saying("mine")
        assert.strictEqual(yield* tagOf(saying("theirs")), "ConcurrencyConflict")
      })
    )
  )

  it.effect("is stored also when the embedder is broken beyond failing", () =>
    Effect.gen(function* () {
      const throwing = Layer.succeed(Embedder.Embedder, {
        id: "throwing",
        dimensions: 2,
        maxTokens: 100,
        metric: "cosine",
        embedMany: () => Effect.die(new Error("a defect"))
      })
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const stored = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        assert.strictEqual((yield* memory.load(stored.id)).length, 1)
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), throwing)))
    })
  )

  it.effect("can repeat a commit that was made", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.make("test", { a: "1" })
        const first = yield* memory.commit(thought)
        const again = yield* memory.commit(thought)
        const longer = yield* memory.commit(yield* Thought.append(again, "b", "2"))
        assert.deepStrictEqual(Thought.notes(yield* memory.load(first.id)), Thought.notes(longer))
        assert.strictEqual(yield* tagOf(memory.commit(thought)), "ConcurrencyConflict")
      })
    )
  )

  it.effect("can commit what a fork's commit has stored already", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.make("test", { a: "1" })
        yield* memory.commit(yield* Thought.fork(thought))
        const stored = yield* memory.commit(thought)
        yield* memory.commit(yield* Thought.append(stored, "b", "2"))
        assert.strictEqual((yield* memory.load(thought.id)).length, 2)
      })
    )
  )

  it.effect("cannot add to a past that has moved on; a fork of it can", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* memory.commit(yield* Thought.make("test", { a: "1", b: "2", c: "3" }))
        const past = Thought.at(thought, 1)
        assert.strictEqual(yield* memory.commit(past), past)
        const changed = yield* Thought.append(past, "a", "another history")
        assert.strictEqual(yield* tagOf(memory.commit(changed)), "ConcurrencyConflict")
        assert.deepStrictEqual(Thought.notes(yield* memory.load(thought.id)), Thought.notes(thought))
        const fork = yield* memory.commit(yield* Thought.append(yield* Thought.fork(past), "a", "another history"))
        const loaded = yield* memory.load(fork.id)
        assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(fork))
        assert.deepStrictEqual(
          Thought.notes(loaded).map(({ content }) => content),
          ["1", "another history"]
        )
      })
    )
  )
})

describe("a fork", () => {
  it.effect("of a stored thought stores its own notes only and reads all", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const parent = yield* memory.commit(yield* Thought.make("test", { a: "1", b: "2" }))
        const fork = yield* Thought.append(yield* Thought.fork(parent, { hide: ["b"] }), "c", "3")
        yield* memory.commit(fork)
        yield* memory.commit(yield* Thought.append(parent, "d", "4"))
        const loaded = yield* memory.load(fork.id)
        assert.deepStrictEqual(loaded.parent, { id: parent.id, seq: 2 })
        assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(fork))
        assert.isUndefined(loaded.note("b"))
        assert.isUndefined(loaded.note("d"))
        assert.strictEqual((yield* memory.load(parent.id)).length, 3)
      })
    )
  )

  it.effect("of thoughts not yet stored stores them all, each once, and their notes can be found", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const root = yield* Thought.make("root", { a: "apples" })
        const middle = yield* Thought.append(yield* Thought.fork(root), "b", "bananas")
        const left = yield* Thought.append(yield* Thought.fork(middle), "c", "cherries")
        const right = yield* Thought.append(yield* Thought.fork(middle), "c", "currants")
        yield* memory.commit(left)
        yield* memory.commit(right)
        for (const thought of [root, middle, left, right]) {
          const loaded = yield* memory.load(thought.id)
          assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(thought))
          assert.deepStrictEqual(loaded.parent, thought.parent)
        }
        const found = yield* memory.search("apples bananas cherries currants", { limit: 10 })
        assert.sameMembers(contents(found), ["apples", "bananas", "cherries", "currants"])
        assert.strictEqual(found.arms.pending, 0)
      })
    )
  )

  it.effect("of a thought with new notes on a stored one stores those with it", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const stored = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        const longer = yield* Thought.append(stored, "b", "2")
        const fork = yield* memory.commit(yield* Thought.fork(longer))
        assert.deepStrictEqual(Thought.notes(yield* memory.load(stored.id)), Thought.notes(longer))
        assert.deepStrictEqual(Thought.notes(yield* memory.load(fork.id)), Thought.notes(longer))
      })
    )
  )

  it.effect("of notes that never came to be in the store is refused", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const stored = yield* memory.commit(yield* Thought.make("test", { a: "1" }))
        const lost = yield* Thought.append(stored, "a", "lost")
        const fork = yield* Thought.fork(lost)
        yield* memory.commit(yield* Thought.append(stored, "a", "kept"))
        assert.strictEqual(yield* tagOf(memory.commit(fork)), "ConcurrencyConflict")
        assert.strictEqual(yield* tagOf(memory.load(fork.id)), "NotFound")
      })
    )
  )

  it.effect("keeps the parent's name when it shares no notes", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const parent = yield* Thought.make("task", { a: "1" })
        const child = yield* memory.commit(yield* Thought.make("part", { b: "2" }, { parent }))
        const loaded = yield* memory.load(child.id)
        assert.deepStrictEqual(loaded.parent, { id: parent.id, seq: 0 })
        assert.deepStrictEqual(Thought.notes(loaded), Thought.notes(child))
        assert.strictEqual((yield* memory.load(parent.id)).length, 1)
      })
    )
  )
})

describe("an embedder that fails", () => {
  it.effect("loses no note: they are pending until they are embedded", () =>
    Effect.gen(function* () {
      const { memory: layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        yield* memory.commit(yield* Thought.make("test", { a: "red apples" }))
        yield* memory.flush
        state.broken = true
        const thought = yield* memory.commit(yield* Thought.make("test", { a: "green apples", b: "pears" }))
        assert.deepStrictEqual(Thought.notes(yield* memory.load(thought.id)), Thought.notes(thought))

        const worded = yield* memory.search("apples")
        // the pears are kept beside the green apples
        assert.sameMembers(contents(worded), ["red apples", "green apples", "pears"])
        assert.deepStrictEqual(worded.arms, { vector: "unavailable", lexical: "ok", pending: 2 })
        assert.strictEqual(yield* tagOf(memory.embedPending), "EmbedderFailed")

        state.broken = false
        const partial = yield* memory.search("apples")
        assert.deepStrictEqual(contents(partial), ["red apples", "green apples", "pears"])
        assert.deepStrictEqual(partial.arms, { vector: "partial", lexical: "ok", pending: 2 })

        assert.strictEqual(yield* memory.embedPending, 2)
        assert.strictEqual(yield* memory.embedPending, 0)
        const all = yield* memory.search("apples")
        assert.sameMembers(contents(all), ["red apples", "green apples", "pears"])
        assert.deepStrictEqual(all.arms, { vector: "ok", lexical: "ok", pending: 0 })
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("leaves notes of every scope to be embedded later, many batches of them", () =>
    Effect.gen(function* () {
      const { memory: layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        state.broken = true
        for (const scope of ["one", "other"]) {
          const notes = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`key ${i}`, `${scope} ${i}`]))
          yield* Memory.withScope(scope)(Effect.flatMap(Thought.make("test", notes), memory.commit))
        }
        yield* memory.flush
        state.broken = false
        assert.strictEqual(yield* memory.embedPending, 300)
        assert.strictEqual(new Set(state.texts).size, 300)
        for (const scope of ["one", "other"]) {
          const found = yield* Memory.withScope(scope)(memory.search(scope, { limit: 500 }))
          assert.strictEqual(found.matches.length, 150)
          assert.strictEqual(found.arms.pending, 0)
        }
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("is noticed when it gives too few vectors, or vectors of another length", () =>
    Effect.gen(function* () {
      const embedder = yield* Embedder.Embedder
      const wrong: ReadonlyArray<(vectors: ReadonlyArray<Float32Array>) => ReadonlyArray<Float32Array>> = [
        (vectors) => vectors.slice(1),
        (vectors) => vectors.map((vector) => vector.slice(1))
      ]
      for (const change of wrong) {
        const broken = {
          ...embedder,
          embedMany: (texts: ReadonlyArray<string>) => Effect.map(embedder.embedMany(texts), change)
        }
        yield* Effect.gen(function* () {
          const memory = yield* Memory.Memory
          const thought = yield* memory.commit(yield* Thought.make("test", { a: "apples", b: "pears" }))
          assert.strictEqual((yield* memory.load(thought.id)).length, 2)
          assert.strictEqual((yield* memory.search(" ")).arms.pending, 2)
          assert.deepInclude(yield* reasonOf(memory.search("apples")), { _tag: "EmbedderFailed", retryable: false })
          assert.strictEqual(yield* tagOf(memory.embedPending), "EmbedderFailed")
        }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), Layer.succeed(Embedder.Embedder, broken))))
      }
    }).pipe(Effect.provide(Testing.embedder))
  )

  it.effect("leaves what is stored in the store, to be embedded, when who committed it is interrupted", () =>
    Effect.gen(function* () {
      const { memory: layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.make("test", { a: "apples" })
        yield* state.gate.close
        const fiber = yield* Effect.forkChild(Effect.andThen(memory.commit(thought), memory.flush))
        while (state.calls === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(Thought.notes(yield* memory.load(thought.id)), Thought.notes(thought))
        assert.strictEqual(yield* memory.pending, 1)
        yield* state.gate.open
        assert.deepStrictEqual(contents(yield* memory.search("apples")), ["apples"])
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("search", () => {
  it.effect("finds the nearest first, with note, thought, similarity and rank", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* memory.commit(
          yield* Thought.make(
            "shop",
            { a: "red apples and pears", b: "red apples", c: "a bicycle" },
            { taskId: "task" }
          )
        )
        const { arms, matches } = yield* Memory.search("red apples")
        assert.deepStrictEqual(
          matches.slice(0, 2).map(({ note }) => note.content),
          ["red apples", "red apples and pears"]
        )
        const [best] = matches
        assert.deepStrictEqual(best?.note, thought.note("b"))
        assert.deepStrictEqual(best?.thought, {
          id: thought.id,
          traceId: thought.traceId,
          taskId: "task",
          intent: "shop"
        })
        assert.approximately(best!.similarity, 1, 1e-6)
        assert.deepStrictEqual(
          matches.map(({ ranks }) => ranks),
          // the third stands beside the others
          [
            { vector: 1, lexical: 1 },
            { vector: 2, lexical: 2 },
            { vector: 3, lexical: 3 }
          ]
        )
        for (const [i, match] of matches.entries()) {
          assert.isAtMost(match.similarity, matches[i - 1]?.similarity ?? 1)
          assert.isBelow(match.score, matches[i - 1]?.score ?? Number.POSITIVE_INFINITY)
          assert.strictEqual(match.scores.vector, match.similarity)
        }
        assert.isAbove(matches[0]!.scores.lexical!, matches[1]!.scores.lexical!)
        assert.deepStrictEqual(arms, { vector: "ok", lexical: "ok", pending: 0 })
      })
    )
  )

  it.effect("finds nothing in an empty memory, nor with an empty query, which is not embedded", () =>
    Effect.gen(function* () {
      const { memory: layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        assert.deepStrictEqual((yield* memory.search("apples")).matches, [])
        yield* memory.commit(yield* Thought.make("test", { a: "apples" }))
        yield* memory.flush
        const { calls } = state
        for (const query of ["", "  ", "\n\t"]) {
          assert.deepStrictEqual(yield* memory.search(query), {
            matches: [],
            arms: { vector: "ok", lexical: "unavailable", pending: 0 }
          })
        }
        assert.strictEqual(state.calls, calls)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("takes a limit from 1 to 500, by default 10", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const notes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key ${i}`, `apples ${i}`]))
        yield* memory.commit(yield* Thought.make("test", notes))
        assert.strictEqual((yield* memory.search("apples")).matches.length, 10)
        assert.strictEqual((yield* memory.search("apples", { limit: 1 })).matches.length, 1)
        assert.strictEqual((yield* memory.search("apples", { limit: 500 })).matches.length, 30)
        for (const limit of [0, -1, 501, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          for (const query of ["apples", ""]) {
            const reason = yield* reasonOf(memory.search(query, { limit }))
            assert.strictEqual(reason._tag, "Query")
            assert.match(reason.message, /from 1 to 500/)
          }
        }
      })
    )
  )

  it.effect("lets through what every filter given allows", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const write = (content: string, key: string, draft: Partial<Thought.Draft> = {}, taskId?: string) =>
          Effect.flatMap(
            Thought.make(
              "test",
              { [key]: { content: `apples ${content}`, ...draft } },
              taskId === undefined ? {} : { taskId }
            ),
            memory.commit
          )
        const first = yield* write("first", "a", { trust: "trusted" })
        yield* TestClock.adjust("1 minute")
        const noon = yield* DateTime.now
        yield* write("second", "b", { source: "import", metadata: { lang: "en", page: "7" } })
        yield* write("third", "a", { metadata: { lang: "de" } }, "task")
        yield* TestClock.adjust("1 minute")
        const later = yield* DateTime.now
        yield* write("fourth", "c", { source: "seek" })
        yield* write("fifth", "c", { source: "survey" })

        const finds = (options: Memory.SearchOptions) =>
          Effect.map(memory.search("apples", options), (result) =>
            contents(result)
              .map((content) => content.split(" ")[1]!)
              .toSorted()
          )
        const expected: ReadonlyArray<readonly [Memory.SearchOptions, ReadonlyArray<string>]> = [
          [{}, ["first", "second", "third"]],
          [{ excludeSources: [] }, ["fifth", "first", "fourth", "second", "third"]],
          [{ excludeSources: ["user"] }, ["fifth", "fourth", "second"]],
          [{ keys: ["a"] }, ["first", "third"]],
          [{ keys: ["a", "b"] }, ["first", "second", "third"]],
          [{ keys: [] }, []],
          [{ sources: ["import"] }, ["second"]],
          [{ sources: ["seek"], excludeSources: [] }, ["fourth"]],
          [{ sources: [] }, []],
          [{ taskId: "task" }, ["third"]],
          [{ taskId: "other" }, []],
          [{ excludeThoughts: [first.id] }, ["second", "third"]],
          [{ since: noon }, ["second", "third"]],
          [{ until: noon }, ["first"]],
          [{ since: noon, until: later, excludeSources: [] }, ["second", "third"]],
          [{ since: later, excludeSources: [] }, ["fifth", "fourth"]],
          [{ trust: "trusted" }, ["first"]],
          [{ trust: "untrusted" }, ["second", "third"]],
          [{ metadata: { lang: "en" } }, ["second"]],
          [{ metadata: { lang: "en", page: "8" } }, []],
          [{ metadata: {} }, ["first", "second", "third"]],
          [{ metadata: { toString: "x" } }, []],
          [{ keys: ["a"], since: noon, metadata: { lang: "de" } }, ["third"]],
          [{ minSimilarity: 0.99 }, []],
          [{ maxDistance: 0.01 }, []],
          [{ minSimilarity: 0.5, keys: ["b"] }, ["second"]],
          [{ minSimilarity: 0.5 }, ["first", "second", "third"]]
        ]
        for (const [options, found] of expected) {
          assert.deepStrictEqual(yield* finds(options), found, JSON.stringify(options))
        }
      })
    )
  )

  it.effect("finds superseded notes too, and each note of forked thoughts once", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.append(yield* Thought.make("test", { a: "old apples" }), "a", "new apples")
        yield* memory.commit(yield* Thought.fork(thought))
        yield* memory.commit(yield* Thought.fork(thought))
        assert.sameMembers(contents(yield* memory.search("apples")), ["old apples", "new apples"])
      })
    )
  )
})

describe("a scope", () => {
  it.effect("sees nothing of another: no thought, no note, no pending one, and ids may repeat", () =>
    Effect.gen(function* () {
      const { memory: layer, state } = yield* moody
      yield* Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const thought = yield* Thought.make("test", { a: "apples" }, { traceId: "trace" })
        yield* Memory.withScope("one")(memory.commit(thought))
        const other = Memory.withScope("other")
        assert.strictEqual(yield* tagOf(other(memory.load(thought.id))), "NotFound")
        assert.strictEqual(yield* tagOf(other(memory.load({ traceId: "trace" }))), "NotFound")
        assert.deepStrictEqual((yield* other(memory.search("apples"))).matches, [])
        assert.strictEqual(yield* tagOf(memory.load(thought.id)), "NotFound")

        yield* memory.flush
        state.broken = true
        const theirs = yield* other(memory.commit(yield* Thought.append(thought, "b", "pears")))
        yield* memory.flush
        state.broken = false
        assert.strictEqual((yield* other(memory.search("apples"))).arms.pending, 2)
        const mine = yield* Memory.withScope("one")(memory.search("apples"))
        assert.deepStrictEqual([mine.arms.pending, contents(mine)], [0, ["apples"]])
        assert.strictEqual((yield* other(memory.load(thought.id))).length, theirs.length)
        assert.strictEqual((yield* Memory.withScope("one")(memory.load(thought.id))).length, 1)

        const child = yield* Thought.fork(theirs)
        assert.strictEqual(yield* tagOf(Memory.withScope("third")(memory.commit(child))), "ConcurrencyConflict")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("is the layer's own when none is named, and the innermost named one else", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const thought = yield* memory.commit(yield* Thought.make("test"))
      const named = Memory.withScope("tenant")(Memory.load(thought.id))
      assert.strictEqual((yield* named).id, thought.id)
      assert.strictEqual((yield* Memory.withScope("other")(named)).id, thought.id)
      assert.strictEqual(yield* tagOf(named.pipe(() => Memory.withScope("other")(memory.load(thought.id)))), "NotFound")
    }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory({ scope: "tenant" }), Testing.embedder)))
  )

  it.effect("is local if the layer of a memory in this process names none", () =>
    Effect.gen(function* () {
      const thought = yield* Memory.commit(yield* Thought.make("test"))
      assert.strictEqual((yield* Memory.withScope("local")(Memory.load(thought.id))).id, thought.id)
      assert.strictEqual(yield* tagOf(Memory.withScope("default")(Memory.load(thought.id))), "NotFound")
    }).pipe(Effect.provide(Memory.layerInMemory({ embedder: "none" })))
  )

  it.effect("holds for programs that run at the same time", () =>
    withMemory(
      Effect.gen(function* () {
        const memory = yield* Memory.Memory
        const work = Effect.fnUntraced(function* (scope: string) {
          for (let i = 0; i < 10; i++) {
            yield* memory.commit(yield* Thought.make("test", { a: `${scope} ${i}` }))
            yield* Effect.yieldNow
          }
          return contents(yield* memory.search(scope, { limit: 100 }))
        })
        const scopes = ["one", "two", "three"]
        const found = yield* Effect.forEach(scopes, (scope) => Memory.withScope(scope)(work(scope)), {
          concurrency: "unbounded"
        })
        for (const [i, scope] of scopes.entries()) {
          assert.sameMembers(
            [...found[i]!],
            Array.from({ length: 10 }, (_, n) => `${scope} ${n}`)
          )
        }
      })
    )
  )
})

describe("lineage", () => {
  const store = <N>(thought: Thought.Thought<N>) => Memory.Memory.use((memory) => memory.commit(thought))
  const forked = (thought: Thought.Thought) => Effect.flatMap(Thought.fork(thought), store)

  it.effect("says who descends from whom, by id and by trace id", () =>
    withMemory(
      Effect.gen(function* () {
        yield* TestClock.adjust("5 seconds")
        const root: Thought.Thought = yield* store(yield* Thought.make("root", { a: "one" }, { taskId: "task" }))
        yield* TestClock.adjust("5 seconds")
        const child = yield* forked(root)
        const grandchild = yield* forked(child)
        const relative = ({ id, intent, parent, taskId, traceId }: Thought.Thought, seconds: number) => ({
          id,
          traceId,
          taskId,
          intent,
          created: DateTime.makeUnsafe(1000 * seconds),
          parent
        })
        for (const ref of [grandchild.id, { traceId: grandchild.traceId }]) {
          assert.deepStrictEqual(yield* Memory.ancestors(ref), [relative(root, 5), relative(child, 10)])
        }
        assert.deepStrictEqual(yield* Memory.ancestors(root.id), [])
        assert.deepStrictEqual(yield* Memory.children({ traceId: root.traceId }), [relative(child, 10)])
        assert.deepStrictEqual(yield* Memory.children(grandchild.id), [])
      })
    )
  )

  it.effect("gives children page by page, and none of another scope", () =>
    withMemory(
      Effect.gen(function* () {
        const root: Thought.Thought = yield* store(yield* Thought.make("root"))
        const made: Array<string> = []
        for (let i = 0; i < 101; i++) {
          yield* TestClock.adjust("1 millis")
          made.push((yield* forked(root)).id)
        }
        const first = yield* Memory.children(root.id)
        assert.deepStrictEqual(
          first.map(({ id }) => id),
          made.slice(0, 100)
        )
        const rest = yield* Memory.children(root.id, { after: first.at(-1)!, limit: 500 })
        assert.deepStrictEqual(
          rest.map(({ id }) => id),
          made.slice(100)
        )
        for (const limit of [0, 501, 1.5]) {
          assert.strictEqual(yield* tagOf(Memory.children(root.id, { limit })), "Query")
        }
        for (const ref of [root.id, { traceId: root.traceId }]) {
          assert.strictEqual(yield* tagOf(Memory.children(ref).pipe(Memory.withScope("other"))), "NotFound")
          assert.strictEqual(yield* tagOf(Memory.ancestors(ref).pipe(Memory.withScope("other"))), "NotFound")
        }
      })
    )
  )
})

it.effect("a memory built anew is empty", () =>
  Effect.gen(function* () {
    const write = Effect.flatMap(Thought.make("test", { a: "apples" }), (thought) =>
      Memory.Memory.use((memory) => memory.commit(thought))
    )
    const { id } = yield* Effect.provide(write, Layer.fresh(Testing.memory))
    assert.strictEqual(yield* tagOf(Effect.provide(Memory.load(id), Layer.fresh(Testing.memory))), "NotFound")
  })
)

it("a failure may go by where the database was out of reach or late, or the embedder says so", () => {
  const message = "m"
  const thoughtId = "t"
  const passing: ReadonlyArray<Memory.Reason> = [
    { _tag: "Connection", message },
    { _tag: "Connection", message, retryable: true },
    { _tag: "Timeout", message },
    { _tag: "EmbedderFailed", message, retryable: true }
  ]
  const lasting: ReadonlyArray<Memory.Reason> = [
    { _tag: "Connection", message, retryable: false },
    { _tag: "EmbedderFailed", message, retryable: false },
    { _tag: "Query", message },
    { _tag: "NotFound", message },
    { _tag: "Locked", message },
    { _tag: "ConcurrencyConflict", message, thoughtId }
  ]
  for (const [reasons, isRetryable] of [
    [passing, true],
    [lasting, false]
  ] as const) {
    for (const reason of reasons) {
      const error = new Memory.MemoryError({ reason })
      assert.deepStrictEqual([error.isRetryable, error.message], [isRetryable, message], JSON.stringify(reason))
    }
  }
})

it.effect(
  "a store is asked a second time where the connection broke, and where it was no matter of that only once",
  () =>
    Effect.gen(function* () {
      const table: ReadonlyArray<readonly [Memory.Reason, number]> = [
        [{ _tag: "Connection", message: "gone" }, 2],
        [{ _tag: "Connection", message: "no right", retryable: false }, 1],
        [{ _tag: "Timeout", message: "late" }, 1],
        [{ _tag: "Query", message: "refused" }, 1]
      ]
      for (const [reason, times] of table) {
        let asked = 0
        const failing = Effect.suspend(() => {
          asked++
          return Effect.fail(new Memory.MemoryError({ reason }))
        })
        const store = yield* makeStore
        const memory = yield* Memory.make({ store: { ...store, commit: () => failing }, scope: "a" })
        assert.deepStrictEqual(yield* reasonOf(memory.commit(yield* Thought.make("t", { a: "a" }))), reason)
        assert.strictEqual(asked, times, JSON.stringify(reason))
      }
    }).pipe(Effect.scoped, Effect.provide(Testing.embedder))
)
