import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Budget, Pipeline, Primitive, Provider, RateLimiter, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { setImmediate } from "node:timers/promises"
import { soon } from "../soon.ts"
import { machine, resumeOf, runOf } from "./machine.ts"
import { at, type Boundary } from "./process.ts"
import { asks } from "./scenarios/parts.ts"

const crashes = 10

type Where = (boundaries: ReadonlyArray<Boundary>) => boolean

const many = Pipeline.sequence(
  "many",
  Array.from({ length: 40 }, (_, i) => Primitive.decide(`q${i}`, { question: "Is it so?", via: "text" }))
) as Step.Any

const used = { inputTokens: 2000, outputTokens: 1000 }

/** A model that says what it bills, whoever has received the answers. */
const billing = () => {
  const bill = { calls: 0, tokens: 0 }
  const model = Testing.scripted(
    () => {
      bill.calls++
      bill.tokens += used.inputTokens + used.outputTokens
      return { decision: true, confidence: 0.9, reasoning: ["so it is"] }
    },
    { usage: used }
  )
  return { bill, model }
}

const moments: Readonly<Record<string, Where>> = {
  "while a call is under way": at("before", "call"),
  "when a call is answered, before that is recorded": at("after", "call"),
  "when the second call is answered, before that is recorded": at("after", "call", 2),
  "before a step is stored": (boundaries) =>
    boundaries.at(-1)?.what === "commit" && boundaries.some(({ what }) => what === "call"),
  "after a step is stored": (boundaries) =>
    boundaries.at(-1)?.what === "commit" &&
    boundaries.at(-1)?.at === "after" &&
    boundaries.some(({ what }) => what === "call")
}

const limits = {
  calls: { calls: 12 },
  tokens: { tokens: 60_000 }
}

type Limited = { readonly calls: number } | { readonly tokens: number }

/** Where a budget may stand: around the step, or around the provider. */
const places: Readonly<Record<string, (options: any) => (step: Step.Any) => Step.Any>> = {
  "a step": (options) => (step) => Step.budget(step, options) as Step.Any,
  "a provider": (options) => (step) => providedWith(Provider.budget(options))(step)
}

/** The step, whose provider has one more layer in each process. */
const providedWith =
  (layer: (provider: Layer.Layer<Provider.Provider>) => Layer.Layer<Provider.Provider>) =>
  (step: Step.Any): Step.Any =>
    Step.provide(step, layer(Layer.effect(Provider.Provider, Provider.Provider) as never) as never) as Step.Any

describe("a budget of", () => {
  const cases = Object.entries(limits).flatMap(([limit, options]) =>
    Object.keys(places).flatMap((place) =>
      Object.keys(moments).map((moment) => [limit, place, moment, options] as const)
    )
  )
  it.effect.each(cases)("%s around %s holds where ten processes end %s", ([, place, moment, options]) =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const { bill, model } = billing()
      Object.assign(world, { model })
      const step = () => places[place]!(options)(many)
      let died = 0
      for (let i = 0; i < crashes; i++) {
        const exit = yield* Effect.exit(crashing(moments[moment]!)(i === 0 ? runOf(step()) : resumeOf(step())))
        if (exit._tag === "Success") died++
      }
      assert.isAtLeast(died, 3)
      const error = yield* Effect.flip(within()(resumeOf(step())))
      assert.strictEqual(error.cause?.reason?._tag, "BudgetExceeded", String(error))
      const limit: Limited = options
      if ("calls" in limit) assert.isAtMost(bill.calls, limit.calls)
      else assert.isAtMost(bill.tokens, limit.tokens)
    })
  )

  it.effect("calls counts native decisions and text answers, whichever process received them", () =>
    Effect.gen(function* () {
      for (const via of ["native", "text"] as const) {
        const { crashing, within, world } = yield* machine
        const decides = (key: string) => Primitive.decide(key, { question: `Is it ${key}?`, via })
        const three = Pipeline.sequence("three", [decides("a"), decides("b"), decides("c")]) as Step.Any
        const step = () => Step.budget(three, { calls: 2 }) as Step.Any
        yield* crashing(at("after", "commit", 2))(runOf(step()))
        const error = yield* Effect.flip(within()(resumeOf(step())))
        assert.strictEqual(error.cause?.reason?._tag, "BudgetExceeded", String(error))
        const { decisions, requests } = world.model
        assert.deepStrictEqual([decisions.length, requests.length], via === "native" ? [2, 0] : [0, 2])
      }
    })
  )

  it.effect("calls counts what a provider has tried again by itself", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      let calls = 0
      const model = Testing.scripted(() => {
        calls++
        const isTried = calls % 3 !== 0
        return isTried ? overloaded : { decision: true, confidence: 0.9, reasoning: ["so it is"] }
      })
      Object.assign(world, { model })
      const step = () =>
        Step.budget(providedWith(Provider.retry({ times: 5, base: "1 second" }))(many), { calls: 12 }) as Step.Any
      for (let i = 0; i < 3; i++) {
        yield* timed(crashing(at("after", "commit", i === 0 ? 2 : 1))(i === 0 ? runOf(step()) : resumeOf(step())))
      }
      const error = yield* Effect.flip(timed(within()(resumeOf(step()))))
      assert.strictEqual(error.cause?.reason?._tag, "BudgetExceeded", String(error))
      assert.isAtMost(calls, 12)
    })
  )
})

