import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option, Ref, Schema, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Budget, Memory, Pipeline, Primitive, Provider, Signal, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { ask, failing, fake, kinds, request, through } from "./fake.ts"

// Where a budget is in force, and for how long.

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })
const limitOf = (error: Provider.ProviderError) =>
  error.reason._tag === "BudgetExceeded" ? error.reason.limit : `not short: ${error.message}`

describe.each(kinds)("a %s within a limited time", (kind) => {
  it.effect("is not made after the time limit since the first call", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ name: "quick", time: "10 seconds" })
      const model = fake(() => Effect.succeed({}))
      const one = Provider.withBudget(budget)(ask(kind, model.provider))
      yield* TestClock.adjust("1 minute")
      yield* one
      yield* TestClock.adjust("9999 millis")
      yield* one
      assert.deepEqual((yield* budget.left).time, Duration.millis(1))
      yield* TestClock.adjust("1 millis")
      const error = yield* Effect.flip(one)
      assert.strictEqual(limitOf(error), "time")
      assert.include(error.message, 'the budget "quick" allowed 10s, which are over')
      assert.lengthOf(model.calls, 2)
      assert.deepEqual((yield* budget.spent).time, Duration.seconds(10))
      yield* budget.add({ time: "5 seconds" })
      yield* one
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(limitOf(yield* Effect.flip(one)), "time")
      yield* budget.reset
      yield* one
      assert.lengthOf(model.calls, 4)
    })
  )

  it.effect("is interrupted at the time limit", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ time: "10 seconds" })
      const model = fake((call) => (call === 0 ? Effect.succeed({}) : Effect.never))
      const one = Provider.withBudget(budget)(ask(kind, model.provider))
      yield* one
      yield* TestClock.adjust("4 seconds")
      const fiber = yield* begin(Effect.flip(one))
      yield* TestClock.adjust("5999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(limitOf(error), "time")
      assert.include(error.message, "which ended during the call")
      assert.strictEqual(model.dropped(), 1)
      assert.strictEqual((yield* budget.spent).calls, 2)
      assert.strictEqual((yield* budget.reserved).calls, 0)
    })
  )
})

describe("a limited time", () => {
  it.effect("interrupts a stream in the middle", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const slow = Provider.make({
        ...model.provider,
        stream: (made) => Stream.concat(Stream.take(model.provider.stream(made), 1), Stream.never)
      })
      const budget = Budget.make({ time: "10 seconds" })
      const seen = yield* Ref.make(0)
      const fiber = yield* slow.stream(request).pipe(
        Stream.runForEach(() => Ref.update(seen, (n) => n + 1)),
        Provider.withBudget(budget),
        Effect.flip,
        begin
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(limitOf(yield* Fiber.join(fiber)), "time")
      assert.strictEqual(yield* Ref.get(seen), 1)
      assert.strictEqual((yield* budget.reserved).calls, 0)
    })
  )

  it.effect("also ends a wait for room, and the time that ends first applies", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ name: "short", tokens: 5_000, time: "10 seconds" })
      const long = Budget.make({ name: "long", time: "1 hour" })
      const model = fake(() => Effect.never)
      const one = ask("complete", model.provider).pipe(Provider.withBudget(long), Provider.withBudget(budget))
      yield* begin(Effect.exit(one))
      const fiber = yield* begin(Effect.flip(one))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(limitOf(error), "time")
      assert.include(error.message, '"short"')
      assert.lengthOf(model.calls, 1)
      assert.deepEqual(yield* budget.reserved, { calls: 0, tokens: 0, usd: 0 })
    })
  )

  it.effect("of a whole program begins with the program", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const late = Effect.andThen(Effect.sleep("11 seconds"), ask("complete", model.provider))
      const limited = Provider.withBudget({ time: "10 seconds" })(late)
      for (let run = 0; run < 2; run++) {
        const fiber = yield* begin(Effect.flip(limited))
        yield* TestClock.adjust("11 seconds")
        assert.strictEqual(limitOf(yield* Fiber.join(fiber)), "time")
      }
      yield* Provider.withBudget({ time: "10 seconds" })(ask("complete", model.provider))
      assert.lengthOf(model.calls, 1)
    })
  )
})

describe.each(kinds)("a %s through a layer with a budget", (kind) => {
  it.effect("counts in it and in the budgets in force, and each layer that is built has its own", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const limited = model.layer.pipe(Provider.budget({ name: "layer", calls: 2 }))
      const around = Budget.make({ calls: 3 })
      const two = through(limited)((p) =>
        Effect.gen(function* () {
          yield* ask(kind, p)
          yield* ask(kind, p)
          yield* ask(kind, p)
        })
      ).pipe(Provider.withBudget(around), Effect.flip)
      assert.include((yield* two).message, '"layer"')
      assert.include((yield* two).message, '"budget"')
      assert.lengthOf(model.calls, 3)
    })
  )

  it.effect("counts in a budget that is shared between layers", () =>
    Effect.gen(function* () {
      const [a, b] = [fake(() => Effect.succeed({})), fake(() => Effect.succeed({}))]
      const budget = Budget.make({ calls: 1 })
      yield* through(a.layer.pipe(Provider.budget(budget)))((p) => ask(kind, p))
      yield* Effect.flip(through(b.layer.pipe(Provider.budget(budget)))((p) => ask(kind, p)))
      assert.lengthOf(b.calls, 0)
    })
  )

  it.effect("counts each retry, and a call is not retried after a budget is used up", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.fail(failing("Overloaded")))
      const budget = Budget.make({ calls: 2 })
      const layer = model.layer.pipe(Provider.budget(budget), Provider.retry({ times: 5 }))
      const fiber = yield* begin(Effect.flip(through(layer)((p) => ask(kind, p))))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(limitOf(yield* Fiber.join(fiber)), "calls")
      assert.lengthOf(model.calls, 2)
    })
  )
})

