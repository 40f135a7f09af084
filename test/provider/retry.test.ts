import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Duration, Effect, Exit, Fiber, Random, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Signal } from "cogito"
import { ask, failing, fake, kinds, request, through } from "./fake.ts"
import { soon } from "../soon.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Runs something with all the time it wants. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* begin(effect)
    yield* TestClock.adjust("1 day")
    return yield* Fiber.join(fiber)
  })

const busy = failing("Overloaded")

describe.each(kinds)("a %s that is retried", (kind) => {
  it.effect("is retried until it succeeds, and reports the tokens of all attempts", () =>
    Effect.gen(function* () {
      const model = fake((call) =>
        call < 2
          ? Effect.fail(failing("Overloaded", { usage: { inputTokens: 10 } }))
          : Effect.succeed({ usage: { inputTokens: 5, outputTokens: 3 } })
      )
      const outcome = yield* through(model.layer.pipe(Provider.retry()))((p) => inTime(ask(kind, p)))
      assert.strictEqual(outcome.text, "Hello there")
      assert.deepStrictEqual(outcome.usage, { inputTokens: 25, outputTokens: 3 })
      assert.deepStrictEqual(
        model.calls.map((call) => call.request.messages),
        [request.messages, request.messages, request.messages]
      )
    })
  )

  it.effect("is made `times` times more and then fails with the last error and the tokens of all", () =>
    Effect.gen(function* () {
      const cause = new Error("the connection's own")
      for (const times of [0, 1, 2, 5]) {
        const model = fake((call) =>
          Effect.fail(
            call < times
              ? failing("Timeout", { usage: { outputTokens: 1 } })
              : failing("Connection", { usage: { outputTokens: 1 }, requestId: "req_9", cause })
          )
        )
        const error = yield* through(model.layer.pipe(Provider.retry({ times })))((p) =>
          inTime(Effect.flip(ask(kind, p)))
        )
        assert.strictEqual(error.reason._tag, "Connection")
        assert.deepStrictEqual(error.usage, { outputTokens: times + 1 })
        assert.deepInclude(error, { requestId: "req_9", cause })
        assert.lengthOf(model.calls, times + 1)
      }
    })
  )

  it.effect("is retried twice by default", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.fail(busy))
      const error = yield* through(model.layer.pipe(Provider.retry()))((p) => inTime(Effect.flip(ask(kind, p))))
      assert.strictEqual(error, busy)
      assert.lengthOf(model.calls, 3)
    })
  )

  it.effect("is not retried after an error that is not retryable, but when `while` says so", () =>
    Effect.gen(function* () {
      const tags = [
        "QuotaExhausted",
        "Authentication",
        "InvalidRequest",
        "ContextTooLong",
        "Refused",
        "Unsupported"
      ] as const
      for (const tag of tags) {
        const model = fake(() => Effect.fail(failing(tag)))
        yield* through(model.layer.pipe(Provider.retry()))((p) => Effect.flip(ask(kind, p)))
        assert.lengthOf(model.calls, 1, tag)
      }
      const model = fake(() => Effect.fail(failing("Refused")))
      const retried = Provider.retry({ times: 1, while: (error) => error.reason._tag === "Refused" })
      yield* through(model.layer.pipe(retried))((p) => inTime(Effect.flip(ask(kind, p))))
      assert.lengthOf(model.calls, 2)
    })
  )

  it.effect("is never made earlier than the error says, nor later than necessary", () =>
    Effect.gen(function* () {
      const waits = [0, 700, 60_000]
      for (const retryAfter of waits) {
        const model = fake((call) =>
          call === 0 ? Effect.fail(failing("RateLimited", { retryAfter })) : Effect.succeed({})
        )
        yield* through(model.layer.pipe(Provider.retry({ base: 500 })))((p) => inTime(ask(kind, p)))
        const [first = NaN, second = NaN] = model.times()
        assert.isAtLeast(second - first, retryAfter)
        assert.isAtMost(second - first, Math.max(500, retryAfter))
      }
    })
  )

  it.effect("fails at once if it would have to wait longer than allowed, with the error that states the time", () =>
    Effect.gen(function* () {
      const cases = [
        [61_000, {}],
        [Infinity, {}],
        [1001, { maxWait: 1000 }],
        [5000, { deadline: 5000 }],
        [5000, { deadline: "4 seconds", maxWait: "1 hour" }]
      ] as const
      for (const [retryAfter, options] of cases) {
        const planted = failing("RateLimited", { retryAfter })
        const model = fake(() => Effect.fail(planted))
        const error = yield* through(model.layer.pipe(Provider.retry(options)))((p) => Effect.flip(ask(kind, p)))
        assert.strictEqual(error, planted)
        assert.strictEqual(Duration.toMillis(error.retryAfter ?? 0), retryAfter)
        assert.lengthOf(model.calls, 1)
      }
    })
  )

  it.effect("waits as long as the error says if that is the longest time allowed", () =>
    Effect.gen(function* () {
      for (const [retryAfter, options] of [
        [60_000, {}],
        [1000, { maxWait: 1000 }],
        [5000, { deadline: 5001 }]
      ] as const) {
        const model = fake((call) =>
          call === 0 ? Effect.fail(failing("RateLimited", { retryAfter })) : Effect.succeed({})
        )
        yield* through(model.layer.pipe(Provider.retry(options)))((p) => inTime(ask(kind, p)))
        const [first = 0, second = 0] = model.times()
        assert.strictEqual(second - first, retryAfter)
      }
    })
  )

  it.effect("ends at its deadline, also while an attempt runs", () =>
    Effect.gen(function* () {
      const model = fake((call) => (call === 0 ? Effect.fail(busy) : Effect.never))
      const fiber = yield* through(model.layer.pipe(Provider.retry({ deadline: "10 seconds" })))((p) =>
        begin(Effect.flip(ask(kind, p)))
      )
      yield* TestClock.adjust(9999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* soon("the call ends at its deadline")(Fiber.join(fiber))
      assert.strictEqual(error.reason._tag, "Timeout")
      assert.include(error.message, "10s")
      assert.deepStrictEqual([model.calls.length, model.dropped()], [2, 1])
    })
  )

  it.effect("is retried only once after an answer without text", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.fail(failing("EmptyAnswer")))
      yield* through(model.layer.pipe(Provider.retry({ times: 9 })))((p) => inTime(Effect.flip(ask(kind, p))))
      assert.lengthOf(model.calls, 2)
      const mixed = fake((call) => Effect.fail(call === 0 || call === 2 ? failing("EmptyAnswer") : busy))
      yield* through(mixed.layer.pipe(Provider.retry({ times: 9 })))((p) => inTime(Effect.flip(ask(kind, p))))
      assert.lengthOf(mixed.calls, 3)
    })
  )

  it.effect("ends at once if it is interrupted while it waits, or during a call", () =>
    Effect.gen(function* () {
      const model = fake((call) =>
        call === 0 ? Effect.fail(failing("RateLimited", { retryAfter: 30_000 })) : Effect.never
      )
      yield* through(model.layer.pipe(Provider.retry()))((p) =>
        Effect.gen(function* () {
          const waiting = yield* begin(ask(kind, p))
          yield* TestClock.adjust("1 second")
          yield* soon("the wait ends when it is interrupted")(Fiber.interrupt(waiting))
          const exit = yield* Fiber.await(waiting)
          assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
          const asked = yield* begin(ask(kind, p))
          yield* TestClock.adjust("1 day")
          yield* soon("the call ends when it is interrupted")(Fiber.interrupt(asked))
        })
      )
      assert.deepStrictEqual([model.calls.length, model.dropped()], [2, 1])
    })
  )

  it.effect("reports every attempt that is followed by another", () =>
    Effect.gen(function* () {
      const model = fake((call) => Effect.fail(call === 0 ? failing("RateLimited", { retryAfter: 2000 }) : busy))
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "AttemptFailed") told.push([signal.attempt, signal.error, signal.waitMillis])
      })
      const program = through(model.layer.pipe(Provider.retry({ times: 1 })))((p) => inTime(Effect.flip(ask(kind, p))))
      yield* listen(program)
      assert.deepStrictEqual(told, [[1, "RateLimited", 2000]])
    })
  )

  const attempts = Arbitrary.schema(
    Schema.Struct({
      times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
      base: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })),
      cap: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4000 })),
      seed: Schema.Int,
      errors: Schema.Array(
        Schema.Struct({
          tag: Schema.Literals(["RateLimited", "Overloaded", "Connection", "Refused", "InvalidResponse"]),
          retryAfter: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90_000 })))
        })
      ).check(Schema.isMaxLength(8))
    })
  )

  it.effect.prop(
    "follows a model of it: how many calls, when, and what comes of them",
    [attempts],
    ([{ base, cap, errors, seed, times }]) =>
      Effect.gen(function* () {
        const timed = (tag: string) => tag === "RateLimited" || tag === "Overloaded"
        const model = fake((call) => {
          const error = errors[call]
          if (error === undefined) return Effect.succeed({})
          const { retryAfter, tag } = error
          return Effect.fail(failing(tag, retryAfter === undefined || !timed(tag) ? {} : { retryAfter }))
        })
        const fiber = yield* through(model.layer.pipe(Provider.retry({ times, base, cap })))((p) =>
          begin(Effect.exit(Random.withSeed(ask(kind, p), seed)))
        )
        yield* TestClock.adjust("1 day")
        const exit = yield* Fiber.join(fiber)
        let calls = 1
        const least = (call: number) => {
          const error = errors[call]
          return error?.retryAfter !== undefined && timed(error.tag) ? error.retryAfter : 0
        }
        const retried = (call: number) =>
          call < times && errors[call] !== undefined && errors[call].tag !== "Refused" && least(call) <= 60_000
        while (retried(calls - 1)) calls++
        assert.lengthOf(model.calls, calls)
        assert.strictEqual(Exit.isSuccess(exit), errors[calls - 1] === undefined)
        model.times().forEach((at, call) => {
          const wait = (model.times()[call + 1] ?? NaN) - at
          if (Number.isNaN(wait)) return
          assert.isAtLeast(wait, least(call))
          assert.isAtMost(wait, Math.max(least(call), Math.min(cap, base * 2 ** call)))
        })
      })
  )
})

