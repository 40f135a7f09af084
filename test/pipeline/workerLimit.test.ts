import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought, WorkerPool } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, replies, start, withModel } from "./triage.ts"

/** A step each of whose runs takes as long as the note `name` says, and that remembers how many ran at a time. */
const slow = (millis: number) => {
  const order: Array<string> = []
  const seen = { running: 0, most: 0 }
  const step = Step.make("work", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought) =>
      Effect.gen(function* () {
        order.push(thought.intent)
        seen.most = Math.max(seen.most, ++seen.running)
        yield* Effect.sleep(millis)
        return millis
      }).pipe(Effect.ensuring(Effect.sync(() => void seen.running--)))
  })
  return { step, order, seen }
}

const run = <O, E, R>(step: Step.Step<{}, O, E, R>, intent = "run") =>
  Effect.flatMap(Thought.make(intent), (thought) => Pipeline.run(step, thought))

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tap(Effect.forkChild(effect, { startImmediately: true }), () => TestClock.adjust(0))

const names = (count: number) => Array.from({ length: count }, (_, i) => String(i))

/** Begins one run after the other. */
const beginAll = <O, E, R>(step: Step.Step<{}, O, E, R>, intents: ReadonlyArray<string>) =>
  Effect.forEach(intents, (intent) => begin(run(step, intent)))

