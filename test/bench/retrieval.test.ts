import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Data from "../../bench/retrieval/data.ts"

const { notes, questions } = Effect.runSync(
  Data.decode(readFileSync(new URL("../../bench/retrieval/notes.json", import.meta.url), "utf8"))
)
const byId = new Map(notes.map((note) => [note.id, note]))

const countBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1
  return counts
}

describe("the project's own questions", () => {
  it("are enough, about enough notes, tasks and thoughts", () => {
    assert.isAtLeast(notes.length, 300)
    assert.isAtLeast(questions.length, 100)
    assert.isAtLeast(Object.keys(countBy(notes, (note) => note.task)).length, 12)
    for (const [thought, count] of Object.entries(countBy(notes, (note) => note.thought))) {
      assert.isTrue(count >= 5 && count <= 9, thought)
      assert.strictEqual(new Set(notes.filter((note) => note.thought === thought).map((note) => note.task)).size, 1)
    }
  })

  it("have ids and texts that come once", () => {
    assert.strictEqual(byId.size, notes.length)
    assert.strictEqual(new Set(notes.map((note) => note.text)).size, notes.length)
    assert.strictEqual(new Set(questions.map((question) => question.id)).size, questions.length)
    assert.strictEqual(new Set(questions.map((question) => question.text)).size, questions.length)
  })

  it("are answered by one to five notes that exist, of the tasks they name", () => {
    for (const { id, relevant, relevantTasks } of questions) {
      assert.isTrue(relevant.length >= 1 && relevant.length <= 5, id)
      assert.strictEqual(new Set(relevant).size, relevant.length, id)
      const tasks = new Set(relevant.map((note) => byId.get(note)?.task))
      assert.isFalse(tasks.has(undefined), id)
      if (relevantTasks !== undefined) assert.deepStrictEqual(new Set<string | undefined>(relevantTasks), tasks, id)
    }
    assert.isAtLeast(questions.filter((question) => question.relevantTasks !== undefined).length, 20)
  })

  it("share few words with their answers in at least half of the cases", () => {
    const low = questions.filter((question) => Data.overlap(question, byId) <= 0.25)
    assert.isAtLeast(low.length, questions.length / 2)
  })

  it("are as many of each kind in both halves", () => {
    const [tuning, report] = [Data.half(questions, "tuning"), Data.half(questions, "report")]
    assert.strictEqual(tuning.length + report.length, questions.length)
    const kinds = countBy(tuning, (question) => question.kind ?? "")
    assert.deepStrictEqual(
      kinds,
      countBy(report, (question) => question.kind ?? "")
    )
    assert.deepStrictEqual(Object.keys(kinds).toSorted(), ["keyword", "language", "natural", "paraphrase"])
    assert.isAtLeast(kinds["paraphrase"]!, tuning.length / 2)
    assert.isAtLeast(kinds["keyword"]!, tuning.length / 5)
  })
})