describe("retry", () => {
  it.effect("waits for a random time between zero and a limit that doubles up to a cap", () =>
    Effect.gen(function* () {
      const longest = [0, 0, 0, 0, 0]
      const shortest = [Infinity, Infinity, Infinity, Infinity, Infinity]
      for (let seed = 0; seed < 60; seed++) {
        const model = fake(() => Effect.fail(busy))
        const retried = Provider.retry({ times: 5, base: 1000, cap: 5000 })
        yield* through(model.layer.pipe(retried))((p) =>
          inTime(Random.withSeed(Effect.flip(ask("complete", p)), `seed ${seed}`))
        )
        const times = model.times()
        for (let i = 0; i < 5; i++) {
          const wait = (times[i + 1] ?? NaN) - (times[i] ?? NaN)
          longest[i] = Math.max(longest[i] ?? NaN, wait)
          shortest[i] = Math.min(shortest[i] ?? NaN, wait)
        }
      }
      for (const [i, whole] of [1000, 2000, 4000, 5000, 5000].entries()) {
        assert.isAtMost(longest[i] ?? NaN, whole)
        assert.isAtLeast(longest[i] ?? NaN, whole * 0.85)
        assert.isAtMost(shortest[i] ?? NaN, whole * 0.15)
      }
    })
  )

  it.effect("waits half a second, then twice as long, up to half a minute by default", () =>
    Effect.gen(function* () {
      const whole = { nextIntUnsafe: () => 1, nextDoubleUnsafe: () => 1 }
      const waits = (options: NonNullable<Parameters<typeof Provider.retry>[0]>) =>
        Effect.gen(function* () {
          const model = fake(() => Effect.fail(busy))
          yield* through(model.layer.pipe(Provider.retry(options)))((p) => inTime(Effect.flip(ask("complete", p))))
          return model.times().map((time, i, times) => time - (times[i - 1] ?? time))
        }).pipe(Effect.provideService(Random.Random, whole))
      assert.deepStrictEqual(yield* waits({}), [0, 500, 1_000])
      const long = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
      assert.deepStrictEqual(yield* waits({ times: 8 }), long)
      // only what a server asks for can be too long to wait for
      assert.deepStrictEqual(yield* waits({ maxWait: 100 }), [0, 500, 1_000])
      // at the deadline itself there is no time left
      assert.deepStrictEqual(yield* waits({ deadline: 500 }), [0])
      assert.deepStrictEqual(yield* waits({ deadline: 501 }), [0, 500])
    })
  )

  it.effect("does not restart a stream once a piece was passed on, and adds the tokens to its error", () =>
    Effect.gen(function* () {
      const cut = failing("Truncated", { usage: { outputTokens: 2 } })
      const model = fake(
        (call) => (call === 0 ? Effect.fail(failing("Timeout", { usage: { outputTokens: 1 } })) : Effect.succeed({})),
        { broken: () => cut }
      )
      const pieces: Array<string> = []
      const error = yield* through(model.layer.pipe(Provider.retry({ times: 5 })))((p) =>
        inTime(
          Effect.flip(
            Stream.runForEach(p.stream(request), (part) =>
              Effect.sync(() => void pieces.push(part._tag === "Text" ? part.delta : "Done"))
            )
          )
        )
      )
      assert.deepStrictEqual(pieces, ["Hello ", "there"])
      assert.strictEqual(error.reason._tag, "Truncated")
      assert.deepStrictEqual(error.usage, { outputTokens: 3 })
      assert.lengthOf(model.calls, 2)
    })
  )

  it.effect("restarts a stream that ended or broke before its first piece", () =>
    Effect.gen(function* () {
      let calls = 0
      const answer = { text: "fine", usage: {} }
      const streams: ReadonlyArray<Stream.Stream<Provider.StreamPart, Provider.ProviderError>> = [
        Stream.empty,
        Stream.concat(Stream.make({ _tag: "Text", delta: "" } as const), Stream.fail(failing("Connection"))),
        // what is reasoned before the answer waits for its first piece
        Stream.concat(Stream.make({ _tag: "Reasoning", delta: "Hm." } as const), Stream.fail(failing("Overloaded"))),
        Stream.make({ _tag: "Text", delta: "fine" }, { _tag: "Done", response: answer })
      ]
      const layer = Provider.layer({
        name: "p",
        model: "m",
        complete: () => Effect.succeed(answer),
        stream: () => Stream.suspend(() => streams[calls++] ?? Stream.empty)
      })
      const parts = yield* through(layer.pipe(Provider.retry({ times: 3 })))((p) =>
        inTime(Stream.runCollect(p.stream(request)))
      )
      assert.deepStrictEqual(parts, [
        { _tag: "Text", delta: "fine" },
        { _tag: "Done", response: answer }
      ])
      assert.strictEqual(calls, 4)
    })
  )

  it.effect("releases a stream's attempts when they fail, and the last one with the stream", () =>
    Effect.gen(function* () {
      const open: Array<string> = []
      let calls = 0
      const stream = Stream.unwrap(
        Effect.gen(function* () {
          const call = ++calls
          yield* Effect.acquireRelease(
            Effect.sync(() => open.push(`open ${call}`)),
            () => Effect.sync(() => open.push(`closed ${call}`))
          )
          return call < 3
            ? Stream.fail(busy)
            : Stream.concat(Stream.make({ _tag: "Text", delta: "a" } as const), Stream.never)
        })
      )
      const layer = Provider.layer({ name: "p", model: "m", complete: () => Effect.never, stream: () => stream })
      yield* through(layer.pipe(Provider.retry()))((p) => inTime(Stream.runDrain(Stream.take(p.stream(request), 1))))
      assert.deepStrictEqual(open, ["open 1", "closed 1", "open 2", "closed 2", "open 3", "closed 3"])
    })
  )

  it.effect("never retries a defect", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.die(new Error("planted")))
      const exit = yield* through(model.layer.pipe(Provider.retry()))((p) => Effect.exit(ask("complete", p)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.lengthOf(model.calls, 1)
    })
  )

  it("has no native decisions if the provider has none", () =>
    Effect.runPromise(
      through(fake(() => Effect.succeed({}), { decides: false }).layer.pipe(Provider.retry()))((p) =>
        Effect.sync(() => assert.isUndefined(p.decide))
      )
    ))

  it("refuses options that are out of range", () => {
    assert.throws(() => Provider.retry({ times: -1 }), "Provider.retry needs a whole number from 0 as times, not -1.")
    assert.throws(() => Provider.retry({ times: 1.5 }), /times/)
    for (const base of [0, -1, Infinity]) assert.throws(() => Provider.retry({ base }), /Provider\.retry .* as base/)
    assert.throws(() => Provider.retry({ cap: 0 }), /as cap/)
    assert.throws(() => Provider.retry({ maxWait: 0 }), /as maxWait/)
    assert.throws(() => Provider.retry({ deadline: 0 }), /as deadline/)
    assert.doesNotThrow(() => Provider.retry({ maxWait: Infinity, deadline: Infinity, times: 0 }))
  })
})
