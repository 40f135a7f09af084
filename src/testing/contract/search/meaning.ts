/** Tests of stores: searches by meaning and words. */
import * as Effect from "effect/Effect"
import type { StoreQuery } from "../../../Store.ts"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { ask } from "../stage/query.ts"
import { thought } from "../stage/rows.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, fractions, type Library, library } from "../stage/library.ts"

export const meaningTests = ({ describe, test }: Define<Library>): void => {
  describe("by meaning and words", () => {
    test("adds the squares of how well a note matches by words and by meaning", function* (my) {
      const degrees = [0, 90, 60, 90]
      yield* my.add([
        { content: "near", degrees: degrees[0]! },
        { content: "kiwi kiwi", degrees: degrees[1]! },
        { content: "kiwi and plum and pear", degrees: degrees[2]! },
        { content: "far", degrees: degrees[3]! },
        { content: "late kiwi with a pear and a plum" }
      ])
      const chance = Math.sqrt(2 * Math.log(4))
      const distances = degrees.map((angle) => 1 - Math.cos((angle * Math.PI) / 180))
      const mean = distances.reduce((sum, distance) => sum + distance, 0) / 4
      const deviation = Math.sqrt(distances.reduce((sum, distance) => sum + (distance - mean) ** 2, 0) / 4)
      // in two dimensions, the nearest of four stands out no more than by chance
      const trust = 0.01
      const near = (distance: number) => {
        const out = (mean - distance) / deviation / chance
        return (out < 0.05 ? 0.0025 / (0.1 - out) : out) ** 2 * trust
      }
      for (const [vectorWeight, lexicalWeight] of [
        [1, 1],
        [3, 5]
      ] as const) {
        const found = yield* my.matches({ text: "kiwi", vector: at(0), fusion: { vectorWeight, lexicalWeight } })
        assert.deepStrictEqual(
          found.map(({ note: { content }, ranks }) => [content, ranks]),
          [
            ["kiwi kiwi", { vector: 3, lexical: 1 }],
            ["kiwi and plum and pear", { vector: 2, lexical: 2 }],
            ["late kiwi with a pear and a plum", { lexical: 3 }],
            ["near", { vector: 1 }],
            ["far", { vector: 3 }]
          ]
        )
        const best = Math.max(...found.map(({ scores }) => scores.lexical ?? 0))
        const left = 1 - 0.95 * Math.min(1, best / 1.5)
        const known: Readonly<Record<string, number>> = {
          near: 0,
          "kiwi kiwi": 1,
          "kiwi and plum and pear": 0.5,
          far: 1
        }
        for (const { note, score, scores } of found) {
          const distance = known[note.content]
          const meaning = distance === undefined ? 0 : vectorWeight * left * near(distance)
          assert.approximately(score, lexicalWeight * (scores.lexical ?? 0) ** 2 + meaning, 1e-6)
        }
      }
      const [first, , third, fourth] = yield* my.matches({ text: "kiwi", vector: at(0) })
      assert.approximately(fourth!.scores.vector!, 1, 1e-6)
      assert.approximately(first!.similarity, 0, 1e-6)
      assert.isUndefined(fourth!.scores.lexical)
      assert.isUndefined(third!.scores.vector)
    })

    test("gives words as the part of the question that a note has, whether or not any note has the rest", function* (my) {
      yield* my.add(["kiwi plum", "pear fig"])
      const words = (text: string) => Effect.map(my.matches({ text }), ([match]) => match!.scores.lexical!)
      // a note of average length that has every word once has 1
      assert.approximately(yield* words("kiwi"), 1, 1e-5)
      assert.approximately(yield* words("kiwi plum"), 1, 1e-5)
      assert.approximately(yield* words("kiwi pear"), 0.5, 1e-5)
      // a word of no note is rarer than one of half of them
      assert.approximately(yield* words("kiwi zebra"), Math.log(2) / (Math.log(2) + Math.log(6)), 1e-5)
    })

    test("trusts vectors as far as the nearest is nearer than chance", function* (my) {
      yield* my.add({ near: 0, kiwi: 90 })
      const found = yield* my.matches({ text: "plum", vector: at(0) })
      const chance = Math.sqrt(2 * Math.log(2))
      const trust = Math.sqrt(2) / chance - 1
      assert.approximately(found[0]!.score, trust / chance ** 2, 1e-6)
      assert.approximately(found[1]!.score, trust * (0.0025 / (0.1 + 1 / chance)) ** 2, 1e-6)
    })

    test("adds how similar the notes of a task are on average, as a part of what its words give", function* (my) {
      yield* my.add({ "alpha kiwi": 40, near: 0 }, "near")
      yield* my.add({ "omega kiwi": 40, far: 90 }, "far")
      const query = { text: "kiwi", vector: at(0), context: { neighbours: 0, task: 1 } }
      const first = (more: Partial<StoreQuery>) =>
        Effect.map(my.matches({ ...query, ...more }), (found) => found.map(({ note }) => note.content).slice(0, 2))
      assert.deepStrictEqual(yield* first({}), ["alpha kiwi", "omega kiwi"])
      const scores = Effect.map(
        my.matches(query),
        (found) => new Map(found.map(({ note, score }) => [note.content, score]))
      )
      assert.isAbove((yield* scores).get("alpha kiwi")!, (yield* scores).get("omega kiwi")!)
      const plain = yield* my.matches({ ...query, context: { neighbours: 0, task: 0 } })
      assert.strictEqual(plain[0]!.score, plain[1]!.score)
      const [one, two] = yield* my.tasks(query)
      assert.deepStrictEqual([one?.taskId, two?.taskId], ["near", "far"])
      assert.approximately(one!.score, one!.matches[0]!.score, 1e-12)
    })

    test("omits notes that only an arm without weight found", function* (my) {
      yield* my.add({ near: 10, "far kiwi": 80, far: 85 }, "t")
      yield* my.add(["a kiwi"], "words")
      const query = { text: "kiwi", vector: at(0) }
      const fusion = { vectorWeight: 1, lexicalWeight: 1 }
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
      // notes that are as good as the last candidate are candidates too
      const few = yield* my.matches({ text: "kiwi", vector: at(0), candidates: 1 })
      assert.deepStrictEqual(contentsOf(few), ["one kiwi", "two kiwi"])
      assert.deepStrictEqual(each(few, "ranks"), [
        { vector: 1, lexical: 1 },
        { vector: 1, lexical: 1 }
      ])
    })

    test("orders equal notes by the id of the newest copy of each", function* (my) {
      const drafts = ["plum", "fig", "pear", "plum", "fig"].map((name) => ({ content: `${name} kiwi`, degrees: 30 }))
      const { written } = yield* my.add(drafts)
      const found = yield* my.matches({ text: "kiwi", vector: at(0) })
      assert.deepStrictEqual(
        found.map(({ copies, note }) => [note.content, note.id, copies]),
        [2, 3, 4].map((i) => [written[i]!.content, written[i]!.id, i === 2 ? 1 : 2])
      )
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
      const fusion = { vectorWeight: 1, lexicalWeight: 1 }
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
          const fusion = { vectorWeight, lexicalWeight: 1 }
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
      const fusion = { vectorWeight: 0, lexicalWeight: 1 }
      const [kiwi] = yield* my.matches({ text: "kiwi", vector: at(0), fusion })
      assert.deepStrictEqual(kiwi!.ranks, { lexical: 1 })
      assert.approximately(kiwi!.similarity, Math.cos((80 * Math.PI) / 180), 1e-6)
      // that of its nearest part
      const { written } = yield* my.add(["plum"])
      const parts = [170, 60, 30, 120].map((degrees, chunk) => ({ noteId: written[0]!.id, chunk, vector: at(degrees) }))
      yield* my.putVectors(my.space, parts)
      const [plum] = yield* my.matches({ text: "plum", vector: at(0), fusion, vectors: true })
      assert.approximately(plum!.similarity, Math.cos((30 * Math.PI) / 180), 1e-6)
      assert.approximately(plum!.vector?.[0] ?? 0, Math.cos((30 * Math.PI) / 180), 1e-6)
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
        const fusion = { vectorWeight: 1, lexicalWeight: 1.25 }
        fused += (yield* texts({ text, vector: at(next() * 360), fusion })).filter(relevant).length
      }
      assert.strictEqual(alone, 300)
      assert.isAtLeast(fused, alone * 0.995)
    })
  })
}
