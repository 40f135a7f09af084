/** A note of many parts takes its turn part by part, and no other scope waits for all of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "cogito"
import { Embedder, Memory, Thought } from "cogito"
import type { EmbedderChange } from "cogito/types"
import { Job } from "../../src/memory/embedding/job.ts"
import { takeTurn } from "../../src/memory/embedding/shares.ts"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { moody } from "./embedder.ts"

/** Four characters are a token, and ten tokens a part. */
const countTokens = (text: string) => Math.ceil(text.length / 4)
const words = { maxTokens: 10, countTokens }

/** A note of so many parts, each with a word of its own. */
const long = (parts: number, name = "long") =>
  Array.from({ length: parts }, (_, i) => `${`${name}${i} `.padEnd(38, "x")}. `).join("")

const remember = (memory: Memory.Memory["Service"], content: string, scope: string) =>
  Effect.flatMap(Thought.make("remember", { a: content }), memory.commit).pipe(Memory.withScope(scope))

const open = (store: Store.Store, embedder: Embedder.Shape, change: EmbedderChange = {}) =>
  Memory.make({ ...change, store, scope: "local" }).pipe(Effect.provideService(Embedder.Embedder, embedder))

/** Leaves notes without vectors, as a process does that ends too early. */
const leave = Effect.fnUntraced(function* (store: Store.Store, notes: ReadonlyArray<readonly [string, string]>) {
  const { embedder, mood } = yield* moody(words)
  mood.fails = () => "for now"
  const scope = yield* Scope.make()
  const memory = yield* Scope.provide(open(store, embedder), scope)
  yield* Effect.forEach(notes, ([name, content]) => remember(memory, content, name))
  yield* Scope.close(scope, Exit.void)
})

const callOf = (calls: ReadonlyArray<ReadonlyArray<string>>, text: string) =>
  calls.findIndex((texts) => texts.includes(text))

/** Every part was asked for once, and there are as many as were cut. */
const once = (calls: ReadonlyArray<ReadonlyArray<string>>, name: string, parts: number) => {
  const asked = calls.flat().filter((text) => text.startsWith(name))
  assert.strictEqual(asked.length, parts)
  assert.strictEqual(new Set(asked).size, parts)
}

