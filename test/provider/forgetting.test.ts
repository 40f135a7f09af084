/** Answers of which a step could make no use: a cache does not give them again. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { layerBackingMemory } from "effect/persistence/Persistence"
import { Tool, Toolkit } from "effect/ai"
import { Pipeline, Primitive, Provider, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Persisted } from "cogito/persistence"
import { Testing } from "cogito/testing"

const order = Primitive.analyze("order", { schema: Schema.Struct({ number: Schema.Int }), prompt: "Extract" })
const mail = Thought.make("mail", { message: "Where is order 17?" })

/** A failure that was paid for, so that the answer after it has the usage of both. */
const paid = new Provider.ProviderError({
  provider: "scripted",
  model: "scripted",
  reason: { _tag: "Overloaded", message: "busy" },
  usage: { inputTokens: 5 }
})
const broken = () => Testing.scripted(Array.from({ length: 9 }, () => paid)).layer

type Layered = (layer: Layer.Layer<Provider.Provider>) => Layer.Layer<Provider.Provider>

const around: Readonly<Record<string, Layered>> = {
  "a cache": (layer) => layer.pipe(Provider.cache()),
  "a cache below retries and a limit": (layer) =>
    layer.pipe(Provider.cache(), Provider.retry(), Provider.rateLimit({ requests: 100, per: "1 second" })),
  "a cache of a cache": (layer) => layer.pipe(Provider.cache(), Provider.cache()),
  "a cache in a fallback": (layer) => Provider.fallback([layer.pipe(Provider.cache()), Testing.scripted([]).layer]),
  "a cache in a hedge": (layer) =>
    Provider.hedge([layer.pipe(Provider.cache()), Testing.scripted([]).layer], { after: "1 hour" }),
  "a cache in a fallback after a call that was paid for": (layer) =>
    Provider.fallback([broken(), layer.pipe(Provider.cache())]),
  "a store for later processes": (layer) =>
    Layer.provide(layer.pipe(Persisted.cache({ timeToLive: "1 day" })), layerBackingMemory)
}

describe.each(Object.entries(around))("an answer that does not fit, from %s,", (_, layered) => {
  const script = [{ bad: 1 }, { bad: 2 }, { number: 17 }]

  it.effect("is not given again, and one that fits is", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(script)
      yield* Effect.gen(function* () {
        const extract = Effect.flatMap(mail, (thought) => Pipeline.run(order, thought))
        const failed = yield* Effect.flip(extract)
        assert.include(String(failed.cause), "ResponseError")
        for (let i = 0; i < 2; i++) assert.deepStrictEqual((yield* extract).get("order"), { number: 17 })
        assert.strictEqual(model.requests.length, 3)
      }).pipe(Effect.provide(Layer.merge(layered(model.layer), Testing.memory)))
    })
  )

  it.effect("is not given again to a step that is retried, streamed, or resumed", () =>
    Effect.gen(function* () {
      const retried = Step.retry(order, { times: 1 })
      for (const [step, runs] of [
        [retried, 1],
        [order, 2]
      ] as const) {
        const model = Testing.scripted(script)
        yield* Effect.gen(function* () {
          const options = { durable: { id: "run" } }
          const thought = yield* mail
          const running = Effect.gen(function* () {
            const events = yield* Stream.runCollect(Pipeline.stream(step, thought, options))
            const last = events.at(-1)
            return last?._tag === "Done" ? last.thought.get("order") : undefined
          })
          for (let i = 1; i < runs; i++) yield* Effect.flip(running)
          assert.deepStrictEqual(yield* running, { number: 17 })
          assert.strictEqual(model.requests.length, 3)
        }).pipe(Effect.provide(Layer.merge(layered(model.layer), Testing.memory)))
      }
    })
  )
})

describe("an answer without text or calls, from a cache below tools in text,", () => {
  it.effect("is not given again", () =>
    Effect.gen(function* () {
      const toolkit = Toolkit.make(Tool.make("stock", { success: Schema.String }).annotate(Tool.Readonly, true))
      const clerk = Agent.make("clerk", { instructions: "You help.", triage: false, toolkit })
      const model = Testing.scripted(["", "Tomorrow."])
      const layer = model.layer.pipe(Provider.cache({ always: true }), Provider.toolsInText())
      yield* Effect.gen(function* () {
        const asking = Effect.flatMap(mail, (thought) => Pipeline.run(clerk, thought))
        assert.include(String((yield* Effect.flip(asking)).cause), "no text")
        for (let i = 0; i < 2; i++) assert.strictEqual((yield* asking).get("answer"), "Tomorrow.")
        assert.strictEqual(model.requests.length, 2)
      }).pipe(
        Effect.provide(Layer.mergeAll(layer, Testing.memory, toolkit.toLayer({ stock: () => Effect.succeed("none") })))
      )
    })
  )
})

describe("a native answer that does not fit, from a cache,", () => {
  it.effect("is not given again", () =>
    Effect.gen(function* () {
      let probability = 7
      const model = Testing.scripted([], {
        decide: ({ task }) => task.questions.map(({ name }) => ({ _tag: "Predicate", name, probability }) as const)
      })
      const isUrgent = Synapse.binary({ question: "Is this urgent?", via: "native" })
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(isUrgent("Now!")))._tag, "ProviderError")
        probability = 0.9
        for (let i = 0; i < 2; i++) assert.isTrue((yield* isUrgent("Now!")).decision)
        assert.strictEqual(model.decisions.length, 2)
      }).pipe(Effect.provide(model.layer.pipe(Provider.cache())))
    })
  )
})

describe("an answer that a cache is to forget", () => {
  it.effect("leaves another one that has taken its place", () =>
    Effect.gen(function* () {
      const once = Primitive.analyze("order", {
        schema: Schema.Struct({ number: Schema.Int }),
        prompt: "Extract",
        repairs: 0
      })
      const model = Testing.scripted([{ bad: 1 }, { number: 17 }])
      const kept = new Map<string, Provider.Response | Provider.DecideResponse>()
      const store: Provider.CacheStore = {
        get: (key) => Effect.sync(() => kept.get(key)),
        set: (key, answer) => Effect.sync(() => void kept.set(key, answer)),
        remove: (key) => Effect.sync(() => void kept.delete(key))
      }
      yield* Effect.gen(function* () {
        const provider = yield* Provider.Provider
        const late = yield* Deferred.make<void>()
        const slow: Provider.Shape = {
          ...provider,
          complete: (request) => Effect.tap(provider.complete(request), () => Deferred.await(late))
        }
        const extract = Effect.flatMap(mail, (thought) => Pipeline.run(once, thought))
        const rejecting = yield* Effect.forkChild(
          Effect.flip(Effect.provideService(extract, Provider.Provider, slow)),
          { startImmediately: true }
        )
        // it has the same answer, and forgets it first
        yield* Effect.flip(extract)
        assert.deepStrictEqual((yield* extract).get("order"), { number: 17 })
        yield* Deferred.succeed(late, undefined)
        assert.include(String((yield* Fiber.join(rejecting)).cause), "ResponseError")
        assert.deepStrictEqual((yield* extract).get("order"), { number: 17 })
        assert.strictEqual(model.requests.length, 2)
        assert.deepStrictEqual(
          Array.from(kept.values(), (answer) => ("text" in answer ? answer.text : "")),
          [`{"number":17}`]
        )
      }).pipe(
        Effect.provide(Layer.merge(model.layer.pipe(Provider.cache({ store, timeToLive: "1 day" })), Testing.memory))
      )
    })
  )
})
