import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Data, Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { CircuitBreaker, Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { replies, start, withModel } from "./triage.ts"

class Down extends Data.TaggedError("Down") {}
class Wrong extends Data.TaggedError("Wrong")<{ readonly isRetryable: boolean }> {}

type End = "succeed" | "fail" | "refuse" | "die"

const endings: Record<End, Effect.Effect<number, Down | Wrong>> = {
  succeed: Effect.succeed(1),
  fail: Effect.fail(new Down()),
  refuse: Effect.fail(new Wrong({ isRetryable: false })),
  die: Effect.die("broken")
}

/** A step that ends as it is told beforehand, in turn. */
const scripted = (...ends: ReadonlyArray<End>) => {
  let calls = 0
  const step = Step.make("stock", {
    schema: Schema.Finite,
    run: Effect.suspend(() => endings[ends[calls++] ?? "succeed"])
  })
  return { step, calls: () => calls }
}

/** A step each of whose runs waits until it is told how to end. */
const steered = () => {
  const running: Array<Deferred.Deferred<number, Down | Wrong>> = []
  const step = Step.make("stock", {
    schema: Schema.Finite,
    run: Effect.suspend(() => {
      const end = Deferred.makeUnsafe<number, Down | Wrong>()
      running.push(end)
      return Deferred.await(end)
    })
  })
  const end = (i: number, how: End) =>
    Effect.andThen(Deferred.completeWith(running[i]!, endings[how]), TestClock.adjust(0))
  return { step, running, end }
}

const run = <O, E, R>(step: Step.Step<{}, O, E, R>) =>
  Effect.flatMap(Thought.make("run"), (thought) => Pipeline.run(step, thought))

/** How a run ends, in a word. */
const ended = <O, E, R>(step: Step.Step<{}, O, E, R>) =>
  Effect.map(Effect.exit(run(step)), (exit) => {
    if (Exit.isSuccess(exit)) return "success"
    if (Cause.hasDies(exit.cause)) return "defect"
    const [reason] = exit.cause.reasons
    return reason?._tag === "Fail" ? (reason.error.cause as { readonly _tag: string })._tag : "interrupted"
  })

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tap(Effect.forkChild(effect, { startImmediately: true }), () => TestClock.adjust(0))

const changes = (told: Array<string>) =>
  Signal.listen((signal) => {
    if (signal._tag === "CircuitChanged") told.push(`${signal.path.join("/")} ${signal.state}`)
  })

describe("circuitBreaker", () => {
  it.effect("passes runs while it is closed, and forgets failures at a success [C534] [C538]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("succeed", "fail", "fail", "succeed", "fail", "fail")
      const breaker = CircuitBreaker.make({ failures: 3 })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      const ends: Array<string> = []
      for (let i = 0; i < 6; i++) ends.push(yield* ended(guarded))
      assert.deepStrictEqual(ends, ["success", "Down", "Down", "success", "Down", "Down"])
      assert.strictEqual(calls(), 6)
      assert.strictEqual(yield* breaker.state, "closed")
      assert.strictEqual((yield* run(guarded)).get("stock"), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("opens after a number of consecutive failures and then does not call the step [C535]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("fail", "fail")
      const told: Array<string> = []
      const guarded = Step.circuitBreaker(step, { failures: 2, reset: "10 seconds", name: "guarded" })
      yield* Effect.gen(function* () {
        yield* ended(guarded)
        yield* ended(guarded)
        yield* TestClock.adjust("4 seconds")
        const error = yield* Effect.flip(run(Pipeline.sequence("all", [guarded])))
        assert.deepStrictEqual(error.path, ["all", "guarded"])
        assert.instanceOf(error.cause, CircuitBreaker.CircuitOpen)
        assert.strictEqual(error.cause.step, "guarded")
        assert.isTrue(error.cause.isRetryable)
        assert.deepStrictEqual(error.cause.retryAfter, Duration.seconds(6))
        assert.strictEqual(
          error.cause.message,
          "guarded was not run: it failed too often, and the circuit stays open for 6s. Try again later, or use an " +
            "alternative, for example with Step.recover."
        )
      }).pipe(changes(told))
      assert.strictEqual(calls(), 2)
      assert.deepStrictEqual(told, ["guarded open"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("opens after five failures, for a minute, and closes at one success, by default [C542]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("fail", "fail", "fail", "fail", "fail")
      const guarded = Step.circuitBreaker(step, { name: "guarded" })
      for (let i = 0; i < 4; i++) yield* ended(guarded)
      assert.strictEqual(yield* ended(guarded), "Down")
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual(yield* ended(guarded), "CircuitOpen")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(calls(), 7)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("tries once after its time, and closes when that succeeds [C536]", () =>
    Effect.gen(function* () {
      const { step } = scripted("fail", "succeed", "fail", "succeed")
      const breaker = CircuitBreaker.make({ failures: 1, reset: "10 seconds" })
      const told: Array<string> = []
      yield* Effect.gen(function* () {
        const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
        yield* ended(guarded)
        assert.strictEqual(yield* breaker.state, "open")
        yield* TestClock.adjust("9999 millis")
        assert.strictEqual(yield* ended(guarded), "CircuitOpen")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* breaker.state, "half-open")
        assert.strictEqual(yield* ended(guarded), "success")
        assert.strictEqual(yield* breaker.state, "closed")
      }).pipe(changes(told))
      assert.deepStrictEqual(told, ["guarded open", "guarded half-open", "guarded closed"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("opens again for the whole time if the trial fails [C537]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("fail", "fail", "fail", "fail")
      const breaker = CircuitBreaker.make({ failures: 3, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      for (let i = 0; i < 3; i++) yield* ended(guarded)
      yield* TestClock.adjust("15 seconds")
      // one failure is enough now
      assert.strictEqual(yield* ended(guarded), "Down")
      assert.strictEqual(yield* breaker.state, "open")
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(yield* ended(guarded), "CircuitOpen")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(calls(), 5)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("closes only after a number of consecutive successful trials [C539]", () =>
    Effect.gen(function* () {
      const { step } = scripted("fail", "succeed", "fail", "succeed", "succeed", "fail")
      const breaker = CircuitBreaker.make({ failures: 1, reset: "10 seconds", successes: 2 })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      const states: Array<string> = []
      for (let i = 0; i < 6; i++) {
        yield* ended(guarded)
        states.push(yield* breaker.state)
        if (states.at(-1) === "open") yield* TestClock.adjust("10 seconds")
      }
      assert.deepStrictEqual(states, ["open", "half-open", "open", "half-open", "closed", "open"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets exactly one of many runs try, and refuses the others without calling the step [C540] [C544]", () =>
    Effect.gen(function* () {
      const { end, running, step } = steered()
      const guarded = Step.circuitBreaker(step, { failures: 1, reset: "10 seconds", name: "guarded" })
      const first = yield* begin(ended(guarded))
      yield* end(0, "fail")
      assert.strictEqual(yield* Fiber.join(first), "Down")
      yield* TestClock.adjust("10 seconds")
      const runs = yield* begin(
        Effect.all(
          Array.from({ length: 8 }, () => ended(guarded)),
          { concurrency: "unbounded" }
        )
      )
      assert.lengthOf(running, 2)
      const { cause } = yield* Effect.flip(run(guarded))
      assert.instanceOf(cause, CircuitBreaker.CircuitOpen)
      assert.isUndefined(cause.retryAfter)
      assert.include(cause.message, "another run is testing whether it works again")
      yield* end(1, "succeed")
      assert.deepStrictEqual(yield* Fiber.join(runs), ["success", ...Array<string>(7).fill("CircuitOpen")])
      assert.lengthOf(running, 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not count interruption, which lets another run try", () =>
    Effect.gen(function* () {
      const { end, running, step } = steered()
      const breaker = CircuitBreaker.make({ failures: 1, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      yield* Fiber.interrupt(yield* begin(ended(guarded)))
      assert.strictEqual(yield* breaker.state, "closed")
      yield* begin(ended(guarded))
      yield* end(1, "fail")
      yield* TestClock.adjust("10 seconds")
      const trying = yield* begin(ended(guarded))
      assert.strictEqual(yield* ended(guarded), "CircuitOpen")
      yield* Fiber.interrupt(trying)
      assert.strictEqual(yield* breaker.state, "half-open")
      const again = yield* begin(ended(guarded))
      assert.lengthOf(running, 4)
      yield* end(3, "succeed")
      assert.strictEqual(yield* Fiber.join(again), "success")
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("ignores the results of runs that began before the state changed", () =>
    Effect.gen(function* () {
      const { end, step } = steered()
      const breaker = CircuitBreaker.make({ failures: 2, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      for (let i = 0; i < 5; i++) yield* begin(ended(guarded))
      yield* end(0, "fail")
      yield* end(1, "fail")
      yield* end(2, "succeed")
      assert.strictEqual(yield* breaker.state, "open")
      yield* TestClock.adjust("10 seconds")
      yield* begin(ended(guarded))
      yield* end(3, "fail")
      assert.strictEqual(yield* breaker.state, "half-open")
      yield* end(5, "succeed")
      yield* begin(ended(guarded))
      yield* end(6, "fail")
      yield* end(4, "fail")
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("ignores the results of runs that began before it was closed manually", () =>
    Effect.gen(function* () {
      const { end, step } = steered()
      const breaker = CircuitBreaker.make({ failures: 2, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      for (let i = 0; i < 2; i++) yield* begin(ended(guarded))
      yield* breaker.reset
      yield* end(0, "fail")
      yield* end(1, "fail")
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("counts a defect, which stays a defect [C543]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("die", "die")
      const guarded = Step.circuitBreaker(step, { failures: 2, name: "guarded" })
      assert.strictEqual(yield* ended(guarded), "defect")
      assert.strictEqual(yield* ended(guarded), "defect")
      assert.strictEqual(yield* ended(guarded), "CircuitOpen")
      assert.strictEqual(calls(), 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not count failures of the memory, which are independent of the step", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("succeed", "succeed")
      const breaker = CircuitBreaker.make({ failures: 1 })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      const full = new Memory.MemoryError({ reason: { _tag: "Connection", message: "The disk is full." } })
      const memory = yield* Memory.Memory
      let commits = 0
      // what is given is stored, and what the step adds is not
      const commit: Memory.Memory["Service"]["commit"] = (thought) =>
        ++commits === 1 ? memory.commit(thought) : Effect.fail(full)
      const failing = { ...memory, commit }
      assert.notStrictEqual(yield* Effect.provideService(ended(guarded), Memory.Memory, failing), "success")
      assert.strictEqual(yield* breaker.state, "closed")
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(calls(), 2)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("counts an error that is not retryable neither as a failure nor as a success", () =>
    Effect.gen(function* () {
      const { step } = scripted("fail", "refuse", "refuse", "fail", "refuse", "succeed")
      const breaker = CircuitBreaker.make({ failures: 2, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      const seen: Array<string> = []
      const once = Effect.gen(function* () {
        seen.push(`${yield* ended(guarded)} ${yield* breaker.state}`)
      })
      for (let i = 0; i < 4; i++) yield* once
      yield* TestClock.adjust("10 seconds")
      yield* once
      yield* once
      assert.deepStrictEqual(seen, [
        "Down closed",
        "Wrong closed",
        "Wrong closed",
        "Down open",
        "Wrong half-open",
        "success closed"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("counts the errors that `counts` selects", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("fail", "fail", "refuse", "refuse")
      const guarded = Step.circuitBreaker(step, {
        failures: 1,
        counts: (error) => error._tag === "Wrong",
        name: "guarded"
      })
      const ends: Array<string> = []
      for (let i = 0; i < 4; i++) ends.push(yield* ended(guarded))
      assert.deepStrictEqual(ends, ["Down", "Down", "Wrong", "CircuitOpen"])
      assert.strictEqual(calls(), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets the next one try when `counts` dies", () =>
    Effect.gen(function* () {
      const { step } = scripted("die", "fail")
      const breaker = CircuitBreaker.make({ failures: 1, reset: "10 seconds" })
      const guarded = Step.circuitBreaker(step, {
        breaker,
        counts: () => {
          throw new Error("cannot say")
        },
        name: "guarded"
      })
      assert.strictEqual(yield* ended(guarded), "defect")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* ended(guarded), "defect")
      assert.strictEqual(yield* ended(guarded), "success")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("counts answers of an invalid form, and then spares the model", () => {
    const model = Testing.scripted(["no JSON", "no JSON", replies.escalate])
    const spam = Primitive.decide("spam", { question: "Is this spam?", repairs: 0 })
    const breaker = CircuitBreaker.make({ failures: 2, reset: "10 seconds" })
    const guarded = spam.pipe(Step.circuitBreaker({ breaker }))
    const all = Pipeline.sequence("all", [guarded])
    return Effect.gen(function* () {
      const tags: Array<string> = []
      for (let i = 0; i < 3; i++) {
        const thought = yield* start
        tags.push((yield* Effect.flip(Pipeline.run(all, thought))).cause._tag)
        const stored = yield* Memory.load(thought.id)
        assert.strictEqual(stored.length, 1)
        assert.strictEqual(stored.session.length, 0)
      }
      assert.deepStrictEqual(tags, ["ResponseError", "ResponseError", "CircuitOpen"])
      assert.lengthOf(model.requests, 2)
      yield* TestClock.adjust("10 seconds")
      const done = yield* Pipeline.run(all, yield* start)
      assert.isTrue(done.get("spam").decision)
      assert.lengthOf(model.requests, 3)
    }).pipe(withModel(model))
  })

  it.effect("stays closed around a retry that succeeds in the end [C545]", () =>
    Effect.gen(function* () {
      const { calls, step } = scripted("fail", "fail", "succeed", "fail", "fail", "succeed")
      const breaker = CircuitBreaker.make({ failures: 1 })
      const patient = step.pipe(Step.retry({ times: 2 }), Step.circuitBreaker({ breaker }))
      const all = Pipeline.sequence("all", [patient])
      assert.strictEqual(yield* ended(all), "success")
      assert.strictEqual(yield* ended(all), "success")
      assert.strictEqual(calls(), 6)
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be closed manually, whatever runs still do [C541]", () =>
    Effect.gen(function* () {
      const { end, step } = steered()
      const breaker = CircuitBreaker.make({ failures: 2 })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      const told: Array<string> = []
      yield* Effect.gen(function* () {
        for (let i = 0; i < 4; i++) yield* begin(ended(guarded))
        yield* end(0, "fail")
        yield* end(1, "fail")
        assert.strictEqual(yield* breaker.state, "open")
        yield* breaker.reset
        assert.strictEqual(yield* breaker.state, "closed")
        yield* end(2, "fail")
        yield* end(3, "fail")
        assert.strictEqual(yield* breaker.state, "closed")
        // and nobody is told what was so before
        yield* breaker.reset
      }).pipe(changes(told))
      assert.deepStrictEqual(told, ["guarded open", " closed"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("accepts new options while it is in use, and keeps its state [C542]", () =>
    Effect.gen(function* () {
      const { step } = scripted("fail", "fail", "fail", "succeed", "succeed")
      const breaker = CircuitBreaker.make({ failures: 5, reset: "1 minute" })
      const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
      yield* ended(guarded)
      yield* ended(guarded)
      // it has as many failures already, and opens at the next one
      yield* breaker.configure({ failures: 2, successes: 2 })
      assert.strictEqual(yield* breaker.state, "closed")
      yield* ended(guarded)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* breaker.state, "open")
      yield* breaker.configure({ reset: "10 seconds" })
      assert.strictEqual(yield* breaker.state, "half-open")
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(yield* breaker.state, "half-open")
      yield* breaker.configure({ successes: 1 })
      assert.strictEqual(yield* ended(guarded), "success")
      assert.strictEqual(yield* breaker.state, "closed")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("refuses invalid options, and keeps the current ones [C542]", () =>
    Effect.gen(function* () {
      const { step } = scripted()
      const build = (options: CircuitBreaker.Options) => () =>
        Step.circuitBreaker(step, { ...options, name: "guarded" })
      assert.throws(build({ failures: 0 }), 'The step "guarded" needs a whole number from 1 as failures, not 0.')
      assert.throws(build({ successes: 1.5 }), /"guarded" needs a whole number from 1 as successes, not 1.5/)
      assert.throws(build({ reset: 0 }), /"guarded" needs a time above 0, such as "5 seconds", as reset/)
      assert.throws(build({ reset: "soon" as "1 second" }), /as reset/)
      const breaker = CircuitBreaker.make({ failures: 2 })
      const exit = yield* Effect.exit(breaker.configure({ failures: 3, successes: 0 }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(Step.circuitBreaker(step, { breaker }).node.settings, {
        failures: 2,
        reset: "1m",
        successes: 1,
        shared: true
      })
    })
  )

  it.effect("shares a breaker between steps, but no state between steps with their own", () =>
    Effect.gen(function* () {
      const bad = scripted("fail", "fail")
      const good = scripted()
      const breaker = CircuitBreaker.make({ failures: 1 })
      yield* ended(Step.circuitBreaker(bad.step, { breaker, name: "bad" }))
      assert.strictEqual(yield* ended(Step.circuitBreaker(good.step, { breaker, name: "good" })), "CircuitOpen")
      yield* ended(Step.circuitBreaker(bad.step, { failures: 1, name: "bad" }))
      assert.strictEqual(yield* ended(Step.circuitBreaker(good.step, { failures: 1, name: "good" })), "success")
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows its options, and keeps the handle of its step, piped either way [C547]", () => {
    const { step } = scripted()
    const last = step.pipe(Step.circuitBreaker())
    const first = Step.circuitBreaker(step, { failures: 2, reset: "30 seconds", successes: 3 })
    assert.strictEqual(last.name, "circuitBreaker(stock)")
    assert.strictEqual(first.name, "circuitBreaker(stock)")
    assert.strictEqual(first.node.kind, "circuitBreaker")
    assert.deepStrictEqual(last.node.settings, { failures: 5, reset: "1m", successes: 1 })
    assert.deepStrictEqual(first.node.settings, { failures: 2, reset: "30s", successes: 3 })
    assert.deepStrictEqual(first.node.children, [step.node])
    assert.deepStrictEqual(first.node.surely, ["stock"])
    assert.isTrue(Note.isHandle(first))
    assert.strictEqual(last.key, "stock")
  })
})

// --------------------------------------------------------------------------------------------------- against a model

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Event = Schema.Union([
  Schema.TaggedStruct("Begin", {}),
  Schema.TaggedStruct("End", {
    pick: between(0, 10),
    how: Schema.Literals(["succeed", "fail", "refuse", "die", "interrupt"])
  }),
  Schema.TaggedStruct("Fail", {}),
  Schema.TaggedStruct("Pass", { millis: between(0, 120) }),
  Schema.TaggedStruct("Reset", {})
])

const plans = Arbitrary.schema(
  Schema.Struct({
    failures: between(1, 3),
    successes: between(1, 3),
    reset: between(1, 200),
    events: Schema.Array(Event).check(Schema.isMaxLength(60))
  })
)

/** What the breaker should be: who may run is said by the names of runs, not by counting generations. */
class Model {
  state: CircuitBreaker.State = "closed"
  failures = 0
  successes = 0
  since = 0
  at = 0
  /** Runs whose end counts. */
  current = new Set<number>()
  readonly options: { readonly failures: number; readonly successes: number; readonly reset: number }
  constructor(options: Model["options"]) {
    this.options = options
  }
  get shown(): CircuitBreaker.State {
    return this.state === "open" && this.at - this.since >= this.options.reset ? "half-open" : this.state
  }
  change(state: CircuitBreaker.State): void {
    this.state = state
    this.failures = 0
    this.successes = 0
    this.since = this.at
    this.current.clear()
  }
  /** Whether it is let in, or after what time it may try again. */
  begin(id: number): true | number | undefined {
    if (this.shown === "open") return this.options.reset - (this.at - this.since)
    if (this.shown !== this.state) this.change("half-open")
    if (this.state === "half-open" && this.current.size > 0) return undefined
    this.current.add(id)
    return true
  }
  end(id: number, how: End | "interrupt"): void {
    if (!this.current.delete(id)) return
    if (how === "fail" || how === "die") {
      this.failures++
      if (this.state === "half-open" || this.failures >= this.options.failures) this.change("open")
    } else if (how === "succeed") {
      this.failures = 0
      this.successes++
      if (this.state === "half-open" && this.successes >= this.options.successes) this.change("closed")
    }
  }
}

describe("a circuit", () => {
  it.effect.prop(
    "always has the state that results from all failures, successes, interruptions and times so far [C540]",
    [plans],
    ([{ events, ...options }]) =>
      Effect.gen(function* () {
        const { end, running, step } = steered()
        const breaker = CircuitBreaker.make(options)
        const guarded = Step.circuitBreaker(step, { breaker, name: "guarded" })
        const model = new Model(options)
        const live: Array<{ readonly id: number; readonly fiber: Fiber.Fiber<unknown, unknown> }> = []
        const start = Effect.gen(function* () {
          const id = running.length
          const admitted = model.begin(id)
          const fiber = yield* begin(Effect.exit(run(guarded)))
          if (admitted === true) {
            assert.lengthOf(running, id + 1)
            live.push({ id, fiber })
            return
          }
          assert.lengthOf(running, id)
          const exit = yield* Fiber.join(fiber)
          const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          assert.instanceOf(error, Pipeline.PipelineError)
          assert.instanceOf(error.cause, CircuitBreaker.CircuitOpen)
          const { retryAfter } = error.cause
          assert.strictEqual(retryAfter === undefined ? undefined : Duration.toMillis(retryAfter), admitted)
        })
        const stop = (pick: number, how: End | "interrupt") =>
          Effect.gen(function* () {
            const [one] = live.splice(pick % Math.max(1, live.length), 1)
            if (one === undefined) return
            model.end(one.id, how)
            yield* how === "interrupt" ? Fiber.interrupt(one.fiber) : end(one.id, how)
          })
        for (const event of events) {
          switch (event._tag) {
            case "Begin":
              yield* start
              break
            case "End":
              yield* stop(event.pick, event.how)
              break
            case "Fail":
              yield* start
              yield* stop(live.length - 1, "fail")
              break
            case "Pass":
              model.at += event.millis
              yield* TestClock.adjust(event.millis)
              break
            default:
              model.change("closed")
              yield* breaker.reset
          }
          assert.strictEqual(yield* breaker.state, model.shown)
        }
        yield* Fiber.interruptAll(live.map(({ fiber }) => fiber))
      }).pipe(Effect.provide(Testing.memory))
  )
})
