import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { replies, start, ticket, withModel } from "../pipeline/triage.ts"
import { keptOf } from "../kept.ts"

// Providers with a native decision call answer closed questions with probabilities.

const usage = { inputTokens: 5 }

type Decide = NonNullable<Testing.ScriptOptions["decide"]>

const native = (decide: Decide, script: ReadonlyArray<Testing.Reply> = []) =>
  Testing.scripted(script, { decide, usage })

const go = Primitive.decide("go", { question: "Go on?" })
const kind = Primitive.categorize("kind", { question: "Which?", categories: { a: "first", b: "second", c: "third" } })
const mood = Primitive.assess("mood", { question: "How?", aspects: ["price"] })

const predicate =
  (probability: number): Decide =>
  () => [{ _tag: "Predicate", name: "decision", probability }]
const choice =
  (distribution: Record<string, number>, label = "a"): Decide =>
  () => [{ _tag: "Choice", name: "category", label, distribution }]

const tones = { positive: 0.1, negative: 0.6, neutral: 0.1, mixed: 0.2 }
const emotions = {
  anger: 0.3,
  frustration: 0.4,
  worry: 0.1,
  urgency: 0.12,
  confusion: 0.02,
  disappointment: 0.02,
  gratitude: 0.02,
  joy: 0.01,
  calm: 0.01
}
const feelings: ReadonlyArray<Provider.Answer> = [
  { _tag: "Choice", name: "emotion", label: "frustration", distribution: emotions },
  { _tag: "Choice", name: "overall", label: "negative", distribution: tones, reasons: ["twice!"] },
  { _tag: "Choice", name: "aspect:price", label: "mixed", distribution: tones }
]

describe("a native answer", () => {
  it.effect("has a measured confidence and the distribution, and no reasons of its own", () =>
    Effect.gen(function* () {
      const model = native(predicate(0.2))
      const done = yield* Pipeline.run(go, yield* start).pipe(withModel(model))
      const decision = done.get("go")
      assert.strictEqual(decision.decision, false)
      assert.strictEqual(decision.confidence, 0.8)
      assert.strictEqual(decision.confidenceFrom, "measured")
      assert.deepStrictEqual(decision.reasoning, [])
      assert.deepStrictEqual(decision.distribution, { yes: 0.2, no: 0.8 })
      assert.deepStrictEqual(done.note("go")?.metadata, { provider: "scripted", model: "script", via: "native" })
    })
  )

  it.effect("counts an even chance as yes", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(go, yield* start).pipe(withModel(native(predicate(0.5))))
      assert.isTrue(done.get("go").decision)
      assert.strictEqual(done.get("go").confidence, 0.5)
    })
  )

  it.effect("keeps the spans that a provider gives as reasons", () =>
    Effect.gen(function* () {
      const model = native(() => [{ _tag: "Predicate", name: "decision", probability: 1, reasons: ["charged twice"] }])
      const done = yield* Pipeline.run(go, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(done.get("go").reasoning, ["charged twice"])
    })
  )

  it.effect("to a classification has a second category if one is likelier than by chance", () =>
    Effect.gen(function* () {
      const distribution = { a: 0.5, b: 0.4, c: 0.1 }
      const done = yield* Pipeline.run(kind, yield* start).pipe(withModel(native(choice(distribution))))
      assert.deepStrictEqual(done.get("kind"), {
        primary: "a",
        secondary: "b",
        confidence: 0.5,
        confidenceFrom: "measured",
        reasoning: [],
        distribution
      })
      const sure = yield* Pipeline.run(kind, yield* start).pipe(withModel(native(choice({ a: 0.8, b: 0.1, c: 0.1 }))))
      assert.isUndefined(sure.get("kind").secondary)
    })
  )

  it.effect("to an assessment maps tones to scores and keeps the likely emotions, strongest first", () =>
    Effect.gen(function* () {
      const model = native(() => feelings)
      const done = yield* Pipeline.run(mood, yield* start).pipe(withModel(model))
      const assessment = done.get("mood")
      assert.strictEqual(assessment.overall, "negative")
      assert.strictEqual(assessment.confidence, 0.6)
      assert.strictEqual(assessment.confidenceFrom, "measured")
      assert.closeTo(assessment.scores.positive, 0.2, 1e-9)
      assert.closeTo(assessment.scores.negative, 0.7, 1e-9)
      assert.closeTo(assessment.scores.neutral, 0.1, 1e-9)
      assert.deepStrictEqual(assessment.emotions, ["frustration", "anger", "urgency"])
      assert.deepStrictEqual(assessment.aspects, { price: "mixed" })
      assert.deepStrictEqual(assessment.reasoning, ["twice!"])
      assert.deepStrictEqual(
        model.decisions[0]?.task.questions.map(({ name }) => name),
        ["overall", "emotion", "aspect:price"]
      )
    })
  )

  it.effect("sees the conversation and the unpublished notes", () =>
    Effect.gen(function* () {
      const model = native(predicate(1), [replies.ticket])
      yield* Pipeline.run(Pipeline.sequence("two", [ticket, go]), yield* start).pipe(withModel(model))
      const [asked, ...more] = model.decisions
      assert.deepStrictEqual(more, [])
      const conversation = keptOf(model.requests[0]!.messages)
      assert.deepStrictEqual(asked!.messages.slice(0, conversation.length), conversation)
      assert.deepStrictEqual(
        asked!.messages.slice(conversation.length).map(({ role }) => role),
        ["assistant", "user"]
      )
      assert.deepStrictEqual(asked!.task.questions, [{ _tag: "Predicate", name: "decision", question: "Go on?" }])
      assert.deepStrictEqual(
        asked!.task.context.map(({ fresh, key }) => [key, fresh]),
        [
          ["message", false],
          ["ticket", false]
        ]
      )
    })
  )

  it.effect("adds nothing to the conversation: its note waits for the next text call, which shows it", () =>
    Effect.gen(function* () {
      const model = native(predicate(1), [replies.ticket])
      yield* Effect.gen(function* () {
        const decided = yield* Pipeline.run(go, yield* start)
        assert.strictEqual(decided.session.length, 0)
        assert.deepStrictEqual(
          Thought.unpublished(decided).map(({ key }) => key),
          ["message", "go"]
        )
        assert.deepStrictEqual((yield* Memory.load(decided.id)).toJSON(), decided.toJSON())
        const done = yield* Pipeline.run(ticket, decided)
        assert.deepStrictEqual(Thought.unpublished(done), [])
      }).pipe(withModel(model))
      const shown = model.requests[0]!.messages.at(-1)!.text
      assert.include(shown, 'key="go" source="decide"')
      assert.include(shown, '"confidenceFrom":"measured"')
    })
  )

  it.effect("records what the call cost", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(go, yield* start).pipe(withModel(native(predicate(1))))
      assert.deepStrictEqual(done.session.usage, usage)
    })
  )
})

