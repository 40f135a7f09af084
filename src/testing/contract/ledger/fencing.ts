/** Tests of stores: only the process that has a run writes for it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert } from "../stage/assert.ts"
import { commit, entry, note, thought } from "../stage/rows.ts"
import { refusal, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"
import { answered, call, newRun, noon, pendingRun, position, step, wait } from "./rows.ts"

const statuses = ["waiting", "interrupted", "failed", "completed"] as const

export const fencingTests = ({ describe, test }: Define<Desk>): void => {
  /** All that can be written of a run. */
  const everything = (runId: string, thoughtId: string) => ({
    begins: [pendingRun(thoughtId)],
    steps: [step("/a@0")],
    calls: [call("/b@0", 0)],
    waits: [wait(runId, thoughtId, "/c@0")],
    drops: [{ frame: "/kept@0", n: 0 }],
    passes: ["/kept@0^0"],
    ends: { status: "completed", end: position(thoughtId), error: undefined, endedMillis: noon } as const
  })

  describe("a process that does not have the run", () => {
    test("writes no row of it", function* (my) {
      const { row, runId } = yield* my.begin()
      yield* my.record(runId, {
        calls: [answered("/kept@0", 0)],
        steps: [step("/kept@0^0", { kind: "commit", outcome: "committed", position: position(row.id) })]
      })
      const before = yield* my.stored(runId)
      const rows = everything(runId, row.id)
      for (const epoch of [0, 2, 3]) {
        assert.strictEqual(yield* refusal(my.record(runId, { ...rows, epoch })), "LeaseLost")
        assert.strictEqual(yield* refusal(my.record(runId, { epoch, steps: [step("/a@0")] })), "LeaseLost")
        assert.strictEqual(yield* refusal(my.record(runId, { epoch })), "LeaseLost")
      }
      assert.deepStrictEqual(yield* my.stored(runId), before)
      assert.strictEqual((yield* my.runs()).length, 1)
    })

    test("writes nothing after the run has ended, waits, or before it begins", function* (my) {
      for (const status of statuses) {
        const { row, runId } = yield* my.begin()
        const ends = { status, end: position(row.id), error: undefined, endedMillis: noon + 1 }
        yield* my.record(runId, { ends })
        const before = yield* my.stored(runId)
        assert.strictEqual(yield* refusal(my.record(runId, everything(runId, row.id))), "LeaseLost", status)
        assert.strictEqual(yield* refusal(my.record(runId, { ends: { ...ends, endedMillis: noon } })), "LeaseLost")
        assert.deepStrictEqual(yield* my.stored(runId), before, status)
      }
      const { row } = yield* my.begin()
      const pending = pendingRun(row.id)
      yield* my.ledger.record(my.scope, { runId: pending.id, epoch: 0, begins: [pending] })
      for (const epoch of [0, 1]) {
        assert.strictEqual(yield* refusal(my.record(pending.id, { epoch, steps: [step("/a@0")] })), "LeaseLost")
      }
      assert.strictEqual(yield* refusal(my.record("unknown", { steps: [step("/a@0")] })), "LeaseLost")
    })

    test("commits nothing, not even what comes with the thought", function* (my) {
      const { row, runId } = yield* my.begin()
      const [other, parent] = [thought(), thought()]
      const fork = thought({ parent: { id: parent.id, seq: 0 } })
      const rows = { runId, epoch: 2, ...everything(runId, row.id) }
      const more = { notes: [note(row.id, 1)], entries: [entry(0)], nextIndex: 1, ledger: rows }
      const changes = [
        commit(row, { version: 1, ...more, before: [commit(other)] }),
        commit(fork, { parent: commit(parent), ledger: rows }),
        commit(thought(), { ledger: rows }),
        // on a version that the store does not have
        commit(row, { version: 7, ...more })
      ]
      for (const change of changes) {
        assert.strictEqual(yield* refusal(my.store.commit(my.scope, change)), "LeaseLost")
      }
      const loaded = yield* my.load(row)
      assert.deepStrictEqual([loaded?.version, loaded?.notes, loaded?.entries], [1, [], []])
      assert.strictEqual(
        (yield* my.thoughts({ taskId: undefined, order: "oldest", limit: 9, after: undefined })).length,
        1
      )
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual([stored?.run.status, stored?.steps, stored?.calls], ["running", [], []])
      assert.strictEqual((yield* my.runs()).length, 1)
    })

    test("does not write what it has begun to say, if it was taken over in between", function* (my) {
      const { row, runId } = yield* my.begin({ lease: { owner: "a", millis: 0 } })
      yield* my.record(runId, { calls: [call("/a@0", 0)] })
      assert.isTrue((yield* my.claim(runId, "b"))?.claimed)
      assert.strictEqual(yield* refusal(my.record(runId, { calls: [answered("/a@0", 0)] })), "LeaseLost")
      const late = commit(row, { version: 1, notes: [note(row.id, 1)], ledger: { runId, epoch: 1 } })
      assert.strictEqual(yield* refusal(my.store.commit(my.scope, late)), "LeaseLost")
      yield* my.record(runId, { epoch: 2, calls: [answered("/a@0", 0, { epoch: 2 })] })
      assert.strictEqual(yield* my.store.commit(my.scope, { ...late, ledger: { runId, epoch: 2 } }), 2)
      assert.deepStrictEqual((yield* my.stored(runId))?.calls, [answered("/a@0", 0, { epoch: 2 })])
    })

    test("writes all of its rows or none, whenever it is taken over", function* (my) {
      for (let round = 0; round < 10; round++) {
        const { row, runId } = yield* my.begin({ lease: { owner: "a", millis: 0 } })
        const frames = Array.from({ length: 6 }, (_, i) => `/${i}@0`)
        const record = (frame: string) =>
          Effect.result(my.record(runId, { steps: [step(frame)], calls: [call(frame, 0)] }))
        const change = commit(row, {
          version: 1,
          notes: [note(row.id, 1)],
          ledger: { runId, epoch: 1, steps: [step("/commit@0")], calls: [call("/commit@0", 0)] }
        })
        const committed = Effect.result(my.store.commit(my.scope, change))
        const [before, written, , after] = yield* Effect.all(
          [
            Effect.forEach(frames.slice(0, 3), record, unbounded),
            committed,
            my.claim(runId, "b"),
            Effect.forEach(frames.slice(3), record, unbounded)
          ],
          unbounded
        )
        assert.strictEqual(yield* refusal(my.record(runId, { steps: [step("/late@0")] })), "LeaseLost")
        const done = [...before, ...after].flatMap((result, i) => (Result.isSuccess(result) ? [frames[i] ?? ""] : []))
        const all = Result.isSuccess(written) ? [...done, "/commit@0"] : done
        const stored = yield* my.stored(runId)
        assert.sameMembers(
          (stored?.steps ?? []).map(({ frame }) => frame),
          all
        )
        assert.sameMembers(
          (stored?.calls ?? []).map(({ frame }) => frame),
          all
        )
        assert.strictEqual((yield* my.load(row))?.notes.length, Result.isSuccess(written) ? 1 : 0)
      }
    })
  })

  describe("a commit of a run", () => {
    test("writes the rows of the run with it", function* (my) {
      const { row, runId } = yield* my.begin()
      const at = (version: number) => position(row.id, { seq: version - 1, version })
      const rows = (version: number) => ({
        runId,
        epoch: 1,
        steps: [step("/a@0", { outcome: "committed", position: at(version) })],
        calls: [answered("/a@0", version)],
        drops: [{ frame: "/a@0", n: version - 1 }]
      })
      const first = commit(row, {
        version: 1,
        notes: [note(row.id, 1)],
        entries: [entry(0)],
        nextIndex: 1,
        ledger: rows(2)
      })
      assert.strictEqual(yield* my.store.commit(my.scope, first), 2)
      // a conversation alone, and nothing but a version
      const second = commit(row, { version: 2, entries: [entry(1)], nextIndex: 2, ledger: rows(3) })
      assert.strictEqual(yield* my.store.commit(my.scope, second), 3)
      assert.strictEqual(
        yield* my.store.commit(my.scope, commit(row, { version: 3, nextIndex: 2, ledger: rows(4) })),
        4
      )
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual(stored?.steps, [step("/a@0", { outcome: "committed", position: at(4) })])
      assert.deepStrictEqual(
        stored?.calls.map(({ n, response }) => [n, response !== undefined]),
        [
          [2, false],
          [3, false],
          [4, true]
        ]
      )
    })

    test("writes none of them if the thought has changed", function* (my) {
      const { row, runId } = yield* my.begin()
      const rows = { runId, epoch: 1, steps: [step("/a@0")], calls: [call("/a@0", 0)] }
      for (const ledger of [rows, { ...rows, begins: [pendingRun(row.id)] }]) {
        const change = commit(row, { version: 2, notes: [note(row.id, 1)], ledger })
        assert.strictEqual(yield* refusal(my.store.commit(my.scope, change)), "ConcurrencyConflict")
      }
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual([stored?.steps, stored?.calls], [[], []])
      assert.strictEqual((yield* my.runs()).length, 1)
    })

    test("is not written if the id of a run that begins is taken", function* (my) {
      const { row, runId } = yield* my.begin()
      const ledger = { runId, epoch: 1, begins: [pendingRun(row.id, { id: (yield* my.begin()).runId })] }
      const change = commit(row, { version: 1, notes: [note(row.id, 1)], ledger })
      assert.strictEqual(yield* refusal(my.store.commit(my.scope, change)), "Query 23505")
      assert.strictEqual((yield* my.load(row))?.version, 1)
    })

    test("conflicts when it is repeated, also if it ended the run, and writes its rows once", function* (my) {
      const { row, runId } = yield* my.begin()
      const ends = { status: "completed", end: position(row.id), error: undefined, endedMillis: noon } as const
      for (const rows of [{ steps: [step("/a@0")] }, { steps: [step("/b@0")], ends }]) {
        const version = (yield* my.load(row))?.version ?? 0
        const change = commit(row, { version, ledger: { runId, epoch: 1, ...rows } })
        yield* my.store.commit(my.scope, change)
        const before = yield* my.stored(runId)
        assert.strictEqual(yield* refusal(my.store.commit(my.scope, change)), "ConcurrencyConflict")
        assert.deepStrictEqual(yield* my.stored(runId), before)
        // what it wrote is known
        yield* my.record(runId, rows)
        assert.deepStrictEqual(yield* my.stored(runId), before)
      }
    })

    test("accepts thousands of notes and rows at once", function* (my) {
      const { row, runId } = yield* my.begin()
      const many = Array.from({ length: 2500 }, (_, i) => i)
      const rows = { steps: many.map((i) => step(`/${i}@0`)), calls: many.map((i) => call(`/${i}@0`, 0)) }
      const notes = many.map((i) => note(row.id, i + 1))
      yield* my.store.commit(my.scope, commit(row, { version: 1, notes, ledger: { runId, epoch: 1, ...rows } }))
      const stored = yield* my.stored(runId)
      assert.deepStrictEqual([stored?.steps, stored?.calls], [rows.steps, rows.calls])
      const begins = [newRun(row.id)]
      assert.strictEqual(yield* refusal(my.record(runId, { epoch: 2, begins, ...rows })), "LeaseLost")
    })
  })
}
