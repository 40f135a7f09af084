/** Tests of stores: lists of runs, and of questions. */
import * as Effect from "effect/Effect"
import type { Ledger } from "../../../Store.ts"
import { assert } from "../stage/assert.ts"
import { each } from "../stage/each.ts"
import { awkwardTexts, thought } from "../stage/rows.ts"
import type { Define } from "../stage/suite.ts"
import { type Desk, idsOf } from "./desk.ts"
import { answered, call, hour, newRun, type NewWait, noon, open, pendingRun, position, step, wait } from "./rows.ts"

const ended = (status: "waiting" | "interrupted" | "failed" | "completed", thoughtId: string) => ({
  ends: { status, end: position(thoughtId), error: undefined, endedMillis: noon }
})

const sketchOf = ({ calls, run, steps, waits }: Ledger.StoredRun): Ledger.RunSketch => ({
  run,
  steps: steps.map(({ endedMillis, frame, kind }) => ({ frame, kind, endedMillis })),
  calls: calls.map(({ epoch, frame, kind, state, usage, usd }) => ({ frame, kind, state, usage, usd, epoch })),
  waits: waits.map(({ answeredMillis, frame }) => ({ frame, answeredMillis }))
})

export const listTests = ({ describe, test }: Define<Desk>): void => {
  describe("runs", () => {
    test("are listed from the newest, those of one moment by falling id, page by page", function* (my) {
      const row = thought()
      yield* my.write(row)
      const ids = ["b", "d", "a", "c", "e"]
      for (const [i, id] of ids.entries()) {
        const run = newRun(row.id, { id, createdMillis: noon + (i < 3 ? 0 : i) })
        yield* my.record(id, { begins: [run] })
      }
      assert.deepStrictEqual(idsOf(yield* my.runs()), ["e", "c", "d", "b", "a"])
      let after: Ledger.RunRow | undefined
      const seen: Array<string> = []
      for (let i = 0; i < 4; i++) {
        const page: ReadonlyArray<Ledger.RunRow> = yield* my.runs({ limit: 2, after })
        seen.push(...idsOf(page))
        after = page.at(-1) ?? after
      }
      assert.deepStrictEqual(seen, ["e", "c", "d", "b", "a"])
      assert.deepStrictEqual((yield* my.runs({ limit: 1 }))[0], (yield* my.stored("e"))?.run)
    })

    test("are each listed once, whatever their ids are", function* (my) {
      const row = thought()
      yield* my.write(row)
      const ids = awkwardTexts.filter((text) => text.length > 0 && text.length <= 200)
      for (const id of ids) yield* my.record(id, { begins: [newRun(row.id, { id })] })
      let after: Ledger.RunRow | undefined
      const seen: Array<string> = []
      while (seen.length < ids.length) {
        const page: ReadonlyArray<Ledger.RunRow> = yield* my.runs({ limit: 2, after })
        if (page.length === 0) break
        seen.push(...idsOf(page))
        after = page.at(-1)
      }
      assert.deepStrictEqual(seen.toSorted(), ids.toSorted())
    })

    test("are sketched in the order of their ids, with their rows and without the texts in these", function* (my) {
      const one = yield* my.begin()
      const awkward = "a\u0000 \ud800"
      const other = yield* my.begin({ id: awkward })
      for (const { row, runId } of [one, other]) {
        yield* my.record(runId, {
          steps: [step("/a"), { ...step("/b"), endedMillis: undefined }],
          calls: [
            call("/b@0", 0),
            { ...call("/a@0", 1), usage: { inputTokens: 3 }, usd: 0.5, state: "failed" },
            answered("/a@0", 2, { usage: {}, usd: 0 })
          ],
          waits: [wait(runId, row.id, "/c"), wait(runId, row.id, "/d")]
        })
      }
      yield* my.answer(one.runId, "/d", "true", "jane", noon + 5)
      const sketches: ReadonlyArray<Ledger.RunSketch> = yield* my.sketches([other.runId, "nobody", one.runId])
      const stored = [yield* my.stored(other.runId), yield* my.stored(one.runId)]
      assert.deepStrictEqual(
        sketches,
        stored.flatMap((run: Ledger.StoredRun | undefined) => (run === undefined ? [] : [sketchOf(run)]))
      )
      assert.deepStrictEqual(yield* my.sketches([]), [])
    })

    test("are listed by their status", function* (my) {
      const began = yield* my.begin()
      const done = yield* my.begin()
      const failed = yield* my.begin()
      yield* my.record(done.runId, ended("completed", done.row.id))
      yield* my.record(failed.runId, ended("failed", failed.row.id))
      assert.deepStrictEqual(idsOf(yield* my.runs({ status: ["running"] })), [began.runId])
      assert.deepStrictEqual(
        idsOf(yield* my.runs({ status: ["failed", "completed"] })).toSorted(),
        [done.runId, failed.runId].toSorted()
      )
      assert.deepStrictEqual(yield* my.runs({ status: [] }), [])
    })

    test("are listed by a thought: where they began, ended, or have stored something", function* (my) {
      const [first, second, third] = [thought(), thought(), thought()]
      for (const row of [first, second, third]) yield* my.write(row)
      const [one, two] = [newRun(first.id), newRun(second.id)]
      for (const run of [one, two]) yield* my.record(run.id, { begins: [run] })
      yield* my.record(one.id, {
        steps: [step("/a@0", { position: position(second.id) }), step("/b@0"), step("/c@0")],
        ...ended("failed", third.id)
      })
      const of = (thoughtId: string) => Effect.map(my.runs({ thoughtId }), (runs) => idsOf(runs).toSorted())
      assert.deepStrictEqual(yield* of(first.id), [one.id])
      assert.deepStrictEqual(yield* of(second.id), [one.id, two.id].toSorted())
      assert.deepStrictEqual(yield* of(third.id), [one.id])
      assert.deepStrictEqual(yield* of(thought().id), [])
      assert.deepStrictEqual(yield* of("no id"), [])
    })

    test("are listed by the run that began them", function* (my) {
      const { row, runId } = yield* my.begin()
      const child = pendingRun(row.id, { parent: { runId, frame: "/later@0" } })
      const other = pendingRun(row.id, { parent: { runId: "another", frame: "/later@0" } })
      yield* my.record(runId, { begins: [child, other] })
      assert.deepStrictEqual(idsOf(yield* my.runs({ parent: runId })), [child.id])
      assert.deepStrictEqual(yield* my.runs({ parent: "unknown" }), [])
    })

    test("are due if nobody has them and they have not ended", function* (my) {
      const held = yield* my.begin()
      const until = (yield* my.stored(held.runId))?.run.leaseUntilMillis ?? 0
      const pending = pendingRun(held.row.id)
      yield* my.record(held.runId, { begins: [pending] })
      const interrupted = yield* my.begin()
      yield* my.record(interrupted.runId, ended("interrupted", interrupted.row.id))
      for (const status of ["failed", "completed", "waiting"] as const) {
        const { row, runId } = yield* my.begin()
        yield* my.record(runId, ended(status, row.id))
      }
      for (const status of ["failed", "completed"] as const) {
        const { row, runId } = yield* my.begin()
        yield* my.record(runId, { waits: [wait(runId, row.id, "/a@0", { dueMillis: 0 })] })
        yield* my.record(runId, ended(status, row.id))
      }
      const free = [pending.id, interrupted.runId]
      const due = (dueMillis: number) => Effect.map(my.runs({ dueMillis }), (runs) => idsOf(runs).toSorted())
      assert.deepStrictEqual(yield* due(until - 1), free.toSorted())
      assert.deepStrictEqual(yield* due(until), [...free, held.runId].toSorted())
      assert.deepStrictEqual(idsOf(yield* my.runs({ dueMillis: until + hour, status: ["running"] })), [held.runId])
    })

    test("that wait are due if something that they wait for is answered or due", function* (my) {
      const waiting = Effect.fnUntraced(function* (more: Parameters<typeof wait>[3]) {
        const { row, runId } = yield* my.begin()
        const waits = ["/a@0", "/b@0"].map((frame) => wait(runId, row.id, frame, more))
        yield* my.record(runId, { waits, steps: [step("/a@0", { outcome: "waiting" })], ...ended("waiting", row.id) })
        return { row, runId }
      })
      const open = yield* waiting({})
      const timed = yield* waiting({ dueMillis: noon + 5 })
      const answered = yield* waiting({})
      yield* my.answer(answered.runId, "/b@0", "true", undefined, noon)
      const due = (dueMillis: number) => Effect.map(my.runs({ dueMillis }), (runs) => idsOf(runs).toSorted())
      assert.deepStrictEqual(yield* due(noon + 4), [answered.runId])
      assert.deepStrictEqual(yield* due(noon + 5), [answered.runId, timed.runId].toSorted())
      assert.strictEqual((yield* my.stored(open.runId))?.run.status, "waiting")
    })

    test("that wait are not due for what they have gone on from", function* (my) {
      const { row, runId } = yield* my.begin()
      const waits = ["/a@0", "/b@0", "/c@0", "/e@0"].map((frame) => wait(runId, row.id, frame, { dueMillis: noon + 1 }))
      const still = wait(runId, row.id, "/d@0")
      yield* my.record(runId, { waits: [...waits, still], ...ended("waiting", row.id) })
      yield* my.answer(runId, "/a@0", "1", "ann", noon)
      assert.deepStrictEqual(idsOf(yield* my.runs({ dueMillis: noon })), [runId])
      yield* my.claim(runId, "b")
      const outcomes = ["completed", "committed", "failed", "interrupted"] as const
      yield* my.record(runId, {
        epoch: 2,
        steps: [
          ...waits.map(({ frame }, i) => step(frame, { outcome: outcomes[i]! })),
          step("/d@0", { outcome: "waiting" })
        ],
        ...ended("waiting", row.id)
      })
      assert.deepStrictEqual(yield* my.runs({ dueMillis: noon + hour }), [])
      yield* my.answer(runId, "/d@0", "2", "ann", noon)
      assert.deepStrictEqual(idsOf(yield* my.runs({ dueMillis: noon })), [runId])
    })
  })

  describe("questions that are asked again", () => {
    test("replace the ones before, in lists and for what is due", function* (my) {
      const { row, runId } = yield* my.begin()
      const [first, second] = ["/a@0", "/a@0^"].map((frame) => wait(runId, row.id, frame)) as [NewWait, NewWait]
      const due = Effect.map(my.runs({ dueMillis: noon + hour, status: ["waiting"] }), idsOf)
      yield* my.record(runId, { waits: [first], ...ended("waiting", row.id) })
      yield* my.answer(runId, "/a@0", "1", "ann", noon)
      assert.deepStrictEqual(yield* due, [runId])
      yield* my.claim(runId, "b")
      yield* my.record(runId, {
        epoch: 2,
        waits: [second],
        steps: [step("/a@0", { outcome: "waiting" })],
        ...ended("waiting", row.id)
      })
      assert.deepStrictEqual(yield* due, [])
      assert.deepStrictEqual(yield* my.waits({ runId }), [open(second)])
      yield* my.answer(runId, "/a@0^", "2", "ann", noon)
      assert.deepStrictEqual(yield* due, [runId])
      yield* my.claim(runId, "c")
      yield* my.record(runId, {
        epoch: 3,
        steps: [step("/a@0", { outcome: "completed" })],
        ...ended("waiting", row.id)
      })
      assert.deepStrictEqual(yield* due, [])
    })

    test("replace also those that nobody has answered in time", function* (my) {
      const { row, runId } = yield* my.begin()
      const other = wait(runId, row.id, "/b@0", { createdMillis: noon - 1 })
      const asked = ["/a@0", "/a@0^", "/a@0^^"].map((frame, i) =>
        wait(runId, row.id, frame, { createdMillis: noon + i, dueMillis: noon + i * hour })
      )
      for (const one of asked) {
        yield* my.record(runId, { waits: [one, other] })
        assert.deepStrictEqual(yield* my.waits({ runId }), [open(other), open(one)])
      }
      yield* my.record(runId, ended("waiting", row.id))
      const due = (dueMillis: number) => Effect.map(my.runs({ dueMillis, status: ["waiting"] }), idsOf)
      assert.deepStrictEqual(yield* due(noon + 2 * hour - 1), [])
      assert.deepStrictEqual(yield* due(noon + 2 * hour), [runId])
    })

    test("are due if a redaction has emptied them", function* (my) {
      const { row, runId } = yield* my.begin()
      yield* my.record(runId, { waits: [wait(runId, row.id, "/a@0", { prompt: "" })], ...ended("waiting", row.id) })
      assert.deepStrictEqual(idsOf(yield* my.runs({ dueMillis: noon, status: ["waiting"] })), [runId])
    })
  })

  describe("waits", () => {
    test("are listed until their step is stored, or interrupted", function* (my) {
      const { row, runId } = yield* my.begin()
      const outcomes = ["running", "waiting", "failed", "interrupted", "committed", "completed"] as const
      const waits = outcomes.map((outcome, i) => wait(runId, row.id, `/${outcome}@0`, { createdMillis: noon + i }))
      yield* my.record(runId, { waits, steps: outcomes.map((outcome) => step(`/${outcome}@0`, { outcome })) })
      assert.deepStrictEqual(
        each(yield* my.waits({ runId }), "frame"),
        outcomes.slice(0, 3).map((outcome) => `/${outcome}@0`)
      )
    })

    test("are listed from the oldest, without those that are answered or of a completed run", function* (my) {
      const [one, two, done] = [yield* my.begin(), yield* my.begin(), yield* my.begin()]
      const of = ({ row, runId }: typeof one, frame: string, createdMillis: number) =>
        wait(runId, row.id, frame, { createdMillis })
      const [first, second, third, fourth] = [
        of(one, "/b@0", noon + 1),
        of(one, "/a@0", noon + 1),
        of(two, "/c@0", noon),
        of(two, "/d@0", noon)
      ]
      yield* my.record(one.runId, { waits: [first, second] })
      yield* my.record(two.runId, { waits: [third, fourth] })
      yield* my.record(done.runId, { waits: [of(done, "/e@0", noon)], ...ended("completed", done.row.id) })
      yield* my.record(two.runId, ended("failed", two.row.id))
      yield* my.answer(two.runId, "/d@0", "1", undefined, noon)
      assert.deepStrictEqual(yield* my.waits(), [third, second, first].map(open))
      assert.deepStrictEqual(each(yield* my.waits({ limit: 2 }), "frame"), ["/c@0", "/a@0"])
      assert.deepStrictEqual(each(yield* my.waits({ runId: one.runId }), "frame"), ["/a@0", "/b@0"])
      assert.deepStrictEqual(yield* my.waits({ runId: "unknown" }), [])
    })
  })
}
