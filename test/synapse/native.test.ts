import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Signal, Synapse, Thought } from "cogito"
import { combine, ProviderError } from "cogito/Provider"
import { Testing } from "cogito/testing"

// Closed questions of synapses that a provider answers natively, with probabilities.

type Decide = NonNullable<Testing.ScriptOptions["decide"]>

const usage = { inputTokens: 5, outputTokens: 1 }
const withAnswers = (...answers: ReadonlyArray<Provider.Answer>) =>
  Testing.scripted([], { decide: () => answers, usage })

const urgent = Synapse.binary({ question: "Is it urgent?" })
const kind = Synapse.classification({
  question: "Which?",
  categories: { a: "first", b: "second", c: "third", d: "fourth" }
})
const order = Synapse.ranking({ criteria: "cost", top: 2 })
const mood = Synapse.sentiment({ question: "How?", aspects: ["price", "size"] })

const predicate = (probability: number, reasons?: ReadonlyArray<string>): Provider.Answer => ({
  _tag: "Predicate",
  name: "decision",
  probability,
  ...(reasons === undefined ? {} : { reasons })
})
const choice = (
  name: string,
  label: string,
  distribution: Readonly<Record<string, number>>,
  reasons?: ReadonlyArray<string>
): Provider.Answer => ({ _tag: "Choice", name, label, distribution, ...(reasons === undefined ? {} : { reasons }) })

const answered = <A, E>(asked: Effect.Effect<A, E, Provider.Provider>, ...answers: ReadonlyArray<Provider.Answer>) =>
  asked.pipe(Effect.provide(withAnswers(...answers).layer))

describe("a yes or no", () => {
  it.effect("is yes from an even chance on, with the confidence of the decision", () =>
    Effect.gen(function* () {
      const of = (probability: number) => answered(urgent("text"), predicate(probability, ["now!"]))
      const expected = (decision: boolean, confidence: number, yes: number) => ({
        decision,
        confidence,
        confidenceFrom: "measured" as const,
        reasoning: ["now!"],
        distribution: { yes, no: 1 - yes }
      })
      assert.deepStrictEqual(yield* of(0.5), expected(true, 0.5, 0.5))
      assert.deepStrictEqual(yield* of(0.75), expected(true, 0.75, 0.75))
      assert.deepStrictEqual(yield* of(0.25), expected(false, 0.75, 0.25))
      assert.deepStrictEqual((yield* answered(urgent("text"), predicate(1))).reasoning, [])
    })
  )

  it.effect("is asked as data, about the text", () =>
    Effect.gen(function* () {
      const model = withAnswers(predicate(1))
      yield* urgent("text").pipe(Effect.provide(model.layer))
      const [request, ...more] = model.decisions
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(model.requests, [])
      assert.strictEqual(request?.task.kind, "binary")
      assert.strictEqual(request?.task.input, "text")
      assert.deepStrictEqual(request?.task.questions, [
        { _tag: "Predicate", name: "decision", question: "Is it urgent?" }
      ])
    })
  )
})

describe("a classification", () => {
  it.effect("has a second category only if it is likelier than by chance", () =>
    Effect.gen(function* () {
      const of = (distribution: Readonly<Record<string, number>>, label = "b") =>
        answered(kind("text"), choice("category", label, distribution, ["So."]))
      const clear = { a: 0.3, b: 0.6, c: 0.1, d: 0 }
      assert.deepStrictEqual(yield* of(clear), {
        primary: "b",
        secondary: "a",
        confidence: 0.6,
        confidenceFrom: "measured" as const,
        reasoning: ["So."],
        distribution: clear
      })
      assert.isUndefined((yield* of({ a: 0.25, b: 0.5, c: 0.25, d: 0 })).secondary)
      assert.strictEqual((yield* of({ a: 0.26, b: 0.45, c: 0.29, d: 0 })).secondary, "c")
      // the label is the answer's own
      const other = yield* of({ a: 0.3, b: 0.6, c: 0.1, d: 0 }, "a")
      assert.deepStrictEqual([other.primary, other.secondary, other.confidence], ["a", "b", 0.3])
    })
  )

  it.effect("asks for the labels with their descriptions", () =>
    Effect.gen(function* () {
      const model = withAnswers(choice("category", "a", { a: 1, b: 0, c: 0, d: 0 }))
      assert.deepStrictEqual((yield* kind("text").pipe(Effect.provide(model.layer))).reasoning, [])
      assert.deepStrictEqual(model.decisions[0]?.task.questions, [
        {
          _tag: "Choice",
          name: "category",
          question: "Which?",
          labels: [
            { label: "a", description: "first" },
            { label: "b", description: "second" },
            { label: "c", description: "third" },
            { label: "d", description: "fourth" }
          ]
        }
      ])
    })
  )

  it("refuses missing, empty and repeated categories", () => {
    const of = (...categories: ReadonlyArray<string>) => Synapse.classification({ question: "?", categories })
    assert.throws(() => of(), "needs at least one category")
    assert.throws(() => of("a", " "), 'duplicate or empty category: " "')
    assert.throws(() => of("a", "b", "b", "a"), 'duplicate or empty category: "b"')
  })
})

