import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Provider, Signal, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Conversation } from "../../src/provider/service.ts"

// What spans and listeners are told of a call.

const Answer = { decision: true, confidence: 1, reasoning: ["So."] }
const prices = { input: 2, output: 4, asOf: "2026-11-01" }
const usage = { inputTokens: 1_000_000, outputTokens: 500_000 }

/** What was told of a call, which is answered after a second. */
const told = (
  respond: () => Effect.Effect<Provider.Response, Provider.ProviderError>,
  capabilities: Partial<Provider.Capabilities> = {},
  sampling: Provider.Sampling = {}
) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.Span> = []
    const signals: Array<Signal.Signal> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const provider = Provider.make({
      name: "own",
      model: "m1",
      capabilities: { structuredOutput: "json-schema", seed: true, ...capabilities },
      complete: () => Effect.andThen(Effect.sleep("1 second"), Effect.suspend(respond))
    })
    const fiber = yield* Synapse.binary({ question: "?", sampling, repairs: 0 })("text").pipe(
      Signal.listen((signal) => void signals.push(signal)),
      Effect.provideService(Provider.Provider, provider),
      Effect.withTracer(tracer),
      Effect.exit,
      Effect.forkChild
    )
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    const span = spans.find(({ name }) => name === "chat m1")
    const attributes = Object.fromEntries(span?.attributes ?? [])
    const calls = signals.filter(({ _tag }) => _tag === "CallCompleted" || _tag === "CallFailed")
    assert.strictEqual(calls.length, 1)
    const {
      millis: _,
      path: _path,
      runId: _run,
      thoughtId: _thought,
      traceId: _trace,
      ...rest
    } = calls[0] ?? ({} as Signal.Signal)
    const signal: object = rest
    return { attributes, signal }
  })

const base = { provider: "own", model: "m1", call: "complete", phase: "reason", durationMillis: 1_000 }
const attributes = {
  "gen_ai.provider.name": "own",
  "gen_ai.request.model": "m1",
  "gen_ai.operation.name": "chat",
  "gen_ai.output.type": "json",
  "gen_ai.response.finish_reasons": ["stop"],
  "cogito.call": "complete",
  "cogito.phase": "reason"
}
const text = JSON.stringify(Answer)

