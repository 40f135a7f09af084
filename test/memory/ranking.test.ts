/** The parts of a search that are plain functions: words, scores, bounds, and the order that a rerank gives. */
import { assert, describe, it } from "@effect/vitest"
import { Memory, Store } from "cogito"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import type { StoreMatch, StoreQuery } from "../../src/Store.ts"
import { bm25, fullScore, rarest, together } from "../../src/memory/inMemory/bm25.ts"
import { boundsOf, filterOf } from "../../src/memory/search/filter.ts"
import { ranking } from "../../src/memory/search/fusion.ts"
import { deadlineOf, reranked } from "../../src/memory/search/rerank.ts"
import { aged, dated, fused, isDated, spreadOf } from "../../src/memory/inMemory/fusion.ts"
import { termsOf } from "../../src/memory/inMemory/stems.ts"
import { wordScores } from "../../src/memory/inMemory/words.ts"
import { note, thought } from "../../src/testing/contract/stage/rows.ts"
import { ask } from "../../src/testing/contract/stage/query.ts"

type Text = ReturnType<typeof text>

const words = (text: string) => [...termsOf(text).keys()]
const text = (content: string) => {
  const terms = termsOf(content)
  return { terms, size: terms.size }
}

describe("the words of a text", () => {
  it("lose the endings that say nothing, but not what short or other words are made of", () => {
    for (const forms of [
      ["parties", "party"],
      ["running", "runs", "run"],
      ["shipment", "shipments", "shipping"],
      ["quickly", "quick"],
      ["information", "informs", "informed"],
      ["created", "creates"],
      ["stopped", "stops"]
    ]) {
      assert.strictEqual(new Set(words(forms.join(" "))).size, 1, forms.join())
    }
    assert.deepStrictEqual(words("class bus thesis ring sing größes x4s"), [
      "class",
      "bus",
      "thesis",
      "ring",
      "sing",
      "größes",
      "x4s"
    ])
    assert.deepStrictEqual(words("The THE of and can't"), [])
    assert.deepStrictEqual([...termsOf("pay PAY paying")], [["pay", 3]])
  })

  it("are whole in every script, including combining marks", () => {
    for (const [written, ...expected] of [
      ["हिन्दी में लिखा", "हिन्दी", "में", "लिखा"],
      ["e\u0301clair №5 ½x", "e\u0301clair", "5", "½x"],
      ["naïve漢字 snake_case", "naïve漢字", "snak", "cas"]
    ] as const) {
      assert.deepStrictEqual(words(written), expected)
    }
  })

  it("are looked for in the first 100,000 characters", () => {
    assert.deepStrictEqual(words(`${" ".repeat(99_992)}inside`), ["insid"])
    assert.deepStrictEqual(words(`${" ".repeat(100_000)}outside`), [])
  })
})

