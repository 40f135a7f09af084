/** Tests of stores: what a search leaves out. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Filter } from "../../../Memory.ts"
import type { StoreMatch } from "../../../Store.ts"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { random } from "../stage/random.ts"
import { awkwardTexts, thought, uuid } from "../stage/rows.ts"
import { at } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { contentsOf, type Draft, fractions, type Library, library } from "../stage/library.ts"

export const filterTests = ({ describe, test }: Define<Library>, filters: number): void => {
  describe("redacted notes", () => {
    test("are not found or counted, as if they had never existed", function* (my) {
      const drafts = [
        { content: "a kiwi", degrees: 20 },
        { content: "kiwi and pear", degrees: 40 }
      ]
      const [had, never] = [yield* library(my.store), yield* library(my.store)]
      const { written } = yield* had.add(
        [...drafts, { content: "kiwi kiwi kiwi plum", degrees: 0 }, { content: "another plum" }],
        "t"
      )
      yield* never.add(drafts, "t")
      yield* had
        .add({ "kiwi alone": 5 }, "gone")
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
        { text: "kiwi", vector: at(0), fusion: { vectorWeight: 1, lexicalWeight: 2 } }
      ]) {
        const found = yield* had.found(query)
        assert.deepStrictEqual([found.pending, contentsOf(found.matches).toSorted()], [0, ["a kiwi", "kiwi and pear"]])
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
    test("apply before ranking: one weak note is found among a thousand strong ones of others", function* (my) {
      const mine = yield* library(my.store)
      const strong = Array.from({ length: 1000 }, (_, i) => ({
        content: `kiwi kiwi kiwi ${i}`,
        key: "strong",
        source: "import",
        degrees: 0
      }))
      yield* mine.add(strong, "loud")
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
        assert.deepStrictEqual(each(yield* mine.tasks({ ...query, filter }), "taskId"), ["quiet"])
      }
      const other = yield* library(my.store)
      yield* other.add({ "a kiwi": 90 })
      assert.deepStrictEqual(yield* other.texts(query), ["a kiwi"])
      // notes of the other scope do not affect how rare the word is
      const [alone] = yield* other.matches({ text: "kiwi zebra" })
      assert.approximately(alone!.scores.lexical!, Math.log(4 / 3) / (Math.log(4 / 3) + Math.log(4)), 1e-5)
    })

    test("accept any number of values, any text, and any time", function* (my) {
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

    test("exclude a whole lineage, ancestors and descendants", function* (my) {
      const root = yield* my.add(["root kiwi"])
      const child = yield* my.add(["child kiwi"], thought({ parent: { id: root.row.id, seq: 1 } }))
      const leaf = yield* my.add(["leaf kiwi"], thought({ parent: { id: child.row.id, seq: 2 } }))
      const sibling = yield* my.add(["sibling kiwi"], thought({ parent: { id: root.row.id, seq: 1 } }))
      yield* my.add(["stranger kiwi"])
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

    test("return all matches up to the limit, each content once", function* (my) {
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
        yield* my.add(drafts, taskId)
        all.push(...drafts.map((draft) => ({ draft, taskId })))
      }
      for (let round = 0; round < filters; round++) {
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
          each(surveyed, "taskId"),
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
}
