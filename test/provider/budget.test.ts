import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Budget, Provider, Signal } from "cogito"
import { ask, failing, type Fake, fake, type Kind, kinds, request, through } from "./fake.ts"
import { soon } from "../soon.ts"

// What is reserved before a call, and what is booked after it.

/** The most that the input of the test's request may be: its 15 bytes, and 16 for the message and for the request each. */
const input = 47
const prices: Provider.Prices = { input: 1, cachedInput: 0.1, cacheWrite: 2, output: 10, asOf: "2026-11-01" }

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })
const asking = (maxTokens: number): Provider.Request => ({ ...request, sampling: { ...request.sampling, maxTokens } })
const sent = ({ request: made }: { readonly request: Provider.Request | Provider.DecideRequest }) =>
  "sampling" in made ? made.sampling.maxTokens : undefined

const limitOf = (error: Provider.ProviderError) =>
  error.reason._tag === "BudgetExceeded" ? error.reason.limit : `not short: ${error.message}`

/** The signals of a program with these tags. */
const listening = <A, E, R>(tags: ReadonlyArray<Signal.Tag>, self: Effect.Effect<A, E, R>) => {
  const heard: Array<Signal.Signal> = []
  const listen = Signal.listen((signal) => {
    if (tags.includes(signal._tag)) heard.push(signal)
  })
  return Effect.map(listen(self), (value) => ({ value, heard }))
}

