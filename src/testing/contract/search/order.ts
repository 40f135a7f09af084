/** Tests of stores: the order of matches, and the time that searches take. */
import * as Effect from "effect/Effect"
import type { StoreQuery } from "../../../Store.ts"
import { assert } from "../stage/assert.ts"
import { ask } from "../stage/query.ts"
import { random } from "../stage/random.ts"
import { commit, note, thought } from "../stage/rows.ts"
import { at, freshScope, freshSpace } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, fractions, type Library, library } from "../stage/library.ts"

export const orderTests = ({ describe, test }: Define<Library>): void => {
  describe("in a scope that is newer than the statistics", () => {
    test("is as fast as in any other scope", function* (my) {
      const drafts = Array.from({ length: 1000 }, (_, i) => ({
        content: `kiwi ${i % 900} of plum ${i % 7}`,
        degrees: i / 10
      }))
      const known = yield* library(my.store)
      yield* known.add(drafts)
      yield* my.store.optimize({})
      const { add, matches, tasks } = yield* library(my.store)
      for (let i = 0; i < 1000; i += 100) {
        yield* add(drafts.slice(i, i + 100), `task ${i % 700}`)
      }
      const query = { text: "kiwi plum 5", vector: at(0), context: { neighbours: 0.2, task: 0.2 } }
      const before = performance.now()
      assert.strictEqual((yield* matches({ ...query, limit: 100 })).length, 100)
      assert.strictEqual((yield* tasks({ ...query, limit: 100 })).length, 7)
      assert.isBelow(performance.now() - before, 15_000)
    })
  })
  describe("order", () => {
    test("does not depend on the order in which notes were written", function* (my) {
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

    test("merges equal notes and keeps the newest", function* (my) {
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

    test("names the other thoughts of merged notes, those of the newest copies first, and at most 20", function* (my) {
      const thoughtOf = ({ written }: { readonly written: ReadonlyArray<{ readonly thoughtId: string }> }) =>
        written[0]!.thoughtId
      const first = thoughtOf(
        yield* my.add([
          { content: "same kiwi", millis: 1000 },
          { content: "own kiwi", millis: 1000 },
          { content: "own kiwi", millis: 1500 }
        ])
      )
      const second = thoughtOf(yield* my.add([{ content: "same kiwi", millis: 2000 }]))
      const newest = thoughtOf(yield* my.add([{ content: "same kiwi", millis: 3000 }]))
      const named = function* (filter: StoreQuery["filter"]) {
        const found = yield* my.matches({ text: "kiwi", filter })
        const of = (text: string) => found.find(({ note: { content } }) => content === text)
        assert.isUndefined(of("own kiwi")?.alsoIn)
        return [of("same kiwi")?.note.thoughtId, of("same kiwi")?.alsoIn]
      }
      assert.deepStrictEqual(yield* named({}), [newest, [second, first]])
      assert.deepStrictEqual(yield* named({ excludeThoughts: [second] }), [newest, [first]])
      assert.deepStrictEqual(yield* named({ excludeThoughts: [second, first] }), [newest, undefined])
      for (let i = 0; i < 20; i++) yield* my.add([{ content: "same kiwi", millis: 4000 + i }])
      const [best] = yield* my.matches({ text: "same kiwi", limit: 1 })
      assert.deepStrictEqual([best?.copies, best?.alsoIn?.length, best?.alsoIn?.includes(newest)], [23, 20, true])
      assert.notInclude(best?.alsoIn ?? [], first)
    })

    test("uses the notes beside a hit and its task, if requested", function* (my) {
      yield* my.add(["kiwi question", "answer", "last", "pear and kiwi"], "fruit")
      yield* my.add(["kiwi pie", "something"], "pies")
      assert.deepStrictEqual(yield* my.words("kiwi"), ["kiwi question", "pear and kiwi", "kiwi pie"])
      const near = yield* my.matches({ text: "kiwi", context: { neighbours: 0.3, task: 0 } })
      const own = (content: string) => near.find(({ note }) => note.content === content)!.scores.lexical!
      assert.sameMembers(contentsOf(near), [
        "kiwi question",
        "answer",
        "last",
        "pear and kiwi",
        "kiwi pie",
        "something"
      ])
      assert.deepStrictEqual(contentsOf(near).slice(0, 3), ["kiwi question", "pear and kiwi", "kiwi pie"])
      // up to two notes away
      assert.approximately(own("answer"), 0.3 * (own("kiwi question") + own("pear and kiwi")), 1e-5)
      assert.approximately(own("something"), 0.3 * own("kiwi pie"), 1e-5)
      const tasked = yield* my.matches({ text: "pear kiwi", context: { neighbours: 0, task: 0.3 } })
      assert.deepStrictEqual(contentsOf(tasked), ["pear and kiwi", "kiwi question", "kiwi pie"])
      const [plain] = yield* my.matches({ text: "pear kiwi", filter: { keys: ["key 1"] } })
      assert.isDefined(plain)
      assert.isAbove(tasked[1]!.scores.lexical!, tasked[2]!.scores.lexical!)
    })

    test("prefers new notes slightly, if requested, and never hides an old one", function* (my) {
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
}
