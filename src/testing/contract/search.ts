/** What every store promises about search. Each test works in a scope and a space of its own. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Filter } from "../../Memory.ts"
import type { Store, StoreMatch, StoreQuery, ThoughtRow } from "../../Store.ts"
import { ask } from "./stage/query.ts"
import { random } from "./stage/random.ts"
import { awkwardTexts, commit, note, notes, thought, uuid } from "./stage/rows.ts"
import { assert } from "./stage/assert.ts"
import { at, freshScope, freshSpace, scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

/** Numbers from 0, below 1. */
const fractions = (seed: number) => {
  const { below } = random(seed)
  return () => below(1e9) / 1e9
}

type Draft = Parameters<typeof note>[2] & { readonly degrees?: number }

/** A scope to search in. */
const library = Effect.fnUntraced(function* (store: Store) {
  const own = yield* scene(store)
  const space = freshSpace()
  yield* store.openSpace(space)
  /** A thought with notes; those with an angle have a vector. */
  const add = Effect.fnUntraced(function* (drafts: ReadonlyArray<Draft>, row: ThoughtRow = thought()) {
    const written = notes(
      row.id,
      row.parent === undefined ? 1 : row.parent.seq + 1,
      drafts.map(({ degrees: _degrees, ...draft }) => draft)
    )
    yield* own.write(row, { notes: written })
    yield* own.putVectors(
      space,
      drafts.flatMap(({ degrees }, i) =>
        degrees === undefined ? [] : [{ noteId: written[i]!.id, vector: at(degrees) }]
      )
    )
    return { row, written }
  })
  const found = (query: Partial<StoreQuery>) => own.search(space, ask(query))
  const matches = (query: Partial<StoreQuery>) => Effect.map(found(query), (result) => result.matches)
  const texts = (query: Partial<StoreQuery>) =>
    Effect.map(matches(query), (all) => all.map((match) => match.note.content))
  const words = (text: string, more: Partial<StoreQuery> = {}) => texts({ text, ...more })
  const surveyed = (query: Partial<StoreQuery>) => own.survey(space, ask({ limit: 5, ...query }))
  const tasks = (query: Partial<StoreQuery>) => Effect.map(surveyed(query), (result) => result.tasks)
  return { ...own, space, add, found, matches, texts, words, surveyed, tasks }
})

const contentsOf = (matches: ReadonlyArray<StoreMatch>) => matches.map((match) => match.note.content)

