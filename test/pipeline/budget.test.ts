import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Schema } from "effect"
import { Budget, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Local } from "cogito/local"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"

const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
const decide = (key: string) => Primitive.decide(key, { question: `${key}?` })
const start = Thought.make("try", { message: "Hello" })
const usage = { inputTokens: 10, outputTokens: 10 }

const limitOf = (error: { readonly cause: unknown }) => {
  const { cause } = error
  assert.instanceOf(cause, Provider.ProviderError)
  return cause.reason._tag === "BudgetExceeded" ? [cause.reason.budget, cause.reason.limit] : cause.reason._tag
}

const run = <Out, E>(
  step: Step.Step<{}, Out, E, Provider.Provider>,
  model: { readonly layer: Layer.Layer<Provider.Provider> }
) =>
  Effect.flatMap(start, (thought) => Pipeline.run(step, thought)).pipe(
    Effect.provide(Layer.merge(model.layer, Layer.orDie(Testing.memory)))
  )

describe("budget", () => {
  it.effect("has the full amount for each run, and fails a call that it has no room for", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => yes)
      const limited = Step.budget(Pipeline.sequence("three", [decide("a"), decide("b"), decide("c")]), {
        calls: 2,
        name: "two"
      })
      for (let times = 1; times <= 2; times++) {
        const error = yield* Effect.flip(run(limited, model))
        assert.deepEqual(error.path, ["two", "three", "c"])
        assert.deepEqual(limitOf(error), ["two", "calls"])
        assert.lengthOf(model.requests, 2 * times)
        // what was done before stays
        assert.deepEqual(error.thought && Thought.notes(error.thought).map(({ key }) => key), ["message", "a", "b"])
      }
    })
  )

  it.effect("is shared by all runs of all steps with the same budget", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => yes, { usage })
      const budget = Budget.make({ name: "house", calls: 3 })
      const a = decide("a").pipe(Step.budget({ budget }))
      const b = decide("b").pipe(Step.budget({ budget }))
      yield* run(Pipeline.sequence("both", [a, b]), model)
      yield* run(a, model)
      assert.deepEqual(limitOf(yield* Effect.flip(run(b, model))), ["house", "calls"])
      const { calls, tokens } = yield* budget.spent
      assert.deepEqual([calls, tokens], [3, 60])
      yield* budget.add({ calls: 1 })
      yield* run(b, model)
      assert.lengthOf(model.requests, 4)
    })
  )

  it.effect("counts repairs, introspection and concurrent branches", () =>
    Effect.gen(function* () {
      const repaired = Testing.scripted([{ wrong: true }, yes])
      const error = yield* Effect.flip(run(decide("a").pipe(Step.budget({ calls: 1 })), repaired))
      assert.deepEqual(limitOf(error), ["budget(a)", "calls"])
      assert.lengthOf(repaired.requests, 1)

      const introspective = Primitive.decide("a", { question: "a?", introspect: true })
      const looking = Testing.scripted([yes, "So it is."])
      assert.deepEqual(
        limitOf(yield* Effect.flip(run(Step.budget(introspective, { calls: 1, name: "one" }), looking))),
        ["one", "calls"]
      )

      const model = Testing.scripted(() => yes)
      const branches = [decide("a"), decide("b"), decide("c"), decide("d")] as const
      const beside = Pipeline.concurrent("beside", branches, { minSuccesses: 1 })
      yield* run(Step.budget(beside, { calls: 2, name: "few" }), model)
      assert.lengthOf(model.requests, 2)
    })
  )

  it.effect("applies to all attempts together around a retry, and to each attempt inside", () =>
    Effect.gen(function* () {
      const failure = new Provider.ProviderError({
        provider: "scripted",
        model: "script",
        reason: { _tag: "Overloaded", message: "try again" }
      })
      const around = Testing.scripted([failure, failure, failure])
      const retried = decide("a").pipe(Step.retry({ times: 5 }), Step.budget({ calls: 2 }))
      assert.deepEqual(limitOf(yield* Effect.flip(run(retried, around))), ["budget(retry(a))", "calls"])
      assert.lengthOf(around.requests, 2)

      const inside = Testing.scripted([failure, failure, yes])
      yield* run(decide("a").pipe(Step.budget({ calls: 1 }), Step.retry({ times: 5 })), inside)
      assert.lengthOf(inside.requests, 3)
    })
  )

  it.effect("counts a model that runs offline, or is declared free, as free", () =>
    Effect.gen(function* () {
      const local = OpenAi.layer({
        model: "house-7b",
        baseUrl: "http://127.0.0.1:9/v1",
        capabilities: { prices: { input: 0, output: 0, asOf: "2026-11-01" }, outputTokens: 100 }
      })
      const cheap = Step.budget(decide("a"), { usd: 0, name: "cheap" })
      const done = yield* run(
        cheap,
        Testing.scripted(() => yes, { usage })
      )
      assert.include(done.note("a")?.content, `"decision":true`)
      const offline = yield* run(cheap, { layer: Layer.orDie(Local.extractive) })
      assert.isDefined(offline.note("a"))
      // it is called, though nobody is there
      const error = yield* Effect.flip(run(cheap, { layer: Layer.orDie(local) }))
      assert.strictEqual(limitOf(error), "Connection")
    })
  )

  it.effect("lets another step run when it is used up", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => yes)
      const dear = Step.budget(decide("a"), { usd: 1, name: "dear" })
      const { prices: _, ...capabilities } = model.provider.capabilities
      const layer = Layer.succeed(Provider.Provider, Provider.make({ ...model.provider, capabilities }))
      const unpriced = yield* Effect.flip(run(dear, { layer }))
      assert.strictEqual(limitOf(unpriced), "InvalidRequest")
      assert.lengthOf(model.requests, 0)

      const none = Step.budget(decide("a"), { tokens: 100, name: "none" })
      const without = Step.make("a", { schema: Schema.String, run: () => "unknown" })
      const done = yield* run(Pipeline.fallback("either", [none, without]), model)
      assert.strictEqual(done.note("a")?.content, "unknown")
      const caught = decide("a").pipe(Step.budget({ calls: 0 }), Step.recover(without, { when: "ProviderError" }))
      yield* run(caught, model)
      assert.lengthOf(model.requests, 0)
    })
  )

  it.live("has a time that begins with the run of the step, and does not end other work", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => yes)
      const slow = Step.make("slow", { run: Effect.delay(Effect.void, "20 millis") })
      const late = Pipeline.sequence("late", [slow, decide("a")])
      const error = yield* Effect.flip(run(Step.budget(late, { time: "10 millis", name: "quick" }), model))
      assert.deepEqual(limitOf(error), ["quick", "time"])
      assert.deepEqual(error.path, ["quick", "late", "a"])
      yield* run(Step.budget(late, { time: "1 minute", name: "long" }), model)
      assert.lengthOf(model.requests, 1)
    })
  )

  it("shows its options, keeps the handle of its step, and refuses invalid options", () => {
    const a = decide("a")
    const limited = Step.budget(a, { calls: 3, usd: 0.5, time: Duration.minutes(1), name: "cheap" })
    assert.deepEqual(limited.node.settings, { calls: 3, usd: 0.5, time: "1m", onShort: "wait" })
    assert.strictEqual(limited.key, "a")
    const budget = Budget.make({ name: "house", calls: 1 })
    assert.deepEqual(Step.budget(a, { budget }).node.settings, { shared: true, budget: "house" })
    assert.strictEqual(a.pipe(Step.budget({ budget })).name, "budget(a)")
    assert.throws(
      () => Step.budget(a, { name: "none" }),
      'The step "none" needs at least one of calls, tokens, usd and time.'
    )
    assert.throws(
      () => Step.budget(a, { tokens: 0.5, name: "odd" }),
      'The step "odd" needs a whole number from 0 as tokens'
    )
  })
})