describe("a budget per scope", () => {
  it.effect("has the same limits for each tenant, and one budget for calls without a tenant", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const budget = Budget.make({ calls: 1, per: "scope" })
      const one = Provider.withBudget(budget)(ask("complete", model.provider))
      for (const scope of ["acme", "globex"]) {
        yield* one.pipe(Memory.withScope(scope))
        assert.strictEqual(limitOf(yield* Effect.flip(one.pipe(Memory.withScope(scope)))), "calls")
      }
      yield* one
      assert.strictEqual((yield* budget.spent).calls, 1)
      assert.strictEqual((yield* budget.spent.pipe(Memory.withScope("acme"))).calls, 1)
      assert.strictEqual((yield* budget.spent.pipe(Memory.withScope("other"))).calls, 0)
      yield* budget.reset.pipe(Memory.withScope("acme"))
      yield* one.pipe(Memory.withScope("acme"))
      assert.lengthOf(model.calls, 4)
    })
  )

  it.effect("forgets those that called least recently, but none with a call under way", () =>
    Effect.gen(function* () {
      const door = Deferred.makeUnsafe<void>()
      const model = fake((call) => Effect.as(call === 0 ? Deferred.await(door) : Effect.void, {}))
      const budget = Budget.make({ calls: 2, per: "scope", remember: 2 })
      const one = (scope: string) =>
        Provider.withBudget(budget)(ask("complete", model.provider)).pipe(Memory.withScope(scope))
      const spent = (scope: string) => Effect.map(budget.spent.pipe(Memory.withScope(scope)), ({ calls }) => calls)
      const fiber = yield* begin(one("a"))
      yield* one("b")
      yield* one("c")
      yield* Deferred.succeed(door, undefined)
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* spent("a"), 1)
      assert.strictEqual(yield* spent("c"), 1)
      // b was let go for c
      assert.strictEqual(yield* spent("b"), 0)
    })
  )

  it.effect("keeps that of the scope that calls now, also if all others have a call under way", () =>
    Effect.gen(function* () {
      const door = Deferred.makeUnsafe<void>()
      const model = fake((call) => Effect.as(call === 0 ? Deferred.await(door) : Effect.void, {}))
      const budget = Budget.make({ calls: 1, per: "scope", remember: 1 })
      const one = (scope: string) =>
        Provider.withBudget(budget)(ask("complete", model.provider)).pipe(Memory.withScope(scope))
      const fiber = yield* begin(one("a"))
      yield* one("b")
      assert.strictEqual(limitOf(yield* Effect.flip(one("b"))), "calls")
      yield* Deferred.succeed(door, undefined)
      yield* Fiber.join(fiber)
    })
  )

  it.effect("lets that of the scope go first which was used longest ago", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const budget = Budget.make({ calls: 3, per: "scope", remember: 2 })
      const one = (scope: string) =>
        Provider.withBudget(budget)(ask("complete", model.provider)).pipe(Memory.withScope(scope))
      const spent = (scope: string) => Effect.map(budget.spent.pipe(Memory.withScope(scope)), ({ calls }) => calls)
      for (const scope of ["a", "b", "a", "c"]) yield* one(scope)
      assert.strictEqual(yield* spent("a"), 2)
      assert.strictEqual(yield* spent("c"), 1)
      assert.strictEqual(yield* spent("b"), 0)
      // to look is a use as well: b took the place of a
      assert.strictEqual(yield* spent("c"), 1)
      assert.strictEqual(yield* spent("a"), 0)
    })
  )
})

