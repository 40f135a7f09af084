import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Provider, type Signal, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Stream } from "effect"

const isUrgent = Synapse.binary({ question: "Is this urgent?" })
const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
const yes = { decision: true, confidence: 1, reasoning: ["it says so"] }

const prices = { input: 2, output: 10, asOf: "2026-11-26" }
const usage = { inputTokens: 100, outputTokens: 20 }
const priced = { usage, capabilities: { prices } }

const overloaded = new Provider.ProviderError({
  provider: "script",
  model: "script",
  reason: { _tag: "Overloaded", message: "busy" }
})
const truncated = new Provider.ProviderError({
  provider: "script",
  model: "script",
  reason: { _tag: "Truncated", message: "cut off" },
  usage: { inputTokens: 100, outputTokens: 5 }
})

/** What a program has used, and how it ended. */
const measured = <A, E>(self: Effect.Effect<A, E, Provider.Provider>, layer: Layer.Layer<Provider.Provider>) => {
  const all: Array<Provider.Used> = []
  return self.pipe(
    Provider.onUsage((used) => all.push(used)),
    Effect.provide(layer),
    Effect.exit,
    Effect.map((exit) => ({ exit, all }))
  )
}

describe("the usage of a program", () => {
  it.effect("adds up its calls, with repairs", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["no JSON", yes, yes], priced)
      const { all } = yield* measured(Effect.andThen(isUrgent("a"), isUrgent("b")), model.layer)
      assert.deepStrictEqual(all, [
        { calls: 3, failed: 0, unreported: 0, inputTokens: 300, outputTokens: 60, usd: 0.0012 }
      ])
    })
  )

  it.effect("changes no outcome if its listener fails, is heard by others, and the failure is logged", () =>
    Effect.gen(function* () {
      const broken = new Error("the listener")
      const throwing = () => {
        throw broken
      }
      const errors: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ cause }) => errors.push(Cause.squash(cause)))])
      // an async function is taken by mistake, as where no lint looks
      for (const listener of [throwing, (async () => throwing()) as () => void]) {
        const model = Testing.scripted([yes], priced)
        const program = Provider.onUsage(listener)(isUrgent("a")).pipe(Effect.provide(logger))
        const { all, exit } = yield* measured(program, model.layer)
        yield* Effect.promise(() => setImmediate())
        assert.isTrue(Exit.isSuccess(exit) && exit.value.decision)
        assert.strictEqual(all[0]?.calls, 1)
      }
      assert.deepStrictEqual(errors, [broken, broken])
    })
  )

  it.effect("is reported if the program fails, with what failed calls have used", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes, truncated], priced)
      const { all, exit } = yield* measured(Effect.andThen(isUrgent("a"), isUrgent("b")), model.layer)
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(all, [
        { calls: 2, failed: 1, unreported: 0, inputTokens: 200, outputTokens: 25, usd: 0.00065 }
      ])
    })
  )

  it.live("counts every attempt of a provider's layers, each at the prices of the one that made it", () =>
    Effect.gen(function* () {
      const first = Testing.scripted([overloaded, truncated], priced)
      const second = Testing.scripted([yes], {
        usage,
        capabilities: { prices: { input: 20, output: 100, asOf: "2026-11-26" } }
      })
      const patient = first.layer.pipe(Provider.retry({ times: 1, base: 1, while: () => true }))
      const layer = Provider.fallback([patient, second.layer], { when: () => true })
      const { all } = yield* measured(isUrgent("a"), layer)
      assert.deepStrictEqual(all, [
        { calls: 3, failed: 2, unreported: 0, inputTokens: 200, outputTokens: 25, usd: 0.00425 }
      ])
    })
  )

  it.effect("has no costs if the price of a call is unknown, and none of free models", () =>
    Effect.gen(function* () {
      const unpriced = Testing.scripted([yes], { usage, capabilities: { prices: undefined } as never })
      const unknown = yield* measured(isUrgent("a"), unpriced.layer)
      assert.deepStrictEqual(unknown.all, [{ calls: 1, failed: 0, unreported: 0, inputTokens: 100, outputTokens: 20 }])
      const free = yield* measured(isUrgent("a"), Testing.scripted([yes]).layer)
      assert.deepStrictEqual(free.all, [{ calls: 1, failed: 0, unreported: 1, usd: 0 }])
    })
  )

  it.effect("says how many interrupted calls may have used tokens", () =>
    Effect.gen(function* () {
      const hanging = Testing.scripted(() => Effect.never, priced)
      const all: Array<Provider.Used> = []
      const fiber = yield* isUrgent("a").pipe(
        Provider.onUsage((used) => all.push(used)),
        Effect.provide(hanging.layer),
        Effect.forkChild({ startImmediately: true })
      )
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(all, [{ calls: 1, failed: 1, unreported: 1 }])
    })
  )

  it.effect("leaves out answers of a cache, and is that of the inner program too", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes, yes], priced)
      const inner: Array<number> = []
      const twice = Effect.andThen(
        isUrgent("a").pipe(Provider.onUsage(({ calls }) => inner.push(calls))),
        isUrgent("a").pipe(Provider.onUsage(({ calls }) => inner.push(calls)))
      )
      const { all } = yield* measured(twice, model.layer.pipe(Provider.cache()))
      assert.deepStrictEqual(inner, [1, 0])
      assert.strictEqual(all[0]?.calls, 1)
    })
  )

  it.effect("has streamed answers, and changes no request", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes], { ...priced, pieceLength: 5 })
      const { all } = yield* measured(Stream.runDrain(Synapse.stream(isUrgent, "a")), model.layer)
      assert.deepStrictEqual(all[0], {
        calls: 1,
        failed: 0,
        unreported: 0,
        inputTokens: 100,
        outputTokens: 20,
        usd: 0.0004
      })
      assert.strictEqual(model.requests[0]?.sampling.maxTokens, undefined)
    })
  )
})