describe("via", () => {
  const text = { decision: true, confidence: 0.5, reasoning: ["It says so."] }

  const cases: ReadonlyArray<readonly [string, Primitive.Options, boolean, "native" | "text"]> = [
    ["by default native where the provider can", {}, true, "native"],
    ["by default text where it cannot", {}, false, "text"],
    ["auto is the default", { via: "auto" }, true, "native"],
    ["native", { via: "native" }, true, "native"],
    ["text although the provider can", { via: "text" }, true, "text"],
    ["reasons in words force text", { reasons: true }, true, "text"],
    ["reasons: false does not", { reasons: false }, true, "native"],
    ["native although reasons are wanted", { via: "native", reasons: true }, true, "native"]
  ]
  it.effect.each(cases)("%s", ([, options, can, via]) =>
    Effect.gen(function* () {
      const model = can ? native(predicate(1), [text]) : Testing.scripted([text])
      const step = Primitive.decide("go", { question: "Go on?", ...options })
      const done = yield* Pipeline.run(step, yield* start).pipe(withModel(model))
      assert.strictEqual(done.note("go")?.metadata["via"], via)
      assert.strictEqual(model.decisions.length, via === "native" ? 1 : 0)
      assert.strictEqual(model.requests.length, via === "text" ? 1 : 0)
      assert.strictEqual(done.get("go").confidenceFrom, via === "native" ? "measured" : "stated")
      assert.strictEqual(done.session.length, via === "native" ? 0 : 2)
    })
  )

  it.effect("native fails as unsupported if the provider has no such call, and sends nothing", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([text])
      const step = Primitive.decide("go", { question: "Go on?", via: "native" })
      const { cause } = yield* Pipeline.run(step, yield* start).pipe(Effect.flip, withModel(model))
      if (cause._tag !== "ProviderError") throw cause
      assert.strictEqual(cause.reason._tag, "Unsupported")
      assert.isFalse(cause.isRetryable)
      assert.deepStrictEqual(model.requests, [])
    })
  )

  it.effect("is the same for a synapse on its own", () =>
    Effect.gen(function* () {
      const model = native(predicate(0.9))
      const answer = yield* Synapse.binary({ question: "Go on?" })("text").pipe(Effect.provide(model.layer))
      assert.strictEqual(answer.confidenceFrom, "measured")
      assert.strictEqual(model.decisions[0]?.task.input, "text")
      const error = yield* Synapse.binary({ question: "Go on?", via: "native" })("text").pipe(
        Effect.flip,
        Effect.provide(Testing.scripted([]).layer)
      )
      assert.strictEqual(error._tag === "ProviderError" && error.reason._tag, "Unsupported")
    })
  )

  it.effect("an open question is never answered natively", () =>
    Effect.gen(function* () {
      const model = native(predicate(1), [replies.ticket])
      yield* Pipeline.run(ticket, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(model.decisions, [])
    })
  )
})

