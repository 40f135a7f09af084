import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Random, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { fail, failed, hang, keys, late, run, silentOn, start, told, Unread, write, yes } from "./branching.ts"
import { withModel } from "./triage.ts"

// Several steps beside each other on one thought, whose notes are put together.

const ask = <const K extends string>(key: K) => Primitive.decide(key, { question: `${key}?` })

describe("concurrent steps", () => {
  it.effect("add their notes to the thought, in the order they are declared [C548]", () =>
    Effect.gen(function* () {
      const { done, signals, stored } = yield* run(
        Pipeline.sequence("all", [Pipeline.concurrent("both", { pro: write("good"), con: write("bad") })])
      )
      assert.strictEqual(done.get("good"), "by good")
      assert.strictEqual(done.get("bad"), "by bad")
      assert.deepStrictEqual(
        Thought.notes(stored).map(({ key, seq, step }) => [key, seq, step]),
        [
          ["text", 1, ""],
          ["good", 2, "all/both/pro/good"],
          ["bad", 3, "all/both/con/bad"]
        ]
      )
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.deepStrictEqual(told(signals, "BranchesCompleted"), [{ at: "all/both", succeeded: 2, failed: 0 }])
    })
  )

  it.effect("run at the same time [C549]", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        run(Pipeline.concurrent("all", [late("a", 10), late("b", 30), late("c", 20)]))
      )
      yield* TestClock.adjust(29)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(keys((yield* Fiber.join(fiber)).stored), ["text", "a", "b", "c"])
    })
  )

  it.effect("run no more at a time than `concurrency` allows", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("all", [late("a", 10), late("b", 10), late("c", 10)], { concurrency: 2 })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(19)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
    })
  )

  it.effect("run no more at a time than `concurrency` allows where some may fail", () =>
    Effect.gen(function* () {
      const options = { concurrency: 2, minSuccesses: 2 }
      const fiber = yield* Effect.forkChild(
        run(Pipeline.concurrent("all", [late("a", 10), late("b", 10), late("c", 10)], options))
      )
      yield* TestClock.adjust(19)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(keys((yield* Fiber.join(fiber)).stored), ["text", "a", "b", "c"])
    })
  )

  it.effect("give the same thought and the same next request, whatever their timing [C790]", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (let i = 0; i < 40; i++) {
        const names = ["e", "a", "d", "b", "c"] as const
        const delays: Array<number> = []
        for (const _ of names) delays.push(yield* Random.nextIntBetween(1, 100))
        const min = i % 2 === 0 ? {} : { minSuccesses: 3 }
        const branches = names.map((name, at) => late(name, delays[at]!))
        const step = Pipeline.sequence("all", [
          Pipeline.concurrent("five", branches as unknown as readonly [Step.Step<{}, {}>], min),
          ask("next")
        ])
        const model = Testing.scripted([yes])
        const fiber = yield* Effect.forkChild(run(step, model))
        yield* TestClock.adjust(100)
        const { done, stored } = yield* Fiber.join(fiber)
        assert.deepStrictEqual(stored.toJSON(), done.toJSON())
        const notes = Thought.notes(stored).map(({ content, key, seq, source, step }) => [
          key,
          content,
          seq,
          source,
          step
        ])
        const sent = model.requests.flatMap(({ messages }) => messages.map(({ text }) => text))
        // the lines around notes are other ones in every thought
        seen.add(JSON.stringify([notes, sent]).replaceAll(/note [0-9a-f]{8}/g, "note"))
      }
      assert.strictEqual(seen.size, 1)
      assert.match([...seen].join(), /^\[\[\["text",.*\["e",.*\["a",.*\["d",.*\["b",.*\["c",.*\["next",/)
    }).pipe(Random.withSeed("concurrent"))
  )

  it.effect("see the thought as it was, and leave the conversation as it was", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => yes)
      const { done, stored } = yield* run(
        Pipeline.sequence("all", [
          ask("before"),
          Pipeline.concurrent("both", [ask("a"), Pipeline.sequence("b", [ask("b1"), ask("b2")])]),
          ask("after")
        ]),
        model
      )
      const fresh = new Map(
        model.requests.map(
          ({ task }) => [task.instruction, task.context.filter((note) => note.fresh).map(({ key }) => key)] as const
        )
      )
      assert.deepStrictEqual(fresh.get("a?"), [])
      assert.deepStrictEqual(fresh.get("b1?"), [])
      assert.deepStrictEqual(fresh.get("b2?"), [])
      assert.deepStrictEqual(fresh.get("after?"), ["a", "b1", "b2"])
      // the calls before and after: none of the branches'
      assert.strictEqual(done.session.length, 4)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )

  it.effect("write notes that a later step combines [C555]", () =>
    Effect.gen(function* () {
      const half = Step.make("half", {
        schema: Schema.Finite,
        run: Note.from(Note.handle("text", Schema.String), (value) => (value.length - 1) / 2)
      })
      const ten = Step.make("ten", { schema: Schema.Finite, run: () => 10 })
      const sum = Step.make("sum", {
        schema: Schema.Finite,
        run: Note.from({ half, ten }, (notes) => notes.half + notes.ten)
      })
      const { done } = yield* run(Pipeline.sequence("all", [Pipeline.concurrent("both", [half, ten]), sum]))
      assert.strictEqual(done.get("sum"), 20)
    })
  )

  it.effect("may be a single one", () =>
    Effect.gen(function* () {
      const { stored } = yield* run(Pipeline.concurrent("one", [write("a")]))
      assert.deepStrictEqual(keys(stored), ["text", "a"])
    })
  )

  it.effect("may contain others, whose notes are among theirs", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(
        Pipeline.concurrent("outer", [Pipeline.concurrent("inner", [late("a", 0), write("b")]), write("c")])
      )
      assert.deepStrictEqual(keys(stored), ["text", "a", "b", "c"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )
})

describe("two steps that write the same key", () => {
  const text = <const K extends string>(name: string, key: K, value: string, millis = 0) =>
    Pipeline.sequence(name, [
      Step.make(key, {
        schema: Schema.String,
        run: millis === 0 ? () => value : Effect.as(Effect.sleep(millis), value)
      })
    ])

  it.effect("leave the value of the one declared last, even when it was first", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("both", [text("one", "mood", "glad", 20), text("two", "mood", "sad")], {
        conflicts: "last"
      })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(20)
      const { done, stored } = yield* Fiber.join(fiber)
      assert.strictEqual(done.get("mood"), "sad")
      assert.deepStrictEqual(
        Thought.history(stored, "mood").map(({ content }) => content),
        ["glad", "sad"]
      )
    })
  )

  it.effect("leave the value of an earlier one if the last one writes no value", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent(
        "both",
        [text("one", "mood", "glad"), Pipeline.filter("two", { when: () => false, step: text("no", "mood", "sad") })],
        { conflicts: "last" }
      )
      const { done } = yield* run(step)
      const mood: string = done.get("mood")
      assert.strictEqual(mood, "glad")
    })
  )

  it.effect("keep both under the names of the branches, with their types and trust", () =>
    Effect.gen(function* () {
      const size = Step.make("size", {
        schema: Schema.Finite,
        run: Note.from(Note.handle("text", Schema.String), (value) => value.length)
      })
      const step = Pipeline.concurrent(
        "both",
        { one: size, two: Step.make("size", { schema: Schema.Finite, run: () => 2 }) },
        { conflicts: "namespace" }
      )
      const { done, stored } = yield* run(step)
      const sizes: ReadonlyArray<number> = [done.get("one.size"), done.get("two.size")]
      assert.deepStrictEqual(sizes, [21, 2])
      assert.deepStrictEqual(keys(stored), ["text", "one.size", "two.size"])
      assert.strictEqual(stored.note("one.size")?.trust, "untrusted")
      assert.strictEqual(yield* Thought.read(stored, Note.handle("two.size", Schema.Finite)), 2)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.deepStrictEqual(
        [step.node.writes, step.node.surely],
        [
          ["one.size", "two.size"],
          ["one.size", "two.size"]
        ]
      )
    })
  )
})

describe("a step that fails beside others", () => {
  it.effect("fails all of them, and interrupts their calls [C783]", () =>
    Effect.gen(function* () {
      const { interrupted, model } = silentOn(["slow", "slower"])
      const half = Pipeline.sequence("half", [ask("quick"), ask("slow")])
      const step = Pipeline.concurrent("all", { half, con: fail("bad", 10), pro: ask("slower"), good: write("good") })
      const fiber = yield* Effect.forkChild(failed(Pipeline.sequence("outer", [step]), model))
      yield* TestClock.adjust(10)
      const { error, signals, stored } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(error.path, ["outer", "all", "con", "bad"])
      assert.instanceOf(error.cause, Unread)
      assert.deepStrictEqual(interrupted.toSorted(), ["slow", "slower"])
      // what a stopped branch had done already is gone with it
      assert.deepStrictEqual(keys(stored), ["text"])
      assert.strictEqual(stored.session.length, 0)
      assert.deepStrictEqual(stored.toJSON(), error.thought?.toJSON())
      // neither succeeded nor failed, but stopped, are the two that hung
      assert.deepStrictEqual(told(signals, "BranchesCompleted"), [{ at: "outer/all", succeeded: 1, failed: 1 }])
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [])
      assert.deepStrictEqual(
        told(signals, "StepFailed")
          .map((one) => JSON.stringify(one))
          .filter((one) => one.includes("Interrupted")).length,
        4
      )
    })
  )

  it.effect("does not start branches that wait for their turn", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const begin = Step.make("begin", { run: Effect.sync(() => void begun.push("begin")) })
      yield* failed(Pipeline.concurrent("all", [fail("a"), begin], { concurrency: 1 }))
      assert.deepStrictEqual(begun, [])
    })
  )

  it.effect("has the earlier failures of others beside it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const behind = (name: string) =>
        Step.make(name, { run: Effect.andThen(Deferred.await(gate), Effect.fail(new Unread({ canary: name }))) })
      const open = Step.make("open", { run: Deferred.succeed(gate, undefined) })
      const { error } = yield* failed(Pipeline.concurrent("all", [behind("a"), behind("b"), open]))
      assert.deepStrictEqual(error.path, ["all", "a"])
      assert.deepStrictEqual(
        error.beside.map(({ path }) => path),
        [["all", "b"]]
      )
    })
  )

  it.effect("leaves nothing for the next attempt of a retry around them", () =>
    Effect.gen(function* () {
      let attempts = 0
      const flaky = Step.make("flaky", {
        schema: Schema.Finite,
        run: Effect.suspend(() => (++attempts < 3 ? Effect.fail("busy") : Effect.succeed(attempts)))
      })
      const model = Testing.scripted(() => yes)
      const step = Step.retry(Pipeline.concurrent("both", [ask("a"), flaky], { concurrency: 1 }), {
        times: 2,
        name: "patient"
      })
      const { done, stored } = yield* run(step, model)
      assert.deepStrictEqual(keys(stored), ["text", "a", "flaky"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.strictEqual(new Set(model.requests.map(({ messages }) => JSON.stringify(messages))).size, 1)
      assert.strictEqual(model.requests.length, 3)
    })
  )
})