describe("a call", () => {
  it.effect("is signalled with its tokens, its sampling and its price", () =>
    Effect.gen(function* () {
      const sampling = { temperature: 0.5, maxTokens: 9, seed: 1, effort: "low" }
      const sent = { temperature: 0, maxTokens: 7, seed: 2, effort: "high" }
      const found = yield* told(
        () => Effect.succeed({ text, usage, sampling: sent }),
        { prices, temperature: "free", efforts: ["low"] },
        sampling
      )
      // what was really sent, and two dollars a million in and four a million out
      assert.deepStrictEqual(found.signal, { _tag: "CallCompleted", ...base, sampling: sent, usage, usd: 4 })
      assert.deepStrictEqual(found.attributes, {
        ...attributes,
        "gen_ai.usage.input_tokens": 1_000_000,
        "gen_ai.usage.output_tokens": 500_000,
        "cogito.cost.usd": 4,
        "gen_ai.request.temperature": 0,
        "gen_ai.request.max_tokens": 7,
        "gen_ai.request.seed": 2,
        "cogito.effort": "high"
      })
    })
  )

  it.effect("is signalled without unknown values", () =>
    Effect.gen(function* () {
      const found = yield* told(() => Effect.succeed({ text, usage: {} }), { temperature: "never" })
      assert.deepStrictEqual(found.signal, { _tag: "CallCompleted", ...base, sampling: {}, usage: {} })
      assert.deepStrictEqual(found.attributes, attributes)
    })
  )

  it.effect("is signalled with another provider that answered, and the price that it reports", () =>
    Effect.gen(function* () {
      const by = { provider: "other", model: "m2" }
      const never = { prices, temperature: "never" } as const
      const found = yield* told(() => Effect.succeed({ text, usage, usd: 0.5, ...by, cached: true }), never)
      assert.deepStrictEqual(found.signal, {
        _tag: "CallCompleted",
        ...base,
        ...by,
        cached: true,
        sampling: {},
        usage,
        usd: 0.5
      })
      assert.deepInclude(found.attributes, {
        "gen_ai.provider.name": "other",
        "gen_ai.response.model": "m2",
        "cogito.cached": true,
        "cogito.cost.usd": 0.5
      })
      const unpriced = yield* told(() => Effect.succeed({ text, usage, ...by }), never)
      assert.notProperty(unpriced.signal, "usd")
      assert.notProperty(unpriced.attributes, "cogito.cost.usd")
    })
  )

  it.effect("that fails is signalled with its reason, the provider, and the cost", () =>
    Effect.gen(function* () {
      const error = (spent?: Provider.Usage) =>
        new Provider.ProviderError({
          provider: "other",
          model: "m2",
          reason: { _tag: "Overloaded", message: "later" },
          ...(spent === undefined ? {} : { usage: spent })
        })
      const failed = { _tag: "CallFailed", ...base, provider: "other", model: "m2", error: "Overloaded" }
      const found = yield* told(() => Effect.fail(error({ inputTokens: 3 })), { temperature: "never" })
      assert.deepStrictEqual(found.signal, { ...failed, sampling: {}, usage: { inputTokens: 3 } })
      const { "gen_ai.response.finish_reasons": _reasons, ...asked } = attributes
      assert.deepStrictEqual(found.attributes, {
        ...asked,
        "error.type": "Overloaded",
        "gen_ai.usage.input_tokens": 3
      })
      assert.deepInclude((yield* told(() => Effect.fail(error()), { temperature: "never" })).signal, { usage: {} })
    })
  )

  it.effect("has the tokens of each kind in its span", () =>
    Effect.gen(function* () {
      const spent = { inputTokens: 11, outputTokens: 7, cachedInputTokens: 5, cacheWriteTokens: 3, reasoningTokens: 2 }
      const { attributes: found, signal } = yield* told(() => Effect.succeed({ text, usage: spent, id: "r1" }))
      assert.deepInclude(signal, { usage: spent })
      assert.deepInclude(found, {
        "gen_ai.response.id": "r1",
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.cache_creation.input_tokens": 3,
        "gen_ai.usage.reasoning.output_tokens": 2
      })
    })
  )

  it.effect(
    "that is interrupted stops its provider, even with a listener, and is signalled once",
    () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const events: Array<string> = []
        const provider = Provider.make({
          name: "own",
          model: "m1",
          complete: () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Effect.sync(() => void events.push("stopped")))
            )
        })
        const fiber = yield* Synapse.binary({ question: "?" })("text").pipe(
          Signal.listen(
            (signal) => void events.push("error" in signal ? `${signal._tag} ${signal.error}` : signal._tag)
          ),
          Effect.provideService(Provider.Provider, provider),
          Effect.forkChild
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(events, ["CallStarted", "stopped", "CallFailed Interrupted"])
      }),
    1_000
  )

  it.effect("has the id of its thought as its conversation, but only in a step", () =>
    Effect.gen(function* () {
      const conversations: Array<string | undefined> = []
      const provider = Provider.make({
        name: "own",
        model: "m1",
        complete: () => Effect.map(Conversation, (id) => ({ text: (conversations.push(id), text), usage: {} }))
      })
      const decide = Primitive.decide("urgent", { question: "?" })
      const one = yield* Thought.make("one")
      const two = yield* Thought.make("two")
      const calls = Effect.gen(function* () {
        yield* Pipeline.run(decide, one)
        yield* Pipeline.run(decide, two)
        yield* Synapse.binary({ question: "?" })("text")
      })
      yield* calls.pipe(Effect.provideService(Provider.Provider, provider), Effect.provide(Testing.memory))
      assert.deepStrictEqual(conversations, [one.id, two.id, undefined])
    })
  )
})
