/** Tests of stores: texts of runs come back exactly, and tenants stay apart. */
import { assert } from "../stage/assert.ts"
import { random } from "../stage/random.ts"
import { awkwardTexts, commit, thought } from "../stage/rows.ts"
import { freshScope, refusal } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { type Desk, idsOf } from "./desk.ts"
import { answered, begun, hour, newRun, noon, open, position, step, wait, withoutLease } from "./rows.ts"

/** The longest frame and the longest id of a run. */
const [frameLength, idLength] = [1000, 200]

export const textTests = ({ describe, test }: Define<Desk>): void => {
  describe("texts", () => {
    test("come back exactly, from every field", function* (my) {
      for (const [i, text] of awkwardTexts.entries()) {
        const row = thought()
        yield* my.write(row)
        const run = newRun(row.id, {
          id: `${text.slice(0, 100)} ${i}`,
          seed: text,
          pipeline: text,
          fingerprint: text,
          outline: text,
          startHash: text,
          parent: { runId: text.slice(0, 100), frame: text },
          lease: { owner: text, millis: hour }
        })
        const frame = text.slice(0, frameLength)
        const json = JSON.stringify(text)
        const schema = { [text]: { const: text }, title: text }
        const rows = {
          steps: [step(frame, { kind: text, error: text })],
          calls: [
            answered(frame, 0, {
              hash: text,
              parts: { [text]: text },
              request: text,
              response: text,
              provider: text,
              model: text
            })
          ],
          waits: [wait(run.id, row.id, frame, { key: text, prompt: text, schema, bound: text })]
        }
        yield* my.record(run.id, { begins: [run], ...rows })
        yield* my.answer(run.id, frame, json, text, noon)
        const stored = yield* my.stored(run.id)
        assert.deepStrictEqual(withoutLease(stored?.run), begun(run))
        assert.deepStrictEqual([stored?.steps, stored?.calls], [rows.steps, rows.calls])
        assert.deepStrictEqual(stored?.waits, [
          { ...open(rows.waits[0]!), answer: json, answeredBy: text, answeredMillis: noon }
        ])
        assert.deepStrictEqual(idsOf(yield* my.runs({ parent: text.slice(0, 100), thoughtId: row.id })), [run.id])
        yield* my.record(run.id, { drops: [{ frame, n: 0 }] })
        const ends = { status: "failed", end: position(row.id), error: text, endedMillis: noon } as const
        yield* my.record(run.id, { ends })
        const after = yield* my.stored(run.id)
        assert.deepStrictEqual([after?.run.error, after?.calls[0]?.response], [text, undefined])
        assert.strictEqual((yield* my.claim(run.id, text))?.run.owner, text)
      }
    })

    test("may be frames of 1000 units and ids of 200, of any kind, that differ by the last alone", function* (my) {
      const rng = random(17)
      const row = thought()
      yield* my.write(row)
      const units = (first: number, count: number) => () => String.fromCharCode(first + rng.below(count))
      const kinds = [
        () => "😀",
        () => "語",
        () => "\u0000",
        units(0x20, 0x5f),
        units(0x4e00, 0x5000),
        units(0xd800, 0x400),
        () => String.fromCodePoint(0x1f300 + rng.below(0x200))
      ]
      for (const kind of kinds) {
        const longest = (length: number) =>
          Array.from({ length: length / kind().length - 1 }, kind)
            .join("")
            .padEnd(length - 1, "x")
        const ids = ["1", "2"].map((last) => longest(idLength) + last)
        const frames = ["1", "2", "3"].map((last) => "/".padEnd(2) + longest(frameLength - 2) + last)
        for (const runId of ids) {
          const rows = {
            steps: frames.map((frame) => step(frame)),
            calls: frames.map((frame) => answered(frame, 0)),
            waits: frames.map((frame) => wait(runId, row.id, frame))
          }
          yield* my.record(runId, {
            begins: [newRun(row.id, { id: runId, parent: { runId, frame: frames[0]! } })],
            ...rows
          })
          const stored = yield* my.stored(runId)
          assert.deepStrictEqual([stored?.steps, stored?.calls], [rows.steps, rows.calls])
          assert.strictEqual(stored?.waits.length, 3)
        }
      }
    })

    test("may be responses of millions of characters", function* (my) {
      const { runId } = yield* my.begin()
      const calls = [answered("/a@0", 0, { response: "An answer that is long. ".repeat(200_000) })]
      yield* my.record(runId, { calls })
      assert.strictEqual((yield* my.stored(runId))?.calls[0]?.response, calls[0]?.response)
    })
  })

  describe("scopes", () => {
    test("stay apart, even with the same ids", function* (my) {
      const other = freshScope()
      const { row, run, runId } = yield* my.begin()
      yield* my.record(runId, { steps: [step("/a@0")], waits: [wait(runId, row.id, "/b@0")] })
      const before = yield* my.stored(runId)
      assert.isUndefined(yield* my.ledger.load(other, runId))
      assert.isUndefined(yield* my.ledger.claim(other, runId, { owner: "b", millis: hour, seize: true }))
      assert.isFalse(yield* my.ledger.renew(other, runId, 1, { owner: "a", millis: 0 }))
      assert.isUndefined(
        yield* my.ledger.answer(other, { runId, frame: "/b@0" }, { json: "1", by: "ann", millis: noon })
      )
      assert.isFalse(yield* my.ledger.remove(other, runId))
      assert.deepStrictEqual(yield* my.ledger.runs(other, { limit: 9 }), [])
      assert.deepStrictEqual(yield* my.ledger.waits(other, { limit: 9 }), [])
      assert.isUndefined(yield* my.store.history(other, row.id))
      const rows = { runId, epoch: 1, steps: [step("/a@0", { outcome: "failed" })] }
      assert.strictEqual(yield* refusal(my.ledger.record(other, rows)), "LeaseLost")
      assert.strictEqual(yield* refusal(my.store.commit(other, commit(thought(), { ledger: rows }))), "LeaseLost")
      assert.strictEqual(yield* refusal(my.ledger.record(other, { runId, epoch: 1, begins: [run] })), "Query 23503")
      yield* my.store.commit(other, commit(row, { ledger: { ...rows, begins: [run] } }))
      assert.deepStrictEqual(yield* my.stored(runId), before)
      assert.deepStrictEqual((yield* my.ledger.load(other, runId))?.steps, rows.steps)
    })
  })
}