describe("a budget per thought", () => {
  it.effect("has the same limits for each thought with its forks, whatever its steps are", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
      const budget = Budget.make({ calls: 2, per: "thought" })
      const spent: Array<number> = []
      const look = Step.make("look", { run: Effect.map(budget.spent, ({ calls }) => void spent.push(calls)) })
      const pipeline = Pipeline.sequence("three", [
        Primitive.decide("a", { question: "A?" }),
        Primitive.forget("forgotten", { drop: ["a"] }),
        Primitive.decide("b", { question: "B?" }),
        look,
        Primitive.decide("c", { question: "C?" })
      ])
      const layer = Layer.merge(model.layer.pipe(Provider.budget(budget)), Testing.memory)
      for (let run = 1; run <= 2; run++) {
        const start = yield* Thought.make("try", { message: "Hello" })
        const error = yield* Pipeline.run(pipeline, start).pipe(Effect.flip, Effect.provide(layer))
        assert.deepEqual(error.path, ["three", "c"])
        assert.lengthOf(model.requests, 2 * run)
      }
      assert.deepEqual(spent, [2, 2])
    })
  )

  it.effect("limits calls outside of thoughts too, together", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const budget = Budget.make({ calls: 1, per: "thought" })
      const one = Provider.withBudget(budget)(ask("complete", model.provider))
      yield* one
      assert.strictEqual(limitOf(yield* Effect.flip(one)), "calls")
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("is shared with a fork that was made before the first note", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
      const layer = Layer.merge(model.layer.pipe(Provider.budget({ calls: 1, per: "thought" })), Testing.memory)
      const decide = Primitive.decide("a", { question: "A?" })
      const start = yield* Thought.make("try")
      const fork = yield* Thought.fork(start)
      const run = Effect.gen(function* () {
        yield* Pipeline.run(decide, start)
        return yield* Effect.flip(Pipeline.run(decide, fork))
      })
      const { cause } = yield* Effect.provide(run, layer)
      assert.strictEqual(cause._tag === "ProviderError" ? limitOf(cause) : cause._tag, "calls")
      assert.lengthOf(model.requests, 1)
    })
  )
})

describe("what is reported of a budget", () => {
  it.effect("is a signal of the step, and attributes of the call's span", () =>
    Effect.gen(function* () {
      const heard: Array<Signal.Signal> = []
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const model = Testing.scripted([])
      const spam = Primitive.decide("spam", { question: "Is this spam?" })
      const thought = yield* Thought.make("try", { message: "Hello" })
      const error = yield* Pipeline.run(spam, thought).pipe(
        Provider.withBudget({ name: "none", calls: 0 }),
        Signal.listen((signal) => void (signal._tag === "BudgetCrossed" && heard.push(signal))),
        Effect.withTracer(tracer),
        Effect.provide(Layer.merge(model.layer, Testing.memory)),
        Effect.flip
      )
      assert.instanceOf(error.cause, Provider.ProviderError)
      const [signal, ...others] = heard
      assert.lengthOf(others, 0)
      assert.deepInclude(signal, {
        budget: "none",
        limit: "calls",
        how: "refused",
        path: ["spam"],
        traceId: thought.traceId
      })
      const call = Option.fromUndefinedOr(spans.find(({ name }) => name === "chat script"))
      const attributes = Option.getOrThrow(call).attributes
      assert.deepEqual(
        ["cogito.budget", "cogito.budget.limit", "cogito.budget.crossed"].map((name) => attributes.get(name)),
        ["none", "calls", "refused"]
      )
    })
  )

  it.effect("of waiting is a signal", () =>
    Effect.gen(function* () {
      const heard: Array<Signal.Tag> = []
      const model = fake(() => Effect.delay(Effect.succeed({ usage: { inputTokens: 0, outputTokens: 0 } }), "1 second"))
      const one = ask("complete", model.provider)
      const fiber = yield* Effect.all([one, one], { concurrency: 2 }).pipe(
        Provider.withBudget({ tokens: 4_500 }),
        Signal.listen((signal) => void heard.push(signal._tag)),
        begin
      )
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.deepEqual(heard, ["Throttled"])
      assert.deepEqual(model.times(), [0, 1_000])
    })
  )

  it.effect("holds no text of the request", () =>
    Effect.gen(function* () {
      const secret = "canary-91f3"
      const isUrgent = Synapse.binary({ question: `Is ${secret} urgent?` })
      const model = Testing.scripted([])
      const error = yield* isUrgent(secret).pipe(
        Provider.withBudget({ tokens: 10 }),
        Effect.provide(model.layer),
        Effect.flip
      )
      assert.instanceOf(error, Provider.ProviderError)
      assert.notInclude(JSON.stringify(yield* Schema.encodeEffect(Provider.ProviderError)(error)), secret)
    })
  )
})

describe("what a call cost", () => {
  it.effect("is reported only if its tokens and prices are known", () =>
    Effect.gen(function* () {
      const prices = { input: 2, output: 8, cachedInput: 0.2, asOf: "2026-11-01" }
      const usage = { inputTokens: 1_000, cachedInputTokens: 500, outputTokens: 100 }
      const told: Array<number | undefined> = []
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const isUrgent = Synapse.binary({ question: "Is this urgent?" })
      const ways = [
        { usage, capabilities: { prices } },
        { usage },
        { usage: { inputTokens: 1_000 }, capabilities: { prices } }
      ]
      for (const options of ways) {
        const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It says so."] }], options)
        yield* isUrgent("The server is down.").pipe(
          Signal.listen((signal) => void (signal._tag === "CallCompleted" && told.push(signal.usd))),
          Effect.withTracer(tracer),
          Effect.provide(model.layer)
        )
      }
      // a script is free
      assert.deepEqual(told, [0.0019, 0, undefined])
      assert.deepEqual(
        spans.filter(({ name }) => name === "chat script").map(({ attributes }) => attributes.get("cogito.cost.usd")),
        [0.0019, 0, undefined]
      )
    })
  )
})
