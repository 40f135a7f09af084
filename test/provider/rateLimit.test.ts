import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Duration, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, RateLimiter, Session, Signal } from "cogito"
import { ask, failing, fake, kinds, request, through } from "./fake.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** A token a character. */
const byCharacter = Effect.provideService(Session.Tokenizer, { count: (text: string) => text.length })

const saying = (text: string, maxTokens?: number): Provider.Request => ({
  ...request,
  messages: [{ role: "user", text }],
  sampling: maxTokens === undefined ? {} : { maxTokens }
})

/** Begins calls with these texts, and lets them get as far as they can. */
const beginAll = (provider: Provider.Shape, texts: ReadonlyArray<string>) =>
  Effect.tap(
    Effect.forEach(texts, (text) => begin(ask("complete", provider, saying(text)))),
    () => TestClock.adjust(0)
  )

describe.each(kinds)("a %s behind a rate limit", (kind) => {
  it.effect("waits for its turn, first come first served", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const limited = Provider.rateLimit({ requests: 10, per: "1 second", burst: 3 })
      yield* through(model.layer.pipe(limited))((p) =>
        Effect.gen(function* () {
          const fibers = yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], (text) =>
            begin(ask(kind, p, saying(text)))
          )
          yield* TestClock.adjust(0)
          assert.deepStrictEqual(model.times(), [0, 0, 0])
          yield* TestClock.adjust("1 second")
          yield* Effect.forEach(fibers, Fiber.join)
        })
      )
      assert.deepStrictEqual(model.times(), [0, 0, 0, 100, 200, 300])
      assert.deepStrictEqual(
        model.calls.map((call) => call.request.messages[0]?.text),
        ["a", "b", "c", "d", "e", "f"]
      )
    })
  )

  it.effect("takes the tokens that a call is expected to need, and afterwards those that it used", () =>
    byCharacter(
      Effect.gen(function* () {
        const model = fake(() =>
          Effect.delay(Effect.succeed({ usage: { inputTokens: 12, outputTokens: 30 } }), "1 second")
        )
        const limiter = RateLimiter.make({ tokens: 6000, per: "1 minute" })
        yield* through(model.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 100 })))((p) =>
          Effect.gen(function* () {
            const fiber = yield* begin(ask(kind, p, saying("0123456789")))
            const answer = kind === "decide" ? 0 : 100
            assert.deepStrictEqual(yield* limiter.left, { limit: Infinity, tokens: 6000 - 10 - answer })
            yield* TestClock.adjust("1 second")
            yield* Fiber.join(fiber)
            // a hundred come in that second, and there is no more room than for all
            assert.strictEqual((yield* limiter.left).tokens, kind === "decide" ? 6000 - 32 : 6000)
          })
        )
      })
    )
  )

  it.effect("makes all calls wait for as long as a refusal says", () =>
    Effect.gen(function* () {
      const model = fake((call) =>
        call === 0 ? Effect.fail(failing("RateLimited", { retryAfter: "20 seconds" })) : Effect.succeed({})
      )
      yield* through(model.layer.pipe(Provider.rateLimit({ requests: 60 })))((p) =>
        Effect.gen(function* () {
          yield* Effect.flip(ask(kind, p))
          const fibers = yield* Effect.replicateEffect(begin(ask(kind, p)), 3)
          yield* TestClock.adjust(19_999)
          assert.lengthOf(model.calls, 1)
          yield* TestClock.adjust(1)
          yield* Effect.forEach(fibers, Fiber.join)
          assert.deepStrictEqual(model.times(), [0, 20_000, 20_000, 20_000])
        })
      )
    })
  )

  it.effect("fails at once if it would wait too long, even while it waits already", () =>
    Effect.gen(function* () {
      const model = fake((call) =>
        call === 0
          ? Effect.delay(Effect.fail(failing("RateLimited", { retryAfter: "2 minutes" })), "1 second")
          : Effect.succeed({})
      )
      const limited = Provider.rateLimit({ requests: 1, per: "1 hour", maxWait: "1 minute" })
      yield* through(model.layer.pipe(limited))((p) =>
        Effect.gen(function* () {
          const fibers = yield* Effect.replicateEffect(begin(Effect.flip(ask(kind, p))), 3)
          yield* TestClock.adjust("1 second")
          const [, ...waiting] = yield* Effect.forEach(fibers, Fiber.join)
          yield* TestClock.adjust("10 seconds")
          const late = yield* Effect.flip(ask(kind, p))
          assert.deepStrictEqual(
            [...waiting, late].map(({ model: name, provider, reason, retryAfter }) => [
              provider,
              name,
              reason._tag,
              Duration.toMillis(retryAfter ?? 0)
            ]),
            [
              ["fake", "fake-1", "RateLimited", 120_000],
              ["fake", "fake-1", "RateLimited", 120_000],
              ["fake", "fake-1", "RateLimited", 110_000]
            ]
          )
          assert.lengthOf(model.calls, 1)
          // within reach again
          yield* TestClock.adjust("50 seconds")
          const patient = yield* begin(ask(kind, p))
          yield* TestClock.adjust("1 hour")
          yield* Fiber.join(patient)
          assert.lengthOf(model.calls, 2)
        })
      )
    })
  )

  it.effect("fails at once if it needs more tokens than the limit ever allows", () =>
    byCharacter(
      Effect.gen(function* () {
        const model = fake(() => Effect.succeed({}))
        yield* through(model.layer.pipe(Provider.rateLimit({ tokens: 50, outputTokens: 10 })))((p) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(ask(kind, p, saying("x".repeat(51))))
            assert.strictEqual(error.reason._tag, "Unsupported")
            assert.match(error.message, /about (51|61) tokens.* 50: raise `tokens`/)
            assert.notInclude(error.message, "xx")
            assert.lengthOf(model.calls, 0)
            yield* ask(kind, p, saying("x".repeat(40)))
          })
        )
      })
    )
  )

  it.effect("follows a lower limit of the provider while the provider states it", () =>
    Effect.gen(function* () {
      const limits = [30, undefined, 600, 6]
      const model = fake((call) => {
        const limit = limits[call]
        return Effect.succeed(limit === undefined ? {} : { limits: { requests: { limit } } })
      })
      const limiter = RateLimiter.make({ limit: 2, per: "1 second", burst: 1 })
      yield* through(model.layer.pipe(Provider.rateLimit({ limiter })))((p) =>
        Effect.gen(function* () {
          const fibers = yield* Effect.replicateEffect(begin(ask(kind, p)), 5)
          yield* TestClock.adjust("1 minute")
          yield* Effect.forEach(fibers, Fiber.join)
        })
      )
      // 30 a minute: one each 2 seconds; with 600 one each half second, as configured; with 6 one each 10 seconds
      assert.deepStrictEqual(model.times(), [0, 2000, 4000, 4500, 14_500])
    })
  )

  it.effect("keeps its burst and what it has gained when the provider states a lower limit", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.delay(Effect.succeed({ limits: { requests: { limit: 60 } } }), 200))
      const limiter = RateLimiter.make({ limit: 10, per: "1 second", burst: 4 })
      yield* through(model.layer.pipe(Provider.rateLimit({ limiter })))((p) =>
        Effect.gen(function* () {
          const first = yield* Effect.replicateEffect(begin(ask(kind, p)), 4)
          yield* TestClock.adjust(200)
          // two turns were gained before the answers
          const second = yield* Effect.replicateEffect(begin(ask(kind, p)), 3)
          yield* TestClock.adjust("1 minute")
          const third = yield* Effect.replicateEffect(begin(ask(kind, p)), 5)
          yield* TestClock.adjust("1 minute")
          yield* Effect.forEach([...first, ...second, ...third], Fiber.join)
        })
      )
      const later = [60_200, 60_200, 60_200, 60_200, 61_200]
      assert.deepStrictEqual(model.times(), [0, 0, 0, 0, 200, 200, 1200, ...later])
    })
  )

  it.effect("has no more tokens than the provider states, for all or for requests and answers apart", () =>
    byCharacter(
      Effect.gen(function* () {
        const stated: ReadonlyArray<readonly [Provider.RateLimits, number]> = [
          [{ tokens: { limit: 50 }, inputTokens: { limit: 10 }, outputTokens: { limit: 10 } }, 50],
          [{ inputTokens: { limit: 30 }, outputTokens: { limit: 40 } }, 70],
          [{ inputTokens: { limit: 30 } }, 1000],
          [{ outputTokens: { limit: 30 } }, 1000],
          [{ tokens: { limit: 2000 } }, 1000]
        ]
        for (const [limits, most] of stated) {
          const model = fake(() => Effect.succeed({ limits, usage: { inputTokens: 0, outputTokens: 0 } }))
          const limiter = RateLimiter.make({ per: "1 minute", tokens: 1000 })
          yield* through(model.layer.pipe(Provider.rateLimit({ limiter })))((p) => ask(kind, p, saying("Hello", 5)))
          yield* TestClock.adjust("10 minutes")
          assert.strictEqual((yield* limiter.left).tokens, most)
        }
      })
    )
  )

  it.effect("waits until the time that an answer states if nothing is left before", () =>
    Effect.gen(function* () {
      const used = { remaining: 0, resetAfter: Duration.seconds(7) }
      const windows: ReadonlyArray<Provider.RateLimits> = [
        { requests: used },
        { tokens: used },
        { inputTokens: used },
        { outputTokens: used },
        { requests: { remaining: 1, resetAfter: Duration.seconds(7) }, tokens: { remaining: 0 } }
      ]
      const model = fake((call) => Effect.succeed({ limits: windows[call] ?? {} }))
      yield* through(model.layer.pipe(Provider.rateLimit()))((p) =>
        Effect.gen(function* () {
          const fiber = yield* begin(Effect.replicateEffect(ask(kind, p), 6))
          yield* TestClock.adjust("1 minute")
          yield* Fiber.join(fiber)
        })
      )
      assert.deepStrictEqual(model.times(), [0, 7000, 14_000, 21_000, 28_000, 28_000])
    })
  )

  it.effect("returns its turn if it is interrupted", () =>
    byCharacter(
      Effect.gen(function* () {
        const model = fake(() => Effect.never)
        const limiter = RateLimiter.make({ limit: 2, tokens: 10, per: "1 hour" })
        yield* through(model.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 0 })))((p) =>
          Effect.gen(function* () {
            yield* begin(ask(kind, p, saying("123456")))
            const waiting = yield* begin(ask(kind, p, saying("12345")))
            yield* TestClock.adjust(0)
            // it takes nothing while it waits, and those behind wait for it
            assert.deepStrictEqual(yield* limiter.left, { limit: 1, tokens: 4 })
            yield* begin(ask(kind, p, saying("1234")))
            yield* TestClock.adjust(0)
            assert.lengthOf(model.calls, 1)
            yield* Fiber.interrupt(waiting)
            yield* TestClock.adjust(0)
            assert.lengthOf(model.calls, 2)
          })
        )
      })
    )
  )
})