describe.each(kinds)("a %s within a budget", (kind) => {
  it.effect("is counted when it is made, however it ends, and not made if no call is left", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ name: "three", calls: 3 })
      const model = fake((call) => (call === 1 ? Effect.fail(failing("Overloaded")) : Effect.succeed({})))
      const one = Provider.withBudget(budget)(Effect.exit(ask(kind, model.provider)))
      for (let call = 0; call < 3; call++) yield* one
      const error = yield* Effect.flip(Provider.withBudget(budget)(ask(kind, model.provider)))
      assert.deepEqual(error.reason, {
        _tag: "BudgetExceeded",
        message: 'the budget "three" has 0 of 3 calls left: raise calls',
        budget: "three",
        limit: "calls"
      })
      assert.isFalse(error.isRetryable)
      assert.lengthOf(model.calls, 3)
      assert.strictEqual((yield* budget.spent).calls, 3)
      assert.strictEqual((yield* budget.left).calls, 0)
    })
  )

  it.effect("is made no more often than its limit allows, by 200 concurrent fibers", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ calls: 37, tokens: 10_000_000 })
      const model = fake(() => Effect.as(Effect.yieldNow, {}))
      const one = Effect.exit(ask(kind, model.provider, asking(100)))
      const exits = yield* Effect.all(
        Array.from({ length: 200 }, () => one),
        { concurrency: "unbounded" }
      ).pipe(Provider.withBudget(budget))
      assert.lengthOf(model.calls, 37)
      assert.lengthOf(
        exits.filter(({ _tag }) => _tag === "Success"),
        37
      )
    })
  )

  it.effect("is booked with what the provider reports, or with all that was reserved if it reports nothing", () =>
    Effect.gen(function* () {
      const reports: ReadonlyArray<[Provider.Usage, number, number]> = [
        [{ inputTokens: 20, outputTokens: 5 }, 25, 20 * 1 + 5 * 10],
        [{ inputTokens: 20, cachedInputTokens: 10, cacheWriteTokens: 5, outputTokens: 5 }, 25, 5 + 1 + 10 + 50],
        // what is no count says nothing, and the others stay
        [{ inputTokens: 20, cachedInputTokens: NaN, cacheWriteTokens: -5, outputTokens: 5 }, 25, 20 + 50]
      ]
      for (const [usage, tokens, micros] of reports) {
        const budget = Budget.make({ tokens: 100_000, usd: 1 })
        const model = fake(() => Effect.succeed({ usage }), { capabilities: { prices } })
        yield* Provider.withBudget(budget)(ask(kind, model.provider, asking(100)))
        const spent = yield* budget.spent
        assert.deepEqual([spent.calls, spent.tokens], [1, tokens])
        assert.approximately(spent.usd, micros / 1e6, 1e-12)
      }
      const silent = Budget.make({ tokens: 100_000, usd: 1 })
      const model = fake(() => Effect.succeed({ usage: {} }), { capabilities: { prices } })
      yield* Provider.withBudget(silent)(ask(kind, model.provider, asking(100)))
      const spent = yield* silent.spent
      // questions go as data, besides the messages, and no text is asked for
      const most = kind === "decide" ? { input: input + 2 + 512, output: 0 } : { input, output: 100 }
      assert.strictEqual(spent.tokens, most.input + most.output)
      assert.approximately(spent.usd, (most.input * 2 + most.output * 10) / 1e6, 1e-12)
      assert.deepEqual(yield* silent.reserved, { calls: 0, tokens: 0, usd: 0 })
    })
  )

  it.effect("that fails costs what it reports, else nothing if nothing was generated, else all", () =>
    Effect.gen(function* () {
      const all = kind === "decide" ? 561 : input + 100
      const tags = {
        RateLimited: 0,
        QuotaExhausted: 0,
        Authentication: 0,
        InvalidRequest: 0,
        ContextTooLong: 0,
        Connection: 0,
        Overloaded: 0,
        Unsupported: 0,
        CircuitOpen: 0,
        Timeout: all,
        Truncated: all,
        Refused: all,
        EmptyAnswer: all,
        InvalidResponse: all
      } as const
      for (const [tag, tokens] of Object.entries(tags)) {
        for (const usage of [undefined, {}, { inputTokens: 3, outputTokens: 4 }]) {
          const budget = Budget.make({ tokens: 1_000 })
          const error = failing(tag as keyof typeof tags, usage === undefined ? {} : { usage })
          const model = fake(() => Effect.fail(error))
          const failed = yield* Effect.flip(Provider.withBudget(budget)(ask(kind, model.provider, asking(100))))
          assert.strictEqual(failed, error)
          const { calls, tokens: spent } = yield* budget.spent
          assert.deepEqual([tag, calls, spent], [tag, 1, usage?.inputTokens === undefined ? tokens : 7])
        }
      }
    })
  )

  it.effect("that is interrupted costs all that was reserved, as it may have been billed", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake(() => Effect.never)
      const fiber = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(100))))
      const all = kind === "decide" ? 561 : input + 100
      assert.strictEqual((yield* budget.reserved).tokens, all)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* budget.spent).tokens, all)
      assert.deepEqual(yield* budget.reserved, { calls: 0, tokens: 0, usd: 0 })
      assert.strictEqual(model.dropped(), 1)
    })
  )

  it.effect("fails without being made when money is limited and its price is not known", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ usd: 1 })
      const model = fake(() => Effect.succeed({}))
      const error = yield* Effect.flip(Provider.withBudget(budget)(ask(kind, model.provider)))
      assert.strictEqual(error.reason._tag, "InvalidRequest")
      assert.include(error.message, "capabilities.prices")
      assert.lengthOf(model.calls, 0)
      const free = fake(() => Effect.succeed({}), {
        capabilities: { prices: { ...prices, input: 0, output: 0, cacheWrite: 0, cachedInput: 0 } }
      })
      yield* Provider.withBudget(Budget.make({ usd: 0 }))(ask(kind, free.provider))
      assert.lengthOf(free.calls, 1)
    })
  )

  it.effect("needs room in every budget in force, and takes it in all or in none", () =>
    Effect.gen(function* () {
      const outer = Budget.make({ name: "outer", calls: 10 })
      const inner = Budget.make({ name: "inner", calls: 1 })
      const model = fake(() => Effect.succeed({}))
      const both = ask(kind, model.provider).pipe(Provider.withBudget(inner), Provider.withBudget(outer))
      yield* both
      const error = yield* Effect.flip(both)
      assert.include(error.message, '"inner"')
      assert.strictEqual((yield* outer.spent).calls, 1)
      assert.deepEqual(yield* outer.reserved, { calls: 0, tokens: 0, usd: 0 })
      // the same budget twice is one
      const twice = Budget.make({ calls: 1 })
      yield* ask(kind, model.provider).pipe(Provider.withBudget(twice), Provider.withBudget(twice))
      assert.strictEqual((yield* twice.spent).calls, 1)
    })
  )

  it.effect("counts once if a provider makes its calls through another one", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ calls: 2, tokens: 1_500 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 1, outputTokens: 1 } }))
      const { complete, decide, stream } = model.provider
      const around = Provider.make({ name: "around", model: "m", complete, stream, ...(decide && { decide }) })
      yield* Provider.withBudget(budget)(ask(kind, around, asking(600)))
      assert.deepEqual([(yield* budget.spent).calls, (yield* budget.spent).tokens], [1, 2])
      const often = Provider.make({
        name: "often",
        model: "m",
        complete: (made) => Effect.andThen(complete(made), complete(made)),
        stream: (made) => Stream.concat(Stream.take(stream(made), 1), stream(made)),
        ...(decide && { decide: (made: Provider.DecideRequest) => Effect.andThen(decide(made), decide(made)) })
      })
      const error = yield* Effect.flip(Provider.withBudget(budget)(ask(kind, often, asking(600))))
      assert.strictEqual(limitOf(error), "calls")
      assert.lengthOf(model.calls, 2)
    })
  )
})