describe("a budget around one of two branches", () => {
  it.effect("counts no calls of the other one in a resumed run, however their names begin", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const reply = Pipeline.waitFor("reply", { schema: Schema.Boolean, prompt: "Is it?" })
      const limited = Step.budget(Pipeline.sequence("two", [asks("a"), reply, asks("b")]), { calls: 2, name: "x" })
      const other = Pipeline.sequence("xs", [asks("c"), asks("d")])
      const step = Pipeline.concurrent("both", [limited, other]) as Step.Any
      assert.strictEqual((yield* Effect.flip(within()(runOf(step))))._tag, "Suspended")
      yield* within()(Pipeline.answer("run", "reply", true))
      yield* within()(resumeOf(step))
      assert.strictEqual(world.requests.length, 4)
    })
  )
})

describe("a budget that several steps of a run share", () => {
  const reply = (key: string) => Pipeline.waitFor(key, { schema: Schema.Boolean, prompt: "Is it?" })
  const part = (budget: Budget.Budget, name: string) =>
    Step.budget(Pipeline.sequence(name, [asks(`${name}1`), reply(`${name}-reply`), asks(`${name}2`)]), { budget })
  /** Asks one step twice, and then another one. */
  const twice = (one: Step.Any, then?: Step.Any, steps?: ReadonlyArray<Step.Any>): Step.Any => {
    const body = function* (): Generator<any, void> {
      for (const step of [one, one, ...(then === undefined ? [] : [then])]) yield* Pipeline.ask(step as never)
    }
    return Pipeline.gen("twice", body, steps === undefined ? {} : { steps }) as Step.Any
  }
  const shapes: Readonly<Record<string, (budget: Budget.Budget) => Step.Any>> = {
    "beside each other": (budget) => Pipeline.concurrent("both", [part(budget, "x"), part(budget, "y")]) as Step.Any,
    "of which one is completed": (budget) =>
      Pipeline.sequence("both", [Step.budget(asks("a"), { budget }), part(budget, "x")]) as Step.Any,
    "within steps of which one is completed": (budget) => {
      const inner = Pipeline.sequence("inner", [Step.budget(asks("a"), { budget })])
      return Pipeline.sequence("both", [Step.retry(inner, { times: 1 }), part(budget, "x")]) as Step.Any
    },
    "one within the other": (budget) =>
      Step.budget(Pipeline.sequence("both", [asks("a"), part(budget, "x")]), { budget }) as Step.Any,
    "in a generator that does not list them": (budget) => twice(Step.budget(asks("a"), { budget }), reply("x-reply")),
    "in a generator that is completed, of which one is asked twice": (budget) => {
      const one = Step.budget(asks("a"), { budget })
      return Pipeline.sequence("all", [twice(one, undefined, [one]), reply("x-reply")]) as Step.Any
    }
  }
  it.effect.each(Object.entries(shapes))("counts each call once in the next process, %s", ([, shape]) =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const budgets = [Budget.make({ calls: 100 }), Budget.make({ calls: 100 })] as const
      const error = yield* Effect.flip(within()(runOf(shape(budgets[0]))))
      assert.strictEqual(error._tag, "Suspended")
      assert.strictEqual((yield* budgets[0].spent).calls, 2)
      for (const { key } of yield* within()(Pipeline.waiting())) yield* within()(Pipeline.answer("run", key, true))
      yield* within()(resumeOf(shape(budgets[1])))
      assert.strictEqual((yield* budgets[1].spent).calls, world.requests.length)
    })
  )
})