describe("a minimum of successes", () => {
  it.effect("keeps successes, signals failures, and reports all by name [C556] [C558] [C560]", () =>
    Effect.gen(function* () {
      const half = Pipeline.sequence("half", [ask("quick"), fail("never")])
      const step = Pipeline.concurrent(
        "all",
        { pro: write("good"), con: half, aside: Step.make("aside", { run: Effect.void }) },
        { minSuccesses: 2, report: "how" }
      )
      const { done, signals, stored } = yield* run(step, Testing.scripted([yes]))
      assert.deepStrictEqual(done.get("how"), [
        { name: "pro", outcome: "success", keys: ["good"] },
        { name: "con", outcome: "failure", keys: [], error: "Unread" },
        { name: "aside", outcome: "success", keys: [] }
      ])
      assert.deepStrictEqual(keys(stored), ["text", "good", "how"])
      assert.deepStrictEqual(yield* Thought.read(stored, step), done.get("how"))
      assert.strictEqual(stored.note("how")?.source, "concurrent")
      assert.notInclude(JSON.stringify(stored), "secret")
      assert.strictEqual(stored.session.length, 0)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [{ at: "all", step: "con", error: "Unread" }])
      assert.deepStrictEqual(told(signals, "BranchesCompleted"), [{ at: "all", succeeded: 2, failed: 1 }])
    })
  )

  it.effect("signals each failure that it ignores, in the order of the branches", () =>
    Effect.gen(function* () {
      const branches = { first: fail("a", 20), good: write("good"), second: fail("b", 10), last: fail("c") }
      const fiber = yield* Effect.forkChild(run(Pipeline.concurrent("all", branches, { minSuccesses: 1 })))
      yield* TestClock.adjust("1 second")
      const { done, signals } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(keys(done), ["text", "good"])
      assert.deepStrictEqual(
        told(signals, "FailureIgnored"),
        ["first", "second", "last"].map((step) => ({ at: "all", step, error: "Unread" }))
      )
      assert.deepStrictEqual(told(signals, "BranchesCompleted"), [{ at: "all", succeeded: 1, failed: 3 }])
    })
  )

  it.effect("reports with the trust of the thought and of what the branches wrote", () =>
    Effect.gen(function* () {
      const branch = <const K extends string>(key: K, trust: Note.Trust) =>
        Step.make(key, { trust, schema: Schema.String, run: () => "text" })
      const trustOf = (trust: Note.Trust, of: Note.Trust) =>
        Effect.gen(function* () {
          const step = Pipeline.concurrent("all", [branch("a", "trusted"), branch("b", of)], { report: "how" })
          const done = yield* Pipeline.run(step, yield* Thought.make("review", { text: "At noon." }, { trust }))
          return done.note("how")?.trust
        }).pipe(Effect.provide(Testing.memory))
      assert.strictEqual(yield* trustOf("trusted", "trusted"), "trusted")
      assert.strictEqual(yield* trustOf("untrusted", "trusted"), "untrusted")
      assert.strictEqual(yield* trustOf("trusted", "untrusted"), "untrusted")
    })
  )

  it.effect("reports a key once that a branch writes several times", () =>
    Effect.gen(function* () {
      const twice = Pipeline.sequence("twice", [write("a"), write("b"), Step.named(write("a"), "again")], {
        overwrite: true
      })
      const { done } = yield* run(Pipeline.concurrent("all", [twice], { report: "how" }), Testing.scripted([]))
      assert.deepStrictEqual(done.get("how"), [{ name: "twice", outcome: "success", keys: ["a", "b"] }])
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key }) => key),
        ["text", "a", "b", "a", "how"]
      )
    })
  )

  it.effect("reports keys as written, under the names of the branches", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent(
        "all",
        { one: write("a"), two: write("a") },
        { conflicts: "namespace", report: "how" }
      )
      const { done } = yield* run(step)
      assert.deepStrictEqual(
        done.get("how").map((branch) => branch.keys),
        [["one.a"], ["two.a"]]
      )
    })
  )

  it.effect("waits for all of them: neither a failure nor enough successes stop any", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("all", [fail("a"), write("b"), late("c", 50)], { minSuccesses: 1 })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(49)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(keys((yield* Fiber.join(fiber)).stored), ["text", "b", "c"])
    })
  )

  it.effect("that is not reached fails with the causes, and stores nothing", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("all", [write("a"), fail("b"), fail("c")], { minSuccesses: 2 })
      const { error, signals, stored } = yield* failed(step)
      const { cause } = error
      if (cause._tag !== "BranchesFailed") throw cause
      assert.instanceOf(cause, Pipeline.BranchesFailed)
      assert.deepStrictEqual([cause.step, cause.succeeded, cause.needed], ["all", 1, 2])
      assert.deepStrictEqual(
        cause.failures.map(({ branch, cause, path }) => [branch, path, cause.canary]),
        [
          ["b", ["all", "b"], "secret text"],
          ["c", ["all", "c"], "secret text"]
        ]
      )
      assert.deepStrictEqual(error.path, ["all"])
      assert.deepStrictEqual(keys(stored), ["text"])
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [])
      assert.deepStrictEqual(told(signals, "BranchesCompleted"), [{ at: "all", succeeded: 1, failed: 2 }])
    })
  )

  it.effect(
    "that is not reached has the failures beside it, each with what failed before it and how long it took",
    () =>
      Effect.gen(function* () {
        const branches = {
          a: write("a"),
          b: Step.retry(fail("b", 10), { times: 1, name: "again" }),
          c: fail("c", 5)
        }
        const all = Pipeline.sequence("all", [Pipeline.concurrent("some", branches, { minSuccesses: 2 })])
        const fiber = yield* Effect.forkChild(failed(all))
        yield* TestClock.adjust(20)
        const { error } = yield* Fiber.join(fiber)
        const plain = ({ before, cause, durationMillis, path }: Pipeline.Failure): unknown => [
          path.join("/"),
          cause instanceof Error && cause.name,
          durationMillis,
          before.map(plain)
        ]
        assert.deepStrictEqual(
          [plain(error), ...error.beside.map(plain)],
          [
            ["all/some", "BranchesFailed", 20, []],
            ["all/some/b/again/b", "Unread", 10, [["all/some/b/again/b", "Unread", 10, []]]],
            ["all/some/c", "Unread", 5, []]
          ]
        )
      })
  )

  it.effect("that is not reached is retryable if one of the failures is", () =>
    Effect.gen(function* () {
      class Wrong extends Data.TaggedError("Wrong")<{}> {
        readonly isRetryable = false
      }
      for (const [last, expected] of [
        [new Wrong(), 1],
        ["busy", 3]
      ] as const) {
        let calls = 0
        const first = Step.make("first", { run: Effect.suspend(() => (calls++, Effect.fail(new Wrong()))) })
        const second = Step.make("second", { run: Effect.fail(last) })
        const step = Pipeline.concurrent("some", [first, second], { minSuccesses: 1 })
        const { error } = yield* failed(Step.retry(step, { times: 2, name: "patient" }))
        if (error.cause._tag !== "BranchesFailed") throw error.cause
        assert.strictEqual(error.cause.isRetryable, expected === 3)
        assert.strictEqual(calls, expected)
      }
    })
  )
})

