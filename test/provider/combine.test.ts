import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Provider, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Layer } from "effect"

const measured: ReadonlyArray<Provider.Answer> = [{ _tag: "Predicate", name: "decision", probability: 0.9 }]
const stated = { decision: false, confidence: 0.6, reasoning: ["It says so."] }

const downs = [
  "RateLimited",
  "QuotaExhausted",
  "Overloaded",
  "Connection",
  "Timeout",
  "Authentication",
  "CircuitOpen",
  "Unsupported"
] as const

const trouble = (tag: (typeof downs)[number] | "Refused", provider: string) =>
  new Provider.ProviderError({ provider, model: "m", reason: { _tag: tag, message: "out of order" } })

/** A decider and a model of text, each of which may have trouble, and what they were sent. */
const pair = (options: {
  readonly decider?: Provider.ProviderError
  readonly text?: Provider.ProviderError
  readonly order?: ReadonlyArray<"native" | "text">
}) => {
  const decider = Testing.scripted([], {
    name: "decider",
    model: "quick-1",
    usage: { inputTokens: 1 },
    decide: () => (options.decider === undefined ? measured : Effect.fail(options.decider))
  })
  const text = Testing.scripted(() => options.text ?? stated, {
    name: "text",
    model: "long-1",
    usage: { inputTokens: 10 },
    capabilities: { efforts: ["low"] }
  })
  const layer = Provider.combine({
    decide: decider.layer,
    complete: text.layer,
    ...(options.order && { order: options.order })
  })
  return { layer, sent: () => [decider.decisions.length, decider.requests.length, text.requests.length], text, decider }
}

const isUrgent = Synapse.binary({ question: "Is it urgent?" })