describe("a note of very many parts", () => {
  it.effect("holds up no other scope's note, and is embedded whole, each part once", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody(words)
      const memory = yield* open(store, embedder)
      yield* memory.embedPending
      mood.gate.closeUnsafe()
      yield* remember(memory, long(3000), "a")
      for (let i = 0; i < 100 && mood.calls.length === 0; i++) yield* Effect.yieldNow
      // only now, when the long note is under way
      for (const scope of ["b", "c"]) yield* remember(memory, `small note of ${scope}`, scope)
      yield* mood.gate.open
      // searching waits for what its scope has committed, and not for what others have
      const found = yield* memory.search("small note").pipe(Memory.withScope("b"))
      assert.deepStrictEqual(found.arms, { vector: "ok", lexical: "ok", pending: 0 })
      assert.isAbove(found.matches[0]!.similarity, 0)
      assert.strictEqual(yield* memory.pending.pipe(Memory.withScope("a")), 1)
      for (const scope of ["b", "c"]) assert.isBelow(callOf(mood.calls, `small note of ${scope}`), 4)

      yield* memory.flush
      assert.strictEqual(yield* memory.pending.pipe(Memory.withScope("a")), 0)
      once(mood.calls, "long", 3000)
      assert.isTrue(mood.calls.every((texts) => texts.length <= 128))
      const last = yield* memory.search("long2999").pipe(Memory.withScope("a"))
      assert.isAbove(last.matches[0]!.similarity, 0.5)
    }).pipe(Effect.scoped)
  )

  it.effect("holds up none when it is made up for either", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      yield* leave(store, [
        ["a", long(2000)],
        ["b", "small note of b"]
      ])
      const { embedder, mood } = yield* moody(words)
      const memory = yield* open(store, embedder)
      assert.strictEqual(yield* memory.embedPending, 2)
      assert.isBelow(callOf(mood.calls, "small note of b"), 3)
      once(mood.calls, "long", 2000)
    }).pipe(Effect.scoped)
  )

  it.effect("holds up no note that is committed while it is made up for", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      yield* leave(store, [["a", long(2000)]])
      const { embedder, mood } = yield* moody(words)
      mood.gate.closeUnsafe()
      const memory = yield* open(store, embedder)
      const asked = yield* Effect.forkChild(memory.embedPending)
      for (let i = 0; i < 100 && mood.calls.length === 0; i++) yield* Effect.yieldNow
      yield* remember(memory, "small note of b", "b")
      yield* mood.gate.open
      assert.strictEqual(yield* Fiber.join(asked), 1)
      assert.isBelow(callOf(mood.calls, "small note of b"), 4)
    }).pipe(Effect.scoped)
  )

  it.effect("goes on where it was when the embedder was out of order for a while", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody(words)
      const memory = yield* open(store, embedder)
      yield* memory.embedPending
      mood.fails = () => (mood.calls.length === 9 ? "for now" : undefined)
      yield* remember(memory, long(2000), "a")
      yield* memory.flush
      assert.strictEqual(yield* memory.pending.pipe(Memory.withScope("a")), 1)
      const failed = new Set(mood.calls[8])
      yield* TestClock.adjust("2 minutes")
      yield* memory.flush
      assert.strictEqual(yield* memory.pending.pipe(Memory.withScope("a")), 0)
      const asked = mood.calls.flat().filter((text) => text.startsWith("long"))
      assert.strictEqual(new Set(asked).size, 2000)
      // only what failed is asked for again
      const twice = asked.filter((text, i) => asked.indexOf(text) !== i)
      assert.isTrue(twice.every((text) => failed.has(text)))
    }).pipe(Effect.scoped)
  )

  it.effect("is embedded once by each of two embedders while the memory changes from one to the other", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const old = yield* moody({ ...words, id: "old" })
      const first = yield* Scope.make()
      const before = yield* Scope.provide(open(store, old.embedder), first)
      yield* remember(before, "never", "b")
      yield* Scope.close(first, Exit.void)
      const next = yield* moody({ ...words, id: "next", maxTokens: 20 })
      // as long as that one is missing, the old vectors stay in use
      next.mood.fails = (texts) => (texts.includes("never") ? "for now" : undefined)
      const change = { onEmbedderChange: "rebuild", previousEmbedder: old.embedder } as const
      const memory = yield* open(store, next.embedder, change)
      yield* Effect.exit(memory.embedPending)
      yield* remember(memory, long(1000), "a")
      yield* memory.flush
      once(old.mood.calls, "long", 1000)
      once(next.mood.calls, "long", 500)
    }).pipe(Effect.scoped)
  )

  it.effect("is copied where another note of its scope has the same text", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody(words)
      const memory = yield* open(store, embedder)
      yield* memory.embedPending
      const text = long(700)
      const notes = { a: text, b: text, c: text }
      yield* Effect.flatMap(Thought.make("remember", notes), memory.commit)
      yield* memory.flush
      assert.strictEqual(yield* memory.pending, 0)
      once(mood.calls, "long", 700)
    }).pipe(Effect.scoped)
  )

  it.effect("is cut smaller where the embedder refuses a part, and fails alone where that does not help", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { embedder, mood } = yield* moody(words)
      const memory = yield* open(store, embedder)
      yield* memory.embedPending
      mood.fails = (texts) =>
        texts.some((text) => (text.startsWith("long") && countTokens(text) > 5) || text.includes("bad"))
          ? "for good"
          : undefined
      yield* remember(memory, long(400), "a")
      yield* remember(memory, `${long(300, "other")} bad`, "b")
      yield* memory.flush
      const pending = yield* Effect.forEach(["a", "b"], (scope) => memory.pending.pipe(Memory.withScope(scope)))
      assert.deepStrictEqual(pending, [0, 1])
    }).pipe(Effect.scoped)
  )
})

describe("the tokens of a note", () => {
  it.effect("are counted once if it is one part", () =>
    Effect.gen(function* () {
      const counted: Array<string> = []
      const countOnce = (text: string) => {
        counted.push(text)
        return countTokens(text)
      }
      const { embedder } = yield* moody({ ...words, countTokens: countOnce })
      const memory = yield* open(yield* makeStore, embedder)
      yield* memory.embedPending
      for (const text of ["a small note", "another small note"]) yield* remember(memory, text, "a")
      yield* memory.flush
      assert.deepStrictEqual(counted, ["a small note", "another small note"])
      assert.strictEqual(yield* memory.pending.pipe(Memory.withScope("a")), 0)
    }).pipe(Effect.scoped)
  )
})

