import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Random, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { fail, failed, hang, keys, late, run, silentOn, start, told, Unread, write, yes } from "./branching.ts"
import { providerError, withModel } from "./triage.ts"

// Several steps on one thought, of which the first to succeed goes on.

const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

describe("a race", () => {
  it.effect("continues with the first to succeed, whichever is declared first [C562]", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [
        Pipeline.race("race", { slow: late("a", 20), quick: late("b", 10), failing: fail("c") })
      ])
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(10)
      const { done, signals, stored } = yield* Fiber.join(fiber)
      assert.strictEqual(done.get("b"), "by b")
      assert.isUndefined(done.get("a"))
      assert.deepStrictEqual(
        Thought.notes(stored).map(({ key, seq, step }) => [key, seq, step]),
        [
          ["text", 1, ""],
          ["b", 2, "all/race/quick/b"]
        ]
      )
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      // told once, and by the name of the branch
      assert.deepStrictEqual(told(signals, "Won"), [{ at: "all/race", branch: "quick" }])
      // not of the slow one, which was stopped
      assert.deepStrictEqual(told(signals, "FailureIgnored"), [{ at: "all/race", step: "failing", error: "Unread" }])
    })
  )

  it.effect("interrupts the calls of the others, which leave nothing behind [C566] [C783]", () =>
    Effect.gen(function* () {
      const { interrupted, model } = silentOn(["slow", "slower"])
      const half = Pipeline.sequence("half", [ask("done"), ask("slow")])
      const { done, stored } = yield* run(Pipeline.race("race", [half, ask("slower"), late("b", 0)]), model)
      assert.deepStrictEqual(interrupted.toSorted(), ["slow", "slower"])
      assert.deepStrictEqual(keys(stored), ["text", "b"])
      assert.strictEqual(stored.session.length, 0)
      assert.deepStrictEqual(yield* Memory.children(done.id), [])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("leaves no thought of a loser that switched to another one [C783]", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const away = Pipeline.sequence("away", [Primitive.checkpoint("point"), hang("wait", begun, [])])
      const won = Step.make("won", { schema: Schema.String, run: Effect.as(Deferred.await(begun), "yes") })
      const thought = yield* start
      const done = yield* Pipeline.run(Pipeline.race("race", [away, won]), thought)
      assert.strictEqual(done.id, thought.id)
      assert.deepStrictEqual(yield* Memory.children(thought.id), [])
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text", "won"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps the whole conversation of the winner", () =>
    Effect.gen(function* () {
      const { model } = silentOn(["slow"])
      const winner = Pipeline.sequence("winner", [ask("one"), ask("two")])
      const { done, stored } = yield* run(
        Pipeline.sequence("all", [Pipeline.race("race", [ask("slow"), winner]), ask("after")]),
        model
      )
      assert.strictEqual(done.session.length, 6)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      // what the winner was shown is in the conversation, and not shown again
      const last = model.requests.at(-1)
      assert.strictEqual(last?.task.instruction, "after?")
      assert.deepStrictEqual(
        last?.task.context.filter(({ fresh }) => fresh).map(({ key }) => key),
        []
      )
      assert.strictEqual(last?.messages.length, 6)
    })
  )

  it.effect("has one winner whatever the timing, and what is stored is what is in memory", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 40; i++) {
        const names = ["a", "b", "c", "d"] as const
        const delays = new Map<string, number>()
        for (const name of names) delays.set(name, yield* Random.nextIntBetween(1, 50))
        const [first, ...more] = names.map((name) =>
          Pipeline.sequence(`run ${name}`, [late(name, delays.get(name)!), late(`${name}2`, 10)])
        )
        const fiber = yield* Effect.forkChild(run(Pipeline.race("race", [first!, ...more])))
        yield* TestClock.adjust(60)
        const { done, signals, stored } = yield* Fiber.join(fiber)
        const won = keys(stored)[1]!
        assert.strictEqual(delays.get(won), Math.min(...delays.values()))
        assert.deepStrictEqual(keys(stored), ["text", won, `${won}2`])
        assert.deepStrictEqual(told(signals, "Won"), [{ at: "race", branch: `run ${won}` }])
        assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      }
    }).pipe(Random.withSeed("race"))
  )

  it.effect("gives a tie to the one declared first", () =>
    Effect.gen(function* () {
      const { stored } = yield* run(Pipeline.race("race", [write("a"), write("b"), write("c")]))
      assert.deepStrictEqual(keys(stored), ["text", "a"])
    })
  )

  it.effect("with one branch is that branch", () =>
    Effect.gen(function* () {
      const of = (step: Step.Step<{}, {}, any, any>) => run(step, Testing.scripted([yes]))
      const alone = yield* of(ask("a"))
      const raced = yield* of(Pipeline.race("race", [ask("a")]))
      const plain = (thought: Thought.Thought<any>) => [
        Thought.notes(thought).map(({ content, key, seq, source }) => [key, content, seq, source]),
        thought.session.length
      ]
      assert.deepStrictEqual(plain(raced.stored), plain(alone.stored))
      const sent = ({ model }: { readonly model: Testing.Scripted }) =>
        model.requests.map(({ messages }) => messages.map(({ text }) => text.replaceAll(/note [0-9a-f]{8}/g, "note")))
      assert.deepStrictEqual(sent(raced), sent(alone))
      const error = (step: Step.Step<{}, {}, any, any>) =>
        Effect.map(failed(step, Testing.scripted([providerError()])), ({ error }) => [
          error.cause._tag,
          error.path.at(-1),
          error.beside.length
        ])
      assert.deepStrictEqual(yield* error(Pipeline.race("race", [ask("a")])), yield* error(ask("a")))
    })
  )

  it.effect("runs no more at a time than `concurrency` allows, and starts no branch after it is won", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const note = (name: string, ends: Effect.Effect<void, Unread>) =>
        Step.make(name, {
          run: Effect.andThen(
            Effect.sync(() => begun.push(name)),
            ends
          )
        })
      const no = Effect.fail(new Unread({ canary: "no" }))
      const branches = [note("a", no), note("b", Effect.void), note("c", Effect.void)] as const
      const { signals } = yield* run(Pipeline.race("race", branches, { concurrency: 1 }))
      assert.deepStrictEqual(begun, ["a", "b"])
      assert.deepStrictEqual(told(signals, "Won"), [{ at: "race", branch: "b" }])
    })
  )

  it.effect("starts no branch after it is won, even if there is room for it", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const late = Step.make("late", { run: Effect.sync(() => void begun.push("late")) })
      yield* run(Pipeline.race("race", [write("a"), late]))
      assert.deepStrictEqual(begun, [])
    })
  )
})

