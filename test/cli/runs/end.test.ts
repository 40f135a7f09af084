import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { endRun } from "../../../src/cli/runs/end.ts"
import { Memory, Pipeline, Primitive, Thought } from "../../../src/index.ts"
import { Testing } from "../../../src/testing/index.ts"
import { check } from "../refunds.ts"

const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["it says so"] }))
const services = Layer.merge(model.layer, Testing.memory)
const decide = Primitive.decide("urgent", { question: "Is it urgent?" })

describe("a run that is ended from outside", () => {
  it.effect("keeps the thought that it has come to", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const steps = Pipeline.sequence("careful", [decide, check])
      const thought = yield* Thought.make("test", { message: "a chair" })
      yield* Effect.exit(Pipeline.run(steps, thought, { durable: { id: "run" } }))
      const before = (yield* memory.ledger.load("run"))?.run
      assert.strictEqual(before?.status, "waiting")
      assert.isAbove(before?.end?.seq ?? 0, before?.start.seq ?? 0)
      assert.isUndefined(yield* endRun(memory, before!, { status: "failed", error: "Cancelled" }))
      const after = (yield* memory.ledger.load("run"))?.run
      assert.deepStrictEqual(
        [after?.status, after?.error, after?.end, after?.epoch, after?.leaseUntilMillis],
        ["failed", "Cancelled", before?.end, 2, undefined]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("stays as it is if it is completed, or has been removed", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      yield* Pipeline.run(decide, yield* Thought.make("test"), { durable: { id: "run" } })
      const before = yield* memory.ledger.load("run")
      const how = { status: "interrupted", error: undefined } as const
      yield* endRun(memory, before!.run, how)
      assert.deepStrictEqual(yield* memory.ledger.load("run"), before)
      assert.isTrue(yield* memory.ledger.remove("run"))
      yield* endRun(memory, before!.run, how)
      assert.isUndefined(yield* memory.ledger.load("run"))
    }).pipe(Effect.provide(services))
  )
})
