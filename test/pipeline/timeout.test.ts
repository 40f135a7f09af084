import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { asked, failed, hanging, keysOf, plain, succeeded, tagged, watched } from "./attempts.ts"
import { category, providerError, replies, start, ticket, withModel } from "./triage.ts"

const two = Pipeline.sequence("two", [ticket, category])
const slowly = (seconds: number, reply: object) => Effect.delay(Effect.succeed(reply), `${seconds} seconds`)

/** Runs something while the clock goes on. */
const passing = <A, E, R>(duration: Duration.Input, run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    yield* TestClock.adjust(duration)
    return yield* Fiber.join(fiber)
  })

describe("a timeout", () => {
  it.effect("does not affect a step that finishes in time [C352, C487]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([slowly(9, replies.ticket)])
      const step = Step.timeout(ticket, "10 seconds", { name: "limited" })
      const { done, stored } = yield* passing("9 seconds", succeeded(step, model))
      assert.deepStrictEqual(done.get("ticket"), replies.ticket)
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )

  it.effect(
    "interrupts a model call that takes longer, and leaves nothing of the step [C351, C356, C357, C488, C495]",
    () =>
      Effect.gen(function* () {
        const { called, released, reply } = yield* hanging
        const model = Testing.scripted([replies.ticket, reply])
        const step = Step.timeout(two, "10 seconds", { name: "limited" })
        const fiber = yield* Effect.forkChild(failed(step, model))
        yield* Deferred.await(called)
        yield* TestClock.adjust("9999 millis")
        assert.isFalse(yield* Deferred.isDone(released))
        yield* TestClock.adjust("1 millis")
        assert.isTrue(yield* Deferred.isDone(released))
        const { error, stored, thought } = yield* Fiber.join(fiber)
        assert.instanceOf(error.cause, Step.TimeoutError)
        const { isRetryable, limitMillis, step: name } = error.cause
        assert.deepStrictEqual([name, limitMillis, isRetryable], ["limited", 10_000, true])
        assert.deepStrictEqual(error.path, ["limited"])
        assert.strictEqual(error.durationMillis, 10_000)
        assert.deepStrictEqual(error.before, [])
        assert.deepStrictEqual(plain(stored), plain(thought))
        assert.deepStrictEqual(plain(error.thought), plain(thought))
        assert.include(error.message, 'The step "limited" did not finish within 10000 ms.')
      })
  )

  it.effect("abandons a promise that ignores its abort signal [C356]", () =>
    Effect.gen(function* () {
      const deaf = Step.make("deaf", { run: Effect.promise(() => new Promise<void>(() => {})) })
      const { error } = yield* passing("1 second", failed(deaf.pipe(Step.timeout("1 second")), Testing.scripted([])))
      assert.instanceOf(error.cause, Step.TimeoutError)
    })
  )

  it.effect("waits for what the step does when it is interrupted", () =>
    Effect.gen(function* () {
      let tidied = false
      const tidy = Effect.andThen(
        Effect.sleep("5 seconds"),
        Effect.sync(() => (tidied = true))
      )
      const step = Step.make("busy", { run: Effect.onInterrupt(Effect.never, () => tidy) }).pipe(
        Step.timeout("1 second")
      )
      const { error } = yield* passing("6 seconds", failed(step, Testing.scripted([])))
      assert.instanceOf(error.cause, Step.TimeoutError)
      assert.isTrue(tidied)
      assert.strictEqual(error.durationMillis, 6_000)
    })
  )

  it.effect("signals that the time is up, and for which step [C496]", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const step = Step.timeout(ticket, "10 seconds", { name: "limited" })
      const { signals } = yield* passing("10 seconds", watched(step, Testing.scripted([reply])))
      assert.deepStrictEqual(
        tagged(signals, "TimedOut").map(({ limitMillis, path }) => [path, limitMillis]),
        [[["limited"], 10_000]]
      )
      assert.deepStrictEqual(
        tagged(signals, "StepFailed").map(({ error, path }) => [path, error]),
        [
          [["limited", "ticket"], "Interrupted"],
          [["limited"], "TimeoutError"]
        ]
      )
    })
  )

  it.effect("passes on the error of a step that fails in time, and where it was [C491, C492]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError()])
      const step = Step.timeout(ticket, "10 seconds", { name: "limited" })
      const { error, signals, stored } = yield* failed(step, model)
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(error.path, ["limited", "ticket"])
      assert.deepStrictEqual(tagged(signals, "TimedOut"), [])
      assert.deepStrictEqual(keysOf(stored), ["message"])
    })
  )

  it.effect("leaves a defect a defect [C494]", () =>
    Effect.gen(function* () {
      const broken = Step.make("broken", { run: Effect.die(new Error("broken")) })
      const { exit } = yield* watched(broken.pipe(Step.timeout("1 second")), Testing.scripted([]))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
    })
  )

  it.effect("interrupted from outside is interrupted, without a signal of its own [C489, C493, C496]", () =>
    Effect.gen(function* () {
      const { called, released, reply } = yield* hanging
      const tags: Array<string> = []
      const step = Step.timeout(ticket, "10 seconds", { name: "limited" })
      const run = Effect.flatMap(start, (thought) => Pipeline.run(step, thought)).pipe(
        Signal.listen(({ _tag }) => tags.push(_tag)),
        withModel(Testing.scripted([reply]))
      )
      const fiber = yield* Effect.forkChild(run)
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
      assert.include(tags, "StepFailed")
      assert.notInclude(tags, "TimedOut")
    })
  )

  it.effect("of an inner step that ends first ends only that step", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const step = ticket.pipe(Step.timeout("1 second"), Step.timeout("1 minute"))
      const { error } = yield* passing("1 second", failed(step, Testing.scripted([reply])))
      assert.deepStrictEqual(error.path, ["timeout(timeout(ticket))", "timeout(ticket)"])
      assert.isTrue(error.cause._tag === "TimeoutError" && error.cause.step === "timeout(ticket)")
    })
  )

  it.effect("leaves no thought of a step that switches to another one", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const step = Pipeline.sequence("forked", [ticket, Primitive.checkpoint("before"), category])
      const { children, error, stored } = yield* passing(
        "1 second",
        failed(step.pipe(Step.timeout("1 second")), Testing.scripted([replies.ticket, reply]))
      )
      assert.instanceOf(error.cause, Step.TimeoutError)
      assert.deepStrictEqual(children, [])
      assert.deepStrictEqual(keysOf(stored), ["message"])
      assert.strictEqual(stored.session.length, 0)
    })
  )
})

