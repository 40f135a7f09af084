/** Tests of stores: who has a run, and for how long. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import type { Desk } from "./desk.ts"
import { begun, hour, noon, pendingRun, position, withoutLease } from "./rows.ts"

const over = { owner: "a", millis: 0 }

export const leaseTests = ({ describe, test }: Define<Desk>): void => {
  describe("claim", () => {
    test("takes a run whose lease has ended, once", function* (my) {
      const { run, runId } = yield* my.begin({ lease: over })
      const taken = yield* my.claim(runId, "b")
      assert.isTrue(taken?.claimed)
      const now = begun(run, { owner: "b", epoch: 2 })
      assert.deepStrictEqual(withoutLease(taken?.run), now)
      assert.deepStrictEqual((yield* my.stored(runId))?.run, taken?.run)
      const again = yield* my.claim(runId, "c")
      assert.isFalse(again?.claimed)
      assert.deepStrictEqual(again?.run, taken?.run)
      assert.deepStrictEqual((yield* my.stored(runId))?.run, taken?.run)
    })

    test("does not take a run that a process has, itself included", function* (my) {
      const { runId } = yield* my.begin()
      const before = (yield* my.stored(runId))?.run
      for (const owner of ["a", "b"]) {
        assert.deepStrictEqual(yield* my.claim(runId, owner), { run: before, claimed: false })
      }
      assert.deepStrictEqual(yield* my.claim(runId, "a", { seize: true }), { run: before, claimed: false })
      assert.deepStrictEqual((yield* my.stored(runId))?.run, before)
    })

    test("takes the run of any other process if that has lost it already", function* (my) {
      const { runId } = yield* my.begin()
      const taken = yield* my.claim(runId, "b", { seize: true })
      assert.deepStrictEqual([taken?.claimed, taken?.run.owner, taken?.run.epoch], [true, "b", 2])
      assert.isTrue((yield* my.claim(runId, "a", { seize: true }))?.claimed)
    })

    test("takes a run only as long as it has the epoch that is asked for", function* (my) {
      const { runId } = yield* my.begin({ lease: over })
      const before = (yield* my.stored(runId))?.run
      assert.deepStrictEqual(yield* my.claim(runId, "b", { seize: true, epoch: 2 }), { run: before, claimed: false })
      assert.isTrue((yield* my.claim(runId, "b", { epoch: 1 }))?.claimed)
      const ends = { status: "failed", end: undefined, error: "GateClosed", endedMillis: noon } as const
      yield* my.ledger.record(my.scope, { runId, epoch: 2, ends })
      assert.isFalse((yield* my.claim(runId, "c", { epoch: 1 }))?.claimed)
      assert.isTrue((yield* my.claim(runId, "c", { epoch: 2 }))?.claimed)
    })

    test("takes a run that waits, was interrupted, has failed, or has not begun, and says what it was", function* (my) {
      for (const status of ["waiting", "interrupted", "failed"] as const) {
        const { row, run, runId } = yield* my.begin()
        const end = position(row.id, { version: 2 })
        yield* my.record(runId, { ends: { status, end, error: "GateClosed", endedMillis: noon } })
        const taken = yield* my.claim(runId, "b")
        assert.isTrue(taken?.claimed)
        const now = begun(run, { owner: "b", epoch: 2 })
        assert.deepStrictEqual(withoutLease(taken?.run), { ...now, status })
        assert.deepStrictEqual(withoutLease((yield* my.stored(runId))?.run), now)
      }
      const { row } = yield* my.begin()
      const pending = pendingRun(row.id)
      yield* my.ledger.record(my.scope, { runId: pending.id, epoch: 0, begins: [pending] })
      const taken = yield* my.claim(pending.id, "b")
      assert.deepStrictEqual([taken?.claimed, taken?.run.status, taken?.run.epoch], [true, "pending", 1])
      assert.strictEqual((yield* my.stored(pending.id))?.run.status, "running")
    })

    test("does not take a run that is completed", function* (my) {
      const { row, runId } = yield* my.begin()
      const ends = { status: "completed", end: position(row.id), error: undefined, endedMillis: noon } as const
      yield* my.record(runId, { ends })
      const before = (yield* my.stored(runId))?.run
      assert.deepStrictEqual(yield* my.claim(runId, "b", { seize: true }), { run: before, claimed: false })
    })

    test("returns nothing for an unknown run", function* (my) {
      assert.isUndefined(yield* my.claim("unknown", "b"))
    })

    test("gives a run to one of many that want it at once", function* (my) {
      const { runId } = yield* my.begin({ lease: over })
      const owners = Array.from({ length: 24 }, (_, i) => `owner ${i}`)
      const claims = yield* Effect.forEach(owners, (owner) => my.claim(runId, owner), unbounded)
      const winners = claims.filter((one) => one?.claimed === true)
      assert.strictEqual(winners.length, 1)
      assert.strictEqual((yield* my.stored(runId))?.run.owner, winners[0]?.run.owner)
      assert.strictEqual((yield* my.stored(runId))?.run.epoch, 2)
    })
  })

  describe("renew", () => {
    test("lets a lease end later, or now", function* (my) {
      const { run, runId } = yield* my.begin({ lease: over })
      const before = (yield* my.stored(runId))?.run.leaseUntilMillis ?? 0
      assert.isTrue(yield* my.renew(runId, 1))
      const after = (yield* my.stored(runId))?.run.leaseUntilMillis ?? 0
      assert.isAtLeast(after - before, hour)
      assert.isFalse((yield* my.claim(runId, "b"))?.claimed)
      assert.isTrue(yield* my.renew(runId, 1, { millis: 0 }))
      assert.deepStrictEqual(withoutLease((yield* my.stored(runId))?.run), begun(run))
      assert.isTrue((yield* my.claim(runId, "b"))?.claimed)
    })

    test("renews nothing once another process has the run, or it has ended", function* (my) {
      const { row, runId } = yield* my.begin({ lease: over })
      yield* my.claim(runId, "b")
      const before = (yield* my.stored(runId))?.run
      for (const epoch of [0, 1, 3]) assert.isFalse(yield* my.renew(runId, epoch))
      assert.deepStrictEqual((yield* my.stored(runId))?.run, before)
      yield* my.record(runId, {
        epoch: 2,
        ends: { status: "waiting", end: position(row.id), error: undefined, endedMillis: noon }
      })
      assert.isFalse(yield* my.renew(runId, 2))
      assert.isUndefined((yield* my.stored(runId))?.run.leaseUntilMillis)
      assert.isFalse(yield* my.renew("unknown", 1))
    })
  })
}
