import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Clock, Deferred, Duration, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Provider, RateLimiter, Signal, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { ask, failing, type Fake, fake, kinds, request, through } from "./fake.ts"
import { met, soon } from "../soon.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Requests are hashed by other threads, in their order: what was asked for before these hashes is hashed after them. */
const turns = Effect.promise(async () => {
  for (let i = 0; i < 10; i++) {
    await crypto.subtle.digest("SHA-256", new Uint8Array(100_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
})

const saying = (text: string): Provider.Request => ({ ...request, messages: [{ role: "user", text }] })

const limits = { requests: { remaining: 3 } }

describe.each(kinds)("a %s through a cache", (kind) => {
  it.effect("is sent once, and then answered equally, without cost, and marked as cached", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({ usage: { outputTokens: 3 }, id: "x", model: "fake-1-2026", limits }))
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const first = yield* ask(kind, p)
          const second = yield* ask(kind, p)
          assert.deepStrictEqual([first.usage, first.cached, first.limits], [{ outputTokens: 3 }, undefined, limits])
          const { limits: _, ...lasting } = first
          assert.deepStrictEqual(second, {
            ...lasting,
            usage: {},
            cached: true,
            pieces: kind === "stream" ? [first.text] : []
          })
        })
      )
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("is sent again if anything differs that an answer depends on", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const { task } = request
      const output = { name: "o", jsonSchema: { type: "object" }, instructions: "Write JSON." }
      const question = { _tag: "Predicate", name: "q", question: "?" } as const
      const tools = [{ name: "t", description: "", parameters: {} }]
      const differing: ReadonlyArray<Provider.Request> = [
        request,
        saying("Is this spam?"),
        { ...request, messages: [{ role: "system", text: "Is this urgent?" }] },
        { ...request, messages: [...request.messages, ...request.messages] },
        { ...request, task: { ...task, kind: "other" } },
        { ...request, task: { ...task, instruction: "Answer briefly." } },
        { ...request, task: { ...task, input: "text" } },
        { ...request, task: { ...task, questions: [question] } },
        ...(kind === "decide"
          ? []
          : [
              { ...request, phase: "introspect" as const },
              { ...request, sampling: { temperature: 0, maxTokens: 5 } },
              { ...request, sampling: { temperature: 0, seed: 5 } },
              { ...request, wish: { temperature: 0, effort: "high" } },
              { ...request, tools },
              { ...request, tools, toolChoice: "required" as const },
              { ...request, tools, toolChoice: { tool: "t" } },
              { ...request, tools, parallelCalls: false },
              { ...request, task: { ...task, output } },
              { ...request, task: { ...task, output: { ...output, jsonSchema: { type: "array" } } } },
              { ...request, task: { ...task, output: { ...output, instructions: "Write JSON!" } } }
            ])
      ]
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          for (const one of [...differing, ...differing.toReversed()]) yield* ask(kind, p, one)
        })
      )
      assert.lengthOf(model.calls, differing.length)
    })
  )

  it.effect("is equal to one in another order of keys, and with other contexts", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const form = (jsonSchema: object) => ({ name: "o", jsonSchema: { ...jsonSchema }, instructions: "" })
      const one: Provider.Request = {
        ...saying("<note 12345678 a>\ntext\n</note 12345678>"),
        sampling: { temperature: 0, maxTokens: 3 },
        task: { ...request.task, output: form({ type: "string", description: "d" }) }
      }
      const other: Provider.Request = {
        ...saying("<note 12345678 a>\ntext\n</note 12345678>"),
        sampling: { maxTokens: 3, temperature: 0 },
        wish: { maxTokens: 3, temperature: 0 },
        task: { ...request.task, output: form({ description: "d", type: "string" }) }
      }
      yield* through(model.layer.pipe(Provider.cache()))((p) => Effect.andThen(ask(kind, p, one), ask(kind, p, other)))
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("is sent again after its time", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      yield* through(model.layer.pipe(Provider.cache({ timeToLive: "10 minutes" })))((p) =>
        Effect.gen(function* () {
          yield* ask(kind, p)
          yield* TestClock.adjust(10 * 60_000 - 1)
          yield* ask(kind, p)
          assert.lengthOf(model.calls, 1)
          yield* TestClock.adjust(1)
          yield* ask(kind, p)
          assert.lengthOf(model.calls, 2)
        })
      )
    })
  )

  it.effect("is sent again after the least recently used answer was evicted", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      yield* through(model.layer.pipe(Provider.cache({ capacity: 2 })))((p) =>
        Effect.gen(function* () {
          for (const text of ["a", "b", "a", "c", "a", "b"]) yield* ask(kind, p, saying(text))
        })
      )
      assert.deepStrictEqual(
        model.calls.map((call) => call.request.messages[0]?.text),
        ["a", "b", "c", "b"]
      )
    })
  )

  it.effect("is sent once for all equal calls at the same time, which share its failure too", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const usage = { outputTokens: 7 }
      const cause = new Error("the server's own")
      const model = fake((call) =>
        Effect.andThen(
          Deferred.await(gate),
          call === 0
            ? Effect.fail(failing("Overloaded", { usage, requestId: "req_1", cause }))
            : Effect.succeed({ usage })
        )
      )
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const failed = yield* Effect.replicateEffect(begin(Effect.flip(ask(kind, p))), 4)
          yield* turns
          assert.lengthOf(model.calls, 1)
          yield* Deferred.succeed(gate, undefined)
          const errors = yield* Effect.forEach(failed, Fiber.join)
          assert.deepStrictEqual(
            errors.map((error) => error.reason._tag),
            ["Overloaded", "Overloaded", "Overloaded", "Overloaded"]
          )
          for (const error of errors) assert.deepInclude(error, { requestId: "req_1", cause })
          // only one is billed
          assert.deepStrictEqual(
            errors.map((error) => error.usage?.outputTokens ?? 0).toSorted((a, b) => a - b),
            [0, 0, 0, 7]
          )
          const answers = yield* Effect.all(
            Array.from({ length: 4 }, () => ask(kind, p)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(model.calls, 2)
          assert.deepStrictEqual(
            answers.map((answer) => answer.usage.outputTokens ?? 0).toSorted((a, b) => a - b),
            [0, 0, 0, 7]
          )
          assert.deepStrictEqual(new Set(answers.map((answer) => answer.text)).size, 1)
        })
      )
    })
  )

  it.effect("fails in the budget of one caller for that caller only, and others make the call themselves", () =>
    Effect.gen(function* () {
      const inTime = yield* Deferred.make<void>()
      const late = fake((call) => (call === 0 ? Effect.never : Effect.as(Deferred.await(inTime), { text: "yes" })))
      yield* through(late.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const limited = Provider.withBudget({ name: "of A", time: "50 millis" })
          const first = yield* begin(Effect.flip(limited(ask(kind, p))))
          yield* met("the first call", () => late.calls.length > 0)
          const others = yield* Effect.replicateEffect(begin(Provider.withBudget({ calls: 1 })(ask(kind, p))), 2)
          yield* turns
          assert.lengthOf(late.calls, 1)
          yield* TestClock.adjust("50 millis")
          assert.include((yield* Fiber.join(first)).message, `the budget "of A"`)
          yield* turns
          yield* Deferred.succeed(inTime, undefined)
          const answers = yield* Effect.forEach(others, Fiber.join)
          assert.deepStrictEqual(
            answers.map(({ text }) => text),
            ["yes", "yes"]
          )
          assert.lengthOf(
            answers.filter(({ cached }) => cached),
            1
          )
        })
      )
      assert.lengthOf(late.calls, 2)

      // a failure of the answer's length, or of a model without a price, may come of the budget, too
      for (const tag of ["Truncated", "InvalidRequest"] as const) {
        const gate = yield* Deferred.make<void>()
        const model = fake((call) =>
          Effect.andThen(Deferred.await(gate), call === 0 ? Effect.fail(failing(tag)) : Effect.succeed({}))
        )
        yield* through(model.layer.pipe(Provider.cache()))((p) =>
          Effect.gen(function* () {
            const first = yield* begin(Effect.flip(Provider.withBudget({ tokens: 10_000 })(ask(kind, p))))
            yield* met("the first call", () => model.calls.length > 0)
            const other = yield* begin(ask(kind, p))
            yield* turns
            assert.lengthOf(model.calls, 1)
            yield* Deferred.succeed(gate, undefined)
            assert.strictEqual((yield* Fiber.join(first)).reason._tag, tag)
            assert.isUndefined((yield* Fiber.join(other)).cached)
          })
        )
        assert.lengthOf(model.calls, 2)
      }
    })
  )

  it.effect("goes on for the others if one of them is interrupted, and ends with the last", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = fake(() => Effect.as(Deferred.await(gate), {}))
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const [first, second, third] = yield* Effect.forEach([1, 2, 3], () =>
            Effect.tap(begin(ask(kind, p)), () => turns)
          )
          assert.isDefined(first)
          yield* Fiber.interrupt(first)
          yield* turns
          assert.isDefined(second)
          yield* Fiber.interrupt(second)
          assert.isDefined(third)
          yield* Deferred.succeed(gate, undefined)
          yield* Fiber.join(third)
          // the reader of a stream takes it along when it goes, and the next one asks anew
          assert.lengthOf(model.calls, kind === "stream" ? 3 : 1)
        })
      )
      const never = fake(() => Effect.never)
      yield* through(never.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const fibers = yield* Effect.replicateEffect(begin(ask(kind, p)), 2)
          yield* turns
          yield* Fiber.interruptAll(fibers)
          yield* turns
          assert.strictEqual(never.dropped(), never.calls.length)
        })
      )
    })
  )

  it.effect("is looked up in a store, and stored there without the data of a single call", () =>
    Effect.gen(function* () {
      const stored = new Map<string, Provider.Response | Provider.DecideResponse>()
      const told: Array<unknown> = []
      const store: Provider.CacheStore = {
        get: (key) => Effect.sync(() => stored.get(key)),
        set: (key, answer, timeToLive) =>
          Effect.sync(() => {
            told.push([key.length, Duration.toMillis(timeToLive)])
            stored.set(key, answer)
          })
      }
      const cached = () => Provider.cache({ store, timeToLive: "2 hours" })
      const model = fake(() => Effect.succeed({ usage: { outputTokens: 3 }, limits }))
      const first = yield* through(model.layer.pipe(cached()))((p) => ask(kind, p))
      assert.deepStrictEqual(told, [[64, 7_200_000]])
      for (const answer of stored.values()) {
        assert.deepStrictEqual([answer.usage, answer.limits, answer.cached], [{}, undefined, undefined])
      }
      const second = yield* through(model.layer.pipe(cached()))((p) => Effect.tap(ask(kind, p), () => ask(kind, p)))
      assert.deepStrictEqual([second.text, second.usage, second.cached], [first.text, {}, true])
      assert.lengthOf(model.calls, 1)
      assert.lengthOf(told, 1)
      // what is not of this kind is not there
      for (const key of stored.keys()) {
        stored.set(key, kind === "decide" ? { text: "", usage: {} } : { answers: [], usage: {} })
      }
      yield* through(model.layer.pipe(cached()))((p) => ask(kind, p))
      assert.lengthOf(model.calls, 2)
    })
  )

  it.effect("is sent again after its time, wherever the answer was kept", () =>
    Effect.gen(function* () {
      const stored = new Map<string, { answer: Provider.Response | Provider.DecideResponse; until: number }>()
      const store: Provider.CacheStore = {
        get: (key) =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            const found = stored.get(key)
            return found !== undefined && at < found.until ? found.answer : undefined
          }),
        set: (key, answer, timeToLive) =>
          Effect.map(
            Clock.currentTimeMillis,
            (at) => void stored.set(key, { answer, until: at + Duration.toMillis(timeToLive) })
          )
      }
      const model = fake(() => Effect.succeed({}))
      const cached = () => model.layer.pipe(Provider.cache({ store, timeToLive: "60 minutes" }))
      yield* through(cached())((p) => ask(kind, p))
      yield* TestClock.adjust("59 minutes")
      yield* through(cached())((p) =>
        Effect.gen(function* () {
          assert.isTrue((yield* ask(kind, p)).cached)
          assert.isTrue((yield* ask(kind, p)).cached)
          yield* TestClock.adjust("1 minute")
          assert.isUndefined((yield* ask(kind, p)).cached)
        })
      )
      assert.lengthOf(model.calls, 2)
    })
  )

  const asked = Arbitrary.schema(
    Schema.Array(
      Schema.Struct({
        text: Schema.Literals(["a", "b", "c"]),
        temperature: Schema.Literals([0, 0, 0.5]),
        fails: Schema.Literals([false, false, true])
      })
    ).check(Schema.isMaxLength(12))
  )

  it.effect.prop("gives what a provider without it would give for the first of equals", [asked], ([all]) =>
    Effect.gen(function* () {
      let fails = false
      const model = fake((call, { messages }) =>
        fails ? Effect.fail(failing("Timeout")) : Effect.succeed({ text: `${messages[0]?.text ?? ""} ${call}` })
      )
      const known = new Map<string, string>()
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          for (const one of all) {
            fails = one.fails
            const before = model.calls.length
            const exit = yield* Effect.exit(
              ask(kind, p, { ...saying(one.text), sampling: { temperature: one.temperature } })
            )
            const isKept = kind === "decide" || one.temperature === 0
            const old = isKept ? known.get(one.text) : undefined
            assert.strictEqual(model.calls.length - before, old === undefined ? 1 : 0)
            assert.strictEqual(Exit.isSuccess(exit), old !== undefined || !one.fails)
            if (!Exit.isSuccess(exit)) continue
            assert.strictEqual(exit.value.text, old ?? `${one.text} ${before}`)
            assert.strictEqual(exit.value.cached, old === undefined ? undefined : true)
            if (isKept) known.set(one.text, exit.value.text)
          }
        })
      )
    })
  )
})