describe("a timeout and attempts", () => {
  it.effect("in a retry limits each attempt [C355]", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const model = Testing.scripted([reply, slowly(9, replies.ticket)])
      const step = ticket.pipe(Step.timeout("10 seconds"), Step.retry({ times: 2 }))
      const { done, stored } = yield* passing("19 seconds", succeeded(step, model))
      assert.strictEqual(model.requests.length, 2)
      assert.strictEqual(asked(model)[1], asked(model)[0])
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )

  it.effect("around a retry limits all of them, and has those that failed before it [C470]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([1, 2, 3, 4].map((seconds) => Effect.delay(providerError(), `${seconds} seconds`)))
      const step = Step.timeout(Step.retry(ticket, { times: 9, name: "again" }), "5 seconds", { name: "limited" })
      const { error } = yield* passing("5 seconds", failed(step, model))
      assert.strictEqual(model.requests.length, 3)
      assert.deepStrictEqual(error.path, ["limited"])
      assert.instanceOf(error.cause, Step.TimeoutError)
      assert.strictEqual(error.durationMillis, 5_000)
      assert.deepStrictEqual(
        error.before.map(({ cause, durationMillis, path }) => [path, (cause as Error).name, durationMillis]),
        [
          [["limited", "again", "ticket"], "ProviderError", 1_000],
          [["limited", "again", "ticket"], "ProviderError", 2_000]
        ]
      )
    })
  )

  it.effect("ends the wait of a backoff [C483]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), providerError(), replies.ticket])
      const step = ticket.pipe(Step.backoff({ base: "20 seconds", jitter: false }), Step.timeout("35 seconds"))
      const { error } = yield* passing("35 seconds", failed(step, model))
      assert.strictEqual(model.requests.length, 2)
      assert.instanceOf(error.cause, Step.TimeoutError)
      assert.strictEqual(error.before.length, 2)
    })
  )

  it.effect("has the failures of a fallback within a retry in the order in which they were", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const model = Testing.scripted([
        providerError("Overloaded"),
        providerError("Authentication"),
        providerError(),
        reply
      ])
      const step = Pipeline.fallback("either", [ticket, category]).pipe(
        Step.retry({ while: () => true }),
        Step.timeout("1 minute"),
        Step.timeout("1 second")
      )
      const { error } = yield* passing("1 second", failed(step, model))
      assert.deepStrictEqual(
        error.before.map(({ path }) => path.at(-1)),
        ["category", "ticket"]
      )
      assert.deepStrictEqual(
        error.before[0]?.before.map(({ path }) => path.at(-1)),
        ["ticket"]
      )
    })
  )

  it.effect("has the failure that an interrupted recovery was for", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const model = Testing.scripted([providerError(), reply])
      const step = Step.recover(ticket, category, { name: "mended" }).pipe(Step.timeout("1 second"))
      const { error } = yield* passing("1 second", failed(step, model))
      assert.strictEqual(error.cause._tag, "TimeoutError")
      assert.deepStrictEqual(
        error.before.map(({ path }) => path.at(-1)),
        ["ticket"]
      )
    })
  )

  it.effect("has the failures in interrupted branches, but not those of a branch that lost a race", () =>
    Effect.gen(function* () {
      const flaky = (name: string) => {
        let calls = 0
        const call = Effect.suspend(() => (++calls === 1 ? Effect.fail(providerError()) : Effect.never))
        return Step.make(name, { run: call }).pipe(Step.retry())
      }
      const hanging = Step.make("hanging", { run: Effect.never })
      const quick = Step.make("quick", { run: Effect.sleep("1 millis") })
      const step = Pipeline.sequence("both", [
        Pipeline.race("won", [flaky("lost"), quick]),
        Pipeline.race("open", [flaky("left"), hanging])
      ])
      const { error } = yield* passing("1 second", failed(step.pipe(Step.timeout("1 second")), Testing.scripted([])))
      assert.deepStrictEqual(
        error.before.map(({ path }) => path.at(-1)),
        ["left"]
      )
    })
  )

  it.effect("does not have failures in a step that has succeeded since", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const model = Testing.scripted([providerError(), replies.ticket, reply])
      const step = Pipeline.sequence("both", [ticket.pipe(Step.retry()), category]).pipe(Step.timeout("1 second"))
      const { error } = yield* passing("1 second", failed(step, model))
      assert.deepStrictEqual(error.before, [])
    })
  )
})

