import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, withModel } from "./triage.ts"

// What is done once the thought is stored, and what tells repetitions.

const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
const two = Step.make("two", { schema: Schema.Finite, run: () => 2 })
const late = <const K extends string>(key: K, millis: number) =>
  Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), key) })

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

/** A step that remembers, each time it runs, the notes it is given and those that the store has by then. */
const remembering = (name = "mail") => {
  const ran: Array<{ readonly given: ReadonlyArray<string>; readonly stored: ReadonlyArray<string> }> = []
  const step = Step.once(name, (thought) =>
    Memory.load(thought.id).pipe(
      Effect.orDie,
      Effect.map((stored) => ran.push({ given: keys(thought), stored: keys(stored) }))
    )
  )
  return { step, ran }
}

/** Fails so many times. */
const failing = (times: number) => {
  let calls = 0
  return Step.make("flaky", {
    run: Effect.suspend(() => (++calls <= times ? Effect.fail("no" as const) : Effect.void))
  })
}

describe("once", () => {
  it.effect("runs what waits in a run on a fork before what waits in the run around it, however deep they are", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const once = (name: string) => Step.once(name, () => Effect.sync(() => void ran.push(name)))
      const within = (name: string, step: Step.Any) =>
        Step.make(name, {
          run: (thought) =>
            Effect.asVoid(
              Effect.flatMap(Thought.fork(thought), (fork) => Effect.orDie(Pipeline.run(step as typeof one, fork)))
            )
        })
      const middle = Pipeline.sequence("middle", [once("b"), within("inner", once("c")), once("d")])
      const outer = Pipeline.sequence("outer", [once("a"), within("run", middle), once("e")])
      yield* Pipeline.run(Step.timeout(outer, "1 minute"), yield* start)
      // a run on a fork is stored before the thought that it left
      assert.deepStrictEqual(ran, ["c", "b", "d", "a", "e"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect(
    "runs what waits in runs on forks side by side in the order of the steps, whatever connector each is in",
    () =>
      Effect.gen(function* () {
        const ran: Array<string> = []
        const on = (name: string) =>
          Step.make(`run ${name}`, {
            run: (thought) =>
              Effect.asVoid(
                Effect.flatMap(Thought.fork(thought), (fork) =>
                  Effect.orDie(
                    Pipeline.run(
                      Step.once(name, () => Effect.sync(() => void ran.push(name))),
                      fork
                    )
                  )
                )
              )
          })
        const pairs = Pipeline.sequence("pairs", [
          on("a"),
          Step.enrich(on("b")),
          on("c"),
          Pipeline.concurrent("beside", [Step.retry(on("d")), on("e")]),
          Step.enrich(Pipeline.sequence("deeper", [on("f"), Step.enrich(on("g")), on("h")]))
        ])
        yield* Pipeline.run(
          Step.timeout(Pipeline.sequence("all", [on("0"), Step.enrich(pairs), on("z")]), "1 minute"),
          yield* start
        )
        assert.strictEqual(ran.join(""), "0abcdefghz")
      }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs once inside a retry, even if later steps go on with another thought", () =>
    Effect.gen(function* () {
      const onward = [
        Primitive.forget("nothing"),
        Pipeline.sequence("and back", [
          Primitive.checkpoint("here"),
          Primitive.restore("back", { from: { checkpoint: "here" } })
        ])
      ]
      for (const next of onward) {
        for (const times of [0, 2]) {
          const { ran, step } = remembering()
          const whole = Pipeline.sequence("all", [one, step, next, two, failing(times)]).pipe(Step.retry({ times: 2 }))
          const done = yield* Pipeline.run(whole, yield* Thought.make("go on"))
          assert.strictEqual(done.get("two"), 2)
          assert.deepStrictEqual(
            ran.map(({ given }) => given.includes("one")),
            [true],
            `${next.node.name}, ${times}`
          )
        }
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is cut off by an interruption, so that nothing waits for it; the thought stays stored", () =>
    Effect.gen(function* () {
      const whole = Pipeline.sequence("all", [one, Step.once("mail", Effect.never)]).pipe(Step.retry())
      const thought = yield* start
      const fiber = yield* Effect.forkChild(Pipeline.run(whole, thought))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.include(keys(yield* Memory.load(thought.id)), "one")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs even if an earlier one dies", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const whole = Pipeline.sequence("all", [Step.once("broken", Effect.die("no")), step]).pipe(Step.retry())
      const exit = yield* Effect.exit(Pipeline.run(whole, yield* start))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.lengthOf(ran, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is not released by a run within a step that may still be discarded", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const inner = Step.make("inner", {
        run: (thought) => Effect.flatMap(Thought.fork(thought), (fork) => Pipeline.run(one, fork))
      })
      const never = Pipeline.sequence("never", [step, inner, failing(9)]).pipe(Step.retry({ times: 2 }))
      yield* Effect.flip(Pipeline.run(never, yield* start))
      assert.lengthOf(ran, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect.each([
    ["before the checkpoint", (mail: Step.Step<{}, {}>) => [mail, Primitive.checkpoint("here")] as const],
    ["after the checkpoint", (mail: Step.Step<{}, {}>) => [Primitive.checkpoint("here"), mail] as const]
  ] as const)("that was reached %s runs even if the thought is restored", ([, around]) =>
    Effect.gen(function* () {
      const mails: Array<string> = []
      const mail = Step.once("mail", (thought) => Effect.sync(() => mails.push(thought.id)))
      const back = Primitive.restore("back", { from: { checkpoint: "here" } })
      const whole = Pipeline.sequence("whole", [...around(mail), back]).pipe(Step.retry())
      const done = yield* Pipeline.run(whole, yield* start)
      assert.deepStrictEqual(mails, [done.id])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("outside any connector runs at once, when the notes before it are stored", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const error = yield* Effect.flip(
        Pipeline.run(Pipeline.sequence("all", [one, step, two, failing(1)]), yield* start)
      )
      assert.strictEqual(error.cause, "no")
      assert.deepStrictEqual(ran, [{ given: ["message", "one"], stored: ["message", "one"] }])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("in a retry whose first attempts fail after it runs once, after the last step", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      yield* Pipeline.run(
        Pipeline.sequence("all", [one, step, two, failing(2)]).pipe(Step.retry({ times: 2 })),
        yield* start
      )
      const all = ["message", "one", "two"]
      assert.deepStrictEqual(ran, [{ given: all, stored: all }])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("never runs when no attempt succeeds", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      yield* Effect.flip(
        Pipeline.run(Pipeline.sequence("all", [one, step, failing(9)]).pipe(Step.retry()), yield* start)
      )
      assert.deepStrictEqual(ran, [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("never runs in a branch that loses, and once in the one that wins", () =>
    Effect.gen(function* () {
      const [slow, fast] = [remembering("slow mail"), remembering("fast mail")]
      const fiber = yield* Effect.forkChild(
        Pipeline.run(
          Pipeline.race("race", {
            // it has asked for its mail long before the other has won
            slow: Pipeline.sequence("slow", [slow.step, late("late", 100)]),
            fast: Pipeline.sequence("fast", [late("soon", 10), fast.step])
          }),
          yield* start
        )
      )
      yield* TestClock.adjust(100)
      yield* Fiber.join(fiber)
      const all = ["message", "soon"]
      assert.deepStrictEqual([slow.ran, fast.ran], [[], [{ given: all, stored: all }]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("in branches that are merged runs after everything is stored, in the order of the branches", () => {
    const model = Testing.scripted(["All in all."])
    return Effect.gen(function* () {
      const order: Array<string> = []
      const [first, second] = [remembering("first mail"), remembering("second mail")]
      const told = (name: string) => Step.once(`${name} told`, () => Effect.sync(() => order.push(name)))
      const step = Primitive.converge("review", {
        branches: {
          pro: Pipeline.sequence("pros", [late("good", 20), first.step, told("first")]),
          con: Pipeline.sequence("cons", [late("bad", 10), second.step, told("second")])
        },
        prompt: "What now?"
      })
      const fiber = yield* Effect.forkChild(Pipeline.run(step, yield* start))
      yield* TestClock.adjust(20)
      yield* Fiber.join(fiber)
      const all = ["message", "good", "bad", "review"]
      assert.deepStrictEqual([first.ran, second.ran], [[{ given: all, stored: all }], [{ given: all, stored: all }]])
      assert.deepStrictEqual(order, ["first", "second"])
    }).pipe(withModel(model))
  })

  it.effect("never runs in a failed branch while others are merged", () => {
    const model = Testing.scripted(["All in all."])
    return Effect.gen(function* () {
      const { ran, step } = remembering()
      const branches = { good: one, bad: Pipeline.sequence("all", [two, step, failing(9)]) }
      const done = yield* Pipeline.run(Primitive.converge("review", { branches, prompt: "What now?" }), yield* start)
      assert.deepStrictEqual(keys(done), ["message", "one", "review"])
      assert.deepStrictEqual(ran, [])
    }).pipe(withModel(model))
  })

  it.effect("beside others waits until their notes are stored with its own, and never runs where too few succeed", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const beside = (times: number) =>
        Pipeline.concurrent("beside", {
          first: Pipeline.sequence("mails", [one, step]),
          second: Pipeline.sequence("others", [late("late", 10), failing(times)])
        })
      const fiber = yield* Effect.forkChild(
        Effect.gen(function* () {
          yield* Effect.flip(Pipeline.run(beside(1), yield* start))
          assert.deepStrictEqual(ran, [])
          yield* Pipeline.run(beside(0), yield* start)
        })
      )
      yield* TestClock.adjust(10)
      yield* TestClock.adjust(10)
      yield* Fiber.join(fiber)
      const all = ["message", "one", "late"]
      assert.deepStrictEqual(ran, [{ given: all, stored: all }])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("never runs in a step that takes too long, nor in a rejected alternative", () =>
    Effect.gen(function* () {
      const [slow, other] = [remembering("slow mail"), remembering("other mail")]
      const step = Pipeline.fallback("cascade", [
        Pipeline.sequence("slow", [slow.step, late("late", 1000)]).pipe(Step.timeout(100)),
        Pipeline.sequence("other", [one, other.step])
      ])
      const fiber = yield* Effect.forkChild(Pipeline.run(step, yield* start))
      yield* TestClock.adjust(1000)
      yield* Fiber.join(fiber)
      const all = ["message", "one"]
      assert.deepStrictEqual([slow.ran, other.ran], [[], [{ given: all, stored: all }]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("in connectors within others waits for the outermost", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const inner = Pipeline.sequence("inner", [one, step]).pipe(Step.enrich(), Step.retry())
      const outer = Step.recover(Pipeline.sequence("both", [inner, two]), Step.make("other", { run: () => {} }), {
        name: "outer"
      })
      const after = Step.make("after", { schema: Schema.Finite, run: () => ran.length })
      const done = yield* Pipeline.run(Pipeline.sequence("all", [outer, after]), yield* start)
      const all = ["message", "one", "two"]
      assert.deepStrictEqual(ran, [{ given: all, stored: all }])
      assert.strictEqual(done.get("after"), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is discarded with an inner connector that had succeeded", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const other = remembering("other mail")
      const outer = Step.recover(Pipeline.sequence("both", [step.pipe(Step.retry()), failing(1)]), other.step, {
        name: "outer"
      })
      yield* Pipeline.run(outer, yield* start)
      assert.deepStrictEqual([ran.length, other.ran.length], [0, 1])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs in each pass and each run on its own", () =>
    Effect.gen(function* () {
      const { ran, step } = remembering()
      const again = step.pipe(Step.named("again"))
      const all = Pipeline.sequence("all", [step, one, again]).pipe(Step.retry())
      yield* Pipeline.run(all, yield* start)
      assert.lengthOf(ran, 2)
      yield* Pipeline.run(all, yield* start)
      assert.lengthOf(ran, 4)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("takes an effect, with the services where it is used", () =>
    Effect.gen(function* () {
      class Tone extends Context.Service<Tone, string>()("test/Tone") {}
      const heard: Array<string> = []
      const told = Step.once(
        "tell",
        Effect.map(Tone, (tone) => heard.push(tone))
      )
      const both = Pipeline.sequence("both", [
        told.pipe(Step.provide(Context.make(Tone, "low"))),
        told.pipe(Step.named("again"))
      ])
      yield* Pipeline.run(both.pipe(Step.retry()), yield* start).pipe(Effect.provideService(Tone, "high"))
      assert.deepStrictEqual(heard, ["low", "high"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that dies is a defect of the run; the thought is stored", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const bugs = [
        Step.once("mail", () => {
          throw new Error("a bug")
        }),
        Step.once("mail", () => Promise.reject(new Error("a bug")))
      ]
      for (const bug of bugs) {
        const from = yield* Thought.fork(thought)
        const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [one, bug]).pipe(Step.retry()), from))
        assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(Cause.isDieReason))
        assert.deepStrictEqual(keys(yield* Memory.load(from.id)), ["message", "one"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it("is in the outline, and refuses what cannot be run", () => {
    assert.deepStrictEqual(Step.once("mail", Effect.void).node, {
      name: "mail",
      kind: "once",
      reads: [],
      writes: [],
      surely: [],
      children: [],
      afterCommit: "anything"
    })
    assert.throws(() => Step.once("mail", "now" as never), /"mail" needs a function, an effect or a reader/)
  })
})

describe("the idempotency key", () => {
  /** A step that remembers its keys. */
  const keyed = (name: string, into: Array<string>) =>
    Step.make(name, { run: Effect.map(Step.idempotencyKey, (key) => into.push(key)) })

  it.effect("is the same for every attempt of a step", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const all = Pipeline.sequence("all", [one, keyed("pay", seen), failing(2)])
      yield* Pipeline.run(all.pipe(Step.retry({ times: 2 })), yield* start)
      assert.lengthOf(seen, 3)
      assert.lengthOf(new Set(seen), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is the same when the run begins again where it failed", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const pay = Step.make("pay", {
        run: Effect.flatMap(Step.idempotencyKey, (key) =>
          seen.push(key) === 1 ? Effect.fail("lost" as const) : Effect.void
        )
      })
      const all = Pipeline.sequence("all", [pay])
      const thought = yield* start
      const error = yield* Effect.flip(Pipeline.run(all, thought))
      yield* Pipeline.run(all, (yield* Memory.load(error.thought?.id ?? "")) as typeof thought)
      assert.lengthOf(seen, 2)
      assert.strictEqual(seen[0], seen[1])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("differs between steps, thoughts, and the same step after a further note", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const all = Pipeline.sequence(
        "all",
        [keyed("pay", seen), keyed("book", seen), one, keyed("pay", seen).pipe(Step.named("b")), keyed("pay", seen)],
        { overwrite: true }
      )
      yield* Pipeline.run(all, yield* start)
      yield* Pipeline.run(all, yield* start)
      assert.lengthOf(seen, 8)
      assert.lengthOf(new Set(seen), 8)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("differs when the same step runs again on the thought with a further note", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const pay = keyed("pay", seen)
      const first = yield* Pipeline.run(pay, yield* start)
      yield* Pipeline.run(pay, first)
      const longer = yield* Thought.append(first, "more", "one more")
      yield* Pipeline.run(pay, longer)
      assert.lengthOf(seen, 3)
      assert.strictEqual(seen[1], seen[0])
      assert.notStrictEqual(seen[2], seen[0])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("differs between paths, whatever characters are in their names", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const paths = [
        ["a/b", "c"],
        ["a", "b/c"],
        ["a", "b", "c"],
        ["a%002fb", "c"],
        ["", "a"],
        ["a", ""],
        ["\ud800", "c"],
        ["\ud801", "c"],
        ["é", "c"],
        ["é1", "c"],
        ["\u0e91", "c"],
        ["日 本", "c"]
      ]
      const thought = yield* start
      for (const path of paths) {
        const [inner = "", ...outer] = path.toReversed()
        const step = outer.reduce<Step.Step<{}, {}>>(
          (within, name) => Pipeline.sequence(name, [within]),
          keyed(inner, seen)
        )
        yield* Pipeline.run(step, thought)
      }
      assert.lengthOf(new Set(seen), paths.length)
      for (const key of seen) assert.match(key, /^[\x21-\x7e]+$/)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("differs between steps of one name, wherever that is allowed", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const pay = keyed("pay", seen)
      const failingPay = Step.make("pay", {
        run: Effect.andThen(
          Effect.map(Step.idempotencyKey, (id) => seen.push(id)),
          Effect.fail("no" as const)
        )
      })
      yield* Pipeline.run(Pipeline.fallback("either", [failingPay, pay]), yield* start)
      yield* Pipeline.run(Pipeline.sequence("both", [pay, pay], { overwrite: true }), yield* start)
      const asked = Pipeline.gen("asked", function* () {
        yield* Pipeline.ask(pay)
        yield* Pipeline.ask(pay)
      })
      yield* Pipeline.run(asked, yield* start)
      assert.lengthOf(seen, 6)
      assert.lengthOf(new Set(seen), 6)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is available to effects of `once` and to conditions", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const key = Effect.map(Step.idempotencyKey, (id) => seen.push(id))
      const step = Pipeline.sequence("all", [
        Pipeline.filter("maybe", { when: Effect.as(key, true), step: one }),
        Step.once("mail", key)
      ])
      yield* Pipeline.run(step.pipe(Step.retry()), yield* start)
      assert.lengthOf(new Set(seen), 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("outside a step is a defect that names where it belongs", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Step.idempotencyKey)
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(Cause.isDieReason))
      assert.include(String(exit), "Step.idempotencyKey is for the effect of a step")
    })
  )
})