describe("a budget that many runs share", () => {
  it.effect("knows the runs that may go on, and no completed ones", () =>
    Effect.gen(function* () {
      const budget = Budget.make({ calls: 1000 })
      const { seen } = budget["~cogito/Budget"]({ thought: undefined, scope: undefined })
      const { model } = billing()
      const reply = Pipeline.waitFor("reply", { schema: Schema.Boolean, prompt: "Is it?" })
      const waiting = Pipeline.sequence("waiting", [asks("a"), reply, asks("b")])
      const program = Effect.gen(function* () {
        const start = yield* Thought.make("begin")
        const error = yield* Effect.flip(Pipeline.run(waiting, start, { durable: { id: "waits" } }))
        assert.strictEqual(error._tag, "Suspended")
        for (let i = 0; i < 20; i++) yield* Pipeline.run(asks("a"), yield* Thought.make("begin"), { durable: true })
        assert.strictEqual(seen.runs, 1)
        yield* Pipeline.answer("waits", "reply", true)
        // once as it goes on, and once as it is completed
        for (let i = 0; i < 2; i++) yield* Pipeline.resume(waiting, "waits")
        assert.strictEqual((yield* budget.spent).calls, 22)
      })
      yield* program.pipe(
        Effect.provide(model.layer.pipe(Provider.budget({ calls: 1000 }))),
        Provider.withBudget(budget),
        Effect.provide(Testing.memory)
      )
      assert.strictEqual(seen.runs, 0)
    })
  )
})

describe("a call that was interrupted", () => {
  it.effect("counts in the budget of the resumed run as the most that it can have used", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      let begun = yield* Deferred.make<void>()
      const model = Testing.scripted(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      Object.assign(world, { model })
      const step = () => Step.budget(many, { tokens: 20_000 }) as Step.Any
      let ends = 0
      for (; ends < 20; ends++) {
        begun = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(Effect.flip(within()(ends === 0 ? runOf(step()) : resumeOf(step()))))
        const error = yield* Effect.raceFirst(Effect.as(Deferred.await(begun), undefined), Fiber.join(running))
        if (error !== undefined) {
          assert.strictEqual(error.cause?.reason?._tag, "BudgetExceeded", String(error))
          break
        }
        yield* Fiber.interrupt(running)
      }
      assert.isAbove(ends, 0)
      assert.isBelow(ends, 20)
    })
  )
})

/** The effect, while the test's clock goes on. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(
      Effect.andThen(
        Effect.promise(() => setImmediate()),
        TestClock.adjust("1 minute")
      )
    )
  )

const overloaded = new Provider.ProviderError({
  provider: "scripted",
  model: "script",
  reason: { _tag: "Overloaded", message: "try again later" }
})

describe("a resumed run does not wait", () => {
  const limited = { limit: 1, per: "1 hour" } as const
  const shared = RateLimiter.make(limited)
  const waits: Readonly<Record<string, Step.Any>> = {
    "at a rate limit": Step.retry(Step.rateLimit(asks("a", "(fails first)"), limited)) as Step.Any,
    "at a rate limit that steps share": Pipeline.sequence(
      "three",
      ["a", "b", "c"].map((key) => Step.rateLimit(asks(key), { limiter: shared }))
    ) as Step.Any,
    "between the attempts of a backoff": Step.backoff(
      Pipeline.sequence("two", [asks("a"), asks("b", "(fails first)")]),
      { base: "1 hour", times: 2 }
    ) as Step.Any
  }
  it.effect.each(Object.entries(waits))("%s", ([, inner]) =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const step = Pipeline.sequence("all", [inner, asks("last")]) as Step.Any
      // it ends when everything but the last question is answered
      const isLast = () => world.requests.at(-1)?.includes("last") === true
      const first = yield* Effect.forkChild(
        crashing((boundaries) => boundaries.at(-1)?.what === "call" && isLast())(runOf(step))
      )
      for (let i = 0; i < 50; i++) yield* Effect.promise(() => setImmediate())
      assert.isFalse(isLast(), "it has not waited at all")
      yield* timed(Fiber.join(first))
      const now = yield* Clock.currentTimeMillis
      const asked = world.requests.length
      yield* soon("a run that need not wait")(within()(resumeOf(step)))
      assert.strictEqual(world.requests.length, asked + 1)
      assert.strictEqual(yield* Clock.currentTimeMillis, now)
    })
  )

  it.effect("between the attempts of a backoff that is not over", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const reply = Pipeline.waitFor("reply", { schema: Schema.Boolean, prompt: "Is it?" })
      const inner = Pipeline.sequence("two", [asks("a"), asks("b", "(fails first)"), reply])
      const step = Step.backoff(inner, { base: "1 hour", times: 2 }) as Step.Any
      const first = yield* timed(Effect.flip(within()(runOf(step))))
      assert.strictEqual(first._tag, "Suspended")
      const now = yield* Clock.currentTimeMillis
      const asked = world.requests.length
      yield* within()(Pipeline.answer("run", "reply", true))
      const done = yield* soon("a run that need not wait")(within()(resumeOf(step)))
      assert.isTrue(done.get("reply"))
      assert.deepStrictEqual([world.requests.length, yield* Clock.currentTimeMillis], [asked, now])
    })
  )
})
