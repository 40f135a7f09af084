/** Tests of stores: searches for tasks. */
import * as Effect from "effect/Effect"
import type { Filter } from "../../../Memory.ts"
import type { StoreQuery } from "../../../Store.ts"
import { each, eachNote } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { thought, uuid } from "../stage/rows.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, type Library } from "../stage/library.ts"

export const taskTests = ({ describe, test }: Define<Library>): void => {
  describe("of tasks", () => {
    test("counts all pending notes of the scope, whatever the filters, like a search of notes", function* (my) {
      yield* my.add([{ content: "kiwi", key: "a", degrees: 0 }], "t")
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

    test("gives notes without a vector the similarity of their task too", function* (my) {
      yield* my.add([{ content: "alpha kiwi" }, { content: "near", degrees: 0 }], "near")
      yield* my.add([{ content: "omega kiwi" }, { content: "far", degrees: 90 }], "far")
      const query = { text: "kiwi", vector: at(0) }
      const scored = Effect.fnUntraced(function* (task: number) {
        const found = yield* my.matches({ ...query, context: { neighbours: 0, task } })
        const of = (text: string) => found.find(({ note }) => note.content === text)?.score ?? 0
        return [of("alpha kiwi"), of("omega kiwi")] as const
      })
      const [alpha, omega] = yield* scored(1)
      assert.isAbove(alpha, omega)
      const [first, second] = yield* scored(0)
      assert.strictEqual(first, second)
    })

    test("prefers new tasks slightly, by the newest note found", function* (my) {
      const day = 24 * 60 * 60 * 1000
      const nowMillis = 1_700_000_000_000
      yield* my.add([{ content: "old kiwi", degrees: 0, millis: nowMillis - 60 * day }], "old")
      yield* my.add(
        [
          { content: "new kiwi", degrees: 0, millis: nowMillis },
          { content: "another kiwi", degrees: 0, millis: nowMillis - 90 * day }
        ],
        "new"
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

    test("ranks a task by its best note, whatever other notes it has", function* (my) {
      const some = ["kiwi", "plum", "a kiwi", "a plum"]
      yield* my.add(
        some.map((content, i) => ({ content, degrees: 40 + i })),
        "many"
      )
      yield* my.add({ "kiwi plum": 30 }, "one")
      yield* my.add({ nothing: 90 }, "other")
      const query = { text: "kiwi plum", vector: at(0) }
      const tasks = yield* my.tasks(query)
      const scores = new Map((yield* my.matches(query)).map(({ note, score }) => [note.content, score]))
      assert.deepStrictEqual(
        tasks.map(({ matches, score, taskId }) => [taskId, matches[0]?.note.content, score]),
        [
          ["one", "kiwi plum", scores.get("kiwi plum")],
          ["many", "kiwi", scores.get("kiwi")],
          ["other", "nothing", scores.get("nothing")]
        ]
      )
      assert.deepStrictEqual(each(yield* my.tasks({ text: "kiwi plum" }), "taskId"), ["one", "many"])
      assert.approximately(tasks[1]!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
      assert.strictEqual(tasks[1]!.matches.length, 3)
      assert.strictEqual((yield* my.tasks({ text: "kiwi plum", limit: 1 })).length, 1)
    })

    test("ignores unrelated new notes when it prefers new tasks", function* (my) {
      const nowMillis = 1_700_000_000_000
      const old = { content: "refund granted", degrees: 0, millis: nowMillis - 10_000_000 }
      yield* my.add([old, { content: "weather", degrees: 90, millis: nowMillis }], "a")
      yield* my.add([old], "b")
      const tasks = yield* my.tasks({
        text: "refund",
        vector: at(0),
        filter: { minSimilarity: 0.5 },
        recency: { halfLifeMillis: 10_000_000, weight: 0.2, nowMillis }
      })
      assert.deepStrictEqual(each(tasks, "taskId"), ["a", "b"])
      assert.approximately(tasks[0]!.score, tasks[1]!.score, 1e-12)
    })

    test("bounds the distance of every match, and reports how many words it searched for", function* (my) {
      yield* my.add({ near: 10 }, "near")
      yield* my.add({ far: 80 }, "far")
      yield* my.add({ "farther kiwi": 85 }, "words")
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

    test("gives neighbours of a hit, and notes of a task with the words, a share of the score", function* (my) {
      yield* my.add(["a kiwi", "beside it", "further off", "far off"], "t")
      const lexical = (context: StoreQuery["context"]) =>
        Effect.map(
          my.tasks({ text: "kiwi", context }),
          ([task]) => new Map(task!.matches.map(({ note, scores }) => [note.content, scores.lexical!]))
        )
      const plain = yield* lexical({ neighbours: 0, task: 0 })
      assert.deepStrictEqual([...plain.keys()], ["a kiwi"])
      const near = yield* lexical({ neighbours: 0.5, task: 0 })
      assert.deepStrictEqual([...near.keys()], ["a kiwi", "beside it", "further off"])
      assert.approximately(near.get("beside it")! / plain.get("a kiwi")!, 0.5, 1e-6)
      const tasked = yield* lexical({ neighbours: 0, task: 0.3 })
      assert.deepStrictEqual([...tasked.keys()], ["a kiwi"])
      assert.isAbove(tasked.get("a kiwi")!, plain.get("a kiwi")!)
    })

    test("ranks every task by its best notes, each once, with its newest thought", function* (my) {
      const old = yield* my.add(
        { "kiwi jam": 40, other: 170 },
        thought({ taskId: "jam", intent: "old", createdMillis: 1000 })
      )
      const fresh = yield* my.add({ sugar: 100 }, thought({ taskId: "jam", intent: "new", createdMillis: 2000 }))
      yield* my.add({ plum: 0 }, thought({ taskId: "plums", createdMillis: 3000 }))
      yield* my.add({ "kiwi kiwi": 0 })
      const tasks = yield* my.tasks({ text: "kiwi", vector: at(0) })
      assert.deepStrictEqual(
        tasks.map(({ intent, matches, taskId, thoughtId }) => [taskId, thoughtId, intent, contentsOf(matches)]),
        [
          ["jam", fresh.row.id, "new", ["kiwi jam", "sugar", "other"]],
          ["plums", tasks[1]!.thoughtId, "triage a ticket", ["plum"]]
        ]
      )
      for (const { matches, score } of tasks) assert.strictEqual(score, matches[0]?.score)
      assert.approximately(tasks[0]!.similarity, Math.cos((40 * Math.PI) / 180), 1e-6)
      const without = yield* my.tasks({ text: "kiwi", vector: at(0), filter: { excludeThoughts: [fresh.row.id] } })
      assert.deepStrictEqual([without[0]!.thoughtId, without[0]!.intent], [old.row.id, "old"])
      assert.deepStrictEqual((yield* my.tasks({ text: "kiwi", limit: 1 })).length, 1)
      assert.deepStrictEqual(yield* my.tasks({ text: "zebra" }), [])
    })

    test("finds every task, however many notes another one has", function* (my) {
      yield* my.add(
        Array.from({ length: 700 }, (_, i) => ({ content: `kiwi ${i}`, degrees: i / 100 })),
        "loud"
      )
      for (let i = 0; i < 8; i++) {
        yield* my.add([{ content: `a quiet kiwi ${1000 + i}`, degrees: 20 + i }], `quiet ${i}`)
      }
      for (const query of [{ text: "kiwi" }, { vector: at(0) }, { text: "kiwi", vector: at(0) }]) {
        const tasks = yield* my.tasks({ ...query, limit: 20 })
        assert.deepStrictEqual(each(tasks, "taskId"), ["loud", ...Array.from({ length: 8 }, (_, i) => `quiet ${i}`)])
        assert.deepStrictEqual(
          tasks.map(({ matches }) => matches.length),
          [3, ...Array.from({ length: 8 }, () => 1)]
        )
      }
      assert.strictEqual((yield* my.tasks({ text: "kiwi", limit: 3 })).length, 3)
    })

    test("gives a task the similarity of its nearest shown note, at least 0, even if another note is first", function* (my) {
      yield* my.add({ kiwi: 80, plum: 20 }, "jam")
      yield* my.add({ "a kiwi tree": 180 }, "trees")
      const query = {
        text: "kiwi",
        vector: at(0),
        fusion: { vectorWeight: 1, lexicalWeight: 4 }
      }
      const [jam, trees] = yield* my.tasks(query)
      assert.deepStrictEqual([jam?.taskId, contentsOf(jam?.matches ?? [])], ["jam", ["kiwi", "plum"]])
      assert.approximately(jam?.similarity ?? 0, Math.cos((20 * Math.PI) / 180), 1e-6)
      assert.deepStrictEqual([trees?.taskId, trees?.similarity, trees?.matches[0]?.similarity], ["trees", 0, 0])
      const opposite = (yield* my.matches(query)).find(({ note }) => note.content === "a kiwi tree")
      assert.deepStrictEqual([opposite?.similarity, opposite?.scores.vector], [0, 0])
    })

    test("lists equal tasks by name, and always the same ones of a task's equal notes and thoughts", function* (my) {
      for (const taskId of ["b", "a", "B"]) yield* my.add(["one kiwi"], taskId)
      const names = (limit: number) =>
        Effect.map(my.tasks({ text: "kiwi", limit }), (tasks) => tasks.map(({ taskId }) => taskId))
      assert.deepStrictEqual(yield* names(5), ["B", "a", "b"])
      assert.deepStrictEqual(yield* names(2), ["B", "a"])

      // neither notes nor thoughts are written in the order of their ids
      const ids = [0, 1, 2, 3, 4].map(() => uuid())
      const drafts = [3, 0, 4, 1, 2].map((i) => ({ id: ids[i]!, content: `zinc ${"abcde"[i]}${i}` }))
      const twins = [0, 1, 2].map(() => thought({ taskId: "twins", createdMillis: 5000 }))
      yield* my.add(drafts.slice(0, 2), twins[1])
      yield* my.add(drafts.slice(2, 4), twins[2])
      yield* my.add(drafts.slice(4), twins[0])
      const [task] = yield* my.tasks({ text: "zinc" })
      assert.deepStrictEqual(eachNote(task?.matches, "id"), ids.slice(0, 3))
      assert.strictEqual(task?.thoughtId, twins[2]?.id)
      assert.deepStrictEqual(eachNote(yield* my.matches({ text: "zinc", limit: 2 }), "id"), ids.slice(0, 2))
    })

    test("shows a note of two tasks under both, and a note that a task has twice only once", function* (my) {
      yield* my.add(["kiwi", "kiwi", "a kiwi tree"], "\u0000")
      yield* my.add(["kiwi"], "other")
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
}