const texts: ReadonlyArray<Kind> = ["complete", "stream"]

describe.each(texts)("the answer of a %s within a budget", (kind) => {
  it.effect(
    "is bounded by what is asked for, else by what the model has, else by 4,096 tokens; and so is it told",
    () =>
      Effect.gen(function* () {
        const model = fake(() => Effect.succeed({}))
        const large = fake(() => Effect.succeed({}), { capabilities: { outputTokens: 9_000 } })
        const within = Provider.withBudget(Budget.make({ tokens: 1_000_000 }))
        assert.strictEqual((yield* within(ask(kind, model.provider))).sampling?.maxTokens, 4_096)
        assert.strictEqual((yield* within(ask(kind, large.provider))).sampling?.maxTokens, 9_000)
        assert.isUndefined((yield* within(ask(kind, model.provider, asking(50)))).sampling)
        assert.deepEqual([...model.calls, ...large.calls].map(sent), [4_096, 50, 9_000])
        // the other wishes stay
        assert.deepEqual(
          model.calls.map((call) => "sampling" in call.request && call.request.sampling.temperature),
          [0, 0]
        )
      })
  )

  it.effect("has no limit if only calls and time are limited", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({}))
      const answer = yield* Provider.withBudget({ calls: 1, time: "1 minute" })(ask(kind, model.provider))
      assert.deepEqual(model.calls.map(sent), [undefined])
      assert.isUndefined(answer.sampling)
    })
  )

  it.effect("may be shorter if less is left, but a call with too little room to answer is not made", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 7, outputTokens: 93 } }), {
        capabilities: { prices }
      })
      const tokens = Budget.make({ tokens: 260 })
      const all = yield* Effect.forEach([1, 2, 3], () =>
        Effect.exit(Provider.withBudget(tokens)(ask(kind, model.provider)))
      )
      assert.deepEqual(
        all.map(({ _tag }) => _tag),
        ["Success", "Success", "Failure"]
      )
      assert.deepEqual(model.calls.map(sent), [260 - input, 160 - input])
      const money = Budget.make({ usd: (input * 2 + 70 * 10) / 1e6 })
      yield* Provider.withBudget(money)(ask(kind, model.provider))
      assert.strictEqual(sent(model.calls[2] as (typeof model.calls)[0]), 70)
      const little = Budget.make({ name: "little", usd: (input * 2 + 63 * 10) / 1e6 })
      const error = yield* Effect.flip(Provider.withBudget(little)(ask(kind, model.provider)))
      assert.strictEqual(limitOf(error), "usd")
      assert.include(
        error.message,
        'the budget "little" has $0.000724 of $0.000724 left, and this call may cost $0.000734'
      )
      // who asks for less needs no more
      yield* Provider.withBudget(little)(ask(kind, model.provider, asking(10)))
      assert.lengthOf(model.calls, 4)
    })
  )

  it.effect("that is cut where the budget ends fails with BudgetExceeded, and is not retried", () =>
    Effect.gen(function* () {
      const cause = new Error("the server's own")
      const cutAt = (outputTokens?: number) =>
        fake(() =>
          Effect.fail(
            failing("Truncated", {
              requestId: "req_3",
              cause,
              ...(outputTokens === undefined ? {} : { usage: { inputTokens: 10, outputTokens } })
            })
          )
        )
      const short = cutAt(100)
      const budget = Budget.make({ name: "small", tokens: input + 100 })
      const { heard, value } = yield* listening(
        ["BudgetCrossed"],
        through(short.layer.pipe(Provider.retry()))((p) => Effect.flip(Provider.withBudget(budget)(ask(kind, p))))
      )
      assert.strictEqual(limitOf(value), "tokens")
      assert.include(value.message, 'the budget "small" had room for 100 tokens of the answer, which was cut there')
      assert.deepEqual(value.usage, { inputTokens: 10, outputTokens: 100 })
      assert.deepInclude(value, { requestId: "req_3", cause })
      assert.strictEqual((yield* budget.spent).tokens, 110)
      assert.lengthOf(heard, 1)
      assert.lengthOf(short.calls, 1)
      // one that broke before, or was cut where it was asked for, is what it is
      const outcome = (model: Fake, self: ReturnType<typeof ask>) =>
        Effect.map(Effect.flip(self), ({ reason }) => [reason._tag, model.calls.length])
      const within = Provider.withBudget({ tokens: input + 100 })
      const [broken, early, asked] = [cutAt(), cutAt(99), cutAt(50)]
      assert.deepEqual(yield* outcome(broken, within(ask(kind, broken.provider))), ["Truncated", 1])
      assert.deepEqual(yield* outcome(early, within(ask(kind, early.provider))), ["Truncated", 1])
      assert.deepEqual(yield* outcome(asked, within(ask(kind, asked.provider, asking(50)))), ["Truncated", 1])
    })
  )

  it.effect("has room again when a call under way gives some back, first come first served", () =>
    Effect.gen(function* () {
      const doors = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake((call) =>
        Effect.as(Deferred.await(doors[call] as Deferred.Deferred<void>), {
          usage: { inputTokens: 10, outputTokens: 10 }
        })
      )
      const { heard, value } = yield* listening(
        ["Throttled"],
        Effect.gen(function* () {
          const first = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(900))))
          const second = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(800))))
          // there is room for this one, but the second came before
          const third = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(5))))
          yield* Effect.yieldNow
          assert.deepEqual(model.calls.map(sent), [900])
          yield* Deferred.succeed(doors[0] as Deferred.Deferred<void>, undefined)
          yield* Fiber.join(first)
          for (let left = 10; left > 0; left--) yield* Effect.yieldNow
          assert.deepEqual(model.calls.map(sent), [900, 800, 5])
          yield* Deferred.succeed(doors[1] as Deferred.Deferred<void>, undefined)
          yield* Deferred.succeed(doors[2] as Deferred.Deferred<void>, undefined)
          return yield* Fiber.joinAll([second, third])
        })
      )
      assert.lengthOf(value, 2)
      assert.lengthOf(heard, 2)
      assert.strictEqual((yield* budget.spent).tokens, 60)
    })
  )

  it.effect("is not waited for if everything reserved has been used", () =>
    Effect.gen(function* () {
      const door = Deferred.makeUnsafe<void>()
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake(() => Effect.as(Deferred.await(door), { usage: { inputTokens: 40, outputTokens: 900 } }))
      const first = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(900))))
      const second = yield* begin(Effect.flip(Provider.withBudget(budget)(ask(kind, model.provider, asking(900)))))
      yield* Deferred.succeed(door, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(limitOf(yield* Fiber.join(second)), "tokens")
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("leaves nothing reserved, and nobody waiting, when it is interrupted while it waits", () =>
    Effect.gen(function* () {
      const door = Deferred.makeUnsafe<void>()
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake((call) =>
        Effect.as(call === 0 ? Deferred.await(door) : Effect.void, { usage: { inputTokens: 1, outputTokens: 1 } })
      )
      const first = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(500))))
      const second = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(900))))
      const third = yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(100))))
      assert.strictEqual((yield* budget.reserved).calls, 1)
      yield* Fiber.interrupt(second)
      yield* soon("who was behind it has room")(Fiber.join(third))
      assert.strictEqual((yield* budget.reserved).calls, 1)
      yield* Deferred.succeed(door, undefined)
      yield* Fiber.join(first)
      assert.deepEqual(model.calls.map(sent), [500, 100])
      assert.strictEqual((yield* budget.spent).calls, 2)
      assert.deepEqual(yield* budget.reserved, { calls: 0, tokens: 0, usd: 0 })
    })
  )

  it.effect("fails at once, without waiting, where the budget says so", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000, onShort: "fail" })
      const model = fake((call) => (call === 0 ? Effect.never : Effect.succeed({})))
      yield* begin(Provider.withBudget(budget)(ask(kind, model.provider, asking(900))))
      const error = yield* soon("the second call is refused")(
        Effect.flip(Provider.withBudget(budget)(ask(kind, model.provider, asking(900))))
      )
      assert.strictEqual(limitOf(error), "tokens")
      assert.include(error.message, "has 53 of 1000 tokens left")
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("does not wait for one budget behind a call that waits for another, nor overtake it", () =>
    Effect.gen(function* () {
      const shared = Budget.make({ tokens: 10_000 })
      const own = Budget.make({ tokens: 1_000, onShort: "fail" })
      const model = fake(() => Effect.never)
      const within = (budgets: ReadonlyArray<Budget.Budget>, tokens: number) =>
        budgets.reduce((call, budget) => Provider.withBudget(budget)(call), ask(kind, model.provider, asking(tokens)))
      yield* begin(within([shared], 5_000))
      yield* begin(within([own], 500))
      const waiting = yield* begin(within([shared], 9_000))
      const last = yield* begin(Effect.flip(within([own, shared], 600)))
      assert.deepEqual(model.calls.map(sent), [5_000, 500])
      assert.strictEqual(limitOf(yield* soon("the last call is refused")(Fiber.join(last))), "tokens")
      // where nobody waits it is shorter
      yield* Fiber.interrupt(waiting)
      yield* begin(within([own, shared], 600))
      assert.deepEqual(model.calls.map(sent), [5_000, 500, 500 - 2 * input])
    })
  )

  it.effect("does not block others while it waits for a budget that they are not in", () =>
    Effect.gen(function* () {
      const shared = Budget.make({ tokens: 100_000 })
      const own = Budget.make({ tokens: 1_000 })
      const model = fake((call) => (call === 0 ? Effect.never : Effect.succeed({})))
      const inBoth = ask(kind, model.provider, asking(900)).pipe(Provider.withBudget(own), Provider.withBudget(shared))
      yield* begin(inBoth)
      const waiting = yield* begin(inBoth)
      yield* soon("the call that is in the other budget only is made")(
        Provider.withBudget(shared)(ask(kind, model.provider, asking(900)))
      )
      assert.lengthOf(model.calls, 2)
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("that used more than it reserved is booked in full, reported, and the last", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ name: "cap", tokens: 1_000 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 400, outputTokens: 800 } }))
      const one = Provider.withBudget(budget)(ask(kind, model.provider, asking(100)))
      const { heard } = yield* listening(["BudgetCrossed"], Effect.andThen(one, Effect.flip(one)))
      assert.strictEqual((yield* budget.spent).tokens, 1_200)
      assert.strictEqual((yield* budget.left).tokens, 0)
      assert.deepEqual(
        heard.map((signal) => (signal._tag === "BudgetCrossed" ? [signal.budget, signal.limit, signal.how] : [])),
        [
          ["cap", "tokens", "overrun"],
          ["cap", "tokens", "refused"]
        ]
      )
      assert.lengthOf(model.calls, 1)
    })
  )

  it.effect("that used exactly what it reserved is not reported", () =>
    Effect.gen(function* () {
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 200, outputTokens: 80 } }), {
        capabilities: { prices }
      })
      // 200 of input at 1 dollar and 80 of output at 10, for a million
      for (const [limits, crossed] of [
        [{ usd: 0.001 }, 0],
        [{ usd: 0.000999 }, 1],
        [{ tokens: 280 }, 0],
        [{ tokens: 279 }, 1]
      ] as const) {
        const budget = Budget.make(limits)
        const one = Provider.withBudget(budget)(ask(kind, model.provider, asking(20)))
        const { heard } = yield* listening(["BudgetCrossed"], one)
        assert.lengthOf(heard, crossed, JSON.stringify(limits))
      }
    })
  )

  it.effect("that waits for room is made when the budget is reset", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 2_000 })
      const model = fake((call) =>
        call === 0
          ? Effect.succeed({ usage: { inputTokens: 0, outputTokens: 1_000 } })
          : call === 1
            ? Effect.never
            : Effect.succeed({})
      )
      const within = (tokens: number) => Provider.withBudget(budget)(ask(kind, model.provider, asking(tokens)))
      yield* within(900)
      const slow = yield* begin(within(200))
      const waiting = yield* begin(within(900))
      yield* Effect.yieldNow
      assert.lengthOf(model.calls, 2)
      yield* budget.reset
      yield* soon("the call that waits is let in")(Fiber.join(waiting))
      assert.lengthOf(model.calls, 3)
      yield* Fiber.interrupt(slow)
    })
  )

  it.effect("is made after an increase, and after a reset", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000, calls: 2 })
      const door = Deferred.makeUnsafe<void>()
      const model = fake((call) => Effect.as(call === 0 ? Deferred.await(door) : Effect.void, {}))
      const one = Provider.withBudget(budget)(ask(kind, model.provider, asking(900)))
      const first = yield* begin(one)
      const second = yield* begin(one)
      assert.lengthOf(model.calls, 1)
      yield* budget.add({ tokens: 1_000 })
      yield* Fiber.join(second)
      assert.strictEqual(limitOf(yield* Effect.flip(one)), "calls")
      yield* budget.reset
      // what is under way counts from now on
      assert.strictEqual((yield* budget.spent).calls, 0)
      assert.strictEqual((yield* budget.reserved).calls, 1)
      yield* one
      yield* Deferred.succeed(door, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(limitOf(yield* Effect.flip(one)), "calls")
      yield* budget.add({ calls: 1, tokens: 5_000 })
      yield* one
      assert.lengthOf(model.calls, 4)
    })
  )
})

