import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, replies, start, ticket, withModel } from "./triage.ts"

// Looking at a failure on its way out.

class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {}

const size = Step.make("size", { schema: Schema.Finite, run: () => 3 })
const unpaid = (amount = 1) => Step.make("pay", { run: Effect.fail(new Unpaid({ amount })) })

/** A handler that remembers what it was given. */
const watching =
  <E>(seen: Array<Pipeline.Failure<E>>) =>
  (failure: Pipeline.Failure<E>) =>
    Effect.sync(() => seen.push(failure))

const failed = <Out, E>(step: Step.Step<{}, Out, E, Memory.Memory>) =>
  Effect.gen(function* () {
    return yield* Effect.flip(Pipeline.run(step, yield* start))
  }).pipe(Effect.provide(Testing.memory))

describe("a handler", () => {
  it.effect("is not called when the step succeeds, whose note is kept [C499] [C506] [C510]", () =>
    Effect.gen(function* () {
      let calls = 0
      const tags: Array<string> = []
      const handled = Step.handle(size, () => Effect.sync(() => calls++), { name: "handled" })
      const thought = yield* start
      const done = yield* Signal.listen(({ _tag }) => tags.push(_tag))(Pipeline.run(handled, thought))
      assert.strictEqual(calls, 0)
      assert.strictEqual(done.get("size"), 3)
      assert.strictEqual(yield* Thought.read(yield* Memory.load(thought.id), handled), 3)
      assert.notInclude(tags, "FailureIgnored")
      assert.notInclude(tags, "StepFailed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("receives where and how it failed, and the thought; the error stays unchanged [C500] [C510]", () =>
    Effect.gen(function* () {
      const seen: Array<readonly [Pipeline.Failure<Unpaid>, ReadonlyArray<string>]> = []
      const error = new Unpaid({ amount: 5 })
      const handled = Step.handle(
        Step.make("pay", { run: Effect.delay(Effect.fail(error), "2 seconds") }),
        (failure, thought) => Effect.sync(() => seen.push([failure, Thought.notes(thought).map(({ key }) => key)])),
        { name: "handled" }
      )
      const fiber = yield* Effect.forkChild(failed(Pipeline.sequence("all", [size, handled])))
      yield* TestClock.adjust("2 seconds")
      const raised = yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [
        [
          { path: ["all", "handled", "pay"], cause: error, durationMillis: 2000, before: [], beside: [] },
          ["message", "size"]
        ]
      ])
      assert.strictEqual(raised.cause, error)
      assert.deepStrictEqual(raised.path, ["all", "handled", "pay"])
    })
  )

  it.effect("sees the path into the step [C505]", () =>
    Effect.gen(function* () {
      const seen: Array<Pipeline.Failure<Unpaid>> = []
      const inner = Pipeline.sequence("order", [size, unpaid()])
      const error = yield* failed(Step.handle(inner, watching(seen), { name: "handled" }))
      assert.deepStrictEqual(
        seen.map(({ path }) => path),
        [["handled", "order", "pay"]]
      )
      assert.deepStrictEqual(error.path, ["handled", "order", "pay"])
    })
  )

  it.effect("receives an error of any type, which passes unchanged [C504]", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const handled = Step.handle(
        Step.make("pay", { run: Effect.fail("no money") }),
        ({ cause }) => Effect.sync(() => seen.push(cause)),
        { name: "handled" }
      )
      const error = yield* failed(handled)
      assert.deepStrictEqual(seen, ["no money"])
      assert.strictEqual(error.cause, "no money")
    })
  )

  it.effect("that fails is ignored, with a signal [C501]", () =>
    Effect.gen(function* () {
      const ignored: Array<unknown> = []
      const handled = Step.handle(unpaid(7), () => Effect.fail(providerError()), { name: "handled" })
      const error = yield* failed(handled).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "FailureIgnored") ignored.push([signal.path, signal.step, signal.error])
        })
      )
      assert.deepStrictEqual(ignored, [[["handled"], "handled", "ProviderError"]])
      assert.deepStrictEqual([error.cause, error.path], [new Unpaid({ amount: 7 }), ["handled", "pay"]])
    })
  )

  it.effect("that dies is a defect, which does not hide what the step failed with [C625]", () =>
    Effect.gen(function* () {
      const handled = Step.handle(
        unpaid(7),
        () => {
          throw new Error("a bug")
        },
        { name: "handled" }
      )
      const exit = yield* Effect.exit(Pipeline.run(handled, yield* start))
      const reasons = Exit.isFailure(exit) ? exit.cause.reasons : []
      assert.deepStrictEqual(
        reasons.map(({ _tag }) => _tag),
        ["Fail", "Die"]
      )
      const [first, second] = reasons
      assert.strictEqual(first !== undefined && Cause.isFailReason(first) && first.error.cause._tag, "Unpaid")
      assert.include(second !== undefined && Cause.isDieReason(second) ? String(second.defect) : "", "a bug")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that returns no effect is an error that names the step, beside what the step failed with", () =>
    Effect.gen(function* () {
      // as a program in JavaScript may
      const handler = (() => Promise.resolve("done")) as unknown as () => Effect.Effect<void>
      const exit = yield* Effect.exit(Pipeline.run(Step.handle(unpaid(7), handler, { name: "handled" }), yield* start))
      const [first, second] = Exit.isFailure(exit) ? exit.cause.reasons : []
      assert.strictEqual(first !== undefined && Cause.isFailReason(first) && first.error.cause._tag, "Unpaid")
      const defect = second !== undefined && Cause.isDieReason(second) ? second.defect : undefined
      assert.instanceOf(defect, Error)
      assert.include(String(defect), `The handler of the step "handled" has to return an effect, not `)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is not called for a defect [C507]", () =>
    Effect.gen(function* () {
      let calls = 0
      const handled = Step.handle(
        Step.make("pay", { run: Effect.die(new Error("a bug")) }),
        () => Effect.sync(() => calls++),
        { name: "handled" }
      )
      const exit = yield* Effect.exit(Pipeline.run(handled, yield* start))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
      assert.strictEqual(calls, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is not called for interruption, which stays interruption", () =>
    Effect.gen(function* () {
      let calls = 0
      const called = yield* Deferred.make<void>()
      const handled = Step.handle(
        Step.make("pay", { run: Effect.andThen(Deferred.succeed(called, undefined), Effect.never) }),
        () => Effect.sync(() => calls++),
        { name: "handled" }
      )
      const fiber = yield* Effect.forkChild(Pipeline.run(handled, yield* start))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.strictEqual(calls, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be interrupted together with the run", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const handled = Step.handle(unpaid(), () => Effect.andThen(Deferred.succeed(called, undefined), Effect.never), {
        name: "handled"
      })
      const fiber = yield* Effect.forkChild(Pipeline.run(handled, yield* start))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of one step serves several runs at once, each with its own failure [C502]", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const amount = Note.handle("amount", Schema.FiniteFromString)
      const handled = Step.handle(
        Step.make("pay", {
          run: Note.from(amount, (n) => Effect.delay(Effect.fail(new Unpaid({ amount: n })), n))
        }),
        ({ cause }, thought) => Effect.sync(() => seen.push(`${thought.get("amount")}: ${cause.amount}`)),
        { name: "handled" }
      )
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          [30, 10, 20],
          (n) =>
            Effect.gen(function* () {
              const thought = yield* Thought.write(yield* Thought.make("pay"), amount, n)
              const { cause } = yield* Effect.flip(Pipeline.run(handled, thought))
              return cause._tag === "Unpaid" ? cause.amount : undefined
            }),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(30)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [30, 10, 20])
      assert.deepStrictEqual(seen, ["10: 10", "20: 20", "30: 30"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("around a retry sees the earlier attempts, and inside one is called for each", () =>
    Effect.gen(function* () {
      const outside: Array<Pipeline.Failure<Unpaid>> = []
      const inside: Array<Pipeline.Failure<Unpaid>> = []
      let amount = 0
      const pay = Step.make("pay", { run: Effect.suspend(() => Effect.fail(new Unpaid({ amount: ++amount }))) })
      const error = yield* failed(
        pay.pipe(Step.handle(watching(inside)), Step.retry({ times: 2 }), Step.handle(watching(outside)))
      )
      assert.deepStrictEqual(
        inside.map(({ cause }) => cause.amount),
        [1, 2, 3]
      )
      assert.deepStrictEqual(
        outside.map(({ before, cause }) => [cause.amount, before.map((earlier) => (earlier.cause as Unpaid).amount)]),
        [[3, [1, 2]]]
      )
      assert.deepStrictEqual(error.path, ["handle(retry(handle(pay)))", "retry(handle(pay))", "handle(pay)", "pay"])
      assert.lengthOf(error.before, 2)
    })
  )
})

describe("a handled step", () => {
  it.effect("keeps what was stored before the failure", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const handled = Pipeline.sequence("order", [ticket, unpaid()]).pipe(Step.handle(() => Effect.void))
      const error = yield* Effect.flip(Pipeline.run(handled, thought))
      const stored = yield* Memory.load(thought.id)
      assert.deepStrictEqual(
        Thought.notes(stored).map(({ key }) => key),
        ["message", "ticket"]
      )
      assert.deepStrictEqual(stored.toJSON(), error.thought?.toJSON())
    }).pipe(withModel(Testing.scripted([replies.ticket])))
  )

  it("is in the outline with what it holds, and is the handle of its note [C511]", () => {
    const handled = Step.handle(size, () => Effect.void)
    assert.deepStrictEqual(handled.node, {
      name: "handle(size)",
      kind: "handle",
      reads: [],
      writes: ["size"],
      surely: ["size"],
      children: [size.node]
    })
    assert.isTrue(Note.isHandle(handled) && handled.key === "size")
  })
})
