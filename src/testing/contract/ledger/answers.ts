/** Tests of stores: answers to questions. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"
import { noon, open, position, wait } from "./rows.ts"

export const answerTests = ({ describe, test }: Define<Desk>): void => {
  describe("answer", () => {
    test("is stored with who gave it and when", function* (my) {
      const { row, runId } = yield* my.begin()
      const [one, two] = [wait(runId, row.id, "/a@0"), wait(runId, row.id, "/b@0", { dueMillis: noon - 1 })]
      yield* my.record(runId, { waits: [one, two] })
      const first = { ...open(one), answer: `{"approved":true}`, answeredBy: "ann", answeredMillis: noon + 9 }
      const second = { ...open(two), answer: "null", answeredBy: undefined, answeredMillis: noon }
      assert.deepStrictEqual(yield* my.answer(runId, "/a@0", `{"approved":true}`, "ann", noon + 9), {
        wait: first,
        first: true
      })
      assert.deepStrictEqual(yield* my.answer(runId, "/b@0", "null", undefined, noon), { wait: second, first: true })
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [first, second])
    })

    test("counts once: later ones get the first", function* (my) {
      const { row, runId } = yield* my.begin()
      yield* my.record(runId, { waits: [wait(runId, row.id, "/a@0")] })
      const first = yield* my.answer(runId, "/a@0", "1", "ann", noon)
      assert.deepStrictEqual(yield* my.answer(runId, "/a@0", "2", "bob", noon - 5), { wait: first?.wait, first: false })
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [first?.wait])
    })

    test("is one of many given at once", function* (my) {
      const { row, runId } = yield* my.begin()
      yield* my.record(runId, { waits: [wait(runId, row.id, "/a@0")] })
      const answers = yield* Effect.forEach(
        Array.from({ length: 64 }, (_, i) => i),
        (i) => my.answer(runId, "/a@0", String(i), `person ${i}`, noon + i),
        unbounded
      )
      const winners = answers.filter((one) => one?.first === true)
      assert.strictEqual(winners.length, 1)
      for (const one of answers) assert.deepStrictEqual(one?.wait, winners[0]?.wait)
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [winners[0]?.wait])
    })

    test("is taken whoever has the run, and whether it runs or waits", function* (my) {
      const { row, runId } = yield* my.begin()
      const waits = ["/a@0", "/b@0"].map((frame) => wait(runId, row.id, frame))
      yield* my.record(runId, { waits })
      assert.isTrue((yield* my.answer(runId, "/a@0", "1", "ann", noon))?.first)
      yield* my.record(runId, {
        ends: { status: "waiting", end: position(row.id), error: undefined, endedMillis: noon }
      })
      assert.isTrue((yield* my.answer(runId, "/b@0", "1", "ann", noon))?.first)
    })

    test("has no effect where there is no such question", function* (my) {
      const { row, runId } = yield* my.begin()
      const other = wait(runId, row.id, "/a@0")
      yield* my.record(runId, { waits: [other] })
      assert.isUndefined(yield* my.answer(runId, "/b@0", "1", "ann", noon))
      assert.isUndefined(yield* my.answer("unknown", "/a@0", "1", "ann", noon))
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [open(other)])
    })
  })
}