describe("a ranking", () => {
  it.effect("is the order of the probabilities of being first, up to `top`", () =>
    Effect.gen(function* () {
      const distribution = { x: 0.2, y: 0.5, "z 2": 0.3 }
      const found = yield* answered(order(["x", "y", "z\n2"]), choice("first", "y", distribution, ["Less."]))
      assert.deepStrictEqual(found, {
        ranked: ["y", "z\n2"],
        confidence: 0.5,
        confidenceFrom: "measured" as const,
        reasoning: ["Less."],
        distribution: { x: 0.2, y: 0.5, "z\n2": 0.3 }
      })
    })
  )

  it.effect("asks which comes first", () =>
    Effect.gen(function* () {
      const model = withAnswers(choice("first", "x", { x: 1, y: 0 }))
      yield* order(["x", "y"]).pipe(Effect.provide(model.layer))
      assert.deepStrictEqual(model.decisions[0]?.task.questions, [
        {
          _tag: "Choice",
          name: "first",
          question: "Ranked by cost: which of these comes first?",
          labels: [{ label: "x" }, { label: "y" }]
        }
      ])
    })
  )
})

describe("a sentiment", () => {
  const emotions = [
    "anger",
    "frustration",
    "worry",
    "urgency",
    "confusion",
    "disappointment",
    "gratitude",
    "joy",
    "calm"
  ]
  const felt = (likely: Readonly<Record<string, number>>) =>
    choice("emotion", "joy", Object.fromEntries(emotions.map((name) => [name, likely[name] ?? 0])))
  const tones = { positive: 0.5, negative: 0.1, neutral: 0.1, mixed: 0.3 }

  it.effect("has scores, the likely emotions and each aspect", () =>
    Effect.gen(function* () {
      const found = yield* answered(
        mood("text"),
        choice("aspect:size", "negative", tones),
        choice("overall", "positive", tones, ["Nice."]),
        felt({ joy: 0.3, calm: 0.5, anger: 0.2 }),
        choice("aspect:price", "mixed", tones)
      )
      assert.deepStrictEqual(found, {
        overall: "positive",
        confidence: 0.5,
        confidenceFrom: "measured" as const,
        reasoning: ["Nice."],
        scores: { positive: 0.65, negative: 0.25, neutral: 0.1 },
        emotions: ["calm", "joy", "anger"],
        aspects: { price: "mixed", size: "negative" }
      })
      const even = yield* answered(
        mood("text"),
        choice("aspect:size", "negative", tones),
        choice("overall", "mixed", { positive: 1, negative: 0, neutral: 0, mixed: 0.01 }),
        felt({ joy: 1 / 9, calm: 8 / 9 }),
        choice("aspect:price", "mixed", tones)
      )
      assert.deepStrictEqual(
        [even.scores.positive, even.confidence, even.reasoning, even.emotions],
        [1, 0.01, [], ["calm"]]
      )
    })
  )

  it.effect("asks about each aspect", () =>
    Effect.gen(function* () {
      const model = withAnswers()
      yield* Effect.exit(mood("text").pipe(Effect.provide(model.layer)))
      const asked = model.decisions[0]?.task.questions.map(({ name, question }) => [name, question])
      assert.deepStrictEqual(asked, [
        ["overall", "How?"],
        ["emotion", "How?"],
        ["aspect:price", "How? As regards: price"],
        ["aspect:size", "How? As regards: size"]
      ])
    })
  )
})

