import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Arbitrary, Cause, Context, Data, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Provider, Signal, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { ask, failing, type Fake, fake, kinds, request, through } from "./fake.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const down = (name: string, tag: Parameters<typeof failing>[0] = "Overloaded", outputTokens = 1) =>
  fake(() => Effect.fail(failing(tag, { provider: name, model: `${name}-1`, usage: { outputTokens } })), {
    name,
    model: `${name}-1`
  })

const up = (name: string, text = `I am ${name}`) =>
  fake(() => Effect.succeed({ text, usage: { outputTokens: 10 } }), { name, model: `${name}-1` })

const counts = (...fakes: ReadonlyArray<Fake>) => fakes.map(({ calls }) => calls.length)

describe.each(kinds)("a %s that may fall back", (kind) => {
  it.effect("is answered by the first provider that can, which the answer names, with the tokens of all calls", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = [down("a"), down("b", "QuotaExhausted", 2), up("c"), up("d")]
      const outcome = yield* through(Provider.fallback([a.layer, b.layer, c.layer, d.layer]))((p) => ask(kind, p))
      assert.deepStrictEqual(
        [outcome.text, outcome.provider, outcome.model, outcome.usage],
        ["I am c", "c", "c-1", { outputTokens: 13 }]
      )
      assert.deepStrictEqual(counts(a, b, c, d), [1, 1, 1, 0])
    })
  )

  it.effect("calls no other provider while the first answers, and keeps its sampling", () =>
    Effect.gen(function* () {
      const [a, b] = [up("a"), up("b")]
      const outcome = yield* through(Provider.fallback([a.layer, b.layer]))((p) => ask(kind, p))
      assert.deepStrictEqual([outcome.provider, outcome.model], ["a", "a-1"])
      assert.notProperty(outcome, "sampling")
      assert.deepStrictEqual(counts(a, b), [1, 0])
    })
  )

  it.effect("fails as the last provider did if all fail, with the tokens of all", () =>
    Effect.gen(function* () {
      const [a, b, c] = [down("a"), down("b", "Timeout", 5), down("c", "RateLimited", 7)]
      const error = yield* through(Provider.fallback([a.layer, b.layer, c.layer]))((p) => Effect.flip(ask(kind, p)))
      assert.deepStrictEqual(
        [error.provider, error.model, error.reason._tag, error.usage],
        ["c", "c-1", "RateLimited", { outputTokens: 13 }]
      )
      assert.deepStrictEqual(counts(a, b, c), [1, 1, 1])
    })
  )

  it.effect("goes on after a problem of one provider, but not after an error that others would return too", () =>
    Effect.gen(function* () {
      const troubles = [
        "RateLimited",
        "QuotaExhausted",
        "Overloaded",
        "Connection",
        "Timeout",
        "Authentication",
        "ContextTooLong",
        "Truncated",
        "EmptyAnswer",
        "InvalidResponse",
        "Unsupported",
        "CircuitOpen"
      ] as const
      for (const tag of [...troubles, "Refused", "InvalidRequest"] as const) {
        const [a, b] = [down("a", tag), up("b")]
        const exit = yield* through(Provider.fallback([a.layer, b.layer]))((p) => Effect.exit(ask(kind, p)))
        assert.strictEqual(
          Exit.isSuccess(exit),
          troubles.some((trouble) => trouble === tag),
          tag
        )
        assert.deepStrictEqual(counts(a, b), [1, Exit.isSuccess(exit) ? 1 : 0])
      }
      const [a, b] = [down("a", "Refused"), up("b")]
      const when = (error: Provider.ProviderError) => error.reason._tag === "Refused"
      yield* through(Provider.fallback([a.layer, b.layer], { when }))((p) => ask(kind, p))
      assert.deepStrictEqual(counts(a, b), [1, 1])
    })
  )

  it.effect("calls no other provider after an interruption or a defect", () =>
    Effect.gen(function* () {
      const [never, broken, b] = [fake(() => Effect.never), fake(() => Effect.die(new Error("planted"))), up("b")]
      const exit = yield* through(Provider.fallback([broken.layer, b.layer]))((p) => Effect.exit(ask(kind, p)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      yield* through(Provider.fallback([never.layer, b.layer]))((p) =>
        Effect.gen(function* () {
          const fiber = yield* begin(ask(kind, p))
          yield* TestClock.adjust(1)
          yield* Fiber.interrupt(fiber)
        })
      )
      assert.deepStrictEqual([never.dropped(), ...counts(b)], [1, 0])
    })
  )

  it.effect("reports every failure that it passes over", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "AttemptFailed") told.push([signal.attempt, signal.error, signal.waitMillis])
      })
      const fallback = Provider.fallback([down("a").layer, down("b", "Timeout").layer, up("c").layer])
      yield* listen(through(fallback)((p) => ask(kind, p)))
      assert.deepStrictEqual(told, [
        [1, "Overloaded", 0],
        [2, "Timeout", 0]
      ])
    })
  )

  const ends = Arbitrary.schema(
    Schema.NonEmptyArray(Schema.Literals(["fine", "Overloaded", "Refused", "Authentication"])).check(
      Schema.isMaxLength(6)
    )
  )

  it.effect.prop("calls providers in order up to the first that answers, or that fails as all would", [ends], ([all]) =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const [first, ...others] = all.map((end, i) =>
        fake(() => {
          asked.push(i)
          return end === "fine" ? Effect.succeed({}) : Effect.fail(failing(end))
        })
      )
      assert.isDefined(first)
      const exit = yield* through(Provider.fallback([first.layer, ...others.map(({ layer }) => layer)]))((p) =>
        Effect.exit(ask(kind, p))
      )
      const last = all.findIndex((end) => end === "fine" || end === "Refused")
      const count = last === -1 ? all.length : last + 1
      assert.deepStrictEqual(asked, [...Array(count).keys()])
      assert.strictEqual(Exit.isSuccess(exit), all[count - 1] === "fine")
    })
  )
})

