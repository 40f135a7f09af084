import { assert, describe, it } from "@effect/vitest"
import { Embedder, Memory, Pipeline, Primitive, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { diverse } from "../../src/memory/search/diversity.ts"
import { soon } from "../soon.ts"
import { moody } from "./embedder.ts"

const contents = (result: Memory.SearchResult) => result.matches.map(({ note }) => note.content)

const remember = (notes: Readonly<Record<string, string>>, taskId?: string) =>
  Effect.flatMap(Thought.make("test", notes, taskId === undefined ? {} : { taskId }), (thought) =>
    Memory.Memory.use((memory) => memory.commit(thought))
  )

const numbered = (texts: ReadonlyArray<string>) => Object.fromEntries(texts.map((text, i) => [`key ${i}`, text]))

const reasonOf = <A, R>(effect: Effect.Effect<A, Memory.MemoryError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** A memory whose embedder fails for what is said to be out of reach. */
const failing = (retryable: boolean) =>
  Layer.provide(
    Memory.layerInMemory(),
    Layer.succeed(Embedder.Embedder, {
      id: "down",
      dimensions: 2,
      maxTokens: 100,
      metric: "cosine",
      embedMany: () => Effect.fail(new Embedder.EmbedderError({ embedder: "down", message: "it is down", retryable }))
    })
  )

describe("notes that wait to be embedded", () => {
  /** A memory whose embedder never comes to notes, and gives queries another vector than notes. */
  const busy = Layer.provide(
    Memory.layerInMemory(),
    Layer.succeed(Embedder.Embedder, {
      id: "busy",
      dimensions: 2,
      maxTokens: 100,
      metric: "cosine",
      embedMany: () => Effect.never,
      embedQuery: () => Effect.succeed(Float32Array.of(0, 1))
    })
  )

  it.effect("delay a search by at most 5 seconds, and not at all if they are of more than 16 commits", () =>
    Effect.gen(function* () {
      for (let i = 1; i <= 16; i++) yield* remember({ a: `apple ${i}` })
      const patient = yield* Effect.forkChild(Memory.search("apple"), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(patient.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(patient)).arms.pending, 16)
      yield* remember({ a: "one riper apple" })
      const { arms, matches } = yield* soon("the search waits for nothing")(Memory.search("riper apples"))
      assert.deepStrictEqual(arms, { vector: "partial", lexical: "ok", pending: 17 })
      assert.strictEqual(matches[0]?.note.content, "one riper apple")
    }).pipe(Effect.provide(Layer.fresh(busy)))
  )
})

describe("results of searches", () => {
  it.effect("are embedded only when a search asks for them", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* remember({ a: "red apples" })
        const asking = yield* Thought.make("ask", {})
        yield* Pipeline.run(Primitive.seek("history", { query: "apples" }), asking)
        yield* Memory.flush
        assert.notInclude(mood.calls.flat().join(), "matches")
        assert.strictEqual(yield* Memory.pending, 0)
        const usual = yield* Memory.search("apples")
        assert.deepStrictEqual([contents(usual), usual.arms.vector], [["red apples"], "ok"])
        const results = yield* Memory.search("apples", { sources: ["seek"] })
        assert.strictEqual(results.matches[0]?.ranks.vector, 1)
        assert.deepStrictEqual(results.arms, { vector: "ok", lexical: "ok", pending: 0 })
        assert.include(mood.calls.flat().join(), "matches")
        const all = yield* Memory.search("apples", { excludeSources: [] })
        assert.lengthOf(all.matches, 2)
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), layer)))
    })
  )
})

