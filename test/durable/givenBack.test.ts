/** Runs that a process claims but cannot continue, and the state in which it leaves them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Step, Store } from "cogito"
import { machineOn, resumeOf, runOf } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"

const lost = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the connection was lost" } })
const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?", timeout: "1 hour" })
const waiting: Step.Any = Pipeline.sequence("all", [asks("a"), amount])
const failing: Step.Any = Pipeline.sequence("all", [asks("a"), asks("b", "(fails)")])

/** A machine whose store can be made to fail when it reads a thought, and the row of the run. */
const reading = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  let read: Effect.Effect<void, Memory.MemoryError> = Effect.void
  const history: typeof store.history = (...words) =>
    Effect.andThen(
      Effect.suspend(() => read),
      store.history(...words)
    )
  const { within } = machineOn({ ...store, history })
  const row = Effect.map(store.ledger.load("local", "run"), (stored) => {
    const { end, endedMillis, error, status } = stored!.run
    return { end, endedMillis, error, status }
  })
  return { within, row, reads: (next: typeof read) => void (read = next) }
})

describe("a run whose thought cannot be read", () => {
  it.effect.each([
    ["waits", waiting, "waiting"],
    ["has failed", failing, "failed"]
  ] as const)("%s as before, and resumes once the thought can be read", ([, step, status]) =>
    Effect.gen(function* () {
      const { reads, row, within } = yield* reading
      yield* Effect.flip(within()(runOf(step)))
      const before = yield* row
      assert.strictEqual(before.status, status)
      reads(Effect.fail(lost))
      const error = yield* Effect.flip(within()(resumeOf(step)))
      assert.strictEqual(error.cause, lost)
      assert.deepStrictEqual(yield* row, before)
      reads(Effect.void)
      if (status === "waiting") {
        yield* within()(Pipeline.answer("run", "amount", 3))
        assert.strictEqual((yield* within()(resumeOf(step))).get("amount"), 3)
      } else {
        const again = yield* Effect.flip(within()(resumeOf(step)))
        assert.strictEqual(again._tag, "PipelineError")
        assert.deepStrictEqual(yield* row, before)
      }
    })
  )

  it.effect("is released if the read is interrupted", () =>
    Effect.gen(function* () {
      const { reads, row, within } = yield* reading
      yield* Effect.flip(within()(runOf(waiting)))
      const before = yield* row
      const begun = yield* Deferred.make<void>()
      reads(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const fiber = yield* Effect.forkChild(within()(resumeOf(waiting)))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* row).status, "running")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* row, before)
    })
  )
})

describe("a run whose store fails", () => {
  it.effect("runs its step once, and goes on when it is resumed", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let [commits, isDown] = [0, true]
      const commit: typeof store.commit = (...words) =>
        Effect.suspend(() => (++commits > 1 && isDown ? Effect.fail(lost) : store.commit(...words)))
      const { within } = machineOn({ ...store, commit })
      let times = 0
      const step: Step.Any = Step.make("pay", { schema: Schema.Finite, run: () => ++times })
      const error = yield* Effect.flip(within()(runOf(step)))
      // the memory retries a commit once
      assert.deepStrictEqual([error._tag, error.cause, times, commits], ["PipelineError", lost, 1, 3])
      isDown = false
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual([done.note("pay")?.content, times], ["1", 1])
    })
  )
})

describe("an answer that arrives while its run goes on without it", () => {
  it.effect("counts if it was given in time", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let isFirst = true
      const given = { json: JSON.stringify({ value: 3 }), by: "jane", millis: 3_599_999 }
      const answer: typeof store.ledger.answer = (scope, wait, reply) =>
        Effect.gen(function* () {
          if (isFirst) yield* store.ledger.answer(scope, wait, given)
          isFirst = false
          return yield* store.ledger.answer(scope, wait, reply)
        })
      const { within } = machineOn({ ...store, ledger: { ...store.ledger, answer } })
      yield* Effect.flip(within()(runOf(waiting)))
      yield* TestClock.adjust("2 hours")
      const done = yield* within()(resumeOf(waiting))
      assert.strictEqual(done.get("amount"), 3)
      assert.deepStrictEqual(done.note("amount")?.metadata, { answered_by: "jane" })
    })
  )
})