export const searchTests = (size: { readonly notes: number; readonly filters: number }): ReadonlyArray<StoreTest> =>
  suite("a search of the store", { fresh: false, set: library }, ({ describe, test }) => {
    describe("by words", () => {
      test("finds what has some of a question's words, the one with more and rarer ones first", function* (my) {
        yield* my.add([
          { content: "The parcel was damaged by the courier" },
          { content: "A refund was sent for the damaged goods" },
          { content: "Please change my address" },
          { content: "The goods arrived" }
        ])
        assert.deepStrictEqual(yield* my.words("how do I get a refund for damaged goods that the zebra ate?"), [
          "A refund was sent for the damaged goods",
          "The goods arrived",
          "The parcel was damaged by the courier"
        ])
        assert.deepStrictEqual(yield* my.words("zebra"), [])
      })

      test("takes a word's forms, in any case, for the same", function* (my) {
        const forms = ["I was refunded", "Refunds take days", "a REFUND", "refunding it"]
        yield* my.add(forms.map((content) => ({ content })))
        for (const query of ["refund", "refunds", "REFUNDED", "refunding?"]) {
          assert.sameMembers([...(yield* my.words(query))], forms)
        }
        yield* my.add(["Ordering number 4711", "order 4711", "orders", "ordered 815"].map((content) => ({ content })))
        assert.sameMembers([...(yield* my.words("4711"))], ["Ordering number 4711", "order 4711"])
        assert.strictEqual((yield* my.words("order")).length, 4)
      })

      test("has no use for words that say nothing, nor for signs", function* (my) {
        yield* my.add([
          { content: "this is the note", degrees: 10 },
          { content: "to be or not to be", degrees: 5 }
        ])
        for (const text of [
          "",
          " ",
          "to be or not",
          "the",
          "?!",
          "' \\ : & | ! ( ) * <->",
          "\u0000",
          "\u001a",
          "\ud800"
        ]) {
          assert.deepStrictEqual(yield* my.found({ text }), { matches: [], pending: 0, terms: 0 })
          assert.deepStrictEqual(yield* my.texts({ text, vector: at(0) }), ["to be or not to be", "this is the note"])
        }
        assert.strictEqual((yield* my.found({ text: "the note's" })).terms, 1)
      })

      test("looks for words whatever signs are around them", function* (my) {
        const content = "it's a 'quoted' back\\slash & (paren) | pipe: !bang <-> *star"
        yield* my.add([{ content }, { content: "nothing of that" }])
        for (const text of ["'quoted'", "back\\slash", "(paren", "pipe:*", "!bang", "a & star", "slash | !x"]) {
          assert.deepStrictEqual(yield* my.words(text), [content], text)
        }
      })

      test("knows words beside text that databases cannot hold, in notes and queries", function* (my) {
        const contents = awkwardTexts.map((text, i) => `${text}needle${i} hay ${text}`)
        yield* my.add(contents.map((content) => ({ content })))
        for (const [i, text] of awkwardTexts.entries()) {
          const query = `${text} needle${i}${text.slice(0, 100)}`
          assert.include(
            contentsOf(yield* my.matches({ text: query.replace("long", ""), limit: 50 })),
            contents[i],
            JSON.stringify(text.slice(0, 20))
          )
        }
        yield* my.add([{ content: "alpha\u0000beta" }, { content: "gamma\u001adelta" }, { content: "\u001aomega" }])
        assert.deepStrictEqual(yield* my.words("beta"), ["alpha\u0000beta"])
        assert.deepStrictEqual(yield* my.words("\u0000alpha\u0000"), ["alpha\u0000beta"])
        assert.deepStrictEqual(yield* my.words("delta\u001a"), ["gamma\u001adelta"])
        assert.deepStrictEqual(yield* my.words("gamma\u0000delta"), ["gamma\u001adelta"])
        assert.deepStrictEqual(yield* my.words("omega"), ["\u001aomega"])
      })

      test("finds each part of what signs hold together, in notes and queries", function* (my) {
        const parts: ReadonlyArray<readonly [content: string, queries: ReadonlyArray<string>]> = [
          ["A question about the refund/replacement", ["replacement", "refund", "replacement/refund"]],
          ["It is order FK-20931", ["20931", "FK", "fk-20931", "#20931"]],
          ["See case CRW/7714", ["7714", "CRW", "7714?"]],
          ["Write to jane.doe@example.com", ["jane", "doe", "example", "jane@elsewhere"]],
          ["Look at https://shop.example/returns/4711", ["returns", "4711", "shop", "/returns/"]],
          ["Since v2.3.1 it fails", ["2.3.1", "v2", "1.3"]],
          ["It expects List<String> here", ["string", "<string>", "List"]],
          ["Set max_depth=12 & <b>retry</b> ~/.config", ["depth", "12", "retry", "b", "config"]]
        ]
        yield* my.add(parts.map(([content]) => ({ content })))
        for (const [content, queries] of parts) {
          for (const query of queries) assert.include(yield* my.words(query), content, query)
        }
      })

      test("scores by BM25, another score for another text", function* (my) {
        yield* my.add([
          { content: "zinc zinc zinc" },
          { content: "zinc copper" },
          { content: "zinc copper silver gold iron lead" },
          { content: "copper" }
        ])
        const found = yield* my.matches({ text: "zinc" })
        assert.deepStrictEqual(contentsOf(found), [
          "zinc zinc zinc",
          "zinc copper",
          "zinc copper silver gold iron lead"
        ])
        // 4 notes, 3 with the word; 10 words in all, each counted once a note
        const bm25 = (times: number, size: number) =>
          (Math.log(1 + 1.5 / 3.5) * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * size) / 2.5))
        for (const [i, score] of [bm25(3, 1), bm25(1, 2), bm25(1, 6)].entries()) {
          assert.approximately(found[i]!.scores.lexical!, score, 1e-6)
          assert.deepStrictEqual(found[i]!.ranks, { lexical: i + 1 })
          assert.approximately(found[i]!.score, 2 / (21 + i), 1e-12)
          assert.strictEqual(found[i]!.similarity, 0)
        }
      })

      test("looks for the 16 rarest words of a long query, and is done soon", function* (my) {
        const common = Array.from({ length: 2000 }, (_, i) => `common${i}`)
        for (let start = 0; start < size.notes; start += 500) {
          yield* my.add(
            Array.from({ length: Math.min(500, size.notes - start) }, (_, i) => ({
              content: `note ${start + i} ${common.slice((i * 10) % 1900, ((i * 10) % 1900) + 30).join(" ")}`
            }))
          )
        }
        yield* my.add([{ content: `${common.slice(0, 40).join(" ")} platypus` }, { content: "a wombat" }])
        const query = [...common.slice(0, 1000), "platypus", ...common.slice(1000), "wombat"].join(" ")
        const before = performance.now()
        const { matches, terms } = yield* my.found({ text: query })
        assert.isBelow(performance.now() - before, 10_000)
        assert.strictEqual(terms, 16)
        assert.include(contentsOf(matches), "a wombat")
        assert.isTrue(contentsOf(matches).some((content) => content.endsWith("platypus")))
      })

      test("takes notes of very many words, and a query as long", function* (my) {
        const dense = [
          Array.from({ length: 40_000 }, (_, i) => `${i.toString(36)}-${(i * 7).toString(36)}`).join(" "),
          Array.from({ length: 60_000 }, (_, i) =>
            String.fromCodePoint(0x20000 + (i % 40_000), 0x2d, 0x21000 + i)
          ).join(" "),
          "x".repeat(300_000),
          "漢字".repeat(50_000)
        ]
        yield* my.add(dense.map((content) => ({ content: `quokka ${content}` })))
        assert.strictEqual((yield* my.matches({ text: "quokka" })).length, 4)
        for (const text of dense) yield* my.matches({ text })
      })
    })

    describe("by meaning and words", () => {
      test("adds up what a note's ranks are worth", function* (my) {
        yield* my.add([
          { content: "far kiwi", degrees: 80 },
          { content: "near", degrees: 10 },
          { content: "middle kiwi kiwi", degrees: 40 },
          { content: "late kiwi and a pear and a plum" }
        ])
        const found = yield* my.matches({
          text: "kiwi",
          vector: at(0),
          fusion: { k: 10, vectorWeight: 3, lexicalWeight: 5, evidence: 0 }
        })
        assert.deepStrictEqual(
          found.map(({ note: { content }, ranks, score }) => [content, ranks, score.toFixed(9)]),
          [
            ["middle kiwi kiwi", { vector: 2, lexical: 1 }, (3 / 12 + 5 / 11).toFixed(9)],
            ["far kiwi", { vector: 3, lexical: 2 }, (3 / 13 + 5 / 12).toFixed(9)],
            ["late kiwi and a pear and a plum", { lexical: 3 }, (5 / 13).toFixed(9)],
            ["near", { vector: 1 }, (3 / 11).toFixed(9)]
          ]
        )
        assert.approximately(found[0]!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
        assert.approximately(found[3]!.scores.vector!, Math.cos((10 * Math.PI) / 180), 1e-6)
        assert.isUndefined(found[3]!.scores.lexical)
        assert.isUndefined(found[2]!.scores.vector)
      })

      test("counts a rank for as much as the note stands out there", function* (my) {
        const degrees = [0, 90, 60, 90]
        yield* my.add([
          { content: "near", degrees: degrees[0]! },
          { content: "kiwi kiwi", degrees: degrees[1]! },
          { content: "kiwi and plum and pear", degrees: degrees[2]! },
          { content: "far", degrees: degrees[3]! }
        ])
        // how far the nearest stands out in two dimensions among four is no more than chance
        const chance = Math.sqrt(2 * Math.log(4))
        for (const evidence of [0.5, 1, 2]) {
          const fusion = { k: 4, vectorWeight: 1, lexicalWeight: 3, evidence }
          const found = yield* my.matches({ text: "kiwi", vector: at(0), fusion })
          const distances = degrees.map((angle) => 1 - Math.cos((angle * Math.PI) / 180))
          const mean = distances.reduce((sum, distance) => sum + distance, 0) / 4
          const deviation = Math.sqrt(distances.reduce((sum, distance) => sum + (distance - mean) ** 2, 0) / 4)
          const worth = (distance: number) =>
            (Math.max(0.05, (mean - distance) / deviation / chance) ** 2 * 0.01) ** evidence
          const scoreOf = (content: string) => found.find((match) => match.note.content === content)!
          assert.approximately(scoreOf("near").score, worth(0) / 5, 1e-6)
          const [best, third] = [scoreOf("kiwi kiwi"), scoreOf("kiwi and plum and pear")]
          // of four notes two have the word
          const words = ({ scores }: StoreMatch) => {
            const part = (scores.lexical! / Math.log(2)) ** 2
            return (part / (part + 0.5)) ** evidence
          }
          assert.approximately(best.score, worth(1) / 7 + (3 * words(best)) / 5, 1e-6)
          assert.approximately(third.score, worth(0.5) / 6 + (3 * words(third)) / 6, 1e-6)
          assert.strictEqual(found.length, 4)
        }
      })

      test("trusts vectors for as far as their nearest is nearer than chance", function* (my) {
        yield* my.add([
          { content: "near", degrees: 0 },
          { content: "kiwi", degrees: 90 }
        ])
        const fusion = { k: 4, vectorWeight: 1, lexicalWeight: 3, evidence: 1 }
        const found = yield* my.matches({ text: "kiwi plum", vector: at(0), fusion })
        const chance = Math.sqrt(2 * Math.log(2))
        const trust = Math.sqrt(2) / chance - 1
        assert.approximately(found.find(({ note }) => note.content === "near")!.score, trust / chance ** 2 / 5, 1e-6)
        const words = found.find(({ note }) => note.content === "kiwi")!
        // one of two notes has the one word, none the other
        const part = (words.scores.lexical! / (Math.log(2) + Math.log(6))) ** 2
        assert.approximately(words.score, (trust * 0.05 ** 2) / 6 + (3 * (part / (part + 0.5))) / 5, 1e-6)
      })

      test("leaves out what only an arm without weight has found", function* (my) {
        yield* my.add(
          [
            { content: "near", degrees: 10 },
            { content: "far kiwi", degrees: 80 },
            { content: "far", degrees: 85 }
          ],
          thought({ taskId: "t" })
        )
        yield* my.add([{ content: "a kiwi" }], thought({ taskId: "words" }))
        const query = { text: "kiwi", vector: at(0) }
        const fusion = { k: 20, vectorWeight: 1, lexicalWeight: 1, evidence: 1 }
        for (const [weights, contents, tasks] of [
          [{ lexicalWeight: 0 }, ["near", "far kiwi", "far"], ["t"]],
          [{ vectorWeight: 0 }, ["a kiwi", "far kiwi"], ["words", "t"]],
          [{ vectorWeight: 0, lexicalWeight: 0 }, [], []]
        ] as const) {
          const asked = { ...query, fusion: { ...fusion, ...weights } }
          const { matches, terms } = yield* my.found(asked)
          assert.deepStrictEqual([contentsOf(matches), terms], [contents, 1])
          assert.isTrue(matches.every(({ score }) => score > 0))
          const surveyed = yield* my.surveyed(asked)
          assert.deepStrictEqual(
            surveyed.tasks.map(({ taskId }) => taskId),
            tasks
          )
          assert.sameMembers(
            surveyed.tasks.flatMap((task) => contentsOf(task.matches)),
            contents
          )
        }
        const [, kiwi] = (yield* my.found({ ...query, fusion: { ...fusion, vectorWeight: 0 } })).matches
        assert.approximately(kiwi!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
        assert.deepStrictEqual(kiwi!.ranks, { lexical: 2 })
      })

      test("gives equals one rank, and lists them by id", function* (my) {
        yield* my.add([
          { content: "one kiwi", degrees: 30 },
          { content: "two kiwi", degrees: 30 },
          { content: "one plum", degrees: 60 }
        ])
        const found = yield* my.matches({ text: "kiwi", vector: at(0) })
        assert.deepStrictEqual(contentsOf(found), ["one kiwi", "two kiwi", "one plum"])
        assert.deepStrictEqual(
          found.map(({ ranks }) => ranks),
          [{ vector: 1, lexical: 1 }, { vector: 1, lexical: 1 }, { vector: 3 }]
        )
        assert.strictEqual(found[0]!.score, found[1]!.score)
      })

      test("bounds the distance of every match, whichever arm has found it, and whichever arm counts", function* (my) {
        yield* my.add([
          { content: "near", degrees: 10 },
          { content: "near kiwi", degrees: 20 },
          { content: "far", degrees: 50 },
          { content: "farther kiwi", degrees: 80 },
          { content: "behind kiwi", degrees: 170 },
          { content: "unknown kiwi" }
        ])
        const query = { text: "kiwi", vector: at(0) }
        const fusion = { k: 60, vectorWeight: 1, lexicalWeight: 1, evidence: 1 }
        const near = ["near", "near kiwi"]
        for (const [filter, contents, words] of [
          [{ minSimilarity: 0.9 }, near, ["near kiwi"]],
          [{ minSimilarity: 0.1 }, [...near, "far", "farther kiwi"], ["near kiwi", "farther kiwi"]],
          [{ maxDistance: 0.5 }, [...near, "far"], ["near kiwi"]],
          [{ maxDistance: 0 }, [], []],
          [
            { maxDistance: 1.99 },
            [...near, "far", "farther kiwi", "behind kiwi"],
            ["near kiwi", "farther kiwi", "behind kiwi"]
          ],
          [{ minSimilarity: 0.1, maxDistance: 0.5 }, [...near, "far"], ["near kiwi"]]
        ] as const) {
          const name = JSON.stringify(filter)
          assert.sameMembers([...(yield* my.texts({ ...query, filter }))], [...contents], name)
          for (const weights of [{ vectorWeight: 0 }, { lexicalWeight: 0 }]) {
            const found = yield* my.texts({ ...query, filter, fusion: { ...fusion, ...weights } })
            assert.sameMembers([...found], [...("vectorWeight" in weights ? words : contents)], name)
          }
          const beside = yield* my.texts({ ...query, filter, context: { neighbours: 0.5, task: 0.5 } })
          assert.sameMembers([...beside], [...contents], name)
          // of a query without a vector no note's distance is known
          assert.deepStrictEqual(yield* my.texts({ text: "kiwi", filter }), [], name)
          for (const { similarity } of yield* my.matches({ ...query, filter })) {
            assert.isAtLeast(similarity, "minSimilarity" in filter ? filter.minSimilarity : 0)
          }
        }
        for (const filter of [{ maxDistance: 2 }, { minSimilarity: 0 }]) {
          assert.strictEqual((yield* my.texts({ ...query, filter })).length, 6)
          assert.strictEqual((yield* my.texts({ text: "kiwi", filter })).length, 4)
        }
        const { true: known = [] } = Object.groupBy(yield* my.matches(query), ({ note }) =>
          String(note.content === "farther kiwi")
        )
        assert.approximately(known[0]!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
      })

      test("takes a content for as near as any of the notes that have it, also where the newest has no vector", function* (my) {
        const row = thought({ taskId: "t" })
        yield* my.add(
          [
            { content: "kiwi", degrees: 40, millis: 1000 },
            { content: "kiwi", millis: 2000 }
          ],
          row
        )
        const query = { text: "kiwi", vector: at(0), vectors: true }
        for (const filter of [{}, { minSimilarity: 0.5 }]) {
          for (const vectorWeight of [0, 1]) {
            const fusion = { k: 60, vectorWeight, lexicalWeight: 1, evidence: 1 }
            const [found] = yield* my.matches({ ...query, filter, fusion })
            assert.deepStrictEqual([found?.copies, found?.note.created.epochMilliseconds], [2, 2000])
            assert.approximately(found!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
            assert.strictEqual(found!.vector?.length, 2)
            const [task] = yield* my.tasks({ ...query, filter, fusion })
            assert.approximately(task!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
          }
        }
      })

      test("says how similar a note is that only its words have found", function* (my) {
        yield* my.add([{ content: "farther kiwi", degrees: 80 }])
        const fusion = { k: 60, vectorWeight: 0, lexicalWeight: 1, evidence: 1 }
        const [kiwi] = yield* my.matches({ text: "kiwi", vector: at(0), fusion })
        assert.deepStrictEqual(kiwi!.ranks, { lexical: 1 })
        assert.approximately(kiwi!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
      })

      test("finds a note that has no vector yet, or a query that has none, by words, and counts what is pending", function* (my) {
        yield* my.add([{ content: "with kiwi", degrees: 0 }, { content: "without kiwi" }, { content: "without" }])
        const both = yield* my.found({ text: "kiwi", vector: at(0) })
        assert.deepStrictEqual(contentsOf(both.matches), ["with kiwi", "without kiwi"])
        assert.strictEqual(both.pending, 2)
        const none = yield* my.found({ text: "kiwi" })
        assert.deepStrictEqual(contentsOf(none.matches), ["with kiwi", "without kiwi"])
        assert.deepStrictEqual(
          none.matches.map(({ similarity }) => similarity),
          [0, 0]
        )
        assert.deepStrictEqual([none.pending, none.terms], [2, 1])
        assert.deepStrictEqual((yield* my.found({ text: "none" })).pending, 2)
      })

      test("finds by words alone without a space, and nothing is pending then", function* (my) {
        const row = thought({ taskId: "t" })
        yield* my.add([{ content: "with kiwi", degrees: 0 }, { content: "without kiwi" }, { content: "without" }], row)
        const query = { text: "kiwi", vectors: true, context: { neighbours: 0.5, task: 0.5 } }
        const found = yield* my.search(undefined, ask(query))
        assert.deepStrictEqual(contentsOf(found.matches), yield* my.words("kiwi", query))
        assert.deepStrictEqual([found.pending, found.terms], [0, 1])
        assert.isTrue(
          found.matches.every(
            ({ ranks, similarity, vector }) => similarity === 0 && ranks.vector === undefined && vector === undefined
          )
        )
        const surveyed = yield* my.survey(undefined, ask({ ...query, limit: 5 }))
        assert.deepStrictEqual([surveyed.pending, surveyed.terms], [0, 1])
        const strip = (tasks: typeof surveyed.tasks) => tasks.map((task) => [task.taskId, contentsOf(task.matches)])
        assert.deepStrictEqual(strip(surveyed.tasks), strip(yield* my.tasks(query)))
        assert.deepStrictEqual((yield* my.search(undefined, ask({ text: "of the" }))).matches, [])
      })

      test("gives the vectors of its matches where they are asked for", function* (my) {
        yield* my.add([{ content: "with kiwi", degrees: 30 }, { content: "without kiwi" }])
        const found = yield* my.matches({ text: "kiwi", vector: at(0), vectors: true })
        assert.deepStrictEqual(
          found.map(({ vector }) => vector && [...vector].map((value) => value.toFixed(6))),
          [[...at(30)].map((value) => value.toFixed(6)), undefined]
        )
        assert.isTrue((yield* my.matches({ text: "kiwi", vector: at(0) })).every(({ vector }) => vector === undefined))
      })

      test("never lets random vectors sink what the words find", function* (my) {
        const next = fractions(7)
        const { add, texts, words } = yield* library(my.store)
        const topics = Array.from({ length: 30 }, (_, i) => `topic${i}`)
        yield* add(
          Array.from({ length: 300 }, (_, i) => ({
            content: `${topics[i % 30]} ${topics[(i + 1) % 30]} filler${i} detail${i}`,
            degrees: next() * 360
          }))
        )
        let [alone, fused] = [0, 0]
        for (const [i, topic] of topics.entries()) {
          const text = `${topic} ${topics[(i + 1) % 30]}`
          const relevant = (content: string) => content.startsWith(text)
          alone += (yield* words(text)).filter(relevant).length
          const fusion = { k: 10, vectorWeight: 1, lexicalWeight: 1.25, evidence: 1 }
          fused += (yield* texts({ text, vector: at(next() * 360), fusion })).filter(relevant).length
        }
        assert.strictEqual(alone, 300)
        assert.isAtLeast(fused, alone * 0.995)
      })
    })

    describe("of what was redacted", () => {
      test("finds and counts nothing, as if it had never been there", function* (my) {
        const drafts = [
          { content: "a kiwi", degrees: 20 },
          { content: "kiwi and pear", degrees: 40 }
        ]
        const [had, never] = [yield* library(my.store), yield* library(my.store)]
        const { written } = yield* had.add(
          [...drafts, { content: "kiwi kiwi kiwi plum", degrees: 0 }, { content: "another plum" }],
          thought({ taskId: "t" })
        )
        yield* never.add(drafts, thought({ taskId: "t" }))
        yield* had
          .add([{ content: "kiwi alone", degrees: 5 }], thought({ taskId: "gone" }))
          .pipe(Effect.flatMap((gone) => my.store.redact(had.scope, gone.written[0]!.id, 1_800_000_000_000)))
        for (const { id } of written.slice(2)) yield* my.store.redact(had.scope, id, 1_800_000_000_000)
        const seen = ({ copies, note, ranks, score, scores, similarity }: StoreMatch) => [
          note.content,
          { copies, ranks, score, scores, similarity }
        ]
        const recency = { halfLifeMillis: 1000, weight: 0.2, nowMillis: 1_700_000_010_000 }
        for (const query of [
          { text: "kiwi plum", vector: at(0), context: { neighbours: 0.5, task: 0 } },
          { text: "kiwi plum", context: { neighbours: 0.5, task: 0.5 } },
          { vector: at(0), vectors: true },
          { text: "kiwi plum", vector: at(0), recency },
          { text: "kiwi", vector: at(0), fusion: { k: 20, vectorWeight: 1, lexicalWeight: 2, evidence: 1 } }
        ]) {
          const found = yield* had.found(query)
          assert.deepStrictEqual(
            [found.pending, contentsOf(found.matches).toSorted()],
            [0, ["a kiwi", "kiwi and pear"]]
          )
          assert.deepStrictEqual(found.matches.map(seen), (yield* never.matches(query)).map(seen))
          const surveyed = yield* had.surveyed(query)
          assert.strictEqual(surveyed.pending, 0)
          const tasks = (all: typeof surveyed.tasks) =>
            all.map(({ matches, score, taskId }) => ({ taskId, score, matches: matches.map(seen) }))
          assert.deepStrictEqual(tasks(surveyed.tasks), tasks(yield* never.tasks(query)))
        }
      })
    })

    describe("filters", () => {
      test("hold before ranking: one weak note is found among a thousand strong ones of others", function* (my) {
        const mine = yield* library(my.store)
        const strong = Array.from({ length: 1000 }, (_, i) => ({
          content: `kiwi kiwi kiwi ${i}`,
          key: "strong",
          source: "import",
          degrees: 0
        }))
        yield* mine.add(strong, thought({ taskId: "loud" }))
        const weak = thought({ taskId: "quiet" })
        const content = "somewhere in a long text about other things there is one kiwi"
        yield* mine.add(
          [
            {
              content,
              key: "weak",
              source: "user",
              trust: "trusted",
              metadata: { a: "b" },
              degrees: 120,
              millis: 1000
            }
          ],
          weak
        )
        const query = { text: "kiwi", vector: at(0), limit: 3 }
        const filters: ReadonlyArray<Filter> = [
          { keys: ["weak"] },
          { sources: ["user"] },
          { excludeSources: ["import"] },
          { taskId: "quiet" },
          { trust: "trusted" },
          { metadata: { a: "b" } },
          { until: DateTime.makeUnsafe(2000) }
        ]
        for (const filter of filters) {
          const [match, ...more] = yield* mine.matches({ ...query, filter })
          assert.deepStrictEqual([match?.note.content, match?.ranks, more], [content, { vector: 1, lexical: 1 }, []])
          assert.deepStrictEqual(yield* mine.words("kiwi", { filter }), [content])
          assert.deepStrictEqual(
            (yield* mine.tasks({ ...query, filter })).map(({ taskId }) => taskId),
            ["quiet"]
          )
        }
        const other = yield* library(my.store)
        yield* other.add([{ content: "a kiwi", degrees: 90 }])
        assert.deepStrictEqual(yield* other.texts(query), ["a kiwi"])
        // the other scope's notes do not count for how rare the word is
        const [alone] = yield* other.matches({ text: "kiwi" })
        assert.approximately(alone!.scores.lexical!, Math.log(1 + 0.5 / 1.5), 1e-6)
      })

      test("take any number of values, any text, and any moment", function* (my) {
        const { row } = yield* my.add(
          awkwardTexts.map((key, i) => ({ content: `kiwi ${i}`, key, source: key, millis: 1000 * i }))
        )
        const all = awkwardTexts.map((_, i) => `kiwi ${i}`)
        const many = Array.from({ length: 70_000 }, (_, i) => `value ${i}`)
        const found = (filter: Filter) => my.words("kiwi", { filter, limit: 50 })
        assert.sameMembers([...(yield* found({ keys: [...many, ...awkwardTexts], excludeSources: many }))], all)
        assert.sameMembers([...(yield* found({ sources: awkwardTexts }))], all)
        for (const [i, text] of awkwardTexts.entries()) {
          assert.deepStrictEqual(yield* found({ keys: [text] }), [`kiwi ${i}`])
          assert.notInclude(yield* found({ excludeSources: [text] }), `kiwi ${i}`)
        }
        const ids = Array.from(
          { length: 70_000 },
          (_, i) => `01981f5e-0000-7000-a000-${i.toString(16).padStart(12, "0")}`
        )
        assert.sameMembers([...(yield* found({ excludeThoughts: ids, excludeLineageOf: ids }))], all)
        assert.deepStrictEqual(yield* found({ excludeThoughts: [uuid(), row.id] }), [])
        assert.deepStrictEqual(yield* found({ excludeLineageOf: [row.id, uuid()] }), [])
        const [first, last] = [DateTime.makeUnsafe(-8.64e15), DateTime.makeUnsafe(8.64e15)]
        assert.sameMembers([...(yield* found({ since: first, until: last }))], all)
        assert.deepStrictEqual(yield* found({ until: first }), [])
        assert.deepStrictEqual(yield* found({ since: last }), [])
      })

      test("leave out a whole lineage, above and below", function* (my) {
        const root = yield* my.add([{ content: "root kiwi" }])
        const child = yield* my.add([{ content: "child kiwi" }], thought({ parent: { id: root.row.id, seq: 1 } }))
        const leaf = yield* my.add([{ content: "leaf kiwi" }], thought({ parent: { id: child.row.id, seq: 2 } }))
        const sibling = yield* my.add([{ content: "sibling kiwi" }], thought({ parent: { id: root.row.id, seq: 1 } }))
        yield* my.add([{ content: "stranger kiwi" }])
        const without = (...excludeLineageOf: ReadonlyArray<string>) =>
          Effect.map(my.words("kiwi", { filter: { excludeLineageOf } }), (found) =>
            found.map((text) => text.split(" ")[0]!).toSorted()
          )
        assert.deepStrictEqual(yield* without(root.row.id), ["stranger"])
        assert.deepStrictEqual(yield* without(child.row.id), ["sibling", "stranger"])
        assert.deepStrictEqual(yield* without(leaf.row.id), ["sibling", "stranger"])
        assert.deepStrictEqual(yield* without(sibling.row.id, leaf.row.id), ["stranger"])
        assert.strictEqual((yield* without("no id", uuid())).length, 5)
        assert.deepStrictEqual(
          yield* my.words("kiwi", {
            filter: { excludeLineageOf: [leaf.row.id], excludeThoughts: [sibling.row.id] }
          }),
          ["stranger kiwi"]
        )
        assert.strictEqual((yield* without()).length, 5)
      })

      test("let as many through as match, up to the limit, each content once", function* (my) {
        const [{ below }, next] = [random(11), fractions(12)]
        const [keys, sources, tasks] = [
          ["a", "b", "c"],
          ["user", "seek", "import"],
          ["t1", "t2", undefined]
        ] as const
        const all: Array<{ readonly draft: Draft; readonly taskId: string | undefined }> = []
        for (let i = 0; i < 12; i++) {
          const taskId = tasks[below(3)]
          const drafts = Array.from({ length: 10 }, (): Draft => {
            const content = `${below(2) === 0 ? "kiwi" : "plum"} ${below(60)}`
            return {
              content,
              key: keys[below(3)]!,
              source: sources[below(3)]!,
              trust: below(2) === 0 ? "trusted" : "untrusted",
              metadata: below(2) === 0 ? { lang: "en" } : {},
              millis: 1000 * below(50),
              ...(below(4) === 0 ? {} : { degrees: 360 * next() })
            }
          })
          yield* my.add(drafts, thought({ taskId }))
          all.push(...drafts.map((draft) => ({ draft, taskId })))
        }
        for (let round = 0; round < size.filters; round++) {
          const filter: Filter = {
            ...(below(3) === 0 ? { keys: keys.slice(below(3)) } : {}),
            ...(below(3) === 0 ? { sources: sources.slice(below(3)) } : {}),
            ...(below(3) === 0 ? { excludeSources: sources.slice(below(3)) } : {}),
            ...(below(4) === 0 ? { trust: "trusted" } : {}),
            ...(below(4) === 0 ? { metadata: { lang: "en" } } : {}),
            ...(below(4) === 0 ? { since: DateTime.makeUnsafe(1000 * below(50)) } : {}),
            ...(below(4) === 0 ? { until: DateTime.makeUnsafe(1000 * below(50)) } : {}),
            ...(below(4) === 0 ? { taskId: "t1" } : {})
          }
          const [byWords, byMeaning] = [below(3) > 0, below(3) > 0]
          const limit = 1 + below(80)
          const holds = ({ draft, taskId }: (typeof all)[number]) =>
            (filter.keys?.includes(draft.key!) ?? true) &&
            (filter.sources?.includes(draft.source!) ?? true) &&
            !(filter.excludeSources?.includes(draft.source!) ?? false) &&
            (filter.trust === undefined || draft.trust === filter.trust) &&
            (filter.metadata === undefined || draft.metadata!["lang"] === "en") &&
            (filter.since === undefined || draft.millis! >= filter.since.epochMilliseconds) &&
            (filter.until === undefined || draft.millis! < filter.until.epochMilliseconds) &&
            (filter.taskId === undefined || taskId === filter.taskId)
          const allowed = all.filter(holds)
          const answering = allowed.filter(
            ({ draft }) => (byWords && draft.content!.startsWith("kiwi")) || (byMeaning && draft.degrees !== undefined)
          )
          const matching = new Set(answering.map(({ draft }) => draft.content!))
          const query = {
            text: byWords ? "the kiwi" : "",
            vector: byMeaning ? at(360 * next()) : undefined,
            filter
          }
          const surveyed = yield* my.tasks(query)
          assert.sameMembers(
            surveyed.map(({ taskId }) => taskId),
            [...new Set(answering.flatMap(({ taskId }) => taskId ?? []))],
            JSON.stringify(filter)
          )
          for (const task of surveyed) {
            const mine = answering.filter(({ taskId }) => taskId === task.taskId).map(({ draft }) => draft.content!)
            for (const content of contentsOf(task.matches)) assert.include(mine, content)
            assert.strictEqual(task.matches.length, Math.min(3, new Set(mine).size))
          }
          const found = yield* my.matches({ ...query, limit })
          assert.strictEqual(found.length, Math.min(limit, matching.size), JSON.stringify(filter))
          assert.strictEqual(new Set(contentsOf(found)).size, found.length)
          for (const {
            copies,
            note: { content }
          } of found) {
            assert.isTrue(matching.has(content))
            assert.strictEqual(copies, allowed.filter(({ draft }) => draft.content === content).length)
          }
          const scores = found.map(({ score }) => score)
          assert.deepStrictEqual(
            scores,
            scores.toSorted((a, b) => b - a)
          )
        }
      })
    })

    describe("in a scope that came after the statistics", () => {
      test("is done as soon as in any other", function* (my) {
        const drafts = Array.from({ length: 1000 }, (_, i) => ({
          content: `kiwi ${i % 900} of plum ${i % 7}`,
          degrees: i / 10
        }))
        const known = yield* library(my.store)
        yield* known.add(drafts)
        yield* my.store.optimize({})
        const { add, matches, tasks } = yield* library(my.store)
        for (let i = 0; i < 1000; i += 100) {
          yield* add(drafts.slice(i, i + 100), thought({ taskId: `task ${i % 700}` }))
        }
        const query = { text: "kiwi plum 5", vector: at(0), context: { neighbours: 0.2, task: 0.2 } }
        const before = performance.now()
        assert.strictEqual((yield* matches({ ...query, limit: 100 })).length, 100)
        assert.strictEqual((yield* tasks({ ...query, limit: 100 })).length, 7)
        assert.isBelow(performance.now() - before, 15_000)
      })
    })

    describe("order", () => {
      test("does not depend on the order that notes came in", function* (my) {
        const [{ below }, next] = [random(3), fractions(4)]
        const fruit = ["kiwi", "plum", "pear", "fig"]
        const rows = Array.from({ length: 60 }, (_, i) => {
          const row = thought({ taskId: `task ${i % 7}` })
          const content = Array.from({ length: 1 + below(5) }, () => fruit[below(4)]).join(" ")
          const written = note(row.id, 1, { content, millis: 1000 * below(20) })
          return { row, written, vector: at(Math.round(next() * 36) * 10) }
        })
        const results: Array<unknown> = []
        for (let round = 0; round < 3; round++) {
          const [scope, space] = [freshScope(), freshSpace()]
          yield* my.store.openSpace(space)
          const shuffled = rows.map((row) => ({ row, place: next() })).toSorted((a, b) => a.place - b.place)
          for (const { row } of shuffled) {
            yield* my.store.commit(scope, commit(row.row, { notes: [row.written] }))
            yield* my.store.putVectors(scope, space, [{ noteId: row.written.id, vector: row.vector }])
          }
          const query = ask({
            text: "kiwi and a fig",
            vector: at(20),
            limit: 30,
            context: { neighbours: 0.5, task: 0.3 }
          })
          const found = yield* my.store.search(scope, space, query)
          const { tasks } = yield* my.store.survey(scope, space, { ...query, limit: 5 })
          results.push([
            found.matches.map(({ copies, note: { id }, ranks, score }) => [id, ranks, score, copies]),
            tasks.map(({ matches, score, taskId }) => [taskId, score, matches.map(({ note: { id } }) => id)])
          ])
        }
        assert.deepStrictEqual(results[1], results[0])
        assert.deepStrictEqual(results[2], results[0])
      })

      test("takes equal notes for one, and keeps the newest", function* (my) {
        yield* my.add([
          { content: "same kiwi", millis: 1000, degrees: 10 },
          { content: "same kiwi", millis: 3000, key: "newest" },
          { content: "same kiwi", millis: 2000, degrees: 10 },
          { content: "Same kiwi", millis: 4000, degrees: 50 }
        ])
        const found = yield* my.matches({ text: "kiwi", vector: at(0), limit: 2 })
        assert.deepStrictEqual(
          found.map(({ copies, note: { content, key } }) => [content, key, copies]),
          [
            ["same kiwi", "newest", 3],
            ["Same kiwi", "key 4", 1]
          ]
        )
        assert.approximately(found[0]!.similarity, Math.cos((10 * Math.PI) / 180), 1e-6)
        yield* my.add(Array.from({ length: 300 }, () => ({ content: "kiwi kiwi", degrees: 0 })))
        assert.deepStrictEqual(yield* my.words("kiwi", { limit: 3 }), ["kiwi kiwi", "same kiwi", "Same kiwi"])
      })

      test("is helped by the notes beside a hit and by its task where that is asked for", function* (my) {
        yield* my.add(
          [{ content: "kiwi question" }, { content: "answer" }, { content: "last" }, { content: "pear and kiwi" }],
          thought({ taskId: "fruit" })
        )
        yield* my.add([{ content: "kiwi pie" }, { content: "something" }], thought({ taskId: "pies" }))
        assert.deepStrictEqual(yield* my.words("kiwi"), ["kiwi question", "pear and kiwi", "kiwi pie"])
        const near = yield* my.matches({ text: "kiwi", context: { neighbours: 0.5, task: 0 } })
        const score = near.find(({ note }) => note.content === "kiwi question")!.scores.lexical!
        assert.sameMembers(contentsOf(near), [
          "kiwi question",
          "answer",
          "last",
          "pear and kiwi",
          "kiwi pie",
          "something"
        ])
        assert.deepStrictEqual(contentsOf(near).slice(0, 3), ["kiwi question", "pear and kiwi", "kiwi pie"])
        const beside = near.find(({ note }) => note.content === "answer")!
        assert.approximately(beside.scores.lexical!, score / 2, 1e-5)
        const tasked = yield* my.matches({ text: "pear kiwi", context: { neighbours: 0, task: 0.3 } })
        assert.deepStrictEqual(contentsOf(tasked), ["pear and kiwi", "kiwi question", "kiwi pie"])
        const [plain] = yield* my.matches({ text: "pear kiwi", filter: { keys: ["key 1"] } })
        assert.isDefined(plain)
        assert.isAbove(tasked[1]!.scores.lexical!, tasked[2]!.scores.lexical!)
      })

      test("prefers new notes a little where that is asked for, and never drowns an old one", function* (my) {
        const day = 86_400_000
        const nowMillis = 400 * day
        yield* my.add([
          { content: "the golden kiwi answer", degrees: 0, millis: 100 * day },
          ...Array.from({ length: 100 }, (_, i) => ({
            content: `kiwi ${Array.from({ length: i + 1 }, (_, j) => `filler${j}`).join(" ")}`,
            degrees: 20 + i / 10,
            millis: nowMillis - i * 1000
          }))
        ])
        const query = { text: "golden kiwi", vector: at(0) }
        for (const halfLifeMillis of [1, day, 30 * day]) {
          for (const weight of [0.05, 0.2]) {
            const best = yield* my.texts({ ...query, recency: { halfLifeMillis, weight, nowMillis } })
            assert.include(best.slice(0, 10), "the golden kiwi answer")
          }
        }
        const [plain] = yield* my.matches(query)
        const recency = { halfLifeMillis: 300 * day, weight: 0.2, nowMillis }
        const golden = (more: Partial<StoreQuery>) =>
          Effect.map(my.matches({ ...query, ...more }), (all) =>
            all.find(({ note }) => note.content.startsWith("the golden"))
          )
        const aged = yield* golden({ recency })
        assert.approximately(aged!.score / plain!.score, 1 + 0.2 * (0.5 - 0.5), 1e-9)
        const older = yield* golden({ recency: { ...recency, halfLifeMillis: 150 * day } })
        assert.approximately(older!.score / plain!.score, 1 + 0.2 * (0.25 - 0.5), 1e-9)
        const future = yield* golden({ recency: { ...recency, nowMillis: 0 } })
        assert.approximately(future!.score / plain!.score, 1.1, 1e-9)
      })
    })

    describe("of tasks", () => {
      test("counts all notes of the scope that are pending, whatever the filters, as that of notes does", function* (my) {
        yield* my.add([{ content: "kiwi", key: "a", degrees: 0 }], thought({ taskId: "t" }))
        yield* my.add([
          { content: "plum", key: "b" },
          { content: "pear", key: "c" }
        ])
        for (const filter of [{}, { keys: ["a"] }, { taskId: "t" }, { keys: [] }]) {
          const query = { text: "kiwi", vector: at(0), filter }
          assert.strictEqual((yield* my.found(query)).pending, 2)
          assert.strictEqual((yield* my.surveyed(query)).pending, 2)
        }
      })

      test("prefers new tasks, a little, by the newest of what was found", function* (my) {
        const day = 24 * 60 * 60 * 1000
        const nowMillis = 1_700_000_000_000
        yield* my.add([{ content: "old kiwi", degrees: 0, millis: nowMillis - 60 * day }], thought({ taskId: "old" }))
        yield* my.add(
          [
            { content: "new kiwi", degrees: 0, millis: nowMillis },
            { content: "another kiwi", degrees: 0, millis: nowMillis - 90 * day }
          ],
          thought({ taskId: "new" })
        )
        const query = { text: "kiwi", vector: at(0) }
        const scores = (more: Partial<StoreQuery> = {}) =>
          Effect.map(
            my.tasks({ ...query, ...more }),
            (tasks) => new Map(tasks.map(({ score, taskId }) => [taskId, score]))
          )
        const plain = yield* scores()
        const aged = yield* scores({ recency: { halfLifeMillis: 30 * day, weight: 0.2, nowMillis } })
        assert.approximately(aged.get("new")! / plain.get("new")!, 1 + 0.2 * 0.5, 1e-9)
        assert.approximately(aged.get("old")! / plain.get("old")!, 1 + 0.2 * (0.25 - 0.5), 1e-9)
      })

      test("ranks a task by its best note in each arm, however many others it has", function* (my) {
        const some = ["kiwi", "plum", "a kiwi", "a plum"]
        yield* my.add(
          some.map((content, i) => ({ content, degrees: 40 + i })),
          thought({ taskId: "many" })
        )
        yield* my.add([{ content: "kiwi plum", degrees: 30 }], thought({ taskId: "one" }))
        yield* my.add([{ content: "nothing", degrees: 90 }], thought({ taskId: "other" }))
        const fusion = { k: 10, vectorWeight: 1, lexicalWeight: 1, evidence: 0 }
        const ranked = (more: Partial<StoreQuery>) =>
          Effect.map(my.tasks({ text: "kiwi plum", vector: at(0), fusion, ...more }), (tasks) =>
            tasks.map(({ score, taskId }) => [taskId, score.toFixed(9)])
          )
        assert.deepStrictEqual(yield* ranked({}), [
          ["one", (2 / 11).toFixed(9)],
          ["many", (2 / 12).toFixed(9)],
          ["other", (1 / 13).toFixed(9)]
        ])
        assert.deepStrictEqual(yield* ranked({ vector: undefined }), [
          ["one", (1 / 11).toFixed(9)],
          ["many", (1 / 12).toFixed(9)]
        ])
        const [, many] = yield* my.tasks({ text: "kiwi plum", vector: at(0), fusion })
        assert.approximately(many!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
        assert.strictEqual(many!.matches.length, 3)
        assert.strictEqual((yield* my.tasks({ text: "kiwi plum", fusion, limit: 1 })).length, 1)
      })

      test("takes no note for new that has nothing to do with the query", function* (my) {
        const nowMillis = 1_700_000_000_000
        const old = { content: "refund granted", degrees: 0, millis: nowMillis - 10_000_000 }
        yield* my.add([old, { content: "weather", degrees: 90, millis: nowMillis }], thought({ taskId: "a" }))
        yield* my.add([old], thought({ taskId: "b" }))
        const tasks = yield* my.tasks({
          text: "refund",
          vector: at(0),
          filter: { minSimilarity: 0.5 },
          recency: { halfLifeMillis: 10_000_000, weight: 0.2, nowMillis }
        })
        assert.deepStrictEqual(
          tasks.map(({ taskId }) => taskId),
          ["a", "b"]
        )
        assert.approximately(tasks[0]!.score, tasks[1]!.score, 1e-12)
      })

      test("bounds the distance of every match, and says how many words it looked for", function* (my) {
        yield* my.add([{ content: "near", degrees: 10 }], thought({ taskId: "near" }))
        yield* my.add([{ content: "far", degrees: 80 }], thought({ taskId: "far" }))
        yield* my.add([{ content: "farther kiwi", degrees: 85 }], thought({ taskId: "words" }))
        const found = (filter: Filter, text = "a kiwi or plum") =>
          Effect.map(my.surveyed({ text, vector: at(0), filter }), ({ tasks, terms }) => [
            tasks.map(({ taskId }) => taskId).toSorted(),
            terms
          ])
        assert.deepStrictEqual(yield* found({}), [["far", "near", "words"], 2])
        assert.deepStrictEqual(yield* found({ maxDistance: 0.5 }), [["near"], 2])
        assert.deepStrictEqual(yield* found({ minSimilarity: 0.05 }), [["far", "near", "words"], 2])
        assert.deepStrictEqual(yield* found({ minSimilarity: 0.1 }), [["far", "near"], 2])
        assert.deepStrictEqual(yield* found({ maxDistance: 0.5 }, "of the"), [["near"], 0])
      })

      test("gives what is beside a hit, and hits of a task that has the words, a part of the score", function* (my) {
        yield* my.add(
          [{ content: "a kiwi" }, { content: "beside it" }, { content: "far off" }],
          thought({ taskId: "t" })
        )
        const lexical = (context: StoreQuery["context"]) =>
          Effect.map(
            my.tasks({ text: "kiwi", context }),
            ([task]) => new Map(task!.matches.map(({ note, scores }) => [note.content, scores.lexical!]))
          )
        const plain = yield* lexical({ neighbours: 0, task: 0 })
        assert.deepStrictEqual([...plain.keys()], ["a kiwi"])
        const near = yield* lexical({ neighbours: 0.5, task: 0 })
        assert.deepStrictEqual([...near.keys()], ["a kiwi", "beside it"])
        assert.approximately(near.get("beside it")! / plain.get("a kiwi")!, 0.5, 1e-6)
        const tasked = yield* lexical({ neighbours: 0, task: 0.3 })
        assert.deepStrictEqual([...tasked.keys()], ["a kiwi"])
        assert.isAbove(tasked.get("a kiwi")!, plain.get("a kiwi")!)
      })

      test("ranks every task by its best notes, each once, with its newest thought", function* (my) {
        const old = yield* my.add(
          [
            { content: "kiwi jam", degrees: 40 },
            { content: "other", degrees: 170 }
          ],
          thought({ taskId: "jam", intent: "old", createdMillis: 1000 })
        )
        const fresh = yield* my.add(
          [{ content: "sugar", degrees: 100 }],
          thought({ taskId: "jam", intent: "new", createdMillis: 2000 })
        )
        yield* my.add([{ content: "plum", degrees: 0 }], thought({ taskId: "plums", createdMillis: 3000 }))
        yield* my.add([{ content: "kiwi kiwi", degrees: 0 }])
        const tasks = yield* my.tasks({ text: "kiwi", vector: at(0) })
        assert.deepStrictEqual(
          tasks.map(({ intent, matches, taskId, thoughtId }) => [taskId, thoughtId, intent, contentsOf(matches)]),
          [
            ["jam", fresh.row.id, "new", ["kiwi jam", "sugar", "other"]],
            ["plums", tasks[1]!.thoughtId, "triage a ticket", ["plum"]]
          ]
        )
        assert.approximately(tasks[0]!.score, 1 / 22 + 2 / 21, 1e-9)
        assert.approximately(tasks[1]!.score, 1 / 21, 1e-9)
        assert.approximately(tasks[0]!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
        const without = yield* my.tasks({ text: "kiwi", vector: at(0), filter: { excludeThoughts: [fresh.row.id] } })
        assert.deepStrictEqual([without[0]!.thoughtId, without[0]!.intent], [old.row.id, "old"])
        assert.deepStrictEqual((yield* my.tasks({ text: "kiwi", limit: 1 })).length, 1)
        assert.deepStrictEqual(yield* my.tasks({ text: "zebra" }), [])
      })

      test("finds every task, however many notes another one has", function* (my) {
        yield* my.add(
          Array.from({ length: 700 }, (_, i) => ({ content: `kiwi ${i}`, degrees: i / 100 })),
          thought({ taskId: "loud" })
        )
        for (let i = 0; i < 8; i++) {
          yield* my.add([{ content: `a quiet kiwi ${1000 + i}`, degrees: 20 + i }], thought({ taskId: `quiet ${i}` }))
        }
        for (const query of [{ text: "kiwi" }, { vector: at(0) }, { text: "kiwi", vector: at(0) }]) {
          const tasks = yield* my.tasks({ ...query, limit: 20 })
          assert.deepStrictEqual(
            tasks.map(({ taskId }) => taskId),
            ["loud", ...Array.from({ length: 8 }, (_, i) => `quiet ${i}`)]
          )
          assert.deepStrictEqual(
            tasks.map(({ matches }) => matches.length),
            [3, ...Array.from({ length: 8 }, () => 1)]
          )
        }
        assert.strictEqual((yield* my.tasks({ text: "kiwi", limit: 3 })).length, 3)
      })

      test("makes a task as similar as the nearest note that it shows, though another comes first, and no less than 0", function* (my) {
        yield* my.add(
          [
            { content: "kiwi", degrees: 80 },
            { content: "plum", degrees: 20 }
          ],
          thought({ taskId: "jam" })
        )
        yield* my.add([{ content: "a kiwi tree", degrees: 180 }], thought({ taskId: "trees" }))
        const query = {
          text: "kiwi",
          vector: at(0),
          fusion: { k: 60, vectorWeight: 1, lexicalWeight: 4, evidence: 0 }
        }
        const [jam, trees] = yield* my.tasks(query)
        assert.deepStrictEqual([jam?.taskId, contentsOf(jam?.matches ?? [])], ["jam", ["kiwi", "plum"]])
        assert.approximately(jam?.similarity ?? 0, Math.cos((20 * Math.PI) / 180), 1e-6)
        assert.deepStrictEqual([trees?.taskId, trees?.similarity, trees?.matches[0]?.similarity], ["trees", 0, 0])
        const opposite = (yield* my.matches(query)).find(({ note }) => note.content === "a kiwi tree")
        assert.deepStrictEqual([opposite?.similarity, opposite?.scores.vector], [0, 0])
      })

      test("lists equal tasks by name, and of a task's equal notes and thoughts the same ones each time", function* (my) {
        for (const taskId of ["b", "a", "B"]) yield* my.add([{ content: "one kiwi" }], thought({ taskId }))
        const names = (limit: number) =>
          Effect.map(my.tasks({ text: "kiwi", limit }), (tasks) => tasks.map(({ taskId }) => taskId))
        assert.deepStrictEqual(yield* names(5), ["B", "a", "b"])
        assert.deepStrictEqual(yield* names(2), ["B", "a"])

        // neither notes nor thoughts come in the order of their ids
        const ids = [0, 1, 2, 3, 4].map(() => uuid())
        const drafts = [3, 0, 4, 1, 2].map((i) => ({ id: ids[i]!, content: `zinc ${"abcde"[i]}${i}` }))
        const twins = [0, 1, 2].map(() => thought({ taskId: "twins", createdMillis: 5000 }))
        yield* my.add(drafts.slice(0, 2), twins[1])
        yield* my.add(drafts.slice(2, 4), twins[2])
        yield* my.add(drafts.slice(4), twins[0])
        const [task] = yield* my.tasks({ text: "zinc" })
        assert.deepStrictEqual(
          task?.matches.map(({ note }) => note.id),
          ids.slice(0, 3)
        )
        assert.strictEqual(task?.thoughtId, twins[2]?.id)
        assert.deepStrictEqual(
          (yield* my.matches({ text: "zinc", limit: 2 })).map(({ note }) => note.id),
          ids.slice(0, 2)
        )
      })

      test("shows a note that two tasks have under both, and one that a task has twice once", function* (my) {
        yield* my.add(
          [{ content: "kiwi" }, { content: "kiwi" }, { content: "a kiwi tree" }],
          thought({ taskId: "\u0000" })
        )
        yield* my.add([{ content: "kiwi" }], thought({ taskId: "other" }))
        assert.deepStrictEqual(
          (yield* my.tasks({ text: "kiwi" })).map(({ matches, taskId }) => [
            taskId,
            matches.map(({ copies, note: { content } }) => [content, copies])
          ]),
          [
            [
              "\u0000",
              [
                ["kiwi", 2],
                ["a kiwi tree", 1]
              ]
            ],
            ["other", [["kiwi", 1]]]
          ]
        )
      })
    })
  })
