import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Clock, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, RateLimiter, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, replies, start, withModel } from "./triage.ts"

/** A step that remembers when it ran. */
const timed = () => {
  const times: Array<number> = []
  const step = Step.make("time", {
    schema: Schema.Finite,
    run: Effect.tap(Clock.currentTimeMillis, (at) => Effect.sync(() => times.push(at)))
  })
  return { step, times }
}

const run = <O, E, R>(step: Step.Step<{}, O, E, R>) =>
  Effect.flatMap(Thought.make("run"), (thought) => Pipeline.run(step, thought))

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Begins so many runs, and lets them get as far as they can. */
const beginAll = <O, E, R>(count: number, step: Step.Step<{}, O, E, R>) =>
  Effect.tap(
    Effect.all(
      Array.from({ length: count }, () => begin(run(step))),
      { concurrency: 1 }
    ),
    () => TestClock.adjust(0)
  )

describe("rateLimit", () => {
  it.effect(
    "starts full, lets a burst pass immediately, and then spaces the runs evenly [C512] [C513] [C520] [C521]",
    () =>
      Effect.gen(function* () {
        const { step, times } = timed()
        const limited = Step.rateLimit(step, { limit: 10, per: "1 second", burst: 3, name: "limited" })
        yield* beginAll(6, limited)
        assert.deepStrictEqual(times, [0, 0, 0])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(times, [0, 0, 0, 100, 200, 300])
      }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fills over time up to the burst, also by fractions of a token [C514] [C515]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limiter = RateLimiter.make({ limit: 2, per: "1 second", burst: 4 })
      yield* beginAll(4, Step.rateLimit(step, { limiter }))
      assert.strictEqual((yield* limiter.left).limit, 0)
      yield* TestClock.adjust(250)
      assert.strictEqual((yield* limiter.left).limit, 0.5)
      yield* TestClock.adjust(1000)
      assert.strictEqual((yield* limiter.left).limit, 2.5)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* limiter.left).limit, 4)
      assert.lengthOf(times, 4)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("saves as many as the limit by default, and at least one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* RateLimiter.make({ limit: 5, per: "1 second" }).left).limit, 5)
      assert.strictEqual((yield* RateLimiter.make({ limit: 0.5, per: "1 second" }).left).limit, 1)
      // nothing may begin, whatever the burst
      assert.strictEqual((yield* RateLimiter.make({ limit: 0, per: "1 second", burst: 5 }).left).limit, 0)
    })
  )

  it.effect("never waits with an endless limit [C516]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limited = Step.rateLimit(step, { limit: Infinity, per: "1 second", burst: 1, name: "limited" })
      yield* beginAll(50, limited)
      assert.deepStrictEqual(times, Array<number>(50).fill(0))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets nothing pass with a limit of 0, until it is interrupted [C517] [C518]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const waits: Array<number | undefined> = []
      const limited = Step.rateLimit(step, { limit: 0, per: "1 second", name: "limited" })
      const fiber = yield* begin(
        run(limited).pipe(
          Signal.listen((signal) => {
            if (signal._tag === "Throttled") waits.push(signal.waitMillis)
          })
        )
      )
      yield* TestClock.adjust("1000 days")
      assert.deepStrictEqual(waits, [undefined])
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(times, [])
      const failing = Step.rateLimit(step, { limit: 0, per: "1 second", onExceeded: "fail", name: "failing" })
      const { cause } = yield* Effect.flip(run(failing))
      assert.instanceOf(cause, RateLimiter.RateLimited)
      assert.isFalse(Duration.isFinite(cause.retryAfter))
      assert.strictEqual(cause.message, "failing: the rate limit is used up. Its limit is 0: raise it.")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("waits for the missing part of a token, and signals how long [C519]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const signals: Array<string> = []
      const limited = Step.rateLimit(step, { limit: 1, per: "1 second", name: "limited" })
      yield* run(limited)
      yield* TestClock.adjust(500)
      const fibers = yield* beginAll(2, limited).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "Throttled") signals.push(`${signal.path.join("/")} ${signal.waitMillis}`)
        })
      )
      assert.deepStrictEqual(signals, ["limited 500", "limited 1500"])
      yield* TestClock.adjust(499)
      assert.deepStrictEqual(times, [0])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(times, [0, 1000])
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(times, [0, 1000, 2000])
      yield* Fiber.joinAll(fibers)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets later runs move up when a waiting run is interrupted [C518]", () =>
    Effect.gen(function* () {
      const { step } = timed()
      const passed: Array<string> = []
      const limiter = RateLimiter.make({ limit: 10, per: "1 second", burst: 1 })
      const one = (name: string) =>
        begin(
          Effect.tap(run(Step.rateLimit(step, { limiter })), (done) =>
            Effect.sync(() => passed.push(`${name} ${done.get("time")}`))
          )
        )
      yield* one("a")
      const b = yield* one("b")
      const c = yield* one("c")
      yield* one("d")
      const e = yield* one("e")
      yield* TestClock.adjust(50)
      yield* Fiber.interrupt(b)
      yield* Fiber.interrupt(c)
      yield* Fiber.interrupt(e)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(passed, ["a 0"])
      yield* one("f")
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(passed, ["a 0", "d 100", "f 200"])
      assert.strictEqual((yield* limiter.left).limit, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("lets no run overtake that arrives when a token becomes available", () =>
    Effect.gen(function* () {
      const { step } = timed()
      const passed: Array<string> = []
      const limited = Step.rateLimit(step, { limit: 10, per: "1 second", burst: 1 })
      const one = (name: string) =>
        Effect.tap(run(limited), (done) => Effect.sync(() => passed.push(`${name} ${done.get("time")}`)))
      // its alarm rings before that of the one that waits
      yield* begin(Effect.andThen(Effect.sleep(100), one("late")))
      yield* begin(one("first"))
      yield* begin(one("second"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(passed, ["first 0", "second 100", "late 200"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("regains the token of a run that is interrupted before it begins [C518]", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 0, per: "1 hour", burst: 2 })
      const ran: Array<string> = []
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      const stop = Step.make("stop", {
        run: Effect.suspend(() => {
          ran.push("stop")
          return Fiber.interruptAll(fibers)
        })
      })
      const other = Step.make("other", { run: () => void ran.push("other") })
      yield* begin(run(Step.rateLimit(stop, { limiter })))
      fibers.push(yield* begin(run(Step.rateLimit(other, { limiter }))))
      yield* limiter.configure({ limit: 1 })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(ran, ["stop"])
      assert.strictEqual((yield* limiter.left).limit, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails immediately if it may not wait, with the time to retry, and works then [C522]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limited = Step.rateLimit(step, { limit: 4, per: "1 second", burst: 1, onExceeded: "fail", name: "limited" })
      yield* run(limited)
      yield* TestClock.adjust(100)
      const error = yield* Effect.flip(run(limited))
      assert.deepStrictEqual(error.path, ["limited"])
      assert.instanceOf(error.cause, RateLimiter.RateLimited)
      assert.strictEqual(error.cause.step, "limited")
      assert.strictEqual(Duration.toMillis(error.cause.retryAfter), 150)
      assert.isTrue(error.cause.isRetryable)
      assert.strictEqual(error.cause.message, "limited: the rate limit is used up. Try again in 150ms, or let it wait.")
      yield* TestClock.adjust(149)
      yield* Effect.flip(run(limited))
      yield* TestClock.adjust(1)
      yield* run(limited)
      assert.deepStrictEqual(times, [0, 250])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not let a failing run overtake waiting ones", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limiter = RateLimiter.make({ limit: 10, per: "1 second", burst: 1 })
      yield* beginAll(2, Step.rateLimit(step, { limiter }))
      yield* TestClock.adjust(50)
      const { cause } = yield* Effect.flip(run(Step.rateLimit(step, { limiter, onExceeded: "fail" })))
      assert.instanceOf(cause, RateLimiter.RateLimited)
      assert.strictEqual(Duration.toMillis(cause.retryAfter), 150)
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(times, [0, 100])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("calls a model no more often, with the same requests [C527]", () =>
    Effect.gen(function* () {
      const spam = Primitive.decide("spam", { question: "Is this spam?" })
      const limited = Pipeline.sequence("all", [Step.rateLimit(spam, { limit: 1, per: "1 second" })])
      const at: Array<number> = []
      const reply = Effect.as(
        Effect.tap(Clock.currentTimeMillis, (millis) => Effect.sync(() => at.push(millis))),
        replies.escalate
      )
      const model = Testing.scripted([reply, reply, reply, reply])
      yield* Effect.gen(function* () {
        yield* Pipeline.run(spam, yield* start)
        const runs = Effect.forEach(
          [1, 2, 3],
          () => Effect.flatMap(start, (thought) => Pipeline.run(limited, thought)),
          { concurrency: "unbounded" }
        )
        const fiber = yield* begin(runs)
        yield* TestClock.adjust("10 seconds")
        for (const done of yield* Fiber.join(fiber)) {
          assert.isTrue(done.get("spam").decision)
          assert.strictEqual((yield* Memory.load(done.id)).length, 2)
        }
      }).pipe(withModel(model))
      assert.deepStrictEqual(at, [0, 0, 1000, 2000])
      // the fences around notes are named after the thought
      const sent = model.requests.map(({ messages }) =>
        messages.map(({ text }) => text.replaceAll(/note \w{8}/g, "note"))
      )
      assert.deepStrictEqual(sent, Array(4).fill(sent[0]))
    })
  )

  it.effect("changes the rate for waiting runs [C523] [C527]", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limiter = RateLimiter.make({ limit: 1, per: "1 second" })
      yield* beginAll(4, Step.rateLimit(step, { limiter }))
      yield* TestClock.adjust(500)
      // half a token is there: the other half takes 50 ms
      yield* limiter.configure({ limit: 10 })
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(times, [0, 550])
      // half a token again: the other half takes 5 seconds
      yield* limiter.configure({ limit: 1, per: "10 seconds" })
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(times, [0, 550, 5600, 15_600])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("stops with a limit of 0 and continues at once with an infinite one", () =>
    Effect.gen(function* () {
      const { step, times } = timed()
      const limiter = RateLimiter.make({ limit: 10, per: "1 second", burst: 2 })
      yield* limiter.configure({ limit: 0 })
      yield* beginAll(5, Step.rateLimit(step, { limiter }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(times, [])
      yield* limiter.configure({ limit: 10 })
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(times, [60_000, 60_000, 60_100])
      yield* limiter.configure({ limit: Infinity })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(times, [60_000, 60_000, 60_100, 60_100, 60_100])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps the options that a change leaves out", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 10, per: "1 second", burst: 4, tokens: 100 })
      yield* limiter.configure({ limit: 8 })
      assert.deepStrictEqual(yield* limiter.left, { limit: 4, tokens: 100 })
      yield* limiter.configure({ tokens: 60 })
      assert.deepStrictEqual(yield* limiter.left, { limit: 4, tokens: 60 })
      yield* limiter.configure({ per: "2 seconds" })
      assert.deepStrictEqual(yield* limiter.left, { limit: 4, tokens: 60 })
      yield* limiter.configure({ burst: 2 })
      assert.deepStrictEqual(yield* limiter.left, { limit: 2, tokens: 60 })
    })
  )

  it.effect("loses tokens above a lowered burst, and gains none immediately from a raised one [C524]", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 10, per: "1 second" })
      assert.strictEqual((yield* limiter.left).limit, 10)
      yield* limiter.configure({ burst: 3 })
      assert.strictEqual((yield* limiter.left).limit, 3)
      yield* limiter.configure({ burst: 20 })
      assert.strictEqual((yield* limiter.left).limit, 3)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* limiter.left).limit, 13)
    })
  )

  it.effect("refuses invalid options, and keeps the current ones [C525] [C526] [C528]", () =>
    Effect.gen(function* () {
      const { step } = timed()
      const build = (options: RateLimiter.Options) => () => Step.rateLimit(step, { ...options, name: "limited" })
      assert.throws(build({ limit: -1, per: "1 second" }), 'The step "limited" needs a number from 0 as limit, not -1.')
      assert.throws(build({ limit: NaN, per: "1 second" }), /as limit, not NaN/)
      // as an environment variable has it
      assert.throws(build({ limit: "5" as never, per: "1 second" }), /as limit, not "5"/)
      assert.throws(build({ limit: 5, per: "1 second", burst: "2" as never }), /as burst, not "2"/)
      assert.throws(build({ limit: 1, per: 0 }), /"limited" needs a finite time above 0, such as "1 second" as per\./)
      assert.throws(build({ limit: 1, per: Infinity }), /as per/)
      assert.throws(build({ limit: 1, per: "often" as "1 second" }), /as per/)
      assert.throws(build({ limit: 1, per: "1 second", burst: 0.5 }), /a number from 1 as burst, not 0.5/)
      const limiter = RateLimiter.make({ limit: 2, per: "1 second" })
      const exit = yield* Effect.exit(limiter.configure({ limit: 5, burst: -1 }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual((yield* limiter.left).limit, 2)
      assert.deepInclude(Step.rateLimit(step, { limiter }).node.settings, { limit: 2, burst: 2 })
    })
  )

  it.effect("shares a limiter between steps, but no state between steps with their own limit", () =>
    Effect.gen(function* () {
      const one = timed()
      const two = timed()
      const limiter = RateLimiter.make({ limit: 1, per: "1 second" })
      yield* beginAll(1, Step.rateLimit(one.step, { limiter, name: "one" }))
      yield* beginAll(1, Step.rateLimit(two.step, { limiter, name: "two" }))
      yield* beginAll(1, Step.rateLimit(one.step, { limit: 1, per: "1 second", name: "three" }))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(one.times, [0, 0])
      assert.deepStrictEqual(two.times, [1000])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("takes a token for a run that fails or dies, and passes on how it ended [C529] [C530] [C531]", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 3, per: "1 second" })
      const failing = Step.make("failing", { run: Effect.fail(providerError()) })
      const dying = Step.make("dying", { run: Effect.die("broken") })
      const all = Pipeline.sequence("all", [Step.rateLimit(failing, { limiter, name: "limited" })])
      const error = yield* Effect.flip(run(all))
      assert.deepStrictEqual(error.path, ["all", "limited", "failing"])
      assert.strictEqual(error.cause._tag, "ProviderError")
      const exit = yield* Effect.exit(run(Step.rateLimit(dying, { limiter })))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual((yield* limiter.left).limit, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows its options, and keeps the handle of its step, piped either way [C526] [C533]", () => {
    const { step } = timed()
    const limiter = RateLimiter.make({ limit: Infinity, per: "1 minute" })
    const last = step.pipe(Step.rateLimit({ limit: 2, per: "1 second", onExceeded: "fail" }))
    const first = Step.rateLimit(step, { limiter })
    assert.strictEqual(last.name, "rateLimit(time)")
    assert.strictEqual(first.name, "rateLimit(time)")
    assert.strictEqual(last.node.kind, "rateLimit")
    assert.deepStrictEqual(last.node.settings, { limit: 2, per: "1s", burst: 2, onExceeded: "fail" })
    assert.deepStrictEqual(first.node.settings, {
      limit: "unlimited",
      per: "1m",
      burst: "unlimited",
      onExceeded: "wait",
      shared: true
    })
    assert.deepStrictEqual(first.node.children, [step.node])
    assert.deepStrictEqual(first.node.surely, ["time"])
    assert.isTrue(Note.isHandle(first))
    assert.strictEqual(last.key, "time")
  })
})

// ------------------------------------------------------------------------------------------------- against an oracle

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const plans = Arbitrary.schema(
  Schema.Struct({
    limit: upTo(5),
    per: upTo(1000),
    burst: upTo(4),
    events: Schema.Array(
      Schema.Struct({
        gap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
        // an arrival, or the interruption of an earlier one
        interrupts: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))
      })
    ).check(Schema.isMaxLength(25))
  })
)
type Plan = typeof plans extends Arbitrary.Arbitrary<infer P> ? P : never

/** When each arrival passes, looked at millisecond by millisecond; undefined for one that is interrupted before. */
const expected = ({ burst, events, limit, per }: Plan): ReadonlyArray<number | undefined> => {
  const passed: Array<number | undefined> = []
  let waiting: Array<number> = []
  let content = burst * per
  const serve = (at: number): void => {
    while (waiting.length > 0 && content >= per) {
      content -= per
      passed[waiting.shift()!] = at
    }
  }
  let at = 0
  const pass = (millis: number): void => {
    for (let i = 0; i < millis; i++) {
      at++
      content = Math.min(burst * per, content + limit)
      serve(at)
    }
  }
  for (const { gap, interrupts } of events) {
    pass(gap)
    if (interrupts === undefined) {
      waiting.push(passed.length)
      passed.push(undefined)
      serve(at)
    } else waiting = waiting.filter((one) => one !== interrupts)
  }
  while (waiting.length > 0) pass(1)
  return passed
}

describe("a rate limit", () => {
  it.effect.prop(
    "lets every run pass exactly when its tokens allow, whatever arrives or is interrupted [C527]",
    [plans],
    ([plan]) =>
      Effect.gen(function* () {
        const { burst, limit, per } = plan
        const { step } = timed()
        const limited = Step.rateLimit(step, { limit, per, burst, name: "limited" })
        const passed: Array<number | undefined> = []
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        const begun = yield* Clock.currentTimeMillis
        for (const { gap, interrupts } of plan.events) {
          yield* TestClock.adjust(gap)
          if (interrupts === undefined) {
            const i = passed.push(undefined) - 1
            const one = Effect.tap(run(limited), (done) => Effect.sync(() => (passed[i] = done.get("time") - begun)))
            fibers.push(yield* begin(one))
          } else if (fibers[interrupts] !== undefined) yield* Fiber.interrupt(fibers[interrupts])
          yield* TestClock.adjust(0)
        }
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(passed, expected(plan))
        const times = passed.filter((time) => time !== undefined).toSorted((a, b) => a - b)
        for (const [i, from] of times.entries()) {
          for (const [j, to] of times.entries()) {
            if (j >= i) assert.isAtMost(j - i + 1, burst + ((to - from) * limit) / per)
          }
        }
      }).pipe(Effect.provide(Testing.memory))
  )
})