describe("a timeout as a step", () => {
  it("is the handle of the note that it wraps, however it is made [C498]", () => {
    const named = Step.timeout(ticket, "1 minute", { name: "limited" })
    const piped = ticket.pipe(Step.timeout("1 minute"))
    const first = Step.timeout(ticket, 1_500)
    for (const step of [named, piped, first]) assert.strictEqual(step.key, "ticket")
    assert.deepStrictEqual([named.name, piped.name, first.name], ["limited", "timeout(ticket)", "timeout(ticket)"])
    assert.deepStrictEqual(first.node, {
      name: "timeout(ticket)",
      kind: "timeout",
      reads: [],
      writes: ["ticket"],
      surely: ["ticket"],
      children: [ticket.node],
      settings: { duration: "1s 500ms" }
    })
  })

  it.effect("is read like the step that it wraps", () =>
    Effect.gen(function* () {
      const size = Step.make("size", { schema: Schema.Finite, run: () => 3 }).pipe(Step.timeout("1 second"))
      const done = yield* Pipeline.run(size, yield* Thought.make("test"))
      assert.strictEqual(yield* Thought.read(yield* Memory.load(done.id), size), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("refuses an invalid duration", () => {
    for (const duration of [0, -1, Duration.infinity, "soon" as "1 second"]) {
      assert.throws(
        () => Step.timeout(ticket, duration, { name: "limited" }),
        /^The step "limited" needs a finite time above 0, such as "5 seconds", as duration/
      )
    }
  })
})
