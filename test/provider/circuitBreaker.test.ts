import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Deferred, Duration, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { CircuitBreaker, Provider, Signal } from "cogito"
import { ask, failing, fake, kinds, request, through } from "./fake.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** The tags of what so many calls in a row come to. */
const tags = (count: number, call: Effect.Effect<unknown, Provider.ProviderError>) =>
  Effect.replicateEffect(
    Effect.match(call, { onFailure: (error): string => error.reason._tag, onSuccess: () => "fine" }),
    count
  )

describe.each(kinds)("a %s behind a circuit breaker", (kind) => {
  it.effect("is not made any more after too many failures in a row, until the time is over", () =>
    Effect.gen(function* () {
      let up = false
      const model = fake(() => (up ? Effect.succeed({}) : Effect.fail(failing("Overloaded"))))
      const guarded = model.layer.pipe(Provider.circuitBreaker({ failures: 3, reset: "30 seconds" }))
      yield* through(guarded)((p) =>
        Effect.gen(function* () {
          const call = ask(kind, p)
          assert.deepStrictEqual(yield* tags(4, call), ["Overloaded", "Overloaded", "Overloaded", "CircuitOpen"])
          assert.lengthOf(model.calls, 3)
          yield* TestClock.adjust("12 seconds")
          const refused = yield* Effect.flip(call)
          assert.strictEqual(Duration.toMillis(refused.retryAfter ?? 0), 18_000)
          assert.deepStrictEqual([refused.provider, refused.model, refused.isRetryable], ["fake", "fake-1", true])
          yield* TestClock.adjust("18 seconds")
          // one try, that fails
          assert.deepStrictEqual(yield* tags(2, call), ["Overloaded", "CircuitOpen"])
          assert.lengthOf(model.calls, 4)
          yield* TestClock.adjust("30 seconds")
          up = true
          assert.deepStrictEqual(yield* tags(3, call), ["fine", "fine", "fine"])
        })
      )
    })
  )

  it.effect("counts only failures that are the provider's", () =>
    Effect.gen(function* () {
      const counted = ["Overloaded", "Connection", "Timeout", "Truncated", "InvalidResponse"] as const
      const others = [
        "RateLimited",
        "QuotaExhausted",
        "Authentication",
        "InvalidRequest",
        "ContextTooLong",
        "Refused",
        "EmptyAnswer",
        "Unsupported"
      ] as const
      for (const tag of [...counted, ...others]) {
        const model = fake(() => Effect.fail(failing(tag)))
        const found = yield* through(model.layer.pipe(Provider.circuitBreaker({ failures: 1 })))((p) =>
          tags(2, ask(kind, p))
        )
        const isCounted = counted.some((one) => one === tag)
        assert.deepStrictEqual(found, isCounted ? [tag, "CircuitOpen"] : [tag, tag])
      }
      const model = fake(() => Effect.fail(failing("RateLimited")))
      const counts = (error: Provider.ProviderError) => error.reason._tag === "RateLimited"
      const found = yield* through(model.layer.pipe(Provider.circuitBreaker({ failures: 1, counts })))((p) =>
        tags(2, ask(kind, p))
      )
      assert.deepStrictEqual(found, ["RateLimited", "CircuitOpen"])
    })
  )

  it.effect("keeps the count of failures, and stays half-open, after an error of the request", () =>
    Effect.gen(function* () {
      const replies = ["Overloaded", "RateLimited", "Overloaded", "Refused", "Overloaded"] as const
      const model = fake((call) => Effect.fail(failing(replies[call] ?? "Refused")))
      const breaker = CircuitBreaker.make({ failures: 2, reset: "1 second" })
      yield* through(model.layer.pipe(Provider.circuitBreaker({ breaker })))((p) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* tags(4, ask(kind, p)), [...replies.slice(0, 3), "CircuitOpen"])
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(yield* tags(1, ask(kind, p)), ["Refused"])
          assert.strictEqual(yield* breaker.state, "half-open")
          assert.deepStrictEqual(yield* tags(2, ask(kind, p)), ["Overloaded", "CircuitOpen"])
        })
      )
      assert.lengthOf(model.calls, 5)
    })
  )

  it.effect("is tried by one call at a time after the pause, and by the next if that one is interrupted", () =>
    Effect.gen(function* () {
      const model = fake((call) =>
        call === 0 ? Effect.fail(failing("Timeout")) : call < 3 ? Effect.never : Effect.succeed({})
      )
      const breaker = CircuitBreaker.make({ failures: 1, reset: "1 second" })
      yield* through(model.layer.pipe(Provider.circuitBreaker({ breaker })))((p) =>
        Effect.gen(function* () {
          yield* tags(1, ask(kind, p))
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* breaker.state, "half-open")
          for (const _ of [1, 2]) {
            const trying = yield* begin(ask(kind, p))
            const refused = yield* Effect.flip(ask(kind, p))
            assert.deepStrictEqual([refused.reason._tag, refused.retryAfter], ["CircuitOpen", undefined])
            assert.include(refused.message, "another call")
            yield* Fiber.interrupt(trying)
          }
          assert.deepStrictEqual(yield* tags(1, ask(kind, p)), ["fine"])
          assert.strictEqual(yield* breaker.state, "closed")
        })
      )
      assert.lengthOf(model.calls, 4)
    })
  )

  it.effect("counts a defect, and passes it on", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.die(new Error("planted")))
      yield* through(model.layer.pipe(Provider.circuitBreaker({ failures: 1 })))((p) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(ask(kind, p))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
          assert.deepStrictEqual(yield* tags(1, ask(kind, p)), ["CircuitOpen"])
        })
      )
    })
  )

  it.effect("frees its place if the counting dies", () =>
    Effect.gen(function* () {
      const model = fake((call) => Effect.fail(failing(call === 0 ? "Overloaded" : "Refused")))
      const counts = (error: Provider.ProviderError): boolean => {
        if (error.reason._tag === "Refused") throw new Error("planted")
        return true
      }
      const breaker = Provider.circuitBreaker({ failures: 1, reset: "1 second", counts })
      yield* through(model.layer.pipe(breaker))((p) =>
        Effect.gen(function* () {
          yield* tags(1, ask(kind, p))
          yield* TestClock.adjust("1 second")
          for (const _ of [1, 2]) {
            const exit = yield* Effect.exit(ask(kind, p))
            assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
          }
        })
      )
      assert.lengthOf(model.calls, 3)
    })
  )
})