describe("a race that nobody wins", () => {
  it.effect("fails like the first one declared, with the others beside it [C563] [C570]", () =>
    Effect.gen(function* () {
      const step = Pipeline.race("race", { slow: fail("a", 30), quick: fail("b", 10), quicker: fail("c") })
      const fiber = yield* Effect.forkChild(failed(Pipeline.sequence("all", [step])))
      yield* TestClock.adjust(30)
      const { error, signals, stored } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(error.path, ["all", "race", "slow", "a"])
      assert.instanceOf(error.cause, Unread)
      assert.deepStrictEqual(
        error.beside.map(({ durationMillis, path }) => [path.join("/"), durationMillis]),
        [
          ["all/race/quick/b", 10],
          ["all/race/quicker/c", 0]
        ]
      )
      assert.notInclude(error.message, "secret")
      assert.deepStrictEqual(told(signals, "Won"), [])
      assert.deepStrictEqual(keys(stored), ["text"])
      assert.deepStrictEqual(stored.toJSON(), error.thought?.toJSON())
    })
  )

  it.effect("is interrupted together with all of its branches [C564]", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const thought = yield* start
      const step = Pipeline.race("race", [hang("one", first, ended), hang("two", second, ended), fail("three")])
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

  it.effect("because of a defect is a defect: no other branch hides it [C568]", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const broken = Step.make("broken", {
        run: Effect.andThen(Deferred.await(begun), Effect.die(new Error("broken by hand")))
      })
      const exit = yield* Effect.exit(run(Pipeline.race("race", [hang("one", begun, ended), broken])))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(exit), "broken by hand")
      assert.deepStrictEqual(ended, ["one"])
    })
  )
})

describe("the outline of a race", () => {
  it("has its branches, and as certain only what all of them write [C571]", () => {
    const size = Step.make("size", {
      schema: Schema.Finite,
      run: Note.from(Note.handle("text", Schema.String), (text) => text.length)
    })
    const both = Pipeline.sequence("both", [size, write("good")])
    assert.deepStrictEqual(Pipeline.race("race", [both, write("good")], { concurrency: 2 }).node, {
      name: "race",
      kind: "race",
      reads: ["text"],
      writes: ["size", "good"],
      surely: ["good"],
      children: [both.node, write("good").node],
      settings: { concurrency: 2 },
      layout: { _tag: "Beside", meet: "first" }
    })
  })
})

describe("a race is refused", () => {
  it("with names that JavaScript would put first", () => {
    const one = Step.make("one", { run: () => 1 })
    assert.throws(
      () => Pipeline.race("r", { b: one, 1: one }),
      /branch named "1": JavaScript moves names like numbers to the front/
    )
    assert.throws(() => Pipeline.concurrent("c", { b: one, 10: one }), /branch named "10"/)
    assert.throws(() => Pipeline.concurrent("c", { b: one, 0: one }), /branch named "0"/)
    // these stay where they are written
    const { children } = Pipeline.concurrent("c", { b: one, "01": one, "-1": one, "1.5": one }).node
    assert.deepStrictEqual(
      children.map(({ name }) => name),
      ["b", "01", "-1", "1.5"]
    )
  })

  const refusals: ReadonlyArray<readonly [string, () => Step.Any, RegExp]> = [
    ["without branches [C565]", () => Pipeline.race("x", {}), /"x" needs at least one branch/],
    ["with two branches of a name", () => Pipeline.race("x", [write("a"), write("a")]), /two branches named "a"/],
    ["with no room for any", () => Pipeline.race("x", [write("a")], { concurrency: 0 }), /"x" needs a concurrency/]
  ]
  it.each(refusals)("%s", (_, build, message) => {
    assert.throws(build, message)
  })
})