describe("BM25", () => {
  const texts = ["red apple", "red pear", "green pear tart", "plum"].map(text)

  it("is greater for rarer words, for more of them, and for shorter texts, and 0 without any", () => {
    const [apple = 0, pear = 0, tart = 0, plum = 0] = bm25(["red", "appl"], texts)
    assert.isAbove(apple, pear)
    assert.deepStrictEqual([tart, plum], [0, 0])
    const [, short = 0, long = 0] = bm25(["pear"], texts)
    assert.isAbove(short, long)
    const [once = 0, twice = 0] = bm25(
      ["pear"],
      [text("pear plum tart"), { ...text("pear plum tart"), terms: new Map([["pear", 2]]) }]
    )
    assert.isAbove(twice, once)
    assert.isBelow(twice, 2 * once)
    // a text of the usual length that has each word once has the full score
    const even = ["red apple", "green pear"].map(text)
    assert.approximately(bm25(["red", "appl"], even)[0]!, fullScore(["red", "appl"], even), 1e-5)
    assert.isAbove(fullScore(["red", "nowhere"], even), fullScore(["red"], even))
  })

  it("takes of many words the 16 rarest that are there, of equally rare ones the first by name", () => {
    const names = Array.from({ length: 20 }, (_, i) => `w${String(i).padStart(2, "0")}x`)
    const many = [text(names.join(" ")), text(names.slice(0, 3).join(" "))]
    assert.deepStrictEqual(rarest(text(`${names.toReversed().join(" ")} nowhere`), many), names.slice(3, 19))
    assert.deepStrictEqual(rarest(text("nowhere"), many), ["nowher"])
  })

  it("does not treat a word as common because its text has copies", () => {
    const [red, pie, plum] = ["red apple", "red pie", "plum tart"].map(text) as [Text, Text, Text]
    const copied = [red, red, red, plum]
    const apart = [red, pie, text("red wine"), plum]
    assert.isAbove(fullScore(["red"], copied), fullScore(["red"], apart))
    assert.strictEqual(fullScore(["red"], copied), fullScore(["plum"], copied))
    assert.strictEqual(bm25(["red"], copied)[0], bm25(["plum"], copied)[3])
    const names = Array.from({ length: 17 }, (_, i) => `w${String(i).padStart(2, "0")}x`)
    const rest = text(names.slice(1).join(" "))
    const first = text(names.slice(0, 1).join(" "))
    // the first word is as rare as the others, however many copies its text has
    assert.deepStrictEqual(rarest(text(names.join(" ")), [first, first, first, rest]), names.slice(0, 16))
  })

  it("adds texts up as if they were one", () => {
    const whole = together([text("red apple"), text("red pear tart")])
    assert.deepStrictEqual([whole.size, whole.terms.get("red"), whole.terms.get("tart")], [5, 2, 1])
  })
})

describe("the scores of notes by words", () => {
  /** Notes of these texts, with one list for each thought. */
  const rowsOf = (...thoughts: ReadonlyArray<ReadonlyArray<string>>) =>
    thoughts.flatMap((contents) => {
      const row = thought()
      return contents.map((content, i) => ({ note: note(row.id, i + 1, { content }), thought: row }))
    })
  const fusion = { vectorWeight: 0, lexicalWeight: 1 }

  it("are fractions of the full score, without tasks and neighbours if these do not count", () => {
    const rows = rowsOf(["red apple", "plum"], ["red pear"])
    const query = ask({ text: "red apple", fusion })
    const { scores, tasks, terms } = wordScores(rows, query)
    const texts = ["red apple", "plum", "red pear"].map(text)
    const full = fullScore(["red", "appl"], texts)
    assert.deepStrictEqual(
      scores,
      bm25(["red", "appl"], texts).map((score) => score / full)
    )
    assert.deepStrictEqual([terms, tasks], [2, [0, 0, 0]])
    assert.deepStrictEqual(
      wordScores(rows, { ...query, fusion: { vectorWeight: 1, lexicalWeight: 0 } }).scores,
      [0, 0, 0]
    )
    const withTasks = wordScores(rows, { ...query, context: { neighbours: 0, task: 0.5 } })
    assert.deepStrictEqual(withTasks.scores[1], 0)
    assert.isAbove(withTasks.tasks[1] ?? 0, 0)
    assert.approximately(withTasks.scores[0] ?? 0, (scores[0] ?? 0) + (withTasks.tasks[0] ?? 0), 1e-9)
  })

  it("are shared with the neighbours of the best hits, of which there are four for each candidate", () => {
    // the fewer other words, the better the hit
    const hits = [1, 2, 3, 4, 5, 6].map((more) => [
      "beside",
      `red ${"plum pear fig kiwi lime date".split(" ").slice(0, more).join(" ")}`
    ])
    const rows = rowsOf(...hits.toReversed())
    const query = ask({ text: "red", fusion, candidates: 1, context: { neighbours: 0.5, task: 0 } })
    const { scores } = wordScores(rows, query)
    const shares = scores.filter((_, i) => i % 2 === 0)
    assert.deepStrictEqual(
      shares.map((share) => share > 0),
      [false, false, true, true, true, true]
    )
    const own = scores.filter((_, i) => i % 2 === 1)
    for (const [i, share] of shares.entries()) {
      if (share > 0) assert.approximately(share, 0.5 * (own[i] ?? 0), 1e-5)
    }
  })
})