it.effect("lets thousands of waiting calls go one after the other", () =>
  Effect.gen(function* () {
    const budget = Budget.make({ tokens: 1_000 })
    const door = Deferred.makeUnsafe<void>()
    const usage = { inputTokens: 0, outputTokens: 0 }
    const model = fake((call) => Effect.as(call === 0 ? Deferred.await(door) : Effect.void, { usage }))
    const one = Provider.withBudget(budget)(model.provider.complete(asking(900)))
    const fibers = yield* Effect.forEach(Array.from({ length: 3_000 }), () => begin(one))
    assert.lengthOf(model.calls, 1)
    yield* Deferred.succeed(door, undefined)
    yield* Fiber.joinAll(fibers)
    assert.strictEqual((yield* budget.spent).calls, 3_000)
    const waiting = yield* Effect.forEach(Array.from({ length: 1_000 }), () => begin(one))
    yield* budget.add({ tokens: 10_000_000 })
    yield* Fiber.joinAll(waiting)
    assert.deepEqual(yield* budget.reserved, { calls: 0, tokens: 0, usd: 0 })
  })
)

describe("a stream within a budget", () => {
  it.effect("that nobody reads to its end costs all that was reserved", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 1, outputTokens: 1 } }))
      const first = yield* Stream.runCollect(Stream.take(model.provider.stream(asking(100)), 1)).pipe(
        Provider.withBudget(budget)
      )
      assert.lengthOf(first, 1)
      assert.strictEqual((yield* budget.spent).tokens, input + 100)
      assert.strictEqual(model.dropped(), 1)
    })
  )

  it.effect("that breaks after some text costs all, whatever broke it", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake(() => Effect.succeed({}), { broken: () => failing("Connection") })
      yield* Effect.flip(Provider.withBudget(budget)(ask("stream", model.provider, asking(100))))
      assert.strictEqual((yield* budget.spent).tokens, input + 100)
    })
  )

  it.effect("does not make its own reader wait forever", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 250 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 1, outputTokens: 1 } }))
      const fiber = yield* model.provider.stream(asking(100)).pipe(
        Stream.mapEffect(() => ask("complete", model.provider, asking(100))),
        Stream.runDrain,
        Provider.withBudget(budget),
        Effect.flip,
        begin
      )
      yield* TestClock.adjust(10 * 60_000 - 1)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* soon("the wait is over after ten minutes")(Fiber.join(fiber))
      assert.strictEqual(limitOf(error), "tokens")
      assert.lengthOf(model.calls, 1)
      assert.strictEqual((yield* budget.reserved).calls, 0)
    })
  )

  it.effect("is waited for as long as others end in the meantime", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 200 })
      const usage = { inputTokens: 0, outputTokens: 0 }
      const model = fake(() => Effect.delay(Effect.succeed({ usage }), "9 minutes"))
      const one = Provider.withBudget(budget)(ask("complete", model.provider, asking(100)))
      const all = yield* Effect.replicateEffect(begin(one), 3)
      yield* TestClock.adjust("60 minutes")
      yield* soon("all three are let in, one after the other")(Fiber.joinAll(all))
      assert.lengthOf(model.calls, 3)
    })
  )

  it.effect("returns what it did not use with its last piece", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 1, outputTokens: 1 } }))
      const seen = yield* model.provider.stream(asking(100)).pipe(
        Stream.mapEffect((part) => Effect.map(budget.reserved, ({ tokens }) => [part._tag, tokens])),
        Stream.runCollect,
        Provider.withBudget(budget)
      )
      assert.deepEqual(seen, [
        ["Text", input + 100],
        ["Text", input + 100],
        ["Done", 0]
      ])
    })
  )
})

