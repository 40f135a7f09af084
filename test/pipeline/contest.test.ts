import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Context, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { fail, failed, hang, keys, run, silentOn, start, told, Unread, write } from "./branching.ts"
import { withModel } from "./triage.ts"

// Several steps on one thought, of which the first to give something good enough goes on.

const price = (value: number, millis = 0) =>
  Step.make("price", { schema: Schema.Finite, run: Effect.as(Effect.sleep(millis), value) })
const cheap = (thought: Thought.Thought<{ readonly price: number }>) => thought.get("price") <= 10
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

describe("a contest", () => {
  it.effect("continues with the first accepted branch, not with the first that succeeds [C572] [C575] [C583]", () =>
    Effect.gen(function* () {
      const branches = { none: fail("broken"), dear: price(12), fine: price(9, 20), late: price(8, 30) }
      const fiber = yield* Effect.forkChild(
        run(
          Pipeline.sequence("all", [
            Pipeline.contest("contest", branches, { accept: (thought) => (thought.get("price") ?? 99) <= 10 })
          ])
        )
      )
      yield* TestClock.adjust(20)
      const { done, signals, stored } = yield* Fiber.join(fiber)
      assert.strictEqual(done.get("price"), 9)
      assert.deepStrictEqual(
        Thought.notes(stored).map(({ content, key, seq, step }) => [key, content, seq, step]),
        [
          ["text", "We will meet at noon.", 1, ""],
          ["price", "9", 2, "all/contest/fine/price"]
        ]
      )
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.deepStrictEqual(told(signals, "Won"), [{ at: "all/contest", branch: "fine" }])
      // not of the late one, which was stopped
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [
        { at: "all/contest", step: "none", error: "Unread" },
        { at: "all/contest", step: "dear", error: "NotAccepted" }
      ])
    })
  )

  it.effect("interrupts the calls of the others, which leave nothing behind [C578] [C783]", () =>
    Effect.gen(function* () {
      const { interrupted, model } = silentOn(["slow"])
      const half = Pipeline.sequence("half", [ask("done"), ask("slow")])
      const refused = Pipeline.sequence("refused", [write("worse"), ask("asked")])
      const { done, stored } = yield* run(
        Pipeline.contest("contest", [half, refused, Pipeline.sequence("good", [write("best")])], {
          accept: (thought) => thought.get("best") !== undefined
        }),
        model
      )
      assert.deepStrictEqual(interrupted, ["slow"])
      assert.deepStrictEqual(keys(stored), ["text", "best"])
      assert.strictEqual(stored.session.length, 0)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )

  it.effect("runs no more branches at a time than `concurrency` allows, like a race", () =>
    Effect.gen(function* () {
      const branches = { dear: price(12, 10), fine: price(9, 10), good: price(8, 10) }
      const contest = Pipeline.contest("contest", branches, { accept: cheap, concurrency: 1 })
      const race = Pipeline.race("race", { ...branches, dear: Step.timeout(branches.dear, 5) }, { concurrency: 1 })
      for (const running of [run(contest), run(race)]) {
        const fiber = yield* Effect.forkChild(running)
        yield* TestClock.adjust(100)
        const { done, signals } = yield* Fiber.join(fiber)
        assert.strictEqual(done.get("price"), 9)
        // the second one began when the first had ended, and the third never did
        const paths = signals.flatMap((signal) => (signal._tag === "StepStarted" ? [signal.path.join("/")] : []))
        assert.notInclude(paths.join(" "), "good")
      }
    })
  )

  it.effect("accepts a reader of a branch's notes", () =>
    Effect.gen(function* () {
      const { stored } = yield* run(
        Pipeline.contest("contest", { dear: price(12), fine: price(9) }, { accept: Note.from(price(0), (n) => n < 10) })
      )
      assert.strictEqual(stored.note("price")?.content, "9")
    })
  )

  class Limit extends Context.Service<Limit, { readonly euro: number }>()("test/Limit") {}

  it.effect("takes an effect that needs services", () =>
    Effect.gen(function* () {
      const step = Pipeline.contest(
        "contest",
        { dear: price(12), fine: price(9) },
        { accept: (thought) => Effect.map(Limit, ({ euro }) => thought.get("price") <= euro) }
      ).pipe((self) => Pipeline.sequence("all", [self]))
      const done = yield* Pipeline.run(step, yield* start).pipe(Effect.provideService(Limit, { euro: 10 }))
      assert.strictEqual(done.get("price"), 9)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("accepts an effect that does not use the thought", () =>
    Effect.gen(function* () {
      let asked = 0
      const accept = Effect.sync(() => ++asked === 2)
      const { signals } = yield* run(Pipeline.contest("contest", { one: price(1), two: price(2) }, { accept }))
      assert.deepStrictEqual(told(signals, "Won"), [{ at: "contest", branch: "two" }])
    })
  )

  it.effect("can lower its requirements over time [C580]", () =>
    Effect.gen(function* () {
      const branches = { first: price(12), second: price(13, 20), third: price(14, 30) }
      const accept = Effect.map(Clock.currentTimeMillis, (now) => now >= 20)
      const fiber = yield* Effect.forkChild(run(Pipeline.contest("contest", branches, { accept })))
      yield* TestClock.adjust(20)
      assert.strictEqual((yield* Fiber.join(fiber)).done.get("price"), 13)
    })
  )

  it.effect("does not keep a branch waiting for a slow verdict on another", () =>
    Effect.gen(function* () {
      const step = Pipeline.contest(
        "contest",
        { first: price(1), second: price(2) },
        { accept: (thought) => Effect.as(Effect.sleep(thought.get("price") === 1 ? 50 : 20), true) }
      )
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(20)
      assert.strictEqual((yield* Fiber.join(fiber)).done.get("price"), 2)
    })
  )

  it.effect("runs no more at a time than `concurrency` allows, and starts no branch after it is won", () =>
    Effect.gen(function* () {
      const begun: Array<number> = []
      const offer = (value: number) =>
        Step.make("price", { schema: Schema.Finite, run: Effect.sync(() => (begun.push(value), value)) })
      const branches = { a: offer(12), b: offer(9), c: offer(8) }
      yield* run(Pipeline.contest("contest", branches, { accept: cheap, concurrency: 1 }))
      assert.deepStrictEqual(begun, [12, 9])
    })
  )
})

describe("a contest that nobody wins", () => {
  class NoLimit extends Data.TaggedError("NoLimit")<{}> {}

  it.effect("names the branches that were tried, with the failures of the others beside it [C573] [C583]", () =>
    Effect.gen(function* () {
      const branches = { dear: price(12, 30), none: fail("broken", 10), dearer: price(13) }
      const step = Pipeline.contest("contest", branches, { accept: (thought) => (thought.get("price") ?? 0) < 10 })
      const fiber = yield* Effect.forkChild(failed(Pipeline.sequence("all", [step])))
      yield* TestClock.adjust(30)
      const { error, signals, stored } = yield* Fiber.join(fiber)
      const { cause } = error
      assert.instanceOf(cause, Pipeline.NoneAccepted)
      assert.deepStrictEqual([cause.step, cause.tried], ["contest", ["dear", "dearer"]])
      assert.strictEqual(
        cause.message,
        'The step "contest" accepted none of the branches that succeeded: "dear", "dearer". Relax `accept`, or add a fallback.'
      )
      assert.deepStrictEqual(error.path, ["all", "contest"])
      assert.deepStrictEqual(
        error.beside.map(({ cause, durationMillis, path }) => [
          path.join("/"),
          cause instanceof Unread,
          durationMillis
        ]),
        [["all/contest/none/broken", true, 10]]
      )
      assert.match(error.message, /^all\/contest failed after 30 ms: NoneAccepted: /)
      assert.deepStrictEqual(told(signals, "Won"), [])
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [])
      assert.deepStrictEqual(keys(stored), ["text"])
      assert.deepStrictEqual(stored.toJSON(), error.thought?.toJSON())
    })
  )

  it.effect("because all fail, fails like the first one declared, with the others beside it [C574]", () =>
    Effect.gen(function* () {
      const step = Pipeline.contest("contest", [fail("a", 10), fail("b")], { accept: () => true })
      const fiber = yield* Effect.forkChild(failed(step))
      yield* TestClock.adjust(10)
      const { error } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(error.path, ["contest", "a"])
      assert.instanceOf(error.cause, Unread)
      assert.deepStrictEqual(
        error.beside.map(({ path }) => path),
        [["contest", "b"]]
      )
    })
  )

  it.effect("fails with the error of `accept`, and stops the branches", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const step = Pipeline.contest("contest", [hang("slow", begun, ended), write("a")], {
        accept: Effect.andThen(Deferred.await(begun), new NoLimit())
      })
      const { error, stored } = yield* failed(step)
      assert.instanceOf(error.cause, NoLimit)
      assert.deepStrictEqual(error.path, ["contest"])
      assert.deepStrictEqual(ended, ["slow"])
      assert.deepStrictEqual(keys(stored), ["text"])
    })
  )

  it.effect("is interrupted together with all of its branches [C576]", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const thought = yield* start
      const branches = [hang("one", first, ended), hang("two", second, ended), write("three")] as const
      const step = Pipeline.contest("contest", branches, { accept: () => false })
      const fiber = yield* Effect.forkChild(Pipeline.run(step, thought))
      yield* Deferred.await(first)
      yield* Deferred.await(second)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(ended.toSorted(), ["one", "two"])
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
    }).pipe(withModel(Testing.scripted([])))
  )

  const broken = (): never => {
    throw new Error("broken by hand")
  }
  const defects: ReadonlyArray<readonly [string, Step.Step<{}, {}, unknown>]> = [
    ["a branch", Pipeline.contest("x", [write("a"), Step.make("b", { run: broken })], { accept: () => false })],
    ["the condition", Pipeline.contest("x", [write("a")], { accept: broken })]
  ]
  it.effect.each(defects)("by a defect of %s is a defect [C581]", ([, step]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(run(step))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(exit), "broken by hand")
    })
  )
})