describe("results of searches, as several searches ask for them", () => {
  const asked = Effect.fnUntraced(function* (count: number) {
    for (let i = 0; i < count; i++) {
      yield* remember({ a: `red apples of tree ${i}` })
      const asking = yield* Thought.make(`ask ${i}`, {})
      yield* Pipeline.run(Primitive.seek("history", { query: `apples ${i}` }), asking)
    }
    yield* Memory.flush
  })

  it.effect("are embedded once", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* asked(3)
        mood.calls.length = 0
        const search = Effect.forkChild(Memory.search("apples", { sources: ["seek"] }), { startImmediately: true })
        yield* mood.gate.close
        const first = yield* Effect.replicateEffect(search, 5)
        yield* Effect.yieldNow
        const second = yield* Effect.replicateEffect(search, 5)
        yield* mood.gate.open
        for (const { arms } of yield* Effect.forEach([...first, ...second], Fiber.join)) {
          assert.deepStrictEqual(arms, { vector: "ok", lexical: "ok", pending: 0 })
        }
        const results = mood.calls.flat().filter((text) => text.includes("matches"))
        assert.lengthOf(results, 3)
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), layer)))
    })
  )

  it.effect("are not embedded for a search with wrong options", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* asked(1)
        mood.calls.length = 0
        const wrong: ReadonlyArray<object> = [
          { sources: ["seek"], limit: 0 },
          { sources: ["seek"], minSimilarity: 2 },
          { excludeSources: [], recency: { halfLife: 0 } },
          { excludeSources: 5 },
          { sources: "seek" }
        ]
        for (const options of wrong) {
          assert.strictEqual((yield* reasonOf(Memory.search("apples", options)))._tag, "Query")
        }
        yield* Memory.flush
        assert.deepStrictEqual(mood.calls, [])
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), layer)))
    })
  )
})

describe("a query that cannot be embedded", () => {
  it.effect("is answered by words when that may change, which the answer says", () =>
    Effect.gen(function* () {
      yield* remember({ a: "red apples", b: "pears" }, "fruit")
      const found = yield* Memory.search("an apple")
      assert.deepStrictEqual(contents(found), ["red apples", "pears"])
      assert.deepStrictEqual(contents(yield* Memory.search("an apple", { context: { neighbours: 0 } })), ["red apples"])
      assert.deepStrictEqual(found.arms, { vector: "unavailable", lexical: "ok", pending: 2 })
      assert.deepStrictEqual(found.matches[0]!.ranks, { lexical: 1 })
      assert.strictEqual(found.matches[0]!.similarity, 0)
      const { arms, tasks } = yield* Memory.survey("an apple")
      assert.deepStrictEqual([tasks.map(({ taskId }) => taskId), arms.vector], [["fruit"], "unavailable"])
      assert.deepStrictEqual((yield* Memory.search("of the")).arms, {
        vector: "unavailable",
        lexical: "unavailable",
        pending: 2
      })
      const asking = yield* Thought.make("ask", { message: "who has apples?" })
      const done = yield* Pipeline.run(Primitive.seek("history", { query: "apples" }), asking)
      assert.deepStrictEqual(done.get("history").arms.vector, "unavailable")
    }).pipe(Effect.provide(failing(true)))
  )

  it.effect("fails when it never will be", () =>
    Effect.gen(function* () {
      yield* remember({ a: "red apples" })
      for (const effect of [Memory.search("apple"), Memory.survey("apple")]) {
        assert.deepInclude(yield* reasonOf<unknown, Memory.Memory>(effect), {
          _tag: "EmbedderFailed",
          retryable: false
        })
      }
    }).pipe(Effect.provide(failing(false)))
  )
})