// ------------------------------------------------------------------------------------------------- against a model

const events = Arbitrary.schema(
  Schema.Struct({
    failures: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
    successes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
    events: Schema.Array(
      Schema.Union([
        Schema.Struct({
          kind: Schema.Literals(["complete", "stream", "decide"]),
          end: Schema.Literals(["fine", "Overloaded", "Refused"])
        }),
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1500 }))
      ])
    ).check(Schema.isMaxLength(40))
  })
)

describe("a circuit breaker of providers", () => {
  it.effect.prop("behaves like a model of it", [events], ([{ events: all, failures, successes }]) =>
    Effect.gen(function* () {
      let end = "fine"
      const model = fake(() => (end === "fine" ? Effect.succeed({}) : Effect.fail(failing(end as "Overloaded"))))
      const breaker = CircuitBreaker.make({ failures, successes, reset: 1000 })
      yield* through(model.layer.pipe(Provider.circuitBreaker({ breaker })))((p) =>
        Effect.gen(function* () {
          let at = 0
          let openUntil: number | undefined
          let failed = 0
          let succeeded = 0
          for (const event of all) {
            if (typeof event === "number") {
              at += event
              yield* TestClock.adjust(event)
              continue
            }
            const isOpen = openUntil !== undefined && at < openUntil
            assert.strictEqual(yield* breaker.state, openUntil === undefined ? "closed" : isOpen ? "open" : "half-open")
            end = event.end
            const before = model.calls.length
            const [found] = yield* tags(1, ask(event.kind, p))
            assert.strictEqual(model.calls.length - before, isOpen ? 0 : 1)
            assert.strictEqual(found, isOpen ? "CircuitOpen" : end)
            if (isOpen || end === "Refused") continue
            if (openUntil === undefined) {
              failed = end === "fine" ? 0 : failed + 1
              if (failed >= failures) [openUntil, succeeded] = [at + 1000, 0]
            } else if (end === "Overloaded") [openUntil, succeeded] = [at + 1000, 0]
            else if (++succeeded >= successes) [openUntil, failed] = [undefined, 0]
          }
        })
      )
    })
  )

  it.effect("takes the last piece of a stream as its end, and a stream without one as unfinished", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}), { broken: () => failing("Truncated") })
      yield* through(model.layer.pipe(Provider.circuitBreaker({ failures: 2 })))((p) =>
        Effect.gen(function* () {
          for (let i = 0; i < 3; i++) yield* Stream.runDrain(Stream.take(p.stream(request), 1))
          assert.deepStrictEqual(yield* tags(3, ask("stream", p)), ["Truncated", "Truncated", "CircuitOpen"])
        })
      )
      const half = yield* Deferred.make<void>()
      const other = fake((call) => (call === 0 ? Effect.fail(failing("Timeout")) : Effect.succeed({})))
      const breaker = CircuitBreaker.make({ failures: 1, reset: "1 second" })
      yield* through(other.layer.pipe(Provider.circuitBreaker({ breaker })))((p) =>
        Effect.gen(function* () {
          yield* tags(1, ask("stream", p))
          yield* TestClock.adjust("1 second")
          // a slow reader of a stream that tries the provider
          const reading = yield* begin(Stream.runForEach(p.stream(request), () => Deferred.await(half)))
          assert.strictEqual((yield* Effect.flip(ask("stream", p))).reason._tag, "CircuitOpen")
          yield* Deferred.succeed(half, undefined)
          yield* Fiber.join(reading)
          assert.strictEqual(yield* breaker.state, "closed")
        })
      )
    })
  )

  it.effect("is tried by the next call if nobody read the stream that tried it to its end", () =>
    Effect.gen(function* () {
      const model = fake((call) => (call === 0 ? Effect.fail(failing("Timeout")) : Effect.succeed({})))
      yield* through(model.layer.pipe(Provider.circuitBreaker({ failures: 1, reset: "1 second" })))((p) =>
        Effect.gen(function* () {
          yield* tags(1, ask("stream", p))
          yield* TestClock.adjust("1 second")
          yield* Stream.runDrain(Stream.take(p.stream(request), 1))
          assert.deepStrictEqual(yield* tags(1, ask("stream", p)), ["fine"])
        })
      )
    })
  )

  it.effect("has a circuit per provider and model, and shares it between layers of one value", () =>
    Effect.gen(function* () {
      const shared = Provider.circuitBreaker({ failures: 1 })
      const down = fake(() => Effect.fail(failing("Overloaded")))
      const same = fake(() => Effect.succeed({}))
      const another = fake(() => Effect.succeed({}), { model: "fake-2" })
      const elsewhere = fake(() => Effect.succeed({}), { name: "other" })
      yield* through(down.layer.pipe(shared))((p) => tags(1, ask("complete", p)))
      const found = yield* Effect.forEach([same, another, elsewhere], (model) =>
        through(model.layer.pipe(shared))((p) => tags(1, ask("complete", p)))
      )
      assert.deepStrictEqual(found.flat(), ["CircuitOpen", "fine", "fine"])
      // another value has circuits of its own
      const alone = Provider.circuitBreaker({ failures: 1 })
      assert.deepStrictEqual(yield* through(same.layer.pipe(alone))((p) => tags(1, ask("complete", p))), ["fine"])
    })
  )

  it.effect("shares one circuit between all layers with the same breaker", () =>
    Effect.gen(function* () {
      const breaker = CircuitBreaker.make({ failures: 1 })
      const down = fake(() => Effect.fail(failing("Overloaded")))
      const another = fake(() => Effect.succeed({}), { model: "fake-2" })
      yield* through(down.layer.pipe(Provider.circuitBreaker({ breaker })))((p) => tags(1, ask("complete", p)))
      assert.strictEqual(yield* breaker.state, "open")
      const guarded = another.layer.pipe(Provider.circuitBreaker({ breaker }))
      assert.deepStrictEqual(yield* through(guarded)((p) => tags(1, ask("complete", p))), ["CircuitOpen"])
      yield* breaker.reset
      assert.deepStrictEqual(yield* through(guarded)((p) => tags(1, ask("complete", p))), ["fine"])
    })
  )

  it.effect("reports every change", () =>
    Effect.gen(function* () {
      const model = fake((call) => (call === 0 ? Effect.fail(failing("Overloaded")) : Effect.succeed({})))
      const told: Array<string> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "CircuitChanged") told.push(signal.state)
      })
      const program = through(model.layer.pipe(Provider.circuitBreaker({ failures: 1, reset: "1 second" })))((p) =>
        Effect.gen(function* () {
          yield* tags(1, ask("complete", p))
          yield* TestClock.adjust("1 second")
          yield* tags(2, ask("complete", p))
        })
      )
      yield* listen(program)
      assert.deepStrictEqual(told, ["open", "half-open", "closed"])
    })
  )

  it.effect("counts every attempt if the retry is outside, and one call if it is inside", () =>
    Effect.gen(function* () {
      const retried = Provider.retry({ times: 3, base: 1, cap: 1 })
      const calls = Effect.fnUntraced(function* (order: (layer: typeof fakes.layer) => typeof fakes.layer) {
        const model = fake(() => Effect.fail(failing("Overloaded")))
        const found = yield* through(order(model.layer))((p) =>
          Effect.gen(function* () {
            const fiber = yield* begin(tags(2, ask("complete", p)))
            yield* TestClock.adjust("1 second")
            return yield* Fiber.join(fiber)
          })
        )
        return [model.calls.length, ...found]
      })
      const fakes = fake(() => Effect.succeed({}))
      const guarded = Provider.circuitBreaker({ failures: 3, reset: "10 minutes" })
      // the fourth attempt finds it open, for longer than a retry waits
      assert.deepStrictEqual(yield* calls((layer) => layer.pipe(guarded, retried)), [3, "CircuitOpen", "CircuitOpen"])
      const inside = Provider.circuitBreaker({ failures: 3, reset: "10 minutes" })
      assert.deepStrictEqual(yield* calls((layer) => layer.pipe(retried, inside)), [8, "Overloaded", "Overloaded"])
    })
  )

  it("refuses options that are out of range", () => {
    assert.throws(() => Provider.circuitBreaker({ failures: 0 }), /needs a whole number from 1 as failures, not 0/)
    assert.throws(() => CircuitBreaker.make({ reset: 0 }), /as reset/)
    assert.throws(() => Provider.circuitBreaker({ successes: 1.5 }), /as successes/)
  })
})