describe("branches that are interrupted or have a defect", () => {
  const options = [{}, { minSuccesses: 1 }]

  it.effect.each(options)("interruption stops all of them and stays interruption: %o [C550]", (option) =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const thought = yield* start
      const branches = { done: write("a"), one: hang("one", first, ended), two: hang("two", second, ended) }
      const fiber = yield* Effect.forkChild(Pipeline.run(Pipeline.concurrent("all", branches, option), thought))
      yield* Deferred.await(first)
      yield* Deferred.await(second)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(ended.toSorted(), ["one", "two"])
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
    }).pipe(withModel(Testing.scripted([])))
  )

  it.effect.each(options)("interruption from inside of one branch interrupts all: %o", (option) =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const quit = Step.make("quit", { run: Effect.andThen(Deferred.await(begun), Effect.interrupt) })
      const exit = yield* Effect.exit(run(Pipeline.concurrent("all", [hang("one", begun, ended), quit], option)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(ended, ["one"])
    })
  )

  it.effect.each(options)("a defect stops the others and stays a defect: %o [C554] [C557]", (option) =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const broken = Step.make("broken", {
        run: Effect.andThen(Deferred.await(begun), Effect.die(new Error("broken by hand")))
      })
      const exit = yield* Effect.exit(run(Pipeline.concurrent("all", [hang("one", begun, ended), broken], option)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      assert.include(String(exit), "broken by hand")
      assert.deepStrictEqual(ended, ["one"])
    })
  )

  it.effect("switching to another thought is a defect that says what to do", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const fork = Primitive.checkpoint("fork")
      // as a step of one's own would be, of which the outline says nothing
      const away = { ...fork, node: { ...fork.node, leaves: undefined } } as unknown as Step.Step<{}, {}>
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.concurrent("all", { good: write("a"), away }), thought))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.match(String(exit), /branch "away" returned another thought/)
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
    }).pipe(withModel(Testing.scripted([])))
  )
})