describe("the outline of a contest", () => {
  it("has its branches, what they read, and as certain only what all of them write [C584]", () => {
    const limit = Note.handle("limit", Schema.Finite)
    const bounded = Step.make("price", { schema: Schema.Finite, run: Note.from(limit, (euro) => euro - 1) })
    const both = Pipeline.sequence("both", [price(1), write("good")])
    const accept = Note.from({ price: bounded, limit }, (notes) => notes.price <= notes.limit)
    assert.deepStrictEqual(Pipeline.contest("contest", [both, bounded], { accept }).node, {
      name: "contest",
      kind: "contest",
      reads: ["limit"],
      writes: ["price", "good"],
      surely: ["price"],
      children: [both.node, bounded.node],
      settings: { concurrency: "unbounded" },
      layout: { _tag: "Beside", meet: "first accepted" }
    })
  })
})

describe("a contest is refused", () => {
  const accept = () => true
  const refusals: ReadonlyArray<readonly [string, () => Step.Any, RegExp]> = [
    ["without branches [C577]", () => Pipeline.contest("x", {}, { accept }), /"x" needs at least one branch/],
    [
      "without a condition [C577]",
      // @ts-expect-error there is no condition
      () => Pipeline.contest("x", [write("a")], {}),
      /Pipeline.contest needs the option accept/
    ],
    [
      "with two branches of a name",
      () => Pipeline.contest("x", [write("a"), write("a")], { accept }),
      /two branches named "a"/
    ],
    [
      "with no room for any",
      () => Pipeline.contest("x", [write("a")], { accept, concurrency: 0 }),
      /"x" needs a concurrency/
    ]
  ]
  it.each(refusals)("%s", (_, build, message) => {
    assert.throws(build, message)
  })
})
