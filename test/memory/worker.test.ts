import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "cogito"
import { Embedder, Memory, Thought } from "cogito"
import type { EmbedderChange } from "cogito/types"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { moody } from "./embedder.ts"
import { met, soon } from "../soon.ts"

type Service = Memory.Memory["Service"]

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

const remember = (memory: Service, notes: Readonly<Record<string, string>>) =>
  Effect.flatMap(Thought.make("remember", notes), memory.commit)

/** Leaves notes without vectors, as a process does that ends too early. */
const leave = Effect.fnUntraced(function* (store: Store.Store, notes: Readonly<Record<string, string>>) {
  const { embedder, mood } = yield* moody()
  mood.fails = () => "for now"
  const { close, memory } = yield* open(store, embedder)
  yield* remember(memory, notes)
  yield* close
})

describe("what an earlier process left", () => {
  it.effect("is embedded once, by the start and by embedPending together", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      yield* leave(store, many(1000))
      for (const calls of [1, 3]) {
        const { embedder, mood } = yield* moody({ id: `embedder ${calls}` })
        // so that the sweep of the start is under way, and waits, when another one is asked for
        mood.fails = () => {
          if (mood.calls.length === calls) mood.gate.closeUnsafe()
          return undefined
        }
        const { close, memory } = yield* open(store, embedder, { onEmbedderChange: "rebuild" })
        for (let i = 0; i < 2000 && mood.calls.length <= calls; i++) yield* Effect.yieldNow
        const asked = yield* Effect.forkChild(memory.embedPending)
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        assert.isUndefined(asked.pollUnsafe())
        yield* mood.gate.open
        const embedded = yield* Fiber.join(asked)
        assert.isTrue(embedded >= 1000 - 128 * calls && embedded <= 1000, `${embedded} after ${calls} calls`)
        assert.strictEqual(yield* memory.pending, 0)
        assert.strictEqual(mood.calls.flat().length, 1000)
        assert.deepStrictEqual(
          yield* Effect.all([memory.embedPending, memory.embedPending], { concurrency: 2 }),
          [0, 0]
        )
        yield* close
      }
    })
  )
})

describe("what another process left", () => {
  it.effect("is found within minutes, with nothing to be done here", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder } = yield* moody()
      const { close, memory } = yield* open(store, embedder)
      yield* memory.embedPending
      yield* leave(store, many(3))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* memory.pending, 3)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* memory.pending, 0)
      yield* close
    })
  )

  it.effect("is looked for ever less often while there is nothing, so that years of a test's clock pass at once", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const looks: Array<number> = []
      const watched: Store.Store = {
        ...store,
        pending: (space, page) =>
          Effect.andThen(
            Effect.map(Clock.currentTimeMillis, (now) => looks.push(now)),
            store.pending(space, page)
          )
      }
      const { embedder } = yield* moody()
      const { close, memory } = yield* open(watched, embedder)
      yield* memory.embedPending
      yield* TestClock.adjust("20000 days")
      assert.isBelow(looks.length, 40)
      yield* leave(store, many(3))
      yield* memory.embedPending
      yield* leave(store, many(2, "other"))
      assert.strictEqual(yield* memory.pending, 2)
      yield* TestClock.adjust("8 minutes")
      assert.strictEqual(yield* memory.pending, 0)
      yield* close
    })
  )

  it.effect("is found soon after a search has noticed it, and not before its process has had the time", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody()
      const { close, memory } = yield* open(store, embedder)
      yield* memory.embedPending
      yield* leave(store, many(3))
      assert.strictEqual((yield* memory.search("note1")).arms.pending, 3)
      yield* TestClock.adjust("40 seconds")
      assert.notInclude(mood.calls.flat(), "note1 of many")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* memory.search("note1")).arms.pending, 3)
      yield* TestClock.adjust("40 seconds")
      assert.deepInclude((yield* memory.search("note1")).arms, { vector: "ok", pending: 0 })
      yield* close
    })
  )

  it.effect("and cannot be embedded is not tried by every search that notices it", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      yield* leave(store, many(3))
      const { embedder, mood } = yield* moody()
      mood.fails = (texts) => (texts.includes("note1 of many") ? "for good" : undefined)
      const { close, memory } = yield* open(store, embedder)
      yield* Effect.exit(memory.embedPending)
      mood.calls.length = 0
      for (let i = 0; i < 10; i++) {
        assert.strictEqual((yield* memory.search("query")).arms.pending, 1)
        yield* TestClock.adjust("20 seconds")
      }
      assert.deepStrictEqual(new Set(mood.calls.flat()), new Set(["query"]))
      yield* close
    })
  )
})