describe("the outline of a concurrent", () => {
  it("has its branches, what they read and write, and its settings [C561]", () => {
    const size = Step.make("size", {
      schema: Schema.Finite,
      run: Note.from(Note.handle("good", Schema.String), (text) => text.length)
    })
    const step = Pipeline.concurrent("all", [write("good"), size])
    assert.deepStrictEqual(step.node, {
      name: "all",
      kind: "concurrent",
      reads: ["good"],
      writes: ["good", "size"],
      surely: ["good", "size"],
      children: [write("good").node, size.node],
      settings: { conflicts: "error", concurrency: "unbounded" },
      layout: { _tag: "Beside", meet: "all" }
    })
    const some = Pipeline.concurrent("all", [write("good"), size], { minSuccesses: 1, report: "how", concurrency: 3 })
    assert.deepStrictEqual(some.node.writes, ["good", "size", "how"])
    assert.deepStrictEqual(some.node.surely, ["how"])
    assert.deepStrictEqual(some.node.settings, { conflicts: "error", concurrency: 3, minSuccesses: 1, report: "how" })
  })
})

describe("a concurrent", () => {
  it.effect("may leave for later what reads no note of its branches, and name branches of a list like numbers", () =>
    Effect.gen(function* () {
      const message = Note.handle("message", Schema.String)
      const long = Step.make("long", { run: Note.from(message, (text) => text.length > 9) })
      const one = Pipeline.sequence("one", [write("a"), Pipeline.scaffold("later", { step: long })])
      const namespaced = Pipeline.concurrent("x", { one, two: write("b") }, { conflicts: "namespace" })
      assert.deepStrictEqual(namespaced.node.writes, ["one.a", "two.b"])
      const reading = Step.make("reading", { run: Note.from(write("a"), () => {}) })
      const now = { one: Pipeline.sequence("one", [write("a"), reading]), two: write("b") }
      assert.doesNotThrow(() => Pipeline.concurrent("x", now, { conflicts: "namespace" }))
      const overwritten = Pipeline.concurrent("x", { one, two: write("a") }, { conflicts: "last" })
      assert.deepStrictEqual(overwritten.node.writes, ["a"])
      const done = yield* Pipeline.run(Pipeline.concurrent("x", [write("2"), write("1")]), yield* start)
      assert.deepStrictEqual(keys(done).slice(-2), ["2", "1"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a concurrent is refused", () => {
  const two = [write("a"), write("b")] as const
  const long = Step.make("long", { run: Note.from(write("a"), (text) => text.length > 9) })
  const leaving = Pipeline.sequence("leaving", [write("a"), Pipeline.scaffold("later", { step: long })])
  const refusals: ReadonlyArray<readonly [string, () => Step.Any, RegExp]> = [
    ["without branches [C552]", () => Pipeline.concurrent("x", {}), /"x" needs at least one branch/],
    [
      "with two branches of a name",
      () => Pipeline.concurrent("x", [write("a"), Step.make("a", { run: Effect.void })]),
      /"x" has two branches named "a"/
    ],
    [
      "with two branches that write one key",
      // @ts-expect-error two branches write the same note
      () => Pipeline.concurrent("x", { one: write("a"), two: write("a") }),
      /the step "x" write "a": "one" and "two"/
    ],
    [
      "with a branch that writes the key of the report",
      // @ts-expect-error a branch writes the same note
      () => Pipeline.concurrent("x", two, { report: "a" }),
      /the step "x" write "a": "x" and "a"/
    ],
    [
      "with a branch that writes the key of the report, though the last one wins",
      // @ts-expect-error a branch writes the note of the report
      () => Pipeline.concurrent("x", two, { report: "b", conflicts: "last" }),
      /the step "x" write "b": "x" and "b"/
    ],
    [
      "with a list where names go before the keys",
      // @ts-expect-error a list has no names
      () => Pipeline.concurrent("x", two, { conflicts: "namespace" }),
      /"x" has conflicts "namespace", so it needs its branches as an object/
    ],
    [
      "with names that make one key of two",
      () => Pipeline.concurrent("x", { a: write("b.c"), "a.b": write("c") }, { conflicts: "namespace" }),
      /the step "x" write "a.b.c": "a" and "a.b"/
    ],
    [
      "with a branch that goes over to another thought",
      () => Pipeline.concurrent("x", { one: write("a"), two: Primitive.checkpoint("point") }),
      /"x" has a checkpoint in its branch "two"/
    ],
    [
      "with a step left for later that reads a note under a key that is another one then",
      () => Pipeline.concurrent("x", { one: leaving, two: write("a") }, { conflicts: "namespace" }),
      /"x" has a scaffold in its branch "one"\. It runs after the branches are merged, when "a" may have another key.*after the branches/
    ],
    [
      "with a step left for later where only its branch writes the note, whose key is another one then",
      () => Pipeline.concurrent("x", { one: leaving, two: write("b") }, { conflicts: "namespace" }),
      /"x" has a scaffold in its branch "one"\. It runs after the branches are merged, when "a"/
    ],
    [
      "with code left for later in such a branch, whatever it reads",
      () => {
        const one = write("a").pipe(Step.andThen(Step.once("later", () => Effect.void)))
        return Pipeline.concurrent("x", { one, two: write("b") }, { conflicts: "namespace" })
      },
      /"x" has a once in its branch "one"\. It runs after the branches are merged, when "a"/
    ],
    [
      "with a step left for later that reads a note that another branch writes",
      () => Pipeline.concurrent("x", { one: leaving, two: write("a") }, { conflicts: "last" }),
      /"x" has a scaffold in its branch "one"\. It runs after the branches are merged, when "a"/
    ],
    [
      "with more successes than branches",
      () => Pipeline.concurrent("x", two, { minSuccesses: 3 }),
      /"x" needs a minSuccesses from 1 to 2/
    ],
    [
      "with no success",
      () => Pipeline.concurrent("x", two, { minSuccesses: 0 }),
      /"x" needs a minSuccesses from 1 to 2/
    ],
    ["with no room for any", () => Pipeline.concurrent("x", two, { concurrency: 0 }), /"x" needs a concurrency from 1/]
  ]
  it.each(refusals)("%s", (_, build, message) => {
    assert.throws(build, message)
  })
})