describe("a note from a time that the query names", () => {
  it("was created at the start of one of the times or later, but before its end", () => {
    const periods = [
      { fromMillis: 10, untilMillis: 20 },
      { fromMillis: 30, untilMillis: 40 }
    ]
    const query = ask({ dates: { weight: 0.5, periods } })
    const moments = [9, 10, 19, 20, 29, 30, 39, 40]
    assert.deepStrictEqual(
      moments.filter((millis) => isDated(query, millis)),
      [10, 19, 30, 39]
    )
    assert.isFalse(isDated(ask(), 10))
    assert.deepStrictEqual([dated(4, query, true), dated(4, query, false), dated(4, ask(), true)], [6, 4, 4])
  })
})

describe("what is usual of distances", () => {
  it("tells how far the nearest stands out, and whether that is more than chance", () => {
    const plain = spreadOf([0.2, 0.9, 1, 1.1], 64)
    assert.approximately(plain.mean, 0.8, 1e-9)
    assert.approximately(plain.deviation, Math.sqrt((0.36 + 0.01 + 0.04 + 0.09) / 4), 1e-9)
    assert.approximately(plain.chance, Math.sqrt(2 * Math.log(4)), 1e-12)
    assert.strictEqual(plain.trust, 1)
    assert.strictEqual(spreadOf([1, 1, 1], 64).trust, 0.01)
    const single = spreadOf([0.5], 64)
    assert.deepStrictEqual([single.deviation, single.trust, single.chance], [0, 0.01, Math.sqrt(2 * Math.log(2))])
  })

  it("makes near notes count, ever less the further they are, and less where the words cover the question", () => {
    const spread = { mean: 1, deviation: 0.1, chance: 1, trust: 1 }
    const query = ask({ fusion: { vectorWeight: 1, lexicalWeight: 2 }, context: { neighbours: 0, task: 0.5 } })
    const none = { distance: undefined, words: undefined, taskWords: 0, taskDistance: undefined }
    const at = (distance: number, best = 0) => fused(query, spread, best, { ...none, distance })
    assert.approximately(at(0.7), 9, 1e-9)
    assert.approximately(at(0.7, 0.75), 9 * (1 - 0.95 / 2), 1e-9)
    assert.approximately(at(0.7, 3), 9 * 0.05, 1e-9)
    assert.approximately(at(0.995), 0.05 ** 2, 1e-12)
    assert.approximately(at(1.1), (0.05 ** 2 / 1.1) ** 2, 1e-12)
    assert.isAbove(at(1.1), at(1.2))
    assert.strictEqual(fused(query, { ...spread, deviation: 0 }, 0, { ...none, distance: 1 }), 1)
    assert.approximately(fused(query, spread, 0, { ...none, words: 0.6 }), 2 * 0.6 ** 2, 1e-12)
    assert.approximately(fused(query, spread, 0, { ...none, words: 0.6, taskWords: 0.4 }), 2 * 0.6 ** 2, 1e-12)
    assert.approximately(fused(query, spread, 0, { ...none, taskWords: 0.4 }), 2 * 0.4 ** 2, 1e-12)
    // of a task whose notes stand out by two deviations on average
    assert.approximately(fused(query, spread, 0, { ...none, taskDistance: 0.8 }), 2 * (0.5 * 0.8 * 2) ** 2, 1e-9)
    assert.strictEqual(fused(query, spread, 0, { ...none, taskDistance: 1.1 }), 0)
    const half = { ...query, fusion: { vectorWeight: 0.5, lexicalWeight: 2 } }
    assert.approximately(fused(half, spread, 0, { ...none, taskDistance: 0.8 }), 2 * (0.5 * 0.5 * 0.8 * 2) ** 2, 1e-9)
    const words = { ...query, fusion: { vectorWeight: 0, lexicalWeight: 1 } }
    assert.strictEqual(fused(words, spread, 0, { ...none, distance: 0.7, taskDistance: 0.8 }), 0)
  })

  it("weighs age by half of its weight", () => {
    const query = ask({ recency: { halfLifeMillis: 1000, weight: 0.2, nowMillis: 5000 } })
    const of = (millis: number) => aged(3, query, millis) / 3
    assert.approximately(of(5000), 1.1, 1e-12)
    assert.approximately(of(6000), 1.1, 1e-12)
    assert.approximately(of(4000), 1, 1e-12)
    assert.approximately(of(-1e9), 0.9, 1e-9)
    assert.strictEqual(aged(3, ask(), 0), 3)
  })
})