describe("an invalid answer", () => {
  const even = { a: 0.25, b: 0.25, c: 0.25, d: 0.25 }
  const fails = (
    asked: Effect.Effect<unknown, unknown, Provider.Provider>,
    decide: Decide,
    tag: string,
    words: string
  ) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(asked.pipe(Effect.provide(Testing.scripted([], { decide, usage }).layer)))
      const { message, reason, usage: spent } = error as Provider.ProviderError
      assert.strictEqual(reason._tag, tag)
      assert.include(message, words)
      assert.deepStrictEqual(spent, usage)
    })

  it.effect("keeps the category of a refusal in the error", () =>
    Effect.gen(function* () {
      const refusal = { _tag: "Refusal", name: "decision", message: "not this", category: "language" } as const
      const { layer } = Testing.scripted([], { decide: () => [refusal] })
      const error = yield* Effect.flip(Effect.provide(urgent("x"), layer))
      assert.ok(error._tag === "ProviderError")
      assert.deepStrictEqual(error.reason, { _tag: "Refused", message: "not this", category: "language" })
    })
  )

  it.effect("fails with the reason and the cost", () =>
    Effect.gen(function* () {
      const refusal = { _tag: "Refusal", name: "decision" } as const
      yield* fails(urgent("x"), () => [{ ...refusal, message: "I will not." }], "Refused", "I will not.")
      yield* fails(urgent("x"), () => [refusal], "Refused", "the question decision was refused")
      yield* fails(urgent("x"), () => [], "InvalidResponse", "the question decision was not answered")
      yield* fails(urgent("x"), () => [choice("decision", "a", even)], "InvalidResponse", "decision was not answered")
      for (const probability of [-0.01, 1.01, Number.NaN]) {
        yield* fails(
          urgent("x"),
          () => [predicate(probability)],
          "InvalidResponse",
          "decision is not a valid probability distribution"
        )
      }
      for (const distribution of [
        { ...even, a: 0.23 },
        { ...even, a: 0.27 },
        { a: 0.5, b: 0.5, c: 0 },
        { a: 1.2, b: -0.2, c: 0, d: 0 }
      ]) {
        yield* fails(
          kind("x"),
          () => [choice("category", "a", distribution)],
          "InvalidResponse",
          "not a valid probability distribution"
        )
      }
      yield* fails(
        kind("x"),
        () => [choice("category", "e", even)],
        "InvalidResponse",
        "not a valid probability distribution"
      )
    })
  )

  it.effect("is valid if only rounding is off", () =>
    Effect.gen(function* () {
      const off = (a: number) => answered(kind("x"), choice("category", "a", { ...even, a }))
      assert.strictEqual((yield* off(0.269)).primary, "a")
      assert.strictEqual((yield* off(0.231)).primary, "a")
    })
  )
})

