/** Tests of stores: searches by meaning and words. */
import type { StoreMatch } from "../../../Store.ts"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { ask } from "../stage/query.ts"
import { thought } from "../stage/rows.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, fractions, type Library, library } from "../stage/library.ts"

export const meaningTests = ({ describe, test }: Define<Library>): void => {
  describe("by meaning and words", () => {
    test("adds up the shares of a note's ranks", function* (my) {
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

    test("weighs a rank by how far the note stands out", function* (my) {
      const degrees = [0, 90, 60, 90]
      yield* my.add([
        { content: "near", degrees: degrees[0]! },
        { content: "kiwi kiwi", degrees: degrees[1]! },
        { content: "kiwi and plum and pear", degrees: degrees[2]! },
        { content: "far", degrees: degrees[3]! }
      ])
      // in two dimensions, the nearest of four stands out no more than by chance
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
        // two of four notes have the word
        const words = ({ scores }: StoreMatch) => {
          const part = (scores.lexical! / Math.log(2)) ** 2
          return (part / (part + 0.5)) ** evidence
        }
        assert.approximately(best.score, worth(1) / 7 + (3 * words(best)) / 5, 1e-6)
        assert.approximately(third.score, worth(0.5) / 6 + (3 * words(third)) / 6, 1e-6)
        assert.strictEqual(found.length, 4)
      }
    })

    test("trusts vectors as far as the nearest is nearer than chance", function* (my) {
      yield* my.add({ near: 0, kiwi: 90 })
      const fusion = { k: 4, vectorWeight: 1, lexicalWeight: 3, evidence: 1 }
      const found = yield* my.matches({ text: "kiwi plum", vector: at(0), fusion })
      const chance = Math.sqrt(2 * Math.log(2))
      const trust = Math.sqrt(2) / chance - 1
      assert.approximately(found.find(({ note }) => note.content === "near")!.score, trust / chance ** 2 / 5, 1e-6)
      const words = found.find(({ note }) => note.content === "kiwi")!
      // one of two notes has the one word, and none has the other
      const part = (words.scores.lexical! / (Math.log(2) + Math.log(6))) ** 2
      assert.approximately(words.score, (trust * 0.05 ** 2) / 6 + (3 * (part / (part + 0.5))) / 5, 1e-6)
    })

    test("omits notes that only an arm without weight found", function* (my) {
      yield* my.add({ near: 10, "far kiwi": 80, far: 85 }, "t")
      yield* my.add(["a kiwi"], "words")
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
        assert.deepStrictEqual(each(surveyed.tasks, "taskId"), tasks)
        assert.sameMembers(
          surveyed.tasks.flatMap((task) => contentsOf(task.matches)),
          contents
        )
      }
      const [, kiwi] = (yield* my.found({ ...query, fusion: { ...fusion, vectorWeight: 0 } })).matches
      assert.approximately(kiwi!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
      assert.deepStrictEqual(kiwi!.ranks, { lexical: 2 })
    })

    test("gives equal notes the same rank, and lists them by id", function* (my) {
      yield* my.add({ "one kiwi": 30, "two kiwi": 30, "one plum": 60 })
      const found = yield* my.matches({ text: "kiwi", vector: at(0) })
      assert.deepStrictEqual(contentsOf(found), ["one kiwi", "two kiwi", "one plum"])
      assert.deepStrictEqual(each(found, "ranks"), [
        { vector: 1, lexical: 1 },
        { vector: 1, lexical: 1 },
        { vector: 3 }
      ])
      assert.strictEqual(found[0]!.score, found[1]!.score)
    })

    test("bounds the distance of every match, whichever arm found it and whichever has weight", function* (my) {
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
        // a query without a vector has no distance to any note
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

    test("uses the nearest of all notes with the same content, even if the newest has no vector", function* (my) {
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

    test("reports the similarity of a note that only its words found", function* (my) {
      yield* my.add({ "farther kiwi": 80 })
      const fusion = { k: 60, vectorWeight: 0, lexicalWeight: 1, evidence: 1 }
      const [kiwi] = yield* my.matches({ text: "kiwi", vector: at(0), fusion })
      assert.deepStrictEqual(kiwi!.ranks, { lexical: 1 })
      assert.approximately(kiwi!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
    })

    test("searches by words if a note or the query has no vector, and counts pending notes", function* (my) {
      yield* my.add([{ content: "with kiwi", degrees: 0 }, { content: "without kiwi" }, { content: "without" }])
      const both = yield* my.found({ text: "kiwi", vector: at(0) })
      assert.deepStrictEqual(contentsOf(both.matches), ["with kiwi", "without kiwi"])
      assert.strictEqual(both.pending, 2)
      const none = yield* my.found({ text: "kiwi" })
      assert.deepStrictEqual(contentsOf(none.matches), ["with kiwi", "without kiwi"])
      assert.deepStrictEqual(each(none.matches, "similarity"), [0, 0])
      assert.deepStrictEqual([none.pending, none.terms], [2, 1])
      assert.deepStrictEqual((yield* my.found({ text: "none" })).pending, 2)
    })

    test("searches by words alone without a space, and reports nothing as pending", function* (my) {
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

    test("returns the vectors of matches if requested", function* (my) {
      yield* my.add([{ content: "with kiwi", degrees: 30 }, { content: "without kiwi" }])
      const found = yield* my.matches({ text: "kiwi", vector: at(0), vectors: true })
      assert.deepStrictEqual(
        found.map(({ vector }) => vector && [...vector].map((value) => value.toFixed(6))),
        [[...at(30)].map((value) => value.toFixed(6)), undefined]
      )
      assert.isTrue((yield* my.matches({ text: "kiwi", vector: at(0) })).every(({ vector }) => vector === undefined))
    })

    test("never ranks notes found by words lower because of random vectors", function* (my) {
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
}