describe("the options of a search", () => {
  it("bound distances only where they leave something out", () => {
    assert.deepStrictEqual(boundsOf({}), { minSimilarity: undefined, maxDistance: undefined })
    assert.deepStrictEqual(boundsOf({ minSimilarity: 0, maxDistance: 2 }), {
      minSimilarity: undefined,
      maxDistance: undefined
    })
    assert.deepStrictEqual(boundsOf({ minSimilarity: 0.01, maxDistance: 1.99 }), {
      minSimilarity: 0.01,
      maxDistance: 1.99
    })
    assert.deepStrictEqual(boundsOf({ minSimilarity: 1, maxDistance: 0 }), { minSimilarity: 1, maxDistance: 0 })
  })

  it.effect("have the documented defaults and bounds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ranking({}, 10, 7), {
        candidates: 50,
        fusion: { vectorWeight: 1, lexicalWeight: 1 },
        context: { neighbours: 0.3, task: 1 },
        recency: undefined
      })
      assert.strictEqual((yield* ranking({}, 11, 7)).candidates, 55)
      const chosen = yield* ranking(
        { recency: { halfLife: "1 hour" }, context: { task: 0 }, fusion: { vectorWeight: 0 } },
        500,
        7
      )
      assert.deepStrictEqual(chosen.recency, { halfLifeMillis: 3_600_000, weight: 0.1, nowMillis: 7 })
      assert.deepStrictEqual([chosen.candidates, chosen.context.task, chosen.fusion.vectorWeight], [2500, 0, 0])
      const extreme = yield* ranking({ fusion: { vectorWeight: 1e-200, lexicalWeight: 1e300 } }, 1, 7)
      assert.deepStrictEqual([extreme.fusion.vectorWeight, extreme.fusion.lexicalWeight], [0, 1e100])
      for (const options of [
        { fusion: { lexicalWeight: -1 } },
        { fusion: { lexicalWeight: Number.POSITIVE_INFINITY } },
        { fusion: { vectorWeight: Number.NaN } },
        { context: { neighbours: 1.1 } },
        { context: { task: -0.1 } },
        { recency: { halfLife: 0 } },
        { recency: { halfLife: "1 day", weight: 0.21 } },
        { minSimilarity: 1.01 },
        { maxDistance: -0.01 }
      ] as const) {
        const { reason } = yield* Effect.flip(ranking(options, 1, 7))
        assert.strictEqual(reason._tag, "Query", JSON.stringify(options))
      }
      assert.deepStrictEqual((yield* filterOf({})).excludeSources, ["seek", "survey"])
      assert.deepStrictEqual((yield* filterOf({ sources: ["seek"] })).excludeSources, [])
      assert.deepStrictEqual((yield* filterOf({ sources: ["a"], excludeSources: ["b"] })).excludeSources, ["b"])
    })
  )
})

describe("a rerank", () => {
  const matches = [3, 2, 1, 0].map((score, i): StoreMatch => ({
    note: note("01981f5e-0000-7000-8000-000000000001", i + 1, { content: `${score}` }),
    thought: { id: "t", traceId: "t", taskId: undefined, intent: "i" },
    score,
    similarity: 0,
    copies: 1,
    ranks: {},
    scores: {}
  }))
  const contents = (found: { readonly matches: ReadonlyArray<StoreMatch> }) =>
    found.matches.map((match) => [match.note.content, match.score])

  it.effect("orders the candidates by their new scores, equals as they were, and leaves those after them", () =>
    Effect.gen(function* () {
      const deadline = yield* deadlineOf({ score: () => Effect.succeed([]) })
      const score = (_query: string, notes: ReadonlyArray<unknown>) =>
        Effect.succeed(notes.map((_, i) => (i === 0 ? 5 : 9)))
      const found = yield* reranked({ score }, deadline, 3, "query", matches)
      assert.strictEqual(found.rerank, "ok")
      assert.deepStrictEqual(contents(found), [
        ["2", 9],
        ["1", 9],
        ["3", 5],
        ["0", 0]
      ])
    })
  )

  it.effect("is not asked where nothing was found, and gives a finite number for each", () =>
    Effect.gen(function* () {
      const deadline = yield* deadlineOf({ score: () => Effect.succeed([]), deadline: "1 second" })
      let asked = 0
      const score = (scores: ReadonlyArray<number>) => () => Effect.sync(() => (asked++, scores))
      assert.deepStrictEqual(yield* reranked({ score: score([]) }, deadline, 3, "q", []), { matches: [], rerank: "ok" })
      assert.strictEqual(asked, 0)
      for (const scores of [
        [1, 2],
        [1, 2, 3, 4],
        [1, Number.NaN, 3],
        [1, Number.POSITIVE_INFINITY, 3]
      ]) {
        const { reason } = yield* Effect.flip(reranked({ score: score(scores) }, deadline, 3, "q", matches))
        assert.strictEqual(reason._tag, "Query")
      }
    })
  )
})