describe("a native call", () => {
  it.effect("is signalled, with its cost and who answered", () =>
    Effect.gen(function* () {
      const signals: Array<Signal.Signal> = []
      yield* urgent("x").pipe(
        Signal.listen((signal) => void signals.push(signal)),
        Effect.provide(withAnswers(predicate(1)).layer)
      )
      const calls = signals.filter(({ _tag }) => _tag === "CallCompleted")
      assert.strictEqual(calls.length, 1)
      assert.deepInclude(calls[0], { call: "decide", provider: "scripted", model: "script", phase: "reason", usage })
    })
  )

  const reply = { decision: true, confidence: 0.6, reasoning: ["so"] }
  const failingWith = (tag: "Refused" | (typeof downs)[number] | (typeof faults)[number]) => {
    const failure = new ProviderError({
      provider: "scripted",
      model: "script",
      reason: { _tag: tag, message: "planted" },
      usage: { inputTokens: 3 }
    })
    const model = Testing.scripted([reply, ""], { decide: () => Effect.fail(failure), usage: { inputTokens: 4 } })
    return { model, layer: combine({ decide: model.layer, complete: model.layer }) }
  }
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
  it.effect.each(downs)("that is down by %s falls back to text", (tag) =>
    Effect.gen(function* () {
      const { layer } = failingWith(tag)
      const signals: Array<Signal.Signal> = []
      const asked = Pipeline.run(
        Primitive.decide("urgent", { question: "?" }),
        yield* Thought.make("t", { message: "x" })
      )
      const done = yield* Signal.listen((signal) => signals.push(signal))(asked).pipe(
        Effect.provide(Layer.merge(layer, Testing.memory))
      )
      assert.strictEqual(done.get("urgent").confidenceFrom, "stated")
      assert.deepInclude(signals.find(({ _tag }) => _tag === "AttemptFailed") ?? {}, { attempt: 1, error: tag })
    })
  )

  it.effect("that is down has its cost counted, also in a failure that follows", () =>
    Effect.gen(function* () {
      const { layer } = failingWith("Overloaded")
      // the answer in words costs 4, and so does looking back, which fails, as the reply is empty
      const step = Primitive.decide("urgent", { question: "?", introspect: true })
      const { cause } = yield* Pipeline.run(step, yield* Thought.make("t", { message: "x" })).pipe(
        Effect.flip,
        Effect.provide(Layer.merge(layer, Testing.memory))
      )
      assert.deepStrictEqual(cause._tag === "ProviderError" && cause.usage, { inputTokens: 11 })
    })
  )

  it.effect("is marked if the question is entirely text of an untrusted note", () =>
    Effect.gen(function* () {
      const message = Note.handle("message", Schema.String)
      for (const [question, trust] of [
        [Note.from(message, (text) => text), "untrusted"],
        ["Is it?", undefined]
      ] as const) {
        const model = Testing.scripted([reply], { decide: () => [predicate(1)] })
        for (const via of ["native", "text"] as const) {
          const step = Primitive.decide("urgent", { question, via })
          yield* Pipeline.run(step, yield* Thought.make("t", { message: "Is it urgent?" })).pipe(
            Effect.provide(Layer.merge(model.layer, Testing.memory))
          )
        }
        const tasks = [...model.decisions, ...model.requests].map(({ task }) => task.trust)
        assert.deepStrictEqual(tasks, [trust, trust])
      }
    })
  )

  const faults = ["InvalidRequest", "ContextTooLong", "Truncated", "EmptyAnswer", "InvalidResponse"] as const
  it.effect.each(["Refused", ...faults] as const)("that fails by %s is not repeated in text", (tag) =>
    Effect.gen(function* () {
      const { layer, model } = failingWith(tag)
      const error = yield* Effect.flip(urgent("x").pipe(Effect.provide(layer)))
      assert.strictEqual(error._tag === "ProviderError" && error.reason._tag, tag)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.effect("is not used if reasons are requested, which are written", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([reply], { decide: () => [predicate(1)] })
      const explained = Synapse.binary({ question: "?", reasons: true })
      const { confidenceFrom, reasoning } = yield* explained("x").pipe(Effect.provide(model.layer))
      assert.deepStrictEqual([confidenceFrom, reasoning], ["stated", ["so"]])
      assert.deepStrictEqual([model.decisions.length, model.requests.length], [0, 1])
      // unless it is said how to ask
      const native = Synapse.binary({ question: "?", reasons: true, via: "native" })
      assert.strictEqual((yield* native("x").pipe(Effect.provide(model.layer))).confidenceFrom, "measured")
    })
  )

  it.effect("is refused if it is impossible: for the provider, the question, or new text", () =>
    Effect.gen(function* () {
      const native = Synapse.binary({ question: "?", via: "native" })
      const error = yield* Effect.flip(native("x").pipe(Effect.provide(Testing.scripted([]).layer)))
      assert.ok(error._tag === "ProviderError")
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, 'no native decision for binary: leave out via: "native"')
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(answered(native("x"), predicate(1)))))
    })
  )
})