// ---------------------------------------------------------------------------------------------------- against a law

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const plans = Arbitrary.schema(
  Schema.Struct({
    requests: upTo(5),
    tokens: Schema.Int.check(Schema.isBetween({ minimum: 21, maximum: 60 })),
    per: upTo(1000),
    burst: upTo(4),
    calls: Schema.Array(
      Schema.Struct({
        gap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 })),
        size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
        // what it needs instead of what is expected
        used: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
        kind: Schema.Literals(kinds),
        interrupted: Schema.Literals([false, false, false, true])
      })
    ).check(Schema.isMaxLength(20))
  })
)

describe("a rate limit of providers", () => {
  it.effect.prop(
    "lets no more pass in any time than it says, in order, and all of them in the end",
    [plans],
    ([plan]) =>
      byCharacter(
        Effect.gen(function* () {
          const { burst, calls, per, requests, tokens } = plan
          const passed: Array<{ readonly index: number; readonly at: number; readonly tokens: number }> = []
          const indexOf = (text: string) => text.charCodeAt(0) - 0x100
          const model = fake((_, { messages }) => {
            const text = messages[0]?.text ?? ""
            const used = calls[indexOf(text)]?.used ?? text.length
            return Effect.map(Clock.currentTimeMillis, (at) => {
              // what it needs beyond what was expected is known only when it has passed
              passed.push({ index: indexOf(text), at, tokens: Math.min(used, text.length) })
              return { usage: { inputTokens: used } }
            })
          })
          const limited = Provider.rateLimit({ requests, tokens, per, burst, outputTokens: 0 })
          yield* through(model.layer.pipe(limited))((p) =>
            Effect.gen(function* () {
              const from = yield* Clock.currentTimeMillis
              const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
              for (const [index, { gap, interrupted, kind, size }] of calls.entries()) {
                yield* TestClock.adjust(gap)
                const fiber = yield* begin(
                  ask(kind, p, { ...saying(String.fromCharCode(0x100 + index).padEnd(size + 1, ".")), sampling: {} })
                )
                if (interrupted) yield* Fiber.interrupt(fiber)
                else fibers.push(fiber)
              }
              yield* TestClock.adjust("1 hour")
              yield* Effect.forEach(fibers, Fiber.join)
              // calls that get their turns in the same millisecond may begin in any order, as some take more steps than others
              const order = passed.toSorted((a, b) => a.at - b.at || a.index - b.index).map(({ index }) => index)
              assert.deepStrictEqual(
                order,
                order.toSorted((a, b) => a - b)
              )
              assert.isAtLeast(order.length, fibers.length)
              for (const [i, first] of passed.entries()) {
                let sum = 0
                for (const [j, last] of passed.entries()) {
                  if (j < i) continue
                  const time = last.at - first.at
                  assert.isAtMost(j - i + 1, burst + (time * requests) / per + 1e-9)
                  sum += last.tokens
                  assert.isAtMost(sum, tokens + (time * tokens) / per + 1e-9)
                }
              }
              assert.isTrue(passed.every(({ at }) => at >= from))
            })
          )
        })
      )
  )

  it.effect("keeps tokens that may have been read, and returns those that certainly were not", () =>
    byCharacter(
      Effect.gen(function* () {
        const ends = [
          ["Authentication", 100],
          ["InvalidRequest", 100],
          ["ContextTooLong", 100],
          ["QuotaExhausted", 100],
          ["CircuitOpen", 100],
          ["Timeout", 85],
          ["Connection", 85],
          ["Overloaded", 85]
        ] as const
        for (const [tag, left] of ends) {
          const model = fake(() => Effect.fail(failing(tag)))
          const limiter = RateLimiter.make({ tokens: 100, per: "1 minute" })
          yield* through(model.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 10 })))((p) =>
            Effect.flip(ask("complete", p, saying("12345")))
          )
          assert.strictEqual((yield* limiter.left).tokens, left, tag)
        }
        // the call itself was made, whatever became of its tokens
        const refused = fake(() => Effect.fail(failing("Authentication")))
        const both = RateLimiter.make({ limit: 3, tokens: 100, per: "1 minute" })
        yield* through(refused.layer.pipe(Provider.rateLimit({ limiter: both, outputTokens: 10 })))((p) =>
          Effect.flip(ask("complete", p, saying("12345")))
        )
        assert.deepStrictEqual(yield* both.left, { limit: 2, tokens: 100 })
        const billed = fake(() => Effect.fail(failing("Truncated", { usage: { inputTokens: 5, outputTokens: 40 } })))
        const limiter = RateLimiter.make({ tokens: 100, per: "1 minute" })
        yield* through(billed.layer.pipe(Provider.rateLimit({ limiter })))((p) =>
          Effect.flip(ask("stream", p, saying("12345", 20)))
        )
        assert.strictEqual((yield* limiter.left).tokens, 55)
      })
    )
  )

  it.effect("counts the form in words, the tools and `maxTokens`", () =>
    byCharacter(
      Effect.gen(function* () {
        const model = fake(() => Effect.succeed({}))
        const limiter = RateLimiter.make({ tokens: 1000, per: "1 minute" })
        const tools = [{ name: "t", description: "", parameters: {} }]
        const output = { name: "o", jsonSchema: {}, instructions: "Write JSON." }
        const asked = { ...saying("12345", 100), tools, task: { ...request.task, output } }
        yield* through(model.layer.pipe(Provider.rateLimit({ limiter })))((p) => p.complete(asked))
        const needed = 5 + 100 + JSON.stringify(tools).length + output.instructions.length
        assert.strictEqual((yield* limiter.left).tokens, 1000 - needed)
      })
    )
  )

  it.effect(
    "lets a call pass that was waiting when the limit fell below what it needs, and none before it is paid",
    () =>
      byCharacter(
        Effect.gen(function* () {
          const model = fake((call) =>
            Effect.delay(
              Effect.succeed(call === 0 ? { usage: { inputTokens: 100 }, limits: { tokens: { limit: 10 } } } : {}),
              1
            )
          )
          const limited = Provider.rateLimit({ tokens: 100, outputTokens: 0 })
          yield* through(model.layer.pipe(limited))((p) =>
            Effect.gen(function* () {
              const fibers = yield* beginAll(p, ["x".repeat(100), "y".repeat(20), "z"])
              yield* TestClock.adjust("1 hour")
              yield* Effect.forEach(fibers, Fiber.join)
            })
          )
          const [, second = NaN, third = NaN] = model.times()
          assert.isAtLeast(second, 59_000)
          assert.isAtLeast(third - second, 66_000)
        })
      )
  )

  it.effect("fails a call at once if a refusal makes it wait too long, even behind calls that may wait longer", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 1, per: "1 hour" })
      const model = fake((call) =>
        call === 0
          ? Effect.delay(Effect.fail(failing("RateLimited", { retryAfter: "2 hours" })), "1 second")
          : Effect.succeed({})
      )
      const behind = (maxWait: Duration.Input) => through(model.layer.pipe(Provider.rateLimit({ limiter, maxWait })))
      const calling = (maxWait: Duration.Input) => behind(maxWait)((p) => begin(Effect.exit(ask("complete", p))))
      yield* calling("90 minutes")
      yield* TestClock.adjust(0)
      const waiting = yield* Effect.forEach(["3 hours", "90 minutes", "4 hours", "90 minutes"] as const, calling)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        waiting.map((fiber) => fiber.pollUnsafe() !== undefined),
        [false, true, false, true]
      )
      yield* TestClock.adjust("5 hours")
      yield* Effect.forEach(waiting, Fiber.join)
      assert.lengthOf(model.calls, 3)
    })
  )

  it.effect("shares one count between all layers with the same limiter", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 1, per: "1 hour" })
      const one = fake(() => Effect.succeed({}))
      const another = fake(() => Effect.succeed({}), { model: "fake-2" })
      yield* through(one.layer.pipe(Provider.rateLimit({ limiter })))((p) => ask("complete", p))
      const waiting = yield* through(another.layer.pipe(Provider.rateLimit({ limiter })))((p) =>
        begin(ask("complete", p))
      )
      yield* TestClock.adjust("59 minutes")
      assert.lengthOf(another.calls, 0)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(waiting)
      assert.lengthOf(another.calls, 1)
    })
  )

  it.effect("counts per provider and model, and shares the count between layers of one value", () =>
    Effect.gen(function* () {
      const shared = Provider.rateLimit({ requests: 1, per: "1 hour" })
      const [one, same, another] = [
        fake(() => Effect.succeed({})),
        fake(() => Effect.succeed({})),
        fake(() => Effect.succeed({}), { model: "fake-2" })
      ]
      yield* through(one.layer.pipe(shared))((p) => ask("complete", p))
      const waiting = yield* through(same.layer.pipe(shared))((p) => begin(ask("complete", p)))
      yield* through(another.layer.pipe(shared))((p) => ask("complete", p))
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual(
        [one, same, another].map(({ calls }) => calls.length),
        [1, 0, 1]
      )
      yield* TestClock.adjust("30 minutes")
      yield* Fiber.join(waiting)
      assert.lengthOf(same.calls, 1)
    })
  )

  it.effect("reports who waits, and for how long", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "Throttled") told.push(signal.waitMillis)
      })
      const program = through(model.layer.pipe(Provider.rateLimit({ requests: 2, per: "1 second", burst: 1 })))((p) =>
        Effect.gen(function* () {
          const fibers = yield* beginAll(p, ["a", "b", "c"])
          yield* TestClock.adjust("1 second")
          yield* Effect.forEach(fibers, Fiber.join)
        })
      )
      yield* listen(program)
      assert.deepStrictEqual(told, [500, 1000])
    })
  )

  it.effect("takes a turn for every attempt if the retry is outside, and one for all if it is inside", () =>
    Effect.gen(function* () {
      const retried = Provider.retry({ times: 2, base: 1, cap: 1 })
      const limited = () => Provider.rateLimit({ requests: 1, per: "1 minute", burst: 1 })
      const times = Effect.fnUntraced(function* (
        order: (model: ReturnType<typeof fake>) => ReturnType<typeof fake>["layer"]
      ) {
        const model = fake(() => Effect.fail(failing("Overloaded")))
        const fiber = yield* through(order(model))((p) => begin(Effect.exit(ask("complete", p))))
        const from = yield* Clock.currentTimeMillis
        yield* TestClock.adjust("1 hour")
        assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
        return model.times().map((at) => Math.round((at - from) / 1000))
      })
      assert.deepStrictEqual(yield* times(({ layer }) => layer.pipe(limited(), retried)), [0, 60, 120])
      assert.deepStrictEqual(yield* times(({ layer }) => layer.pipe(retried, limited())), [0, 0, 0])
    })
  )

  it.effect("settles a stream with its last piece, and keeps the tokens of one that nobody reads to its end", () =>
    byCharacter(
      Effect.gen(function* () {
        const model = fake(() => Effect.succeed({ usage: { inputTokens: 5, outputTokens: 1 } }))
        const limiter = RateLimiter.make({ tokens: 100, per: "1 minute" })
        yield* through(model.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 45 })))((p) =>
          Effect.gen(function* () {
            yield* Stream.runDrain(Stream.take(p.stream(saying("12345")), 1))
            assert.strictEqual((yield* limiter.left).tokens, 50)
            yield* Stream.runForEach(p.stream(saying("12345")), (part) =>
              Effect.gen(function* () {
                assert.strictEqual((yield* limiter.left).tokens, part._tag === "Done" ? 44 : 0)
              })
            )
          })
        )
      })
    )
  )

  it.effect("waits for a minute that the provider asks for, by default, and for no longer", () =>
    Effect.gen(function* () {
      for (const [retryAfter, calls] of [
        ["59 seconds", 2],
        ["61 seconds", 1]
      ] as const) {
        const model = fake((call) =>
          call === 0 ? Effect.fail(failing("RateLimited", { retryAfter })) : Effect.succeed({})
        )
        yield* through(model.layer.pipe(Provider.rateLimit({ requests: 100 })))((p) =>
          Effect.gen(function* () {
            yield* Effect.exit(ask("complete", p))
            const fiber = yield* begin(Effect.exit(ask("complete", p)))
            yield* TestClock.adjust("2 minutes")
            yield* Fiber.join(fiber)
          })
        )
        assert.lengthOf(model.calls, calls)
      }
    })
  )

  it("refuses options that are out of range", () => {
    for (const requests of [0, -1, NaN]) {
      assert.throws(() => Provider.rateLimit({ requests }), /A rate limiter needs a number above 0 as requests/)
    }
    assert.throws(() => Provider.rateLimit({ tokens: 0 }), /as tokens/)
    assert.throws(() => RateLimiter.make({ tokens: 0, per: "1 second" }), /as tokens/)
    assert.throws(() => Provider.rateLimit({ requests: 1, per: 0 }), /as per/)
    assert.throws(() => Provider.rateLimit({ requests: 1, per: Infinity }), /as per/)
    assert.throws(() => Provider.rateLimit({ requests: 9, burst: 0 }), /as burst/)
    assert.throws(() => Provider.rateLimit({ outputTokens: -1 }), /as outputTokens/)
    assert.throws(() => Provider.rateLimit({ maxWait: 0 }), /as maxWait/)
  })
})