describe("a cache", () => {
  it.effect("keeps only repeatable answers, unless `always` is set", () =>
    Effect.gen(function* () {
      const some = [
        { phase: "reason", sampling: { temperature: 0.7 }, sent: 4 },
        { phase: "introspect", sampling: {}, sent: 4 },
        { phase: "introspect", sampling: { effort: "high" }, sent: 4 },
        { phase: "introspect", sampling: { temperature: 0 }, sent: 1 },
        // as to models that take no temperature
        { phase: "reason", sampling: {}, sent: 1 },
        { phase: "reason", sampling: { effort: "low" }, sent: 1 }
      ] as const
      for (const { phase, sampling, sent } of some) {
        const counts: Array<number> = []
        for (const always of [false, true]) {
          const model = fake(() => Effect.succeed({}))
          yield* through(model.layer.pipe(Provider.cache({ always })))((p) =>
            Effect.gen(function* () {
              for (const kind of ["complete", "complete", "stream", "stream"] as const) {
                yield* ask(kind, p, { ...request, phase, sampling })
              }
            })
          )
          counts.push(model.calls.length)
        }
        assert.deepStrictEqual(counts, [sent, 1])
      }
    })
  )

  it.effect("has the same answers for streams and for calls at once, and others for decisions and other models", () =>
    Effect.gen(function* () {
      const cached = Provider.cache()
      const model = fake(() => Effect.succeed({}))
      const other = fake(() => Effect.succeed({}), { model: "fake-2" })
      yield* through(model.layer.pipe(cached))((p) =>
        Effect.gen(function* () {
          for (const kind of ["stream", "complete", "stream", "decide"] as const) yield* ask(kind, p)
        })
      )
      assert.deepStrictEqual(
        model.calls.map(({ kind }) => kind),
        ["stream", "decide"]
      )
      yield* through(other.layer.pipe(cached))((p) => ask("complete", p))
      assert.lengthOf(other.calls, 1)
      // what it keeps lasts as long as the value
      yield* through(model.layer.pipe(cached))((p) => ask("complete", p))
      assert.lengthOf(model.calls, 2)
    })
  )

  /** Whose streams stop after their first piece, but for the last one. */
  const stalling = (model: Fake, times: number) =>
    Layer.succeed(
      Provider.Provider,
      Provider.extend(model.provider, {
        stream: (made) =>
          Stream.suspend(() => {
            const parts = model.provider.stream(made)
            return times-- > 0 ? Stream.concat(Stream.take(parts, 1), Stream.never) : parts
          })
      })
    )

  it.effect("passes a stream on as it arrives, and keeps none that broke or was left before its end", () =>
    Effect.gen(function* () {
      const broken = fake(() => Effect.succeed({}), {
        broken: (call) => (call === 0 ? failing("Truncated") : undefined)
      })
      const abandoned = fake(() => Effect.succeed({}))
      const cached = (layer: Layer.Layer<Provider.Provider>) => through(layer.pipe(Provider.cache()))
      const again = (p: Provider.Shape) =>
        Effect.gen(function* () {
          const outcome = yield* ask("stream", p)
          assert.deepStrictEqual([outcome.pieces, outcome.cached], [["Hello ", "there"], undefined])
          assert.isTrue((yield* ask("complete", p)).cached)
        })
      yield* cached(broken.layer)((p) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(ask("stream", p))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasFails(exit.cause))
          yield* again(p)
        })
      )
      yield* cached(stalling(abandoned, 1))((p) =>
        Effect.gen(function* () {
          yield* Stream.runDrain(Stream.take(p.stream(request), 1))
          assert.strictEqual(abandoned.dropped(), 1)
          yield* again(p)
        })
      )
      assert.lengthOf(broken.calls, 2)
      assert.lengthOf(abandoned.calls, 2)
    })
  )

  it.effect("lets those who waited for a stream that was left before its end make the call again", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const reading = yield* Deferred.make<void>()
      yield* through(stalling(model, 1).pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const reader = yield* begin(Stream.runForEach(p.stream(request), () => Deferred.succeed(reading, undefined)))
          yield* Deferred.await(reading)
          const waiting = yield* Effect.forEach(["complete", "stream"] as const, (kind) => begin(ask(kind, p)))
          yield* turns
          assert.lengthOf(model.calls, 1)
          yield* Fiber.interrupt(reader)
          const outcomes = yield* soon("those who waited have asked anew")(Effect.forEach(waiting, Fiber.join))
          assert.deepStrictEqual(
            outcomes.map(({ text }) => text),
            ["Hello there", "Hello there"]
          )
        })
      )
      assert.lengthOf(model.calls, 2)
    })
  )

  it.effect("makes nobody wait for the reader of a stream, not even that reader", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      yield* through(model.layer.pipe(Provider.cache()))((p) =>
        Effect.gen(function* () {
          const answers = yield* p.stream(request).pipe(
            Stream.mapEffect(() => ask("complete", p)),
            Stream.runCollect,
            soon("the stream is read while the same request is made")
          )
          assert.deepStrictEqual(
            answers.map(({ cached, text }) => [cached, text]),
            Array.from({ length: 3 }, () => [true, "Hello there"])
          )
        })
      )
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("marks notes and signals, and serves other thoughts", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "CallCompleted") told.push([signal.cached, signal.usage])
      })
      const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
      const run = Effect.gen(function* () {
        const thought = yield* Thought.make("one")
        return (yield* Pipeline.run(urgent, thought)).note("urgent")?.metadata["cached"]
      })
      const found = yield* listen(Effect.replicateEffect(run, 2)).pipe(
        Effect.provide([model.layer.pipe(Provider.cache()), Testing.memory])
      )
      assert.deepStrictEqual(found, [undefined, "true"])
      assert.deepStrictEqual(told, [
        [undefined, {}],
        [true, {}]
      ])
    })
  )

  it.effect("bypasses the limiter inside of it, and retries outside of it call again", () =>
    Effect.gen(function* () {
      const limiter = RateLimiter.make({ limit: 5, per: "1 minute" })
      const model = fake((call) => (call === 0 ? Effect.fail(failing("Overloaded")) : Effect.succeed({})))
      const all = model.layer.pipe(
        Provider.rateLimit({ limiter }),
        Provider.cache(),
        Provider.retry({ base: 1, cap: 1 })
      )
      yield* through(all)((p) =>
        Effect.gen(function* () {
          const fiber = yield* begin(ask("complete", p))
          yield* turns
          yield* TestClock.adjust(1)
          yield* Fiber.join(fiber)
          for (let i = 0; i < 5; i++) yield* ask("complete", p)
        })
      )
      assert.lengthOf(model.calls, 2)
      assert.isAtLeast((yield* limiter.left).limit, 3)
    })
  )

  it.effect("reports the cost of an answer only to the call that was billed", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({ usage: { outputTokens: 1 }, usd: 0.5, model: "m", provider: "p" }))
      yield* through(Provider.cache()(model.layer))((p) =>
        Effect.gen(function* () {
          const first = yield* ask("complete", p)
          const second = yield* ask("complete", p)
          assert.deepStrictEqual([first.usd, first.cached], [0.5, undefined])
          assert.deepStrictEqual([second.usd, second.cached, second.usage], [undefined, true, {}])
        })
      )
    })
  )

  it("refuses options that are out of range", () => {
    assert.throws(() => Provider.cache({ capacity: 0 }), /Provider\.cache needs a whole number from 1 as capacity/)
    assert.throws(() => Provider.cache({ timeToLive: 0 }), /as timeToLive/)
    assert.doesNotThrow(() => Provider.cache({ timeToLive: Infinity }))
  })
})
