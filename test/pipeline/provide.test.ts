import { assert, describe, it } from "@effect/vitest"
import { Context, Data, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, withModel } from "./triage.ts"

// Steps that bring what they need, and steps with another name.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class Unpaid extends Data.TaggedError("Unpaid")<{}> {}

const euros = Step.make("euros", { schema: Schema.Finite, run: Effect.map(Rates, ({ euro }) => euro) })
const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
const fair = Primitive.decide("fair", { question: "Is this fair?" })

describe("providing a step with what it needs", () => {
  it("refuses a layer around what may run after its release, not a context", () => {
    const mail = Pipeline.sequence("order", [Step.once("mail", Effect.asVoid(Rates))])
    const audit = Pipeline.scaffold("audit", { step: euros })
    const layer = Layer.succeed(Rates, { euro: 5 })
    assert.throws(() => Step.provide(mail, layer), /before its once "mail" runs. Provide the layer around Pipeline.run/)
    assert.throws(() => Step.provide(audit, layer), /before its scaffold "audit" runs/)
    assert.strictEqual(Step.provide(mail, Context.make(Rates, { euro: 5 })).name, "order")
  })

  it.effect("takes a layer or a context, data last or first", () =>
    Effect.gen(function* () {
      const steps = [
        euros.pipe(Step.provide(Layer.succeed(Rates, { euro: 5 }))),
        Step.provide(euros, Layer.succeed(Rates, { euro: 5 })),
        euros.pipe(Step.provide(Context.make(Rates, { euro: 5 }))),
        Step.provide(euros, Context.make(Rates, { euro: 5 }))
      ]
      for (const step of steps) {
        const done = yield* Pipeline.run(step, yield* start)
        assert.strictEqual(done.get("euros"), 5)
        assert.strictEqual(yield* Thought.read(yield* Memory.load(done.id), step), 5)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("takes precedence over the context, for that step only", () => {
    const [own, shared] = [Testing.scripted([yes]), Testing.scripted([yes])]
    return Effect.gen(function* () {
      const all = Pipeline.sequence("all", [
        fair.pipe(Step.provide(own.layer)),
        Primitive.decide("good", { question: "Is this good?" })
      ])
      const done = yield* Pipeline.run(all, yield* start)
      assert.deepStrictEqual(
        [own.requests, shared.requests].map((requests) => requests.map(({ task }) => task.kind)),
        [["decide"], ["decide"]]
      )
      assert.include(JSON.stringify(own.requests), "Is this fair?")
      assert.include(JSON.stringify(shared.requests[0]?.messages.at(-1)), "Is this good?")
      assert.isTrue(done.get("fair").decision)
    }).pipe(withModel(shared))
  })

  it("keeps the name, the outline and the handle of the step", () => {
    const step = euros.pipe(Step.provide(Layer.succeed(Rates, { euro: 5 })))
    assert.strictEqual(step.node, euros.node)
    assert.strictEqual(step.name, "euros")
    assert.isTrue(Note.isHandle(step) && step.key === "euros")
  })

  it.effect("does not appear in paths, and leaves failures as they are", () =>
    Effect.gen(function* () {
      const failing = Step.make("pay", { run: Effect.flatMap(Rates, () => Effect.fail(new Unpaid())) })
      const all = Pipeline.sequence("all", [failing.pipe(Step.provide(Layer.succeed(Rates, { euro: 5 })))])
      const error = yield* Effect.flip(Pipeline.run(all, yield* start))
      assert.deepStrictEqual([error.cause._tag, error.path], ["Unpaid", ["all", "pay"]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails like the layer, at the step that needs it, which does not run", () =>
    Effect.gen(function* () {
      let calls = 0
      const broken = Layer.effect(Rates, Effect.delay(Effect.fail(new Unpaid()), "1 second"))
      const pay = Step.make("pay", { run: Effect.map(Rates, () => ++calls) }).pipe(Step.provide(broken))
      const fiber = yield* Effect.forkChild(Effect.flip(Pipeline.run(Pipeline.sequence("all", [pay]), yield* start)))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        [error.cause._tag, error.path, error.message],
        ["Unpaid", ["all", "pay"], "all/pay failed after 1000 ms: Unpaid: it has no message"]
      )
      assert.strictEqual(calls, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("says of each attempt how long the layer took to fail", () =>
    Effect.gen(function* () {
      let times = 0
      const broken = Layer.effect(
        Rates,
        Effect.suspend(() => Effect.delay(Effect.fail(new Unpaid()), `${++times} seconds`))
      )
      const pay = Step.make("pay", { run: Effect.asVoid(Rates) }).pipe(Step.provide(broken), Step.retry({ times: 1 }))
      const fiber = yield* Effect.forkChild(Effect.flip(Pipeline.run(pay, yield* start)))
      yield* TestClock.adjust("3 seconds")
      const { before } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        before.map(({ durationMillis, path }) => [path, durationMillis]),
        [[["retry(pay)", "pay"], 1000]]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("builds a layer for each attempt and releases it", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const layer = Layer.effect(
        Rates,
        Effect.acquireRelease(
          Effect.sync(() => ({ euro: told.push("open") })),
          () => Effect.sync(() => told.push("close"))
        )
      )
      const pay = Step.make("pay", {
        run: Effect.flatMap(Rates, ({ euro }) =>
          euro === 1 ? Effect.fail(new Unpaid()) : Effect.sync(() => told.push("pay"))
        )
      })
      yield* Pipeline.run(pay.pipe(Step.provide(layer), Step.retry()), yield* start)
      assert.deepStrictEqual(told, ["open", "close", "open", "pay", "close"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("may be recovered from like any failure", () =>
    Effect.gen(function* () {
      const broken = Layer.effect(Rates, Effect.fail(new Unpaid()))
      const other = Step.make("euros", { schema: Schema.Finite, run: () => 1 })
      const step = euros.pipe(Step.provide(broken), Step.recover(other, { when: "Unpaid" }))
      assert.strictEqual((yield* Pipeline.run(step, yield* start)).get("euros"), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not hide the provider of other steps behind it", () => {
    const model = Testing.scripted([yes])
    return Effect.gen(function* () {
      const seen: Array<string> = []
      const name = (step: string) =>
        Step.make(step, { run: Effect.map(Provider.Provider, (one) => seen.push(one.name)) })
      const inner = Testing.scripted([], { name: "inner" })
      yield* Pipeline.run(
        Pipeline.sequence("all", [name("a").pipe(Step.provide(inner.layer)), name("b")]),
        yield* start
      )
      assert.deepStrictEqual(seen, ["inner", "scripted"])
    }).pipe(withModel(model))
  })
})

describe("a named step", () => {
  it.effect("is found under its name, one level further out", () =>
    Effect.gen(function* () {
      const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
      const first = one.pipe(Step.named("first"))
      const done = yield* Pipeline.run(Pipeline.sequence("all", [first]), yield* start)
      assert.strictEqual(done.note("one")?.step, "all/first/one")
      assert.strictEqual(yield* Thought.read(done, first), 1)
      assert.deepStrictEqual(first.node, {
        name: "first",
        kind: "named",
        reads: [],
        writes: ["one"],
        surely: ["one"],
        children: [one.node]
      })
      assert.deepStrictEqual(Step.named(one, "first").node, first.node)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets one step occur twice where names must differ", () =>
    Effect.gen(function* () {
      let calls = 0
      const count = Step.make("count", { run: () => ++calls })
      assert.throws(() => Pipeline.sequence("all", [count, count]), /named "count"/)
      const all = Pipeline.sequence("all", [count, count.pipe(Step.named("again"))])
      yield* Pipeline.run(all, yield* start)
      assert.strictEqual(calls, 2)
    }).pipe(Effect.provide(Testing.memory))
  )
})