describe("what a memory asks its store for", () => {
  const score: Memory.Rerank["score"] = (_query, notes) => Effect.succeed(notes.map(() => 1))
  const rows: ReadonlyArray<
    readonly [options: Memory.SearchOptions, asked: Pick<StoreQuery, "limit" | "candidates" | "vectors">]
  > = [
    [{}, { limit: 10, candidates: 50, vectors: false }],
    [{ limit: 1 }, { limit: 1, candidates: 50, vectors: false }],
    [{ limit: 11 }, { limit: 11, candidates: 55, vectors: false }],
    [
      { limit: 2, diversity: 0 },
      { limit: 2, candidates: 50, vectors: false }
    ],
    [
      { limit: 2, diversity: 0.1 },
      { limit: 8, candidates: 50, vectors: true }
    ],
    [
      { limit: 125, diversity: 1 },
      { limit: 500, candidates: 2500, vectors: true }
    ],
    [
      { limit: 126, diversity: 1 },
      { limit: 500, candidates: 2500, vectors: true }
    ],
    [
      { limit: 2, rerank: { score } },
      { limit: 40, candidates: 200, vectors: false }
    ],
    [
      { limit: 41, rerank: { score } },
      { limit: 41, candidates: 205, vectors: false }
    ],
    [
      { limit: 2, rerank: { score, candidates: 20 } },
      { limit: 20, candidates: 100, vectors: false }
    ],
    [
      { limit: 20, rerank: { score, candidates: 2 } },
      { limit: 20, candidates: 100, vectors: false }
    ],
    [
      { limit: 2, diversity: 0.1, rerank: { score, candidates: 20 } },
      { limit: 80, candidates: 400, vectors: true }
    ],
    [
      { limit: 2, diversity: 0.1, rerank: { score } },
      { limit: 160, candidates: 800, vectors: true }
    ]
  ]

  it.effect("are as many matches as diversity and a rerank choose from", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const queries: Array<StoreQuery> = []
      const memory = yield* Memory.make({
        store: {
          ...store,
          search: (scope, space, query) =>
            Effect.andThen(
              Effect.sync(() => queries.push(query)),
              store.search(scope, space, query)
            )
        },
        scope: "local"
      })
      for (const [options] of rows) yield* memory.search("apples", options)
      assert.deepStrictEqual(
        queries.map(({ candidates, limit, vectors }) => ({ limit, candidates, vectors })),
        rows.map(([, asked]) => asked)
      )
      queries.length = 0
      // no words: nothing is asked, and nothing was out of reach
      for (const nothing of ["", " \n"]) {
        const { arms, matches } = yield* memory.search(nothing, { diversity: 0.1 })
        assert.deepStrictEqual([arms, matches], [{ vector: "ok", lexical: "unavailable", pending: 0 }, []])
        const survey = yield* memory.survey(nothing)
        assert.deepStrictEqual(survey, { arms: { vector: "ok", lexical: "unavailable", pending: 0 }, tasks: [] })
      }
      assert.deepStrictEqual(queries, [])
    }).pipe(Effect.scoped, Effect.provide(Testing.embedder))
  )
})