describe("the bound of an input", () => {
  it.effect("is its bytes, those of its form in words and as a schema, and those of its tools", () =>
    Effect.gen(function* () {
      const bound = (asked: Provider.Request) =>
        Effect.gen(function* () {
          const budget = Budget.make({ tokens: 1_000_000 })
          yield* Provider.withBudget(budget)(fake(() => Effect.succeed({})).provider.complete(asked))
          return (yield* budget.spent).tokens - 10
        })
      const plain = asking(10)
      for (const text of [
        "",
        "é",
        "\u007f\u0080\u07ff",
        "\u0800\ud7ff\ue000\uffff",
        "žluť",
        "日本語",
        "🐎 \ud800 x \udc00",
        "a".repeat(5_000)
      ]) {
        const bytes = new TextEncoder().encode(text).length
        assert.strictEqual(yield* bound({ ...plain, messages: [{ role: "user", text }] }), bytes + 32)
      }
      const jsonSchema = { type: "object", description: "é" }
      const output = { name: "o", jsonSchema, instructions: "Answer: žluť" }
      assert.strictEqual(
        yield* bound({ ...plain, task: { ...plain.task, output } }),
        input + 512 + 14 + JSON.stringify(jsonSchema).length + 1
      )
      const tools = [{ name: "t", description: "d", parameters: {} }]
      assert.strictEqual(yield* bound({ ...plain, tools }), input + 512 + 2 * JSON.stringify(tools).length)
    })
  )

  it.effect("of closed questions has the questions and an answer to each", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ tokens: 1_000_000 })
      const questions = [
        { _tag: "Predicate", name: "a", question: "Is it?" },
        { _tag: "Predicate", name: "b", question: "Is it not?" }
      ] as const
      const { messages, task } = request
      const { decide } = fake(() => Effect.succeed({})).provider
      assert.isDefined(decide)
      if (decide) yield* Provider.withBudget(budget)(decide({ messages, task: { ...task, input: "é", questions } }))
      const { tokens } = yield* budget.spent
      assert.strictEqual(tokens, input + 512 + 2 + JSON.stringify(questions).length + 2 * 64)
    })
  )
})