describe("a turn", () => {
  const job = (scope: string, content: string, id = content.slice(0, 20)) =>
    new Job({ scope, id, content }, words.maxTokens, countTokens)
  const dimensions = 64
  const takenOf = (texts: ReadonlyArray<string>, name: string) => texts.filter((text) => text.startsWith(name)).length

  it("has at most 256 parts, shared between scopes, and what one leaves goes to the others", () => {
    const jobs = [job("a", long(1000, "a")), job("b", long(1000, "b")), job("c", long(10, "c")), job("d", "d")]
    const touched = takeTurn(jobs, dimensions)
    const texts = touched.flatMap(({ open: taken }) => taken)
    // each share is rounded up to whole parts
    assert.isTrue(texts.length >= 256 && texts.length < 256 + jobs.length, String(texts.length))
    assert.deepStrictEqual(touched, jobs)
    assert.deepStrictEqual([takenOf(texts, "c"), takenOf(texts, "d")], [10, 1])
    assert.isAtMost(Math.abs(takenOf(texts, "a") - takenOf(texts, "b")), 1)
    assert.deepStrictEqual(
      jobs.map(({ taken }) => taken),
      [false, false, true, true]
    )
  })

  it("has at most 200,000 tokens, but a part of each scope", () => {
    const count = (text: string) => text.length * 10_000
    const wide = (scope: string) => new Job({ scope, id: scope, content: scope.repeat(40) }, 10_000, count)
    assert.strictEqual(takeTurn([wide("a")], dimensions).flatMap(({ open: taken }) => taken).length, 20)
    const many = Array.from({ length: 30 }, (_, i) => wide(String.fromCharCode(97 + i)))
    const texts = takeTurn(many, dimensions).flatMap(({ open: taken }) => taken)
    assert.strictEqual(new Set(texts.map(([first]) => first)).size, 30)
    assert.strictEqual(texts.length, 30)
  })

  it("is not cut smaller for a part that would not become smaller, for what may do later, or more than twice", () => {
    const refused = (retryable: boolean) => new Embedder.EmbedderError({ embedder: "e", message: "no", retryable })
    const failed = (own: Job, retryable = false) => {
      while (own.take() !== undefined);
      own.learn(() => refused(retryable))
      return own.smaller()
    }
    // 10 tokens are a part, and 5 the half of it
    assert.isUndefined(failed(job("a", "x".repeat(20))))
    assert.isDefined(failed(job("a", "x".repeat(21))))
    assert.isUndefined(failed(job("a", "x".repeat(40)), true))
    const half = failed(job("a", "x".repeat(400)))
    assert.strictEqual(half?.size, 20)
    const quarter = failed(half!)
    assert.strictEqual(quarter?.size, 34)
    assert.isUndefined(failed(quarter!))
  })

  it("leaves a long text for later if the scope has begun the same one, and not if another scope has", () => {
    const text = long(10)
    const [own, others, copy] = [job("a", text, "own"), job("b", text, "others"), job("a", text, "copy")]
    assert.deepStrictEqual(takeTurn([own, others, copy], dimensions), [own, others])
    assert.isFalse(copy.begun)
  })

  it("begins no more long notes than their vectors may be held, and goes on with those that are begun", () => {
    const wide = 16_000
    const jobs = ["a", "b", "c"].map((scope) => job(scope, long(600, scope)))
    const small = job("d", "d")
    const first = takeTurn([...jobs, small], wide)
    // 600 parts of 16,000 numbers each are 9.6 million of 16
    assert.deepStrictEqual(first, [jobs[0]!, small])
    assert.strictEqual(jobs[0]!.open.length, 255)
    const second = takeTurn(jobs, wide)
    assert.deepStrictEqual(second, [jobs[0]!])
    const alone = job("e", long(2000, "e"))
    assert.deepStrictEqual(takeTurn([alone], wide), [alone])
  })
})
