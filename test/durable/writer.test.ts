import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Memory, type Store } from "cogito"
import { Writer } from "../../src/pipeline/durable/writer.ts"

const call = (n: number, state: Store.Ledger.CallRow["state"]) => ({ frame: "/a", n, state }) as Store.Ledger.CallRow
const step = (frame: string, outcome: Store.Ledger.StepRow["outcome"]) => ({ frame, outcome }) as Store.Ledger.StepRow
const place = (n: number) => ({ frame: "/a", n })
const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })

/** A writer of a run, whose writes succeed or fail as listed, in turn, and what it has written. */
const writing = (...outcomes: ReadonlyArray<Effect.Effect<void, Memory.MemoryError>>) => {
  const written: Array<unknown> = []
  const left = [...outcomes]
  const writer = new Writer({ runId: "run", epoch: 1 }, (rows) =>
    Effect.suspend(() => {
      written.push(rows)
      return left.shift() ?? Effect.void
    })
  )
  return { writer, written }
}
const about = { runId: "run", epoch: 1 }

describe("what a run writes down", () => {
  it.effect("is written once, the newest of each step and call", () =>
    Effect.gen(function* () {
      const { writer, written } = writing()
      writer.call(call(0, "begun"))
      writer.call(call(1, "begun"))
      writer.call(call(0, "answered"))
      writer.step(step("/a", "completed"))
      writer.drop([place(0)])
      yield* writer.flush()
      yield* writer.flush()
      writer.call(call(1, "failed"))
      yield* writer.flush({ urgent: true })
      const none = { ...about, steps: [], calls: [], drops: [], waits: [], urgent: false }
      assert.deepStrictEqual(written, [
        {
          ...none,
          steps: [step("/a", "completed")],
          calls: [call(0, "answered"), call(1, "begun")],
          drops: [place(0)]
        },
        none,
        { ...none, calls: [call(1, "failed")], urgent: true }
      ])
    })
  )

  it.effect("is written with the next write where one fails, without what is out of date by then", () =>
    Effect.gen(function* () {
      const { writer, written } = writing(
        Effect.suspend(() => {
          // while it is written, the run goes on
          writer.call(call(0, "answered"))
          writer.step(step("/a", "completed"))
          writer.drop([place(1)])
          return Effect.fail(down)
        })
      )
      writer.call(call(0, "begun"))
      writer.call(call(1, "answered"))
      writer.step(step("/a", "committed"))
      writer.step(step("/b", "completed"))
      writer.drop([place(0)])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(writer.flush())))
      yield* writer.flush()
      const { calls, drops, steps } = written[1] as Store.Ledger.LedgerRows
      assert.deepStrictEqual(calls, [call(0, "answered"), call(1, "answered")])
      assert.deepStrictEqual(steps, [step("/a", "completed"), step("/b", "completed")])
      assert.deepStrictEqual(drops, [place(0), place(1)])
    })
  )

  it.effect("is urgent, with its questions, if one of those that wait for the same write says so", () =>
    Effect.gen(function* () {
      const wait = (frame: string) => ({ frame }) as Store.Ledger.WaitRow
      const { writer, written } = writing(Effect.yieldNow)
      const all = [{}, { waits: [wait("/a")] }, { urgent: true }, { waits: [wait("/b")] }]
      const fibers = yield* Effect.forEach(all, (rows) =>
        Effect.forkChild(writer.flush(rows), { startImmediately: true })
      )
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(
        written.map((rows) => {
          const { urgent, waits } = rows as Store.Ledger.LedgerRows
          return [urgent, waits]
        }),
        [
          [false, []],
          [true, [wait("/a"), wait("/b")]]
        ]
      )
    })
  )

  /** Lets other fibers run. */
  const settling = Effect.repeat(Effect.yieldNow, { times: 20 })

  it.effect("fails for all that wait for a write that fails, but not for those before and after it", () =>
    Effect.gen(function* () {
      const { writer, written } = writing(Effect.yieldNow, Effect.fail(down))
      const fibers = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(Effect.exit(writer.flush()), { startImmediately: true })
      )
      yield* settling
      const ends = fibers.map((fiber) => fiber.pollUnsafe())
      assert.deepStrictEqual(
        ends.map((end) => (end === undefined ? "waits" : Exit.isSuccess(end) ? end.value._tag : end._tag)),
        ["Success", "Failure", "Failure"]
      )
      yield* writer.flush()
      assert.strictEqual(written.length, 3)
    })
  )

  it.effect("is written even if a fiber that waits for its turn is interrupted", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { writer, written } = writing(Deferred.await(gate))
      const flushing = () => Effect.forkChild(Effect.exit(writer.flush()), { startImmediately: true })
      const first = yield* flushing()
      writer.step(step("/a", "completed"))
      const second = yield* flushing()
      yield* Effect.forkChild(Fiber.interrupt(second), { startImmediately: true })
      yield* settling
      writer.step(step("/b", "completed"))
      yield* Deferred.succeed(gate, undefined)
      const third = yield* flushing()
      yield* settling
      assert.isDefined(first.pollUnsafe())
      assert.isDefined(third.pollUnsafe())
      assert.deepStrictEqual(
        written.flatMap((rows) => (rows as Store.Ledger.LedgerRows).steps ?? []),
        [step("/a", "completed"), step("/b", "completed")]
      )
    })
  )
})