describe("an invalid native answer", () => {
  const sound: Record<string, number> = { a: 0.5, b: 0.4, c: 0.1 }
  const cases: ReadonlyArray<
    readonly [string, typeof go | typeof kind | typeof mood, Decide, Provider.Reason["_tag"]]
  > = [
    ["a refusal", go, () => [{ _tag: "Refusal", name: "decision", message: "I will not say." }], "Refused"],
    ["a refusal without words", go, () => [{ _tag: "Refusal", name: "decision" }], "Refused"],
    ["no answer", go, () => [], "InvalidResponse"],
    [
      "an answer to another question",
      go,
      () => [{ _tag: "Predicate", name: "other", probability: 1 }],
      "InvalidResponse"
    ],
    [
      "an answer of another kind",
      go,
      () => [{ _tag: "Choice", name: "decision", label: "a", distribution: sound }],
      "InvalidResponse"
    ],
    [
      "a score where a choice was asked",
      kind,
      () => [{ _tag: "Score", name: "category", value: 1, distribution: sound }],
      "InvalidResponse"
    ],
    ["a probability over 1", go, predicate(1.2), "InvalidResponse"],
    ["a probability below 0", go, predicate(-0.1), "InvalidResponse"],
    ["a probability that is no number", go, predicate(Number.NaN), "InvalidResponse"],
    ["a label that was not asked", kind, choice({ ...sound, d: 0 }, "d"), "InvalidResponse"],
    ["a distribution that lacks a label", kind, choice({ a: 0.5, b: 0.5 }), "InvalidResponse"],
    ["a distribution over 1", kind, choice({ a: 0.5, b: 0.4, c: 0.2 }), "InvalidResponse"],
    ["a distribution below 1", kind, choice({ a: 0.5, b: 0.2, c: 0.1 }), "InvalidResponse"],
    ["a negative probability", kind, choice({ a: 1.1, b: -0.1, c: 0 }), "InvalidResponse"],
    ["one question of several without an answer", mood, () => feelings.slice(1), "InvalidResponse"]
  ]
  it.effect.each(cases)("%s", ([, step, decide, tag]) =>
    Effect.gen(function* () {
      const model = native(decide)
      yield* Effect.gen(function* () {
        const thought = yield* start
        const error = yield* Effect.flip(Pipeline.run(step as typeof go, thought))
        if (error.cause._tag !== "ProviderError") throw error
        assert.strictEqual(error.cause.reason._tag, tag)
        assert.deepStrictEqual(error.cause.usage, usage)
        const stored = yield* Memory.load(thought.id)
        assert.deepStrictEqual(
          Thought.notes(stored).map(({ key }) => key),
          ["message"]
        )
      }).pipe(withModel(model))
      assert.strictEqual(model.decisions.length, 1)
    })
  )

  it.effect("says which question was refused, and why", () =>
    Effect.gen(function* () {
      const model = native(() => [{ _tag: "Refusal", name: "decision" }])
      const error = yield* Pipeline.run(go, yield* start).pipe(Effect.flip, withModel(model))
      assert.include(error.message, "decision")
      assert.include(error.message, "refused")
    })
  )

  it.effect("may answer more than was asked, which is ignored", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(kind, yield* start).pipe(withModel(native(choice({ ...sound, z: 5 }))))
      assert.deepStrictEqual(done.get("kind").distribution, sound)
    })
  )

  it.effect("to an assessment may be off by rounding", () =>
    Effect.gen(function* () {
      const distribution = { positive: 1, mixed: 0.01, negative: 0, neutral: 0 }
      const answers = feelings.map((item) =>
        item.name === "overall" ? { ...item, label: "positive", distribution } : item
      )
      const done = yield* Pipeline.run(mood, yield* start).pipe(withModel(native(() => answers)))
      assert.strictEqual(done.get("mood").scores.positive, 1)
    })
  )

  it.effect("may be off by rounding", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(kind, yield* start).pipe(
        withModel(native(choice({ a: 0.333, b: 0.333, c: 0.333 })))
      )
      assert.strictEqual(done.get("kind").primary, "a")
    })
  )
})

describe("labels", () => {
  it.effect("are asked with their descriptions, in the order given", () =>
    Effect.gen(function* () {
      const model = native(choice({ a: 1, b: 0, c: 0 }))
      yield* Pipeline.run(kind, yield* start).pipe(withModel(model))
      assert.deepStrictEqual(model.decisions[0]?.task.questions, [
        {
          _tag: "Choice",
          name: "category",
          question: "Which?",
          labels: [
            { label: "a", description: "first" },
            { label: "b", description: "second" },
            { label: "c", description: "third" }
          ]
        }
      ])
    })
  )

  it.effect("are asked about what the question reads from notes", () =>
    Effect.gen(function* () {
      const model = native(predicate(1), [replies.ticket])
      const about = Primitive.decide("about", {
        question: Note.from(ticket, ({ customer }) => `Is ${customer} angry?`)
      })
      yield* Pipeline.run(Pipeline.sequence("two", [ticket, about]), yield* start).pipe(withModel(model))
      assert.strictEqual(model.decisions[0]?.task.instruction, "«Is Ada angry?»")
    })
  )
})