describe("another process that has changed the embedder", () => {
  it.effect("is named, with both embedders, by one that has the old one, which makes no more vectors", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder: old, mood: oldMood } = yield* moody()
      const { embedder: next } = yield* moody({ id: "next" })
      const before = yield* open(store, old)
      yield* remember(before.memory, { a: "apples" })
      yield* before.memory.flush
      const after = yield* open(store, next, { onEmbedderChange: "rebuild" })
      yield* after.memory.embedPending
      const error = yield* Effect.flip(before.memory.embedPending)
      assert.deepInclude(error.reason, {
        _tag: "EmbedderMismatch",
        stored: "next (64 dimensions, cosine)",
        configured: "word-count (64 dimensions, cosine)"
      })
      assert.strictEqual(
        error.message,
        "Another program has changed the memory to the embedder next (64 dimensions, cosine); " +
          "this one still uses word-count (64 dimensions, cosine): start it again with that embedder."
      )
      assert.strictEqual((yield* before.memory.search("apples")).matches[0]?.note.content, "apples")
      oldMood.calls.length = 0
      yield* remember(before.memory, { a: "pears" })
      yield* before.memory.flush
      assert.deepStrictEqual(oldMood.calls, [])
      yield* TestClock.adjust("7 minutes")
      assert.strictEqual(yield* after.memory.pending, 0)
      yield* before.close
      yield* after.close
    })
  )
})

describe("the many notes of one scope", () => {
  it.effect("do not keep another's from being found by the search that follows them", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder: words } = yield* moody()
      const { embedder } = yield* moody({
        embedMany: (texts) => Effect.delay(words.embedMany(texts), "200 millis")
      })
      const { close, memory } = yield* open(store, embedder)
      const big = Memory.withScope("big")
      yield* big(remember(memory, many(9000)))
      yield* TestClock.adjust("100 millis")
      yield* remember(memory, { a: "apples" })
      const searching = yield* Effect.forkChild(memory.search("apples", { limit: 1 }))
      yield* TestClock.adjust("1500 millis")
      const { arms, matches } = yield* Fiber.join(searching)
      assert.deepStrictEqual([arms.vector, arms.pending, matches[0]?.note.content], ["ok", 0, "apples"])
      assert.isAbove(yield* big(memory.pending), 7000)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* big(memory.pending), 0)
      yield* close
    })
  )
})

it.effect("notes that are appended are embedded also when who appends them is interrupted", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder } = yield* moody()
    const stored = Latch.makeUnsafe(false)
    const goOn = Latch.makeUnsafe(false)
    const append: Store.Store["append"] = (scope, ref, notes) =>
      Effect.tap(store.append(scope, ref, notes), Effect.andThen(stored.open, goOn.await))
    const { close, memory } = yield* open({ ...store, append }, embedder)
    const thought = yield* remember(memory, { a: "apples" })
    yield* memory.flush
    const appending = yield* Effect.forkChild(memory.append(thought.id, [{ key: "b", content: "pears" }]))
    yield* stored.await
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(appending))
    for (let i = 0; i < 5; i++) yield* Effect.yieldNow
    yield* goOn.open
    yield* Fiber.join(interrupting)
    yield* memory.flush
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)

it.live("notes of commits in one turn of the event loop are embedded in one call", () =>
  Effect.gen(function* () {
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(yield* makeStore, embedder)
    yield* memory.embedPending
    // until the worker waits for notes again
    for (let i = 0; i < 20; i++) yield* Effect.yieldNow
    mood.calls.length = 0
    for (const text of ["apples", "pears", "plums"]) {
      yield* remember(memory, { fruit: text })
      yield* Effect.promise(() => Promise.resolve())
    }
    yield* memory.flush
    assert.deepStrictEqual(mood.calls, [["apples", "pears", "plums"]])
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)

it.effect("a memory that is closed refuses to embed what is pending, and waits for nothing", () =>
  Effect.gen(function* () {
    const { embedder } = yield* moody()
    const { close, memory } = yield* open(yield* makeStore, embedder)
    yield* close
    yield* soon("flush ends where nobody embeds any more")(memory.flush)
    assert.deepStrictEqual((yield* soon("embedPending ends")(Effect.flip(memory.embedPending))).reason, {
      _tag: "Query",
      message: "The memory is closed. Pending notes will be embedded when it is opened again."
    })
  })
)

it.effect("a memory that is closed while it embeds what is pending says so to all who wait for that", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(store, embedder)
    yield* memory.embedPending
    yield* leave(store, many(3))
    mood.gate.closeUnsafe()
    const first = yield* Effect.forkChild(Effect.flip(memory.embedPending))
    yield* met("the embedder is asked", () => mood.calls.length > 0)
    const second = yield* Effect.forkChild(Effect.flip(memory.embedPending), { startImmediately: true })
    yield* soon("the memory is closed")(close)
    for (const waiting of [first, second]) {
      assert.deepStrictEqual((yield* soon("embedPending ends")(Fiber.join(waiting))).reason, {
        _tag: "Query",
        message: "The memory is closed. Pending notes will be embedded when it is opened again."
      })
    }
    assert.lengthOf(mood.calls, 1)
  })
)