describe("Pipeline.runPromise", () => {
  const start = { intent: "triage", notes: { message: "Help!" } }

  it("reports signals, and the usage once", async () => {
    const model = Testing.scripted([overloaded, yes], priced)
    const tags: Array<Signal.Tag> = []
    const all: Array<Provider.Used> = []
    const done = await Pipeline.runPromise(urgent.pipe(Step.retry({ times: 1 })), start, {
      layer: Layer.merge(model.layer, Testing.memory),
      onSignal: ({ _tag }) => tags.push(_tag),
      onUsage: (used) => all.push(used)
    })
    assert.isTrue(done.get("urgent").decision)
    assert.includeMembers(tags, ["ThoughtCreated", "CallFailed", "CallCompleted", "NoteStored"])
    assert.deepStrictEqual(all, [
      { calls: 2, failed: 1, unreported: 0, inputTokens: 100, outputTokens: 20, usd: 0.0004 }
    ])
  })

  it("reports the usage of a run that fails, before it rejects", async () => {
    const model = Testing.scripted([truncated], priced)
    const events: Array<string> = []
    await Pipeline.runPromise(urgent, start, {
      layer: Layer.merge(model.layer, Testing.memory),
      onUsage: ({ calls, usd }) => events.push(`${calls} call, ${usd} USD`)
    }).catch((error: Error) => events.push(error.name))
    assert.deepStrictEqual(events, ["1 call, 0.00025 USD", "PipelineError"])
  })

  it("counts nothing of what a durable run has in its ledger", async () => {
    const model = Testing.scripted([yes, truncated, yes], priced)
    const two = Pipeline.sequence("two", [urgent, Primitive.decide("spam", { question: "Is it spam?" })])
    const program = Effect.gen(function* () {
      const thought = yield* Thought.make("triage", { message: "Help!" })
      const calls: Array<number> = []
      const go = Pipeline.run(two, thought, { durable: { id: "one" } }).pipe(
        Provider.onUsage((used) => calls.push(used.calls))
      )
      const first = yield* Effect.exit(go)
      assert.isTrue(Exit.isFailure(first) && !Cause.hasDies(first.cause))
      yield* go
      return calls
    })
    const layer = Layer.merge(model.layer, Testing.memory)
    assert.deepStrictEqual(await Effect.runPromise(Effect.provide(program, layer)), [2, 1])
  })

  it("refuses listeners that are not functions", async () => {
    const options = { layer: Testing.memory, onUsage: "log" } as never
    const error: unknown = await Pipeline.runPromise(Step.make("x", { run: () => 1 }), start, options).catch(
      (reason: unknown) => reason
    )
    assert.match(String(error), /Pipeline\.runPromise needs a function as the option onUsage, but got a string/)
  })
})
