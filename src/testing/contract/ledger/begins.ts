/** Tests of stores: the runs that begin with rows, once and whole. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { each } from "../stage/each.ts"
import { commit, thought } from "../stage/rows.ts"
import { refusal, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"
import { begun, call, hour, newRun, pendingRun, step, withoutLease } from "./rows.ts"

export const beginTests = ({ describe, test }: Define<Desk>): void => {
  describe("record", () => {
    test("stores a run that is to begin later, alone or with the rows of another one", function* (my) {
      const { row, runId } = yield* my.begin()
      const [alone, child] = [pendingRun(row.id), pendingRun(row.id, { parent: { runId, frame: "/later@0" } })]
      yield* my.ledger.record(my.scope, { runId: alone.id, epoch: 0, begins: [alone] })
      yield* my.record(runId, { begins: [child], steps: [step("/later@0")] })
      for (const run of [alone, child]) {
        assert.deepStrictEqual((yield* my.stored(run.id))?.run, { ...begun(run), leaseUntilMillis: undefined })
      }
      assert.deepStrictEqual(each((yield* my.stored(runId))?.steps, "frame"), ["/later@0"])
    })

    test("begins other runs with the rows of a run, each with its own lease or without one", function* (my) {
      const { row, runId } = yield* my.begin()
      const parent = { runId, frame: "/later@0" }
      const held = newRun(row.id, { parent, lease: { owner: "b", millis: hour } })
      const waiting = pendingRun(row.id, { parent })
      yield* my.record(runId, { begins: [held, waiting], steps: [step("/later@0")] })
      for (const run of [held, waiting]) {
        assert.deepStrictEqual(withoutLease((yield* my.stored(run.id))?.run), begun(run))
      }
      assert.isTrue(yield* my.renew(held.id, 1, { owner: "b" }))
      yield* my.record(held.id, { steps: [step("/a@0")] })
      assert.deepStrictEqual(each((yield* my.stored(held.id))?.steps, "frame"), ["/a@0"])
      assert.strictEqual(yield* refusal(my.record(waiting.id, { steps: [step("/a@0")] })), "LeaseLost")
    })

    test("begins a run for one process, even if another process begins the same run", function* (my) {
      const { run, runId } = yield* my.begin()
      yield* my.record(runId, { begins: [run], steps: [step("/a@0")] })
      const before = yield* my.stored(runId)
      const { lease: _lease, ...unheld } = run
      for (const other of [{ ...run, lease: { owner: "b", millis: hour } }, unheld]) {
        const rows = { begins: [other], steps: [step("/b@0")], calls: [call("/b@0", 0)] }
        assert.strictEqual(yield* refusal(my.record(runId, rows)), "LeaseLost")
      }
      assert.deepStrictEqual(yield* my.stored(runId), before)
    })

    test("begins a run once, even if the same rows are recorded several times at once", function* (my) {
      for (let round = 0; round < 3; round++) {
        const row = thought()
        yield* my.write(row)
        const begins = [newRun(row.id), pendingRun(row.id)]
        const runId = begins[0]!.id
        const rows = { begins, steps: [step("/a@0")], calls: [call("/a@0", 0)] }
        yield* Effect.all(
          Array.from({ length: 4 }, () => my.record(runId, rows)),
          unbounded
        )
        const stored = yield* my.stored(runId)
        assert.deepStrictEqual([stored?.steps, stored?.calls], [rows.steps, rows.calls])
        for (const run of begins) {
          assert.deepStrictEqual(withoutLease((yield* my.stored(run.id))?.run), begun(run))
        }
      }
    })

    test("begins a run with the commit of its first thought", function* (my) {
      const row = thought()
      const run = newRun(row.id)
      const rows = { runId: run.id, epoch: 1, begins: [run], steps: [step("/a@0")] }
      assert.strictEqual(yield* my.store.commit(my.scope, commit(row, { ledger: rows })), 1)
      assert.deepStrictEqual(withoutLease((yield* my.stored(run.id))?.run), begun(run))
      assert.strictEqual((yield* my.stored(run.id))?.steps.length, 1)
    })

    test("refuses a run that begins on a thought that is not stored", function* (my) {
      const run = newRun(thought().id)
      assert.strictEqual(yield* refusal(my.record(run.id, { begins: [run] })), "Query 23503")
      assert.isUndefined(yield* my.stored(run.id))
    })

    test("refuses a run whose id is taken, with all rows that come with it", function* (my) {
      const { row, run, runId } = yield* my.begin()
      const other = newRun(row.id, { id: runId })
      const rows = { begins: [other], steps: [step("/a@0")], calls: [call("/a@0", 0)] }
      assert.strictEqual(yield* refusal(my.record(runId, rows)), "Query 23505")
      const second = yield* my.begin()
      const child = pendingRun(row.id, { id: runId })
      assert.strictEqual(yield* refusal(my.record(second.runId, { ...rows, begins: [child] })), "Query 23505")
      for (const id of [runId, second.runId]) {
        const stored = yield* my.stored(id)
        assert.deepStrictEqual([stored?.steps, stored?.calls], [[], []])
      }
      assert.deepStrictEqual(withoutLease((yield* my.stored(runId))?.run), begun(run))
    })
  })
}