describe("the options of a search", () => {
  it.effect("are refused out of their bounds, with what they may be", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [Memory.SearchOptions, RegExp]> = [
        [{ minSimilarity: -0.1 }, /minSimilarity must be a number from 0 to 1/],
        [{ maxDistance: 2.1 }, /maxDistance must be a number from 0 to 2/],
        [{ fusion: { vectorWeight: -1 } }, /fusion\.vectorWeight must be a number of 0 or more/],
        [{ fusion: { vectorWeight: Number.NaN } }, /fusion\.vectorWeight/],
        [{ fusion: { lexicalWeight: Number.POSITIVE_INFINITY } }, /fusion\.lexicalWeight/],
        [{ context: { neighbours: 1.1 } }, /context\.neighbours must be a number from 0 to 1/],
        [{ context: { task: -1 } }, /context\.task must be a number from 0 to 1/],
        [{ recency: { halfLife: "1 day", weight: 0.21 } }, /recency\.weight must be a number from 0 to 0\.2/],
        [{ recency: { halfLife: 0 } }, /recency\.halfLife must be a duration above zero/],
        [{ recency: { halfLife: "soon" as "1 day" } }, /recency\.halfLife must be a duration above zero/],
        [{ diversity: 1.5 }, /diversity must be a number from 0 to 1/],
        [
          { rerank: { score: () => Effect.succeed([]), candidates: 501 } },
          /candidates must be a whole number from 1 to 500/
        ]
      ]
      for (const [options, message] of wrong) {
        for (const query of ["apples", ""]) {
          const reason = yield* reasonOf(Memory.search(query, options))
          assert.strictEqual(reason._tag, "Query")
          assert.match(reason.message, message)
        }
      }
      const ofSearch = "A search's limit must be a whole number from 1 to 500."
      const ofSurvey = "A survey's limit must be a whole number from 1 to 100."
      for (const limit of [0, 501, 1.5]) {
        assert.deepStrictEqual(yield* reasonOf(Memory.search("a", { limit })), { _tag: "Query", message: ofSearch })
        assert.deepStrictEqual(yield* reasonOf(Memory.survey("a", { limit })), { _tag: "Query", message: ofSurvey })
      }
      assert.strictEqual((yield* reasonOf(Memory.survey("a", { limit: 101 }))).message, ofSurvey)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are refused if they are of another type, as in a program without types", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [object, RegExp]> = [
        [{ fusion: { vectorWeight: null } }, /fusion\.vectorWeight must be a number/],
        [{ fusion: { lexicalWeight: "1" } }, /fusion\.lexicalWeight must be a number/],
        [{ context: { neighbours: true } }, /context\.neighbours must be a number/],
        [{ minSimilarity: "0.3" }, /minSimilarity must be a number/],
        [{ dates: { weight: "1" } }, /dates\.weight must be a number/],
        [{ dates: false }, /A search's dates must be an object/],
        [{ fusion: null }, /A search's fusion must be an object/],
        [{ context: 0 }, /A search's context must be an object/],
        [{ recency: "30 days" }, /A search's recency must be an object/],
        [{ rerank: [] }, /A search's rerank must be an object/],
        [{ metadata: null }, /A search's metadata must be an object/],
        [{ metadata: ["a"] }, /A search's metadata must be an object/]
      ]
      for (const [options, message] of wrong) {
        for (const search of [Memory.search("apples", options), Memory.survey("apples", options)]) {
          const reason = yield* reasonOf<unknown, Memory.Memory>(search)
          assert.strictEqual(reason._tag, "Query", String(message))
          assert.match(reason.message, message)
        }
      }
      for (const [options, message] of [
        [{ diversity: "0.3" }, /diversity must be a number/],
        [{ rerank: { score: "length" } }, /rerank\.score must be a function/],
        [{ rerank: {} }, /rerank\.score must be a function/]
      ] as const) {
        const reason = yield* reasonOf(Memory.search("apples", options as object))
        assert.strictEqual(reason._tag, "Query")
        assert.match(reason.message, message)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are the defaults if they are undefined", () =>
    Effect.gen(function* () {
      yield* remember({ a: "red apples", b: "pears" }, "fruit")
      const unset = {
        limit: undefined,
        fusion: { vectorWeight: undefined, lexicalWeight: undefined },
        context: { neighbours: undefined, task: undefined },
        dates: { weight: undefined, timeZone: undefined },
        recency: undefined,
        rerank: undefined
      } as object
      assert.deepStrictEqual(yield* Memory.search("apples today", unset), yield* Memory.search("apples today"))
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("are taken at their bounds", () =>
    Effect.gen(function* () {
      yield* remember({ a: "apples" })
      const score: Memory.Rerank["score"] = (_query, notes) => Effect.succeed(notes.map(() => 1))
      const most: Memory.SurveyOptions = {
        maxDistance: 2,
        minSimilarity: 0,
        fusion: { vectorWeight: 1e300, lexicalWeight: 1e300 },
        context: { neighbours: 1, task: 1 },
        recency: { halfLife: 1, weight: 0.2 }
      }
      const least: Memory.SurveyOptions = {
        fusion: { vectorWeight: 0 },
        context: { neighbours: 0, task: 0 },
        recency: { halfLife: 1, weight: 0 }
      }
      for (const options of [most, least]) {
        for (const [limit, candidates, diversity] of [
          [500, 500, 1],
          [1, 1, 0]
        ] as const) {
          const { matches } = yield* Memory.search("apples", {
            ...options,
            limit,
            diversity,
            rerank: { score, candidates, deadline: 1 }
          })
          assert.strictEqual(matches[0]?.note.content, "apples")
        }
        yield* Memory.survey("apples", { ...options, limit: 100 })
      }
      // nothing is as similar as this, but it may be asked for
      const { matches } = yield* Memory.search("pears", { minSimilarity: 1 })
      assert.deepStrictEqual(matches, [])
      assert.deepStrictEqual((yield* Memory.search("pears", { maxDistance: 0 })).matches, [])
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("are refused where they come from no typed program and are no filters, with the field's name", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [options: unknown, message: RegExp]> = [
        [{ metadata: { lang: "en", customer: undefined } }, /metadata field "customer" must be a text/],
        [{ metadata: { customer: 1 } }, /metadata field "customer" must be a text/],
        [{ keys: "message" }, /keys must be a list of texts/],
        [{ sources: ["user", 1] }, /sources must be a list of texts/],
        [{ excludeSources: [null] }, /excludeSources must be a list of texts/],
        [{ excludeThoughts: [undefined] }, /excludeThoughts must be a list of texts/],
        [{ excludeLineageOf: {} }, /excludeLineageOf must be a list of texts/],
        [{ taskId: 7 }, /taskId must be a text/],
        [{ trust: "none" }, /trust must be either "trusted" or "untrusted"/],
        [{ since: new Date(0) }, /since must be a DateTime in UTC/],
        [{ until: "2026-01-01" }, /until must be a DateTime in UTC/],
        [{ since: null }, /since must be a DateTime in UTC/],
        [{ until: { _tag: "Utc", epochMilliseconds: 0 } }, /until must be a DateTime in UTC/],
        [{ since: DateTime.makeZonedUnsafe(0, { timeZone: "Europe/Paris" }) }, /since must be a DateTime in UTC/]
      ]
      for (const [options, message] of wrong) {
        for (const effect of [Memory.search("apples", options as {}), Memory.survey("apples", options as {})]) {
          const reason = yield* reasonOf<unknown, Memory.Memory>(effect)
          assert.strictEqual(reason._tag, "Query")
          assert.match(reason.message, message)
        }
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that are undefined are as those left out", () =>
    Effect.gen(function* () {
      yield* remember({ a: "apples" })
      yield* Pipeline.run(Primitive.seek("history", { query: "apples" }), yield* Thought.make("ask", { m: "pears" }))
      const none = { excludeSources: undefined } as unknown as Memory.SearchOptions
      const sources = ({ matches }: Memory.SearchResult) => new Set(matches.map(({ note }) => note.source))
      assert.isFalse(sources(yield* Memory.search("apples", none)).has("seek"))
      assert.isTrue(sources(yield* Memory.search("apples", { sources: ["seek"], ...none })).has("seek"))
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("are refused if their name is unknown, which could only widen a search", () =>
    Effect.gen(function* () {
      // a slip that a program without types does not notice
      const slip = { task: "ticket 1" } as Memory.SearchOptions
      for (const asked of [Memory.search("apples", slip), Memory.survey("apples", slip)]) {
        const reason = yield* reasonOf<unknown, Memory.Memory>(asked)
        assert.strictEqual(reason._tag, "Query")
        assert.match(reason.message, /has no option "task", only .*taskId/)
      }
      const both: Memory.SearchOptions = { diversity: 0.1 }
      assert.deepStrictEqual((yield* Memory.survey("apples", both)).tasks, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("weigh the arms, age, and what is beside a hit", () =>
    Effect.gen(function* () {
      yield* remember({ old: "apples apples apples" })
      yield* TestClock.adjust("300 days")
      yield* remember({ a: "apples and pears", b: "grapes" })
      const old = (options: Memory.SearchOptions) =>
        Effect.map(Memory.search("apples", options), (result) => result.matches.find(({ note }) => note.key === "old")!)
      const plain = yield* old({})
      const lexical = yield* old({ fusion: { vectorWeight: 0, lexicalWeight: 3 } })
      assert.approximately(lexical.score, 3 * lexical.scores.lexical! ** 2, 1e-12)
      const aged = yield* old({ recency: { halfLife: "300 days", weight: 0.2 } })
      assert.approximately(aged.score, plain.score, 1e-12)
      const older = yield* old({ recency: { halfLife: "150 days" } })
      assert.approximately(older.score, plain.score * (1 + 0.1 * (0.25 - 0.5)), 1e-12)
      const beside = yield* Memory.search("apples", { context: { neighbours: 0.5 } })
      const grapes = beside.matches.find(({ note }) => note.content === "grapes")!
      assert.strictEqual(grapes.ranks.lexical, 3)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})

describe("diversity", () => {
  it.effect("passes over what is too near to a better match, within the filters", () =>
    Effect.gen(function* () {
      yield* remember(
        numbered([
          "red apples pie",
          "red apples pie today",
          "pie red apples now",
          "apples from Spain and Chile",
          "pie chart"
        ])
      )
      yield* remember({ hidden: "apples unlike any other at all" })
      const context = { neighbours: 0, task: 0 }
      const options = { limit: 3, context, keys: [0, 1, 2, 3, 4].map((i) => `key ${i}`) }
      const near = contents(yield* Memory.search("red apples pie", options))
      assert.sameMembers(near, ["red apples pie", "red apples pie today", "pie red apples now"])
      const far = contents(yield* Memory.search("red apples pie", { ...options, diversity: 0.7 }))
      assert.strictEqual(far[0], "red apples pie")
      assert.sameMembers(far, ["red apples pie", "apples from Spain and Chile", "pie chart"])
      assert.deepStrictEqual(contents(yield* Memory.search("red apples pie", { ...options, diversity: 0 })), near)
      const meaning = { ...options, fusion: { lexicalWeight: 0 } }
      const [best] = contents(yield* Memory.search("red apples pie", meaning))
      assert.strictEqual(contents(yield* Memory.search("red apples pie", { ...meaning, diversity: 0.3 }))[0], best)
      const all = yield* Memory.search("red apples pie", { limit: 500, diversity: 1 })
      assert.strictEqual(all.matches.length, 6)
      assert.isTrue(all.matches.every((match) => !("vector" in match)))
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})

describe("matches without any score", () => {
  it.effect("are made to differ from the first on", () =>
    Effect.gen(function* () {
      yield* remember(numbered(["apples", "riper apples", "pears"]))
      const { matches } = yield* Memory.search("apples", { limit: 3 })
      const without = matches.map((match) => ({ ...match, score: 0 }))
      assert.deepStrictEqual(diverse(without, 0.3, 3), without)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})

describe("rerank", () => {
  const fruit = Array.from({ length: 60 }, (_, i) => `apples ${i}`)

  it.effect("puts the best candidates in the order of its scores", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      const seen: Array<ReadonlyArray<string>> = []
      const score: Memory.Rerank["score"] = (query, notes) => {
        assert.strictEqual(query, "apples")
        seen.push(notes.map(({ content }) => content))
        return Effect.succeed(notes.map(({ content }) => Number(content.split(" ")[1])))
      }
      const plain = contents(yield* Memory.search("apples", { limit: 60 }))
      const found = yield* Memory.search("apples", { limit: 2, rerank: { score, candidates: 5 } })
      assert.deepStrictEqual(seen[0], plain.slice(0, 5))
      assert.deepStrictEqual(
        contents(found),
        plain
          .slice(0, 5)
          .toSorted((a, b) => Number(b.split(" ")[1]) - Number(a.split(" ")[1]))
          .slice(0, 2)
      )
      assert.strictEqual(found.matches[0]!.score, Number(contents(found)[0]!.split(" ")[1]))
      assert.strictEqual(found.arms.rerank, "ok")
      yield* Memory.search("apples", { rerank: { score } })
      assert.strictEqual(seen[1]!.length, 40)
      yield* Memory.search("apples", { limit: 50, rerank: { score } })
      assert.strictEqual(seen[2]!.length, 50)
      const long = yield* Memory.search("apples", { limit: 10, rerank: { score, candidates: 3 } })
      assert.deepStrictEqual(contents(long).slice(3), plain.slice(3, 10))
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("makes nobody wait beyond its deadline: the answer is in the search's own order and says so", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      const plain = contents(yield* Memory.search("apples"))
      for (const [deadline, wait] of [
        ["1 second", "1 second"],
        [undefined, "5 seconds"]
      ] as const) {
        const options = { score: () => Effect.never, ...(deadline === undefined ? {} : { deadline }) }
        const fiber = yield* Effect.forkChild(Memory.search("apples", { rerank: options }))
        yield* TestClock.adjust(wait)
        const found = yield* soon("the search ends at its deadline")(Fiber.join(fiber))
        assert.deepStrictEqual([contents(found), found.arms.rerank], [plain, "late"])
      }
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("that fails or breaks leaves the search's own order, which the answer and a step's findings say", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      const plain = contents(yield* Memory.search("apples"))
      const broken: ReadonlyArray<Memory.Rerank["score"]> = [
        () => Effect.fail("the network is down"),
        () => Effect.die(new Error("no such model")),
        () => Effect.interrupt,
        () => {
          throw new Error("no effect at all")
        }
      ]
      for (const score of broken) {
        const found = yield* Memory.search("apples", { rerank: { score } })
        assert.deepStrictEqual([contents(found), found.arms.rerank], [plain, "failed"])
        const seek = Primitive.seek("history", { query: "apples", rerank: { score } })
        const done = yield* Pipeline.run(seek, yield* Thought.make("ask", {}))
        assert.strictEqual(done.get("history").arms.rerank, "failed")
      }
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("is not waited for beyond its deadline when it cannot be interrupted", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      const rerank = {
        score: () => Effect.uninterruptible(Effect.as(Effect.sleep("1 hour"), [])),
        deadline: "1 second"
      }
      const fiber = yield* Effect.forkChild(Memory.search("apples", { rerank: rerank as Memory.Rerank }))
      yield* TestClock.adjust("1 second")
      const found = fiber.pollUnsafe()
      assert.strictEqual(found?._tag === "Success" ? found.value.arms.rerank : found?._tag, "late")
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("is stopped with the search, and when its deadline has passed", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      let stopped = 0
      const score = () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            stopped++
          })
        )
      const [late, left] = yield* Effect.all([
        Effect.forkChild(Memory.search("apples", { rerank: { score, deadline: "1 second" } })),
        Effect.forkChild(Memory.search("apples", { rerank: { score, deadline: "1 hour" } }))
      ])
      yield* TestClock.adjust("1 second")
      yield* soon("the search ends at its deadline")(Fiber.join(late))
      yield* Fiber.interrupt(left)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(stopped, 2)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("has a deadline that is a duration", () =>
    Effect.gen(function* () {
      for (const deadline of ["soon", 0, "-1 second", Number.NaN]) {
        // what comes from a file or a form
        const rerank = { score: () => Effect.succeed([]), deadline } as Memory.Rerank
        const reason = yield* reasonOf(Memory.search("apples", { rerank }))
        assert.strictEqual(reason._tag, "Query")
        assert.match(reason.message, /deadline must be a duration above zero/)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is refused when it does not give a number for each note", () =>
    Effect.gen(function* () {
      yield* remember(numbered(fruit))
      for (const scores of [[1], [Number.NaN, 1, 2], [1, Number.POSITIVE_INFINITY, 2], ["1", "2", "3"], undefined]) {
        // what comes from a program without types
        const rerank = { score: () => Effect.succeed(scores as ReadonlyArray<number>), candidates: 3 }
        const reason = yield* reasonOf(Memory.search("apples", { rerank }))
        assert.deepInclude(reason, {
          _tag: "Query",
          message: "The function rerank.score must return one finite number for each note."
        })
      }
      const nothing = yield* Memory.search("apples", { keys: [], rerank: { score: () => Effect.die("called") } })
      assert.deepStrictEqual(nothing.matches, [])
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})

describe("what is recalled again and again", () => {
  it.effect("does not crowd out what it was made of", () =>
    Effect.gen(function* () {
      yield* remember({ a: "I was charged twice" })
      const history = Primitive.seek("history", { query: "charged twice", limit: 10 })
      for (let i = 0; i < 20; i++)
        yield* Pipeline.run(history, yield* Thought.make("again", { message: "charged twice" }))
      const found = yield* Memory.search("charged twice")
      assert.sameMembers(contents(found), ["I was charged twice", "charged twice"])
      assert.strictEqual(found.matches.find(({ note }) => note.content === "charged twice")!.copies, 20)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})