describe("fallback", () => {
  it.effect("looks like the first provider", () =>
    Effect.gen(function* () {
      const capabilities = { temperature: "never", efforts: ["low", "high"] } as const
      const first = fake(() => Effect.succeed({}), { name: "a", model: "a-1", capabilities, decides: false })
      yield* through(Provider.fallback([first.layer, up("b").layer]))((p) =>
        Effect.sync(() => {
          assert.deepStrictEqual([p.name, p.model, p.capabilities], ["a", "a-1", first.provider.capabilities])
          assert.isUndefined(p.decide)
        })
      )
    })
  )

  const samplings: ReadonlyArray<
    readonly [
      what: string,
      first: Partial<Provider.Capabilities>,
      second: Partial<Provider.Capabilities>,
      phase: Provider.Phase,
      wish: Provider.Sampling,
      sent: Provider.Sampling
    ]
  > = [
    [
      "an effort in place of a temperature",
      {},
      { temperature: "never", efforts: ["low", "high"] },
      "reason",
      {},
      { effort: "low" }
    ],
    [
      "a temperature in place of an effort",
      { temperature: "never", efforts: ["low"] },
      {},
      "introspect",
      {},
      { temperature: 0.7 }
    ],
    [
      "an effort that the first did not take",
      {},
      { efforts: ["low", "high"] },
      "reason",
      { effort: "high" },
      { effort: "high" }
    ],
    [
      "no effort that was not wished",
      { temperature: "never", efforts: ["low"] },
      { efforts: ["low"] },
      "reason",
      {},
      { temperature: 0 }
    ],
    ["a seed that the first did not take", {}, { seed: true }, "reason", { seed: 3 }, { temperature: 0, seed: 3 }],
    ["nothing", {}, { temperature: "never" }, "reason", { temperature: 1 }, {}],
    ["what is taken by all", {}, {}, "reason", { temperature: 1, maxTokens: 5 }, { temperature: 1, maxTokens: 5 }]
  ]
  it.effect.each(samplings)("sends %s", ([, one, two, phase, wish, sent]) =>
    Effect.gen(function* () {
      for (const kind of ["complete", "stream"] as const) {
        const first = fake(() => Effect.fail(failing("Overloaded")), { capabilities: one })
        const second = fake(() => Effect.succeed({}), { name: "second", capabilities: two })
        const sampling = Provider.resolveSampling(first.provider.capabilities, phase, wish)
        const outcome = yield* through(Provider.fallback([first.layer, second.layer]))((p) =>
          ask(kind, p, { ...request, phase, sampling, wish })
        )
        assert.deepStrictEqual(
          [first, second].map(({ calls }) => calls[0]?.request),
          [
            { ...request, phase, sampling, wish },
            { ...request, phase, sampling: sent, wish }
          ]
        )
        assert.deepStrictEqual(outcome.sampling, sent)
      }
    })
  )

  it.effect("believes an alternative that says what it sent", () =>
    Effect.gen(function* () {
      const second = fake(() => Effect.succeed({ sampling: {}, provider: "inner", model: "inner-7" }), {
        name: "second"
      })
      const outcome = yield* through(Provider.fallback([down("a").layer, second.layer]))((p) => ask("complete", p))
      assert.deepStrictEqual([outcome.sampling, outcome.provider, outcome.model], [{}, "inner", "inner-7"])
    })
  )

  it.effect("does not request a stream elsewhere once a piece was passed on", () =>
    Effect.gen(function* () {
      const cut = failing("Truncated", { usage: { outputTokens: 2 } })
      const [a, b] = [down("a"), fake(() => Effect.succeed({}), { name: "b", broken: () => cut })]
      const c = up("c")
      const pieces: Array<string> = []
      const error = yield* through(Provider.fallback([a.layer, b.layer, c.layer]))((p) =>
        Effect.flip(
          Stream.runForEach(p.stream(request), (part) =>
            Effect.sync(() => void pieces.push(part._tag === "Text" ? part.delta : "Done"))
          )
        )
      )
      assert.deepStrictEqual(
        [pieces, error.reason._tag, error.usage],
        [["Hello ", "there"], "Truncated", { outputTokens: 3 }]
      )
      assert.deepStrictEqual(counts(a, b, c), [1, 1, 0])
    })
  )

  it.effect("costs what the provider that answered charges, unless others billed too", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000 }
      const priced = (name: string, input: number, reply: Parameters<typeof fake>[0]) =>
        fake(reply, {
          name,
          model: name,
          decides: false,
          capabilities: { prices: { input, output: 1, asOf: "2026-11-01" } }
        }).layer
      const fine = () => Effect.succeed({ text: `{"decision":true,"confidence":1,"reasoning":["yes"]}`, usage })
      const costs = (layer: Layer.Layer<Provider.Provider>, times = 1) =>
        Effect.gen(function* () {
          const told: Array<unknown> = []
          const listen = Signal.listen((signal) => {
            if (signal._tag === "CallCompleted") told.push([signal.provider, signal.usd])
          })
          const asked = Synapse.binary({ question: "Is it?" })("one")
          yield* Effect.provide(listen(Effect.replicateEffect(asked, times)), layer)
          return told
        })
      const a = priced("a", 2, fine)
      const b = priced("b", 5, fine)
      const down = priced("down", 7, () => Effect.fail(failing("Overloaded")))
      const cut = priced("cut", 7, () => Effect.fail(failing("Truncated", { usage })))
      const unpriced = fake(fine, { name: "unpriced", decides: false }).layer
      assert.deepStrictEqual(yield* costs(a), [["a", 3]])
      assert.deepStrictEqual(yield* costs(Provider.fallback([a, b])), [["a", 3]])
      assert.deepStrictEqual(yield* costs(Provider.fallback([down, b])), [["b", 6]])
      assert.deepStrictEqual(yield* costs(Provider.fallback([down, unpriced])), [["unpriced", undefined]])
      assert.deepStrictEqual(yield* costs(Provider.fallback([cut, b])), [["b", undefined]])
      assert.deepStrictEqual(yield* costs(Provider.hedge(a, { after: "1 second" })), [["a", 3]])
      const nested = Provider.fallback([down, Provider.hedge([b, a], { after: "1 second" })])
      assert.deepStrictEqual(yield* costs(nested.pipe(Provider.retry())), [["b", 6]])
      // from a cache it costs nothing
      const cached = Provider.fallback([a, b]).pipe(Provider.cache())
      assert.deepStrictEqual(yield* costs(cached, 2), [
        ["a", 3],
        ["a", undefined]
      ])
    })
  )

  it.effect("records in notes, spans and signals who answered, and what was sent", () =>
    Effect.gen(function* () {
      const first = Testing.scripted([failing("Overloaded")], { name: "first", model: "a" })
      const second = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }], {
        name: "second",
        model: "b",
        capabilities: { temperature: "never", efforts: ["low", "high"] }
      })
      const told: Array<unknown> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "CallCompleted") told.push([signal.provider, signal.model, signal.sampling])
      })
      const urgent = Primitive.decide("urgent", { question: "Is this urgent?", sampling: { effort: "high" } })
      const done = yield* listen(Effect.flatMap(Thought.make("one"), (thought) => Pipeline.run(urgent, thought))).pipe(
        Effect.provide(Layer.merge(Provider.fallback([first.layer, second.layer]), Testing.memory))
      )
      assert.deepStrictEqual(done.note("urgent")?.metadata, {
        provider: "second",
        model: "b",
        via: "text",
        effort: "high"
      })
      assert.deepStrictEqual(told, [["second", "b", { effort: "high" }]])
    })
  )

  it.effect("asks natively only providers that can decide, and fails as the last of them", () =>
    Effect.gen(function* () {
      const mute = fake(() => Effect.succeed({}), { name: "mute", decides: false })
      const [a, b] = [down("a"), down("b", "Connection")]
      const error = yield* through(Provider.fallback([a.layer, mute.layer, b.layer, mute.layer]))((p) =>
        Effect.flip(ask("decide", p))
      )
      assert.deepStrictEqual([error.provider, error.reason._tag], ["b", "Connection"])
      assert.deepStrictEqual(counts(a, mute, b), [1, 0, 1])
    })
  )

  it.effect("asks closed questions in words if the deciders are down and another provider cannot decide", () =>
    Effect.gen(function* () {
      const decides = Testing.scripted(() => failing("Overloaded"), {
        name: "decides",
        decide: () => Effect.fail(failing("Connection"))
      })
      const spoken = { decision: false, confidence: 0.5, reasoning: ["Not today."] }
      const speaks = Testing.scripted([spoken], { name: "speaks" })
      const isUrgent = Synapse.binary({ question: "Is this urgent?" })
      const answer = yield* Effect.provide(isUrgent("Hello"), Provider.fallback([decides.layer, speaks.layer]))
      assert.isFalse(answer.decision)
      assert.deepStrictEqual([decides.decisions.length, decides.requests.length, speaks.requests.length], [1, 1, 1])
      // also where only some of the others cannot
      const three = Provider.fallback([
        decides.layer,
        Testing.scripted([spoken], { name: "speaks" }).layer,
        decides.layer
      ])
      assert.isFalse((yield* Effect.provide(isUrgent("Hello"), three)).decision)
      // where all decide, nothing is put in words
      const both = Testing.scripted([], { decide: () => Effect.fail(failing("Connection")) })
      const error = yield* Effect.flip(Effect.provide(isUrgent("Hello"), Provider.fallback([both.layer, both.layer])))
      assert.strictEqual(error._tag === "ProviderError" && error.reason._tag, "Connection")
      assert.lengthOf(both.requests, 0)
    })
  )

  it.effect("retries each provider as its own layer says, and all of them as one outside of it says", () =>
    Effect.gen(function* () {
      const retried = Provider.retry({ times: 2, base: 1, cap: 1 })
      const [a, b] = [down("a"), down("b")]
      const run = (layer: Layer.Layer<Provider.Provider>) =>
        through(layer)((p) =>
          Effect.gen(function* () {
            const fiber = yield* begin(Effect.flip(ask("complete", p)))
            yield* TestClock.adjust("1 second")
            return yield* Fiber.join(fiber)
          })
        )
      yield* run(Provider.fallback([a.layer.pipe(retried), b.layer]))
      assert.deepStrictEqual(counts(a, b), [3, 1])
      const error = yield* run(Provider.fallback([a.layer, b.layer]).pipe(retried))
      assert.deepStrictEqual(counts(a, b), [6, 4])
      assert.deepStrictEqual(error.usage, { outputTokens: 6 })
    })
  )

  it.effect("fails and needs what its layers do", () => {
    class NoKey extends Data.TaggedError("NoKey") {}
    class House extends Context.Service<House, { readonly up: Fake }>()("test/House") {}
    const house = Layer.effect(
      Provider.Provider,
      Effect.map(House, ({ up: { provider } }) => provider)
    )
    const keyless = Layer.effect(Provider.Provider, Effect.fail(new NoKey()))
    const both = Provider.fallback([house, keyless])
    expectTypeOf(both).toEqualTypeOf<Layer.Layer<Provider.Provider, NoKey, House>>()
    // @ts-expect-error -- there must be a first one
    const none = () => Provider.fallback([])
    return Effect.gen(function* () {
      const error = yield* Effect.flip(
        through(Layer.provide(both, Layer.succeed(House, { up: up("house") })))((p) => ask("complete", p))
      )
      assert.strictEqual(error._tag, "NoKey")
      assert.isFunction(none)
    })
  })
})