describe("workerLimit", () => {
  it.effect("runs all, in order, always with the maximum number at a time and never more [C585] [C586] [C587]", () =>
    Effect.gen(function* () {
      const { order, seen, step } = slow(100)
      const limited = Step.workerLimit(step, { workers: 3, name: "limited" })
      const runs = Effect.forEach(names(8), (name) => run(limited, name), { concurrency: "unbounded" })
      const fiber = yield* begin(runs)
      assert.strictEqual(seen.running, 3)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(order, names(6))
      yield* TestClock.adjust(200)
      const done = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        done.map((thought) => [thought.intent, thought.get("work")]),
        names(8).map((name) => [name, 100])
      )
      assert.strictEqual(seen.most, 3)
      assert.deepStrictEqual(order, names(8))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("counts the places in use, and zero at the end [C592]", () =>
    Effect.gen(function* () {
      const { step } = slow(100)
      const pool = WorkerPool.make({ workers: 2 })
      const fibers = yield* beginAll(Step.workerLimit(step, { pool }), names(3))
      const seen = [yield* pool.active]
      for (let i = 0; i < 2; i++) {
        yield* TestClock.adjust(100)
        seen.push(yield* pool.active)
      }
      assert.deepStrictEqual(seen, [2, 1, 0])
      yield* Fiber.joinAll(fibers)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals a run that waits, and only that", () =>
    Effect.gen(function* () {
      const { step } = slow(100)
      const told: Array<string> = []
      const fibers = yield* beginAll(Step.workerLimit(step, { workers: 1, name: "limited" }), names(3)).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "Throttled") told.push(`${signal.path.join("/")} ${signal.waitMillis}`)
        })
      )
      assert.deepStrictEqual(told, ["limited undefined", "limited undefined"])
      yield* TestClock.adjust(300)
      yield* Fiber.joinAll(fibers)
      assert.lengthOf(told, 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("limits concurrent calls of the model, whose requests stay the same [C595]", () =>
    Effect.gen(function* () {
      let running = 0
      let most = 0
      const reply = Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Effect.sleep(100)
        running--
        return replies.escalate
      })
      const spam = Primitive.decide("spam", { question: "Is this spam?" })
      const limited = Pipeline.sequence("all", [Step.workerLimit(spam, { workers: 2 })])
      const model = Testing.scripted([reply, reply, reply, reply, reply])
      yield* Effect.gen(function* () {
        const runs = Effect.forEach(
          names(5),
          () => Effect.flatMap(start, (thought) => Pipeline.run(limited, thought)),
          { concurrency: "unbounded" }
        )
        const fiber = yield* begin(runs)
        yield* TestClock.adjust(300)
        for (const done of yield* Fiber.join(fiber)) {
          assert.isTrue(done.get("spam").decision)
          assert.strictEqual((yield* Memory.load(done.id)).length, 2)
        }
      }).pipe(withModel(model))
      assert.strictEqual(most, 2)
      // the fences around notes are named after the thought
      const sent = model.requests.map(({ messages }) =>
        messages.map(({ text }) => text.replaceAll(/note \w{8}/g, "note"))
      )
      assert.deepStrictEqual(sent, Array(5).fill(sent[0]))
      assert.include(sent[0]?.at(-1), "Is this spam?")
    })
  )

  it.effect("frees the place of a run that fails, dies or is interrupted [C588] [C589] [C596]", () =>
    Effect.gen(function* () {
      const pool = WorkerPool.make({ workers: 1 })
      const limit = <O, E>(step: Step.Step<{}, O, E>) => Step.workerLimit(step, { pool, name: "limited" })
      const failing = limit(Step.make("failing", { run: Effect.fail(providerError()) }))
      const dying = limit(Step.make("dying", { run: Effect.die("broken") }))
      let released = 0
      const hanging = limit(
        Step.make("hanging", { run: Effect.onInterrupt(Effect.never, () => Effect.sync(() => released++)) })
      )
      const error = yield* Effect.flip(run(Pipeline.sequence("all", [failing])))
      assert.deepStrictEqual(error.path, ["all", "limited", "failing"])
      assert.strictEqual(error.cause._tag, "ProviderError")
      const exit = yield* Effect.exit(run(dying))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      const fiber = yield* begin(run(hanging))
      assert.strictEqual(yield* pool.active, 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(released, 1)
      assert.strictEqual(yield* pool.active, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be interrupted while it waits, and later runs move up [C589]", () =>
    Effect.gen(function* () {
      const { order, step } = slow(100)
      const pool = WorkerPool.make({ workers: 1 })
      const fibers = yield* beginAll(Step.workerLimit(step, { pool }), names(4))
      const exits = yield* Effect.forEach([1, 2], (i) =>
        Effect.andThen(Fiber.interrupt(fibers[i]!), Fiber.await(fibers[i]!))
      )
      for (const exit of exits) assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(order, ["0", "3"])
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* pool.active, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("gives no place to another run if one is interrupted that waits behind it", () =>
    Effect.gen(function* () {
      const { order, seen, step } = slow(100)
      const pool = WorkerPool.make({ workers: 1 })
      const fibers = yield* beginAll(Step.workerLimit(step, { pool }), names(3))
      yield* Fiber.interrupt(fibers[2]!)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(order, ["0"])
      assert.strictEqual(yield* pool.active, 1)
      yield* TestClock.adjust(200)
      assert.deepStrictEqual([order, seen.most, yield* pool.active], [["0", "1"], 1, 0])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("regains the place of a run that is interrupted before it begins", () =>
    Effect.gen(function* () {
      const pool = WorkerPool.make({ workers: 1 })
      const ran: Array<string> = []
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      const stop = Step.make("stop", {
        run: Effect.suspend(() => {
          ran.push("stop")
          return Fiber.interruptAll(fibers)
        })
      })
      const other = Step.make("other", { run: () => void ran.push("other") })
      const { step } = slow(100)
      yield* begin(run(Step.workerLimit(step, { pool })))
      yield* begin(run(Step.workerLimit(stop, { pool })))
      fibers.push(yield* begin(run(Step.workerLimit(other, { pool }))))
      yield* pool.configure({ workers: 3 })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(ran, ["stop"])
      assert.strictEqual(yield* pool.active, 1)
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* pool.active, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not wait for what an interrupted run still does elsewhere", () =>
    Effect.gen(function* () {
      const { order, step } = slow(100)
      const pool = WorkerPool.make({ workers: 1 })
      const limited = Step.workerLimit(step, { pool })
      yield* begin(run(limited, "first"))
      const lingering = yield* begin(Effect.onInterrupt(run(limited, "second"), () => Effect.sleep("1 hour")))
      yield* begin(run(limited, "third"))
      yield* begin(Fiber.interrupt(lingering))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(order, ["first", "third"])
      yield* TestClock.adjust("1 hour")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be given more places and fewer while it is in use [C591]", () =>
    Effect.gen(function* () {
      const { order, seen, step } = slow(100)
      const pool = WorkerPool.make({ workers: 1 })
      yield* beginAll(Step.workerLimit(step, { pool }), names(12))
      assert.strictEqual(yield* pool.active, 1)
      yield* pool.configure({ workers: 4 })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(order, names(4))
      yield* pool.configure({ workers: 2 })
      assert.strictEqual(seen.running, 4)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(order, names(6))
      assert.strictEqual(yield* pool.active, 2)
      yield* pool.configure({ workers: 100 })
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(order, names(12))
      assert.strictEqual(yield* pool.active, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("refuses an invalid number, and keeps the current one [C591]", () =>
    Effect.gen(function* () {
      const { step } = slow(1)
      assert.throws(
        () => Step.workerLimit(step, { workers: 0, name: "limited" }),
        'The step "limited" needs a whole number from 1 as workers, not 0.'
      )
      assert.throws(() => Step.workerLimit(step, { workers: 1.5 }), /"workerLimit\(work\)" needs a whole number from 1/)
      assert.throws(() => WorkerPool.make({ workers: NaN }), /^A worker pool needs/)
      const pool = WorkerPool.make({ workers: 2 })
      const exit = yield* Effect.exit(pool.configure({ workers: -1 }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(Step.workerLimit(step, { pool }).node.settings, { workers: 2, shared: true })
    })
  )

  it.effect("shares a pool between steps, but no places between steps with their own", () =>
    Effect.gen(function* () {
      const one = slow(100)
      const two = slow(100)
      const pool = WorkerPool.make({ workers: 1 })
      yield* begin(run(Step.workerLimit(one.step, { pool })))
      yield* begin(run(Step.workerLimit(two.step, { pool })))
      yield* begin(run(Step.workerLimit(one.step, { workers: 1 })))
      assert.strictEqual(one.seen.running, 2)
      assert.strictEqual(two.seen.running, 0)
      yield* TestClock.adjust(100)
      assert.strictEqual(two.seen.running, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows its options, and keeps the handle of its step, piped either way [C599]", () => {
    const { step } = slow(1)
    const last = step.pipe(Step.workerLimit({ workers: 2 }))
    const first = Step.workerLimit(step, { workers: 3 })
    assert.strictEqual(last.name, "workerLimit(work)")
    assert.strictEqual(first.name, "workerLimit(work)")
    assert.strictEqual(first.node.kind, "workerLimit")
    assert.deepStrictEqual(first.node.settings, { workers: 3 })
    assert.deepStrictEqual(first.node.children, [step.node])
    assert.deepStrictEqual(first.node.surely, ["work"])
    assert.isTrue(Note.isHandle(first))
    assert.strictEqual(last.key, "work")
  })
})

// --------------------------------------------------------------------------------------------------- against a model

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Event = Schema.Union([
  Schema.TaggedStruct("Begin", {}),
  Schema.TaggedStruct("Finish", { pick: between(0, 10), how: Schema.Literals(["succeed", "die"]) }),
  Schema.TaggedStruct("Interrupt", { pick: between(0, 20) }),
  Schema.TaggedStruct("Configure", { workers: between(1, 5) })
])

const plans = Arbitrary.schema(
  Schema.Struct({ workers: between(1, 4), events: Schema.Array(Event).check(Schema.isMaxLength(60)) })
)

describe("a worker pool", () => {
  it.effect.prop(
    "gives every free place to the run that waited longest, whatever ends, is interrupted or changes [C595]",
    [plans],
    ([plan]) =>
      Effect.gen(function* () {
        const began: Array<string> = []
        const ends = new Map<string, Deferred.Deferred<void>>()
        const step = Step.make("work", {
          run: (thought: Thought.Thought) =>
            Effect.suspend(() => {
              const end = Deferred.makeUnsafe<void>()
              began.push(thought.intent)
              ends.set(thought.intent, end)
              return Deferred.await(end)
            })
        })
        const pool = WorkerPool.make({ workers: plan.workers })
        const limited = Step.workerLimit(step, { pool })
        const fibers = new Map<string, Fiber.Fiber<unknown, unknown>>()
        // what should be
        let workers = plan.workers
        let running: Array<string> = []
        let waiting: Array<string> = []
        const expected: Array<string> = []
        let count = 0
        const settle = Effect.gen(function* () {
          yield* TestClock.adjust(0)
          while (waiting.length > 0 && running.length < workers) {
            const next = waiting.shift()!
            running.push(next)
            expected.push(next)
          }
          assert.deepStrictEqual(began, expected)
          assert.strictEqual(yield* pool.active, running.length)
        })
        for (const event of plan.events) {
          switch (event._tag) {
            case "Begin": {
              const name = String(count++)
              waiting.push(name)
              fibers.set(name, yield* begin(run(limited, name)))
              break
            }
            case "Finish": {
              const name = running[event.pick % Math.max(1, running.length)]
              if (name === undefined) break
              running = running.filter((one) => one !== name)
              yield* Deferred.done(ends.get(name)!, event.how === "die" ? Exit.die("broken") : Exit.void)
              break
            }
            case "Interrupt": {
              const alive = [...running, ...waiting]
              const name = alive[event.pick % Math.max(1, alive.length)]
              if (name === undefined) break
              running = running.filter((one) => one !== name)
              waiting = waiting.filter((one) => one !== name)
              yield* Fiber.interrupt(fibers.get(name)!)
              break
            }
            default:
              workers = event.workers
              yield* pool.configure({ workers })
          }
          yield* settle
        }
        while (running.length > 0) {
          const name = running.shift()!
          yield* Deferred.succeed(ends.get(name)!, undefined)
          yield* settle
        }
        assert.strictEqual(yield* pool.active, 0)
      }).pipe(Effect.provide(Testing.memory))
  )
})
