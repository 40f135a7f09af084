/** Tests of stores: notes of the times that a question names. */
import { assert } from "../stage/assert.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, type Library } from "../stage/library.ts"

const day = 86_400_000
const always = [-62_135_596_800_000, 253_370_764_800_000] as const

/** That notes of these days count more, by this part of their score. */
const preferring = (weight: number, ...days: ReadonlyArray<readonly [from: number, until: number]>) => ({
  dates: { weight, periods: days.map(([from, until]) => ({ fromMillis: from * day, untilMillis: until * day })) }
})

export const dateTests = ({ describe, test }: Define<Library>): void => {
  describe("for the times that a question names", () => {
    test("gives notes of these times a greater score, and leaves none out", function* (my) {
      const context = { neighbours: 0, task: 0 }
      for (const [i, millis] of [10 * day - 1, 10 * day, 12 * day - 1, 12 * day, 20 * day, -day].entries()) {
        yield* my.add([{ content: `kiwi ${"abcdef"[i]}`, millis, degrees: 10 * i }])
      }
      const query = { text: "kiwi", vector: at(0), context }
      const plain = yield* my.matches(query)
      const scoreOf = (found: typeof plain, letter: string) =>
        found.find(({ note }) => note.content.endsWith(letter))!.score
      const dated = yield* my.matches({ ...query, ...preferring(0.5, [10, 12], [20, 21]) })
      assert.sameMembers([...contentsOf(dated)], [...contentsOf(plain)])
      for (const [letter, times] of Object.entries({ a: 1, b: 1.5, c: 1.5, d: 1, e: 1.5, f: 1 })) {
        assert.approximately(scoreOf(dated, letter) / scoreOf(plain, letter), times, 1e-9, letter)
      }
      const others = (found: typeof plain) =>
        new Map(found.map(({ note, ranks, scores, similarity }) => [note.id, { ranks, scores, similarity }]))
      assert.deepStrictEqual(others(dated), others(plain))
      // all of them, or none
      for (const [from, until] of [[always[0] / day, always[1] / day] as const, [30, 40] as const]) {
        assert.deepStrictEqual(
          contentsOf(yield* my.matches({ ...query, ...preferring(3, [from, until]) })),
          contentsOf(plain)
        )
      }
      assert.deepStrictEqual(yield* my.matches({ ...query, ...preferring(0, [10, 12]) }), plain)
    })

    test("finds notes of these times behind any number of better ones", function* (my) {
      yield* my.add([
        ...Array.from({ length: 70 }, (_, i) => ({ content: `kiwi plum ${i}`, degrees: 0, millis: i })),
        { content: "a kiwi among many other fruits", millis: 40 * day },
        { content: "something near", degrees: 20, millis: 40 * day },
        ...Array.from({ length: 70 }, (_, i) => ({ content: `other ${i}`, degrees: 90 + i, millis: i }))
      ])
      const query = { text: "kiwi plum", vector: at(0), limit: 5 }
      assert.isTrue((yield* my.texts(query)).every((content) => content.startsWith("kiwi plum")))
      const dated = yield* my.matches({ ...query, ...preferring(1e4, [40, 41]) })
      assert.sameMembers(contentsOf(dated).slice(0, 2), ["a kiwi among many other fruits", "something near"])
      const rankOf = (word: string) => dated.find(({ note }) => note.content.includes(word))!.ranks
      assert.deepStrictEqual([rankOf("many"), rankOf("near")], [{ lexical: 71 }, { vector: 71 }])
    })

    test("shows the newest of equal notes that is of these times", function* (my) {
      for (const [i, millis] of [1, 11, 12, 50].entries()) {
        yield* my.add([{ content: "the backup failed", key: `key ${i}`, millis: millis * day, degrees: 10 }], "backups")
      }
      const query = { text: "backup", vector: at(0) }
      const keyOf = (found: ReadonlyArray<{ readonly note: { readonly key: string }; readonly copies: number }>) =>
        found.map(({ copies, note }) => [note.key, copies])
      assert.deepStrictEqual(keyOf(yield* my.matches(query)), [["key 3", 4]])
      const dated = { ...query, ...preferring(0.1, [10, 20]) }
      assert.deepStrictEqual(keyOf(yield* my.matches(dated)), [["key 2", 4]])
      assert.deepStrictEqual(
        (yield* my.tasks(dated)).flatMap(({ matches }) => keyOf(matches)),
        [["key 2", 4]]
      )
    })

    test("prefers tasks with notes of these times", function* (my) {
      const context = { neighbours: 0, task: 0 }
      yield* my.add([{ content: "kiwi jam", millis: day, degrees: 10 }], "early")
      yield* my.add(
        [
          { content: "kiwi jam, a lot of it", millis: 10 * day, degrees: 30 },
          { content: "kiwi jam of the other kind", millis: 30 * day, degrees: 28 }
        ],
        "late"
      )
      const query = { text: "kiwi jam", vector: at(0), context }
      const plain = yield* my.tasks(query)
      assert.deepStrictEqual(
        plain.map(({ taskId }) => taskId),
        ["early", "late"]
      )
      const dated = yield* my.tasks({ ...query, ...preferring(10, [10, 11]) })
      assert.deepStrictEqual(
        dated.map(({ matches, taskId }) => [taskId, ...contentsOf(matches)]),
        [
          ["late", "kiwi jam, a lot of it", "kiwi jam of the other kind"],
          ["early", "kiwi jam"]
        ]
      )
      const scoreIn = (tasks: typeof plain, content: string) =>
        tasks.flatMap(({ matches }) => matches).find(({ note }) => note.content === content)!.score
      const better = scoreIn(dated, "kiwi jam, a lot of it")
      assert.approximately(better / scoreIn(plain, "kiwi jam, a lot of it"), 11, 1e-9)
      assert.strictEqual(dated[0]!.score, better)
    })
  })
}