describe("a decider combined with a model of text", () => {
  it.effect("has the name, the model and the capabilities of the latter", () =>
    Effect.gen(function* () {
      const { layer } = pair({})
      const provider = yield* Effect.provide(Provider.Provider, layer)
      assert.deepStrictEqual(
        [provider.name, provider.model, provider.capabilities.efforts, provider.order],
        ["text", "long-1", ["low"], ["native", "text"]]
      )
    })
  )

  it.effect("decides closed questions natively, and says who decided", () =>
    Effect.gen(function* () {
      const { layer, sent } = pair({})
      const answer = yield* Effect.provide(isUrgent("Now!"), layer)
      assert.deepStrictEqual([answer.decision, answer.confidenceFrom], [true, "measured"])
      assert.deepStrictEqual(sent(), [1, 0, 0])
      const provider = yield* Effect.provide(Provider.Provider, layer)
      const request = {
        messages: [],
        task: { kind: "binary", instruction: "", questions: [], context: [] }
      }
      const response = yield* provider.decide?.(request) ?? Effect.die("no decide")
      assert.deepStrictEqual([response.provider, response.model], ["decider", "quick-1"])
    })
  )

  it.effect("keeps the name of the model to which the decider has passed a question on", () =>
    Effect.gen(function* () {
      const passing = Provider.make({
        name: "router",
        model: "router-1",
        complete: () => Effect.die("is not asked"),
        decide: () => Effect.succeed({ answers: measured, usage: {}, provider: "inner", model: "inner-2" })
      })
      const layer = Provider.combine({
        decide: Layer.succeed(Provider.Provider, passing),
        complete: pair({}).text.layer
      })
      const { decide } = yield* Effect.provide(Provider.Provider, layer)
      const questions = [{ _tag: "Predicate", name: "decision", question: "Is it urgent?" }] as const
      const task = { kind: "binary", instruction: "Decide", questions, context: [], input: "Now!" }
      const answer = yield* decide?.({ task, messages: [] }) ?? assert.fail("decides nothing")
      assert.deepStrictEqual([answer.provider, answer.model], ["inner", "inner-2"])
    })
  )

  it.effect("answers open questions, and those with written reasons, by text", () =>
    Effect.gen(function* () {
      const { layer, sent } = pair({})
      const answer = yield* Effect.provide(Synapse.binary({ question: "Is it urgent?", reasons: true })("Now!"), layer)
      assert.deepStrictEqual([answer.decision, answer.confidenceFrom], [false, "stated"])
      assert.deepStrictEqual(sent(), [0, 0, 1])
    })
  )

  it.effect("asks closed questions in words while the decider is down", () =>
    Effect.gen(function* () {
      for (const tag of downs) {
        const { layer, sent } = pair({ decider: trouble(tag, "decider") })
        const answer = yield* Effect.provide(isUrgent("Now!"), layer)
        assert.strictEqual(answer.confidenceFrom, "stated")
        assert.deepStrictEqual(sent(), [1, 0, 1])
      }
    })
  )

  it.effect(
    "fails as the decider does where that is no matter of being down, or where its order has no other way",
    () =>
      Effect.gen(function* () {
        const refused = pair({ decider: trouble("Refused", "decider") })
        const first = yield* Effect.flip(Effect.provide(isUrgent("Now!"), refused.layer))
        assert.deepStrictEqual(refused.sent(), [1, 0, 0])
        const alone = pair({ decider: trouble("Overloaded", "decider"), order: ["native"] })
        const second = yield* Effect.flip(Effect.provide(isUrgent("Now!"), alone.layer))
        assert.deepStrictEqual(alone.sent(), [1, 0, 0])
        for (const [error, tag] of [
          [first, "Refused"],
          [second, "Overloaded"]
        ] as const) {
          assert.deepStrictEqual(error._tag === "ProviderError" && [error.provider, error.reason._tag], [
            "decider",
            tag
          ])
        }
      })
  )

  it.effect("asks in words first if its order says so, and decides while the model of text is down", () =>
    Effect.gen(function* () {
      const up = pair({ order: ["text", "native"] })
      const answer = yield* Effect.provide(isUrgent("Now!"), up.layer)
      assert.deepStrictEqual([answer.confidenceFrom, up.sent()], ["stated", [0, 0, 1]])
      const down = pair({ order: ["text", "native"], text: trouble("Overloaded", "text") })
      const instead = yield* Effect.provide(isUrgent("Now!"), down.layer)
      assert.deepStrictEqual([instead.confidenceFrom, down.sent()], ["measured", [1, 0, 1]])
    })
  )

  it.effect("records in a note who decided", () =>
    Effect.gen(function* () {
      const { layer } = pair({})
      const step = Primitive.decide("urgent", { question: "Is it urgent?" })
      const thought = yield* Effect.flatMap(Thought.make("ask", { message: "Now!" }), (start) =>
        Pipeline.run(step, start)
      ).pipe(Effect.provide(Layer.merge(layer, Testing.memory)))
      assert.deepStrictEqual(thought.note("urgent")?.metadata, { provider: "decider", model: "quick-1", via: "native" })
    })
  )

  it.effect("sees the same conversation, whoever answers", () =>
    Effect.gen(function* () {
      const { decider, layer, text } = pair({ decider: trouble("Overloaded", "decider") })
      yield* Effect.provide(isUrgent("Now!"), layer)
      assert.deepStrictEqual(decider.decisions[0]?.messages, text.requests[0]?.messages)
    })
  )

  it.effect("cannot be built from a provider that does not decide", () =>
    Effect.gen(function* () {
      const text = Testing.scripted([])
      const error = yield* Layer.build(Provider.combine({ decide: text.layer, complete: text.layer })).pipe(
        Effect.scoped,
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "give a provider that does as decide")
    })
  )

  it("throws for an invalid order", () => {
    const { layer } = Testing.scripted([])
    for (const order of [[], ["native", "native"]] as const) {
      assert.throws(() => Provider.combine({ decide: layer, complete: layer, order }), /order/)
    }
  })

  it.effect("builds what several of its layers share once, as do a fallback and a hedge", () =>
    Effect.gen(function* () {
      let built = 0
      const one = Layer.effect(
        Provider.Provider,
        Effect.sync(() => {
          built++
          return Testing.scripted([], { decide: () => measured }).provider
        })
      )
      const limited = one.pipe(Provider.rateLimit({ requests: 10 }))
      const marked = one.pipe(Provider.spotlight("mark"))
      const several = {
        combine: Provider.combine({ decide: limited, complete: marked }),
        fallback: Provider.fallback([limited, marked]),
        hedge: Provider.hedge([limited, marked], { after: "1 second" }),
        nested: Provider.combine({ decide: Provider.fallback([limited, marked]), complete: one })
      }
      for (const [name, layer] of Object.entries(several)) {
        built = 0
        yield* Effect.scoped(Layer.build(layer))
        assert.strictEqual(built, 1, name)
      }
    })
  )
})
