import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { type Memory, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// However often something fails, the error of a run stays small, and says what it leaves out.

class Busy extends Data.TaggedError("Busy")<{ readonly call: number }> {
  override get message() {
    return `call ${this.call}: ${"x".repeat(5_000)}`
  }
}

/** Fails always. */
const busy = () => {
  let calls = 0
  return Step.make("busy", { run: Effect.suspend(() => Effect.fail(new Busy({ call: calls++ }))) })
}

const errorOf = <E>(step: Step.Step<{}, unknown, E, Memory.Memory>) =>
  Effect.gen(function* () {
    return yield* Effect.flip(Pipeline.run(step, yield* Thought.make("fail")))
  }).pipe(Effect.provide(Testing.memory))

/** The numbers of the calls that failed, and how many were left out between them. */
const callsOf = (failures: ReadonlyArray<Pipeline.Failure>) =>
  failures.map(({ cause }) =>
    cause instanceof Busy
      ? cause.call
      : cause instanceof Pipeline.FailuresLeftOut
        ? `${cause.failures} left out`
        : "something else"
  )
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe("many failed attempts", () => {
  it.effect("are kept up to the first twenty and the last eighty", () =>
    Effect.gen(function* () {
      const all = yield* errorOf(Step.retry(busy(), { times: 100, name: "again" }))
      assert.deepStrictEqual(callsOf(all.before), range(0, 100))
      const most = yield* errorOf(Step.retry(busy(), { times: 20_000, name: "again" }))
      assert.strictEqual(most.cause instanceof Busy && most.cause.call, 20_000)
      assert.deepStrictEqual(callsOf(most.before), [...range(0, 20), "19900 left out", ...range(19_920, 20_000)])
      const left = most.before[20]
      assert.deepStrictEqual(left?.path, ["again"])
      assert.strictEqual(left?.cause instanceof Error && left.cause.message, "19900 more failures")
    })
  )

  it.effect("of a poller are in the error of the limit that ends it, with the duration of omitted ones", () =>
    Effect.gen(function* () {
      const poll = Step.backoff(busy(), { base: "1 second", factor: 1, jitter: false, times: 1_000_000, name: "poll" })
      const fiber = yield* Effect.forkChild(
        errorOf(Step.timeout(Pipeline.fallback("other", [poll]), "999.5 seconds", { name: "limit" }))
      )
      yield* TestClock.adjust("1000 seconds")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error.path, error.cause._tag], [["limit"], "TimeoutError"])
      assert.deepStrictEqual(callsOf(error.before), [...range(0, 20), "900 left out", ...range(920, 1_000)])
      assert.deepStrictEqual(error.before[20]?.path, ["limit", "other", "poll"])
    })
  )
})

describe("an error with many failures before and beside it", () => {
  const nested = () =>
    Step.retry(Step.retry(Step.retry(busy(), { times: 30, name: "inner" }), { times: 30, name: "middle" }), {
      times: 3,
      name: "outer"
    })

  it.effect("has a short message", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(nested())
      assert.isBelow(error.message.length, 60_000)
      assert.isBelow(inspect(error).length, 100_000)
      const lines = error.message.split("\n")
      assert.isBelow(lines.length, 250)
      assert.strictEqual(lines.filter((line) => /before: .* failed after/.test(line)).length, 100)
      assert.match(error.message, /before: \d+ more failures?$/m)
    })
  )

  it.effect("is short as JSON, and has the failures next to its own cause first", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(nested())
      const written = JSON.stringify(error)
      assert.isBelow(written.length, 500_000)
      const json = JSON.parse(written)
      const count = (failure: any): number =>
        [...failure.before, ...failure.beside].reduce(
          (sum, one) => sum + (one.cause._tag === "FailuresLeftOut" ? 0 : 1) + count(one),
          0
        )
      assert.strictEqual(count(json), 100)
      // the three attempts further out are there, and each says how many it had before it
      assert.isAtLeast(json.before.length, 3)
    })
  )

  it.effect("has the number of failures left out, including those left out before", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(Step.retry(busy(), { times: 2_000, name: "again" }))
      assert.strictEqual(error.message.split("\n").at(-1), "  before: 1980 more failures")
      const { before } = JSON.parse(JSON.stringify(error))
      assert.strictEqual(before.length, 101)
      assert.deepInclude(before[20].cause, { _tag: "FailuresLeftOut", failures: 1_900 })
      assert.deepInclude(before[100].cause, { call: 1_999 })
    })
  )

  it.effect("keeps large causes within one bound together", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 5_000 }, (_, i) => ({ i, text: "x".repeat(5_000), ["k".repeat(5_000)]: i }))
      const huge = Step.make("huge", { run: Effect.fail({ _tag: "Huge", rows }) })
      const one = JSON.stringify(yield* errorOf(huge))
      assert.isBelow(one.length, 300_000)
      const many = JSON.stringify(yield* errorOf(Step.retry(huge, { times: 90, name: "again" })))
      assert.isBelow(many.length, 1_000_000)
      assert.strictEqual(JSON.parse(many).before.length, 90)
    })
  )
})