it.effect("an embedder that was out of order for a day is asked again within a minute and a half", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(store, embedder)
    yield* memory.embedPending
    mood.fails = () => "for now"
    yield* remember(memory, { a: "missed" })
    yield* memory.flush
    yield* TestClock.adjust("1 day")
    // it was asked again and again, but not without pause
    assert.isTrue(mood.calls.length > 1000 && mood.calls.length < 4000, String(mood.calls.length))
    mood.fails = () => undefined
    yield* TestClock.adjust("90 seconds")
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)

it.effect("notes that still wait in the queue when a sweep comes upon them are embedded once", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(store, embedder)
    // more than the pages that go before the sweep of the start
    yield* remember(memory, many(2500))
    yield* memory.flush
    yield* memory.embedPending
    assert.strictEqual(mood.calls.flat().length, 2500)
    assert.strictEqual(new Set(mood.calls.flat()).size, 2500)
    yield* close
  })
)

it.effect("an embedder that is in order again is given what it missed as soon as the next commit shows it", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder, mood } = yield* moody()
    const { close, memory } = yield* open(store, embedder)
    // so that no sweep is due any more
    yield* memory.embedPending
    mood.fails = () => "for good"
    yield* remember(memory, { a: "missed" })
    yield* memory.flush
    mood.fails = () => undefined
    yield* remember(memory, { a: "next" })
    yield* memory.flush
    for (let i = 0; i < 100 && (yield* memory.pending) > 0; i++) yield* Effect.yieldNow
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)

it.effect("a text of more tokens than go into a call is in a call of its own", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder, mood } = yield* moody({ maxTokens: 200_000, countTokens: (text) => text.length })
    const { close, memory } = yield* open(store, embedder)
    yield* memory.embedPending
    yield* remember(memory, { a: "small", b: "x".repeat(150_000), c: "last" })
    yield* memory.flush
    assert.strictEqual(yield* memory.pending, 0)
    assert.deepStrictEqual(
      mood.calls.map((texts) => texts.map(({ length }) => length)),
      [[5], [150_000], [4]]
    )
    yield* close
  })
)

it.effect("notes that found no place in the queue during a sweep are waited for, too", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const goOn = Latch.makeUnsafe(true)
    const looked = Latch.makeUnsafe(false)
    const slow: Store.Store = {
      ...store,
      pending: (space, page) => Effect.tap(store.pending(space, page), Effect.andThen(looked.open, goOn.await))
    }
    const { embedder } = yield* moody()
    const { close, memory } = yield* open(slow, embedder)
    yield* memory.embedPending
    looked.closeUnsafe()
    goOn.closeUnsafe()
    // its look at what is pending began before the commit, and finds nothing
    const sweeping = yield* Effect.forkChild(memory.embedPending)
    yield* looked.await
    yield* remember(memory, many(2200))
    const flushing = yield* Effect.forkChild(memory.flush)
    yield* goOn.open
    assert.strictEqual(yield* Fiber.join(sweeping), 0)
    yield* Fiber.join(flushing)
    assert.strictEqual(yield* memory.pending, 0)
    yield* close
  })
)

it.effect("a sweep gets its turn, however many notes are committed meanwhile", () =>
  Effect.gen(function* () {
    const store = yield* makeStore
    const { embedder: words } = yield* moody()
    let commits = 0
    let commit: Effect.Effect<unknown, unknown> = Effect.void
    // each call finds the next commit in the queue when it is done
    const { embedder } = yield* moody({
      embedMany: (texts) =>
        Effect.yieldNow.pipe(
          Effect.andThen(Effect.orDie(Effect.suspend(() => (commits < 60 ? commit : Effect.void)))),
          Effect.andThen(words.embedMany(texts))
        )
    })
    const { close, memory } = yield* open(store, embedder)
    yield* memory.embedPending
    yield* leave(store, many(3))
    commit = Effect.suspend(() => remember(memory, { a: `commit ${++commits}` }))
    yield* commit
    assert.isAtLeast(yield* memory.embedPending, 3)
    assert.isBelow(commits, 30)
    yield* close
  })
)
