/** Tests of stores: the rows of a run, as they were written. */
import { assert } from "../stage/assert.ts"
import { each } from "../stage/each.ts"
import { thought } from "../stage/rows.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"
import {
  answered,
  begun,
  call,
  newRun,
  noon,
  open,
  pendingRun,
  position,
  spent,
  step,
  wait,
  withoutLease
} from "./rows.ts"

export const recordTests = ({ describe, test }: Define<Desk>): void => {
  describe("record", () => {
    test("begins a run, which is returned with everything that was recorded", function* (my) {
      const row = thought()
      yield* my.write(row)
      const start = position(row.id, { seq: 3, version: 7, nextIndex: 5, usage: { inputTokens: 1, outputTokens: 0 } })
      const run = newRun(row.id, {
        start,
        fork: true,
        keep: "answers",
        onInterrupted: "fail",
        parent: { runId: "other", frame: "/background@0" }
      })
      yield* my.record(run.id, { begins: [run] })
      const stored = yield* my.stored(run.id)
      assert.deepStrictEqual(withoutLease(stored?.run), begun(run))
      assert.isTrue(stored?.run.leaseUntilMillis !== undefined)
      assert.deepStrictEqual([stored?.steps, stored?.calls, stored?.waits], [[], [], []])
    })

    test("changes nothing when it is repeated after a lost answer", function* (my) {
      const row = thought()
      yield* my.write(row)
      const run = newRun(row.id)
      const child = pendingRun(row.id)
      const first = {
        begins: [run, child],
        steps: [step("/a@0")],
        calls: [call("/a@0", 0)],
        waits: [wait(run.id, row.id, "/b@0")]
      }
      const last = {
        calls: [answered("/a@0", 0)],
        drops: [{ frame: "/a@0", n: 0 }],
        ends: { status: "completed", end: position(row.id), error: undefined, endedMillis: noon + 9 }
      } as const
      yield* my.record(run.id, first)
      const before = yield* my.stored(run.id)
      yield* my.record(run.id, first)
      assert.deepStrictEqual(yield* my.stored(run.id), before)
      yield* my.record(run.id, last)
      const after = yield* my.stored(run.id)
      yield* my.record(run.id, last)
      assert.deepStrictEqual(yield* my.stored(run.id), after)
      const pending = { runId: child.id, epoch: 0, begins: [child] }
      yield* my.ledger.record(my.scope, pending)
      assert.deepStrictEqual((yield* my.stored(child.id))?.run.status, "pending")
    })

    test("keeps what was written since a run began, when its beginning is repeated", function* (my) {
      const row = thought()
      yield* my.write(row)
      const [run, child] = [newRun(row.id), pendingRun(row.id)]
      const begins = [run, child]
      yield* my.record(run.id, { begins })
      yield* my.record(run.id, {
        steps: [step("/a@0")],
        calls: [answered("/a@0", 0)],
        waits: [wait(run.id, row.id, "/b@0")]
      })
      assert.isTrue((yield* my.claim(child.id, "b"))?.claimed)
      const before = [yield* my.stored(run.id), yield* my.stored(child.id)]
      yield* my.record(run.id, { begins })
      assert.deepStrictEqual([yield* my.stored(run.id), yield* my.stored(child.id)], before)
    })

    test("replaces the rows of the same place, and keeps when a step began", function* (my) {
      const { row, runId } = yield* my.begin()
      yield* my.record(runId, { steps: [step("/a@0")], calls: [call("/a@0", 0), call("/a@0", 1)] })
      const done = step("/a@0", {
        kind: "analyze",
        outcome: "committed",
        position: position(row.id, { seq: 1, version: 2, usage: { outputTokens: 3 } }),
        startedMillis: noon + 3,
        endedMillis: noon + 7,
        epoch: 2
      })
      yield* my.record(runId, { steps: [done], calls: [answered("/a@0", 1)] })
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual(stored?.steps, [{ ...done, startedMillis: noon }])
      assert.deepStrictEqual(stored?.calls, [call("/a@0", 0), answered("/a@0", 1)])
      const failed = step("/a@0", { outcome: "failed", error: "ProviderError" })
      yield* my.record(runId, { steps: [failed], calls: [call("/a@0", 1, { state: "failed", hash: "other" })] })
      const again = yield* my.stored(runId)
      assert.deepStrictEqual(again?.steps, [failed])
      assert.deepStrictEqual(again?.calls[1], call("/a@0", 1, { state: "failed", hash: "other" }))
    })

    test("takes the last of several rows of one place", function* (my) {
      const { runId } = yield* my.begin()
      const later = step("/a@0", { outcome: "completed", startedMillis: noon + 5 })
      yield* my.record(runId, {
        steps: [step("/a@0"), later],
        calls: [call("/a@0", 0), answered("/a@0", 0), call("/a@0", 1), answered("/a@0", 1)],
        drops: [{ frame: "/a@0", n: 0 }]
      })
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual(stored?.steps, [{ ...later, startedMillis: noon }])
      assert.deepStrictEqual(stored?.calls, [spent(answered("/a@0", 0)), answered("/a@0", 1)])
    })

    test("takes the first of several questions with the same frame", function* (my) {
      const { row, runId } = yield* my.begin()
      const [first, other] = [wait(runId, row.id, "/a@0", { prompt: "" }), wait(runId, row.id, "/b@0")]
      const later = { key: "later", prompt: "Later?", dueMillis: noon + 5 }
      yield* my.record(runId, { waits: [first, other, { ...first, ...later }, { ...other, ...later }] })
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [open(first), open(other)])
    })

    test("keeps every kind of call with what it gave and cost", function* (my) {
      const { runId } = yield* my.begin()
      const kinds = ["complete", "decide", "search", "effect", "decision", "once"] as const
      const calls = kinds.map((kind, n) =>
        answered("/a@0", n, {
          kind,
          attempt: n + 1,
          request: `"${kind}?"`,
          parts: { [kind]: "1", "": "2" },
          usd: n / 7
        })
      )
      const states = ["due", "begun", "answered", "failed", "interrupted"] as const
      const others = states.map((state, n) => call("/b@0", n, { state }))
      yield* my.record(runId, { calls: [...calls, ...others] })
      assert.deepStrictEqual((yield* my.stored(runId))?.calls, [...calls, ...others])
    })

    test("drops responses with the hashes of what was asked, and leaves the rest of the call", function* (my) {
      const { runId } = yield* my.begin()
      const calls = [answered("/a@0", 0), answered("/a@0", 1, { request: "1" }), answered("/b@0", 0)]
      // as a redaction leaves it
      const emptied = answered("/d@0", 0, { hash: "", parts: {} })
      yield* my.record(runId, { calls: [...calls, emptied] })
      const drops = [
        { frame: "/a@0", n: 1 },
        { frame: "/c@0", n: 0 },
        { frame: "/b@0", n: 1 },
        { frame: "/d@0", n: 0 }
      ]
      yield* my.record(runId, { drops })
      const [first, second, third] = calls
      const left = [first, spent(second!), third, { ...emptied, response: undefined }]
      assert.deepStrictEqual((yield* my.stored(runId))?.calls, left)
      yield* my.record(runId, { drops })
      assert.deepStrictEqual((yield* my.stored(runId))?.calls, left)
    })

    test("deletes the rows of commits that are passed, and of nothing else", function* (my) {
      const { row, runId } = yield* my.begin()
      const other = yield* my.begin()
      const at = { outcome: "committed", position: position(row.id) } as const
      const commits = ["/a@0^0", "/a@0^1", "/a@0^2"].map((frame) => step(frame, { kind: "commit", ...at }))
      const agent = step("/a@0", { kind: "agent", ...at })
      yield* my.record(runId, { steps: [...commits, agent], calls: [answered("/a@0^0", 0)] })
      yield* my.record(other.runId, { steps: commits })
      const again = step("/a@0^1", { kind: "commit", ...at, epoch: 2 })
      yield* my.record(runId, { passes: ["/a@0^0", "/a@0^1", "/a@0", "/b@0"], steps: [again] })
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual(each(stored?.steps, "frame"), ["/a@0^1", "/a@0^2", "/a@0"])
      assert.deepStrictEqual(stored?.steps[0], again)
      assert.deepStrictEqual(stored?.calls, [answered("/a@0^0", 0)])
      assert.strictEqual((yield* my.stored(other.runId))?.steps.length, 3)
    })

    test("inserts waits, unless they are there", function* (my) {
      const { row, runId } = yield* my.begin()
      const first = wait(runId, row.id, "/a@0", { dueMillis: noon + 60_000 })
      const second = wait(runId, row.id, "/b@0", { schema: true, createdMillis: noon + 1 })
      yield* my.record(runId, { waits: [first, second] })
      yield* my.answer(runId, "/a@0", "1", "ann", noon + 2)
      yield* my.record(runId, {
        waits: [
          { ...first, prompt: "another" },
          { ...second, key: "other" }
        ]
      })
      assert.deepStrictEqual((yield* my.stored(runId))?.waits, [
        { ...open(first), answer: "1", answeredBy: "ann", answeredMillis: noon + 2 },
        open(second)
      ])
    })

    test("ends a run, and its lease", function* (my) {
      const { row, run, runId } = yield* my.begin()
      const end = position(row.id, { seq: 4, version: 9, nextIndex: 6, usage: { cachedInputTokens: 1 } })
      yield* my.record(runId, { ends: { status: "failed", end, error: "GateClosed", endedMillis: noon + 50 } })
      assert.deepStrictEqual((yield* my.stored(runId))?.run, {
        ...begun(run, { status: "failed", end, error: "GateClosed", endedMillis: noon + 50 }),
        leaseUntilMillis: undefined
      })
    })

    test("begins and ends a run at once", function* (my) {
      const row = thought()
      yield* my.write(row)
      const run = newRun(row.id)
      const ends = { status: "completed", end: position(row.id), error: undefined, endedMillis: noon + 1 } as const
      yield* my.record(run.id, { begins: [run], steps: [step("/a@0", { outcome: "completed" })], ends })
      const stored = yield* my.stored(run.id)
      assert.deepStrictEqual(stored?.run, { ...begun(run, ends), leaseUntilMillis: undefined })
      assert.strictEqual(stored?.steps.length, 1)
    })

    test("keeps steps and calls in the order in which they began", function* (my) {
      const { runId } = yield* my.begin()
      const at = (i: number) => ({ startedMillis: noon + i })
      yield* my.record(runId, {
        steps: [step("/z@0", at(2)), step("/y@0", at(1))],
        calls: [call("/z@0", 1, at(2)), call("/y@0", 0, at(1))]
      })
      yield* my.record(runId, {
        steps: [step("/x@0", at(1)), step("/w@0", at(0)), step("/y@0", { ...at(9), outcome: "failed" })],
        calls: [call("/z@0", 0, at(2)), call("/a@0", 0, at(1)), call("/y@0", 0, { ...at(1), state: "failed" })]
      })
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual(each(stored?.steps, "frame"), ["/w@0", "/y@0", "/x@0", "/z@0"])
      assert.deepStrictEqual(
        stored?.calls.map(({ frame, n }) => `${frame} ${n}`),
        ["/y@0 0", "/a@0 0", "/z@0 1", "/z@0 0"]
      )
    })
  })

  describe("load", () => {
    test("returns nothing for an unknown run", function* (my) {
      yield* my.begin()
      assert.isUndefined(yield* my.stored("unknown"))
      assert.isUndefined(yield* my.stored(""))
    })
  })
}