describe("a budget's options", () => {
  it("are refused if out of range, with a message that names the option", () => {
    const refused = (options: object, message: string) => assert.throws(() => Budget.make(options), message)
    refused({}, "A budget needs at least one of calls, tokens, usd and time.")
    refused({ calls: -1 }, "A budget needs a whole number from 0 as calls, not -1.")
    refused({ calls: 1.5 }, "calls")
    refused({ tokens: Number.NaN }, "A budget needs a whole number from 0 as tokens, not NaN.")
    refused({ usd: -0.1 }, "A budget needs a finite number of dollars from 0 as usd, not -0.1.")
    refused({ usd: "2" }, 'not "2".')
    refused({ usd: Infinity }, "usd")
    refused({ time: "0 seconds" }, "time")
    refused({ time: Infinity }, "time")
    refused({ calls: 1, name: "" }, "A budget needs a non-empty string as name.")
    refused({ calls: 1, onShort: "drop" }, 'A budget needs "wait" or "fail" as onShort, not "drop".')
    refused({ calls: 1, per: "day" }, 'A budget needs "thought" or "scope" as per, not "day".')
    refused({ calls: 1, per: "scope", remember: 0 }, "A budget needs a whole number from 1 as remember, not 0.")
    assert.throws(() => Provider.withBudget({ calls: -1 }), "calls")
    assert.throws(() => Provider.budget({ calls: -1 }), "calls")
  })

  it.effect("of an increase are a defect if out of range, and change nothing", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ calls: 1 })
      const exit = yield* Effect.exit(budget.add({ calls: -1 }))
      assert.strictEqual(exit._tag, "Failure")
      yield* budget.add({ tokens: 5 })
      const left = yield* budget.left
      assert.deepEqual([left.calls, left.tokens, left.usd], [1, Infinity, Infinity])
    })
  )

  it.effect("count money exactly", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ usd: 0.3 })
      const model = fake(() => Effect.succeed({ usage: { inputTokens: 0, outputTokens: 10_000 } }), {
        capabilities: { prices }
      })
      const within = Provider.withBudget(budget)
      for (let call = 0; call < 2; call++) yield* within(ask("complete", model.provider, asking(20_000)))
      assert.strictEqual((yield* budget.spent).usd, 0.2)
      assert.strictEqual((yield* budget.left).usd, 0.1)
      const rest = { ...asking(10_000), messages: [] }
      const error = yield* Effect.flip(
        within(
          ask(
            "complete",
            fake(() => Effect.succeed({}), { capabilities: { prices: { ...prices, output: 10.001 } } }).provider,
            { ...rest, sampling: { maxTokens: 10 } }
          ).pipe(Provider.withBudget(Budget.make({ usd: 0 })))
        )
      )
      assert.strictEqual(limitOf(error), "usd")
    })
  )
})
