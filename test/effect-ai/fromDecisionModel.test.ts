import { assert, describe, it } from "@effect/vitest"
import { Synapse } from "cogito"
import { EffectAi } from "cogito/effect-ai"
import { type Answer, type DecideRequest, Provider, type Question } from "cogito/Provider"
import { Duration, Effect, Fiber, Layer } from "effect"
import { AiError, DecisionModel } from "effect/ai"
import { TestClock } from "effect/testing"
import { assertClean, prompt } from "../faults/clean.ts"

const predicate: Question = { _tag: "Predicate", name: "urgent", question: "Is it urgent?" }
const choice: Question = {
  _tag: "Choice",
  name: "topic",
  question: "What is it about?",
  labels: [{ label: "billing", description: "Money" }, { label: "printer" }]
}
const score: Question = {
  _tag: "Score",
  name: "anger",
  question: "How angry?",
  levels: [
    { label: "calm", value: 0 },
    { label: "angry", description: "Shouts", value: 10 }
  ]
}

const request = (questions: ReadonlyArray<Question>): DecideRequest => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: prompt }
  ],
  task: { kind: "ask", instruction: prompt, questions, context: [] }
})

type Answers = DecisionModel.ProviderResponse["answers"]

/** A decider over a model that answers so, with what it was asked. */
const deciderOf = Effect.fnUntraced(function* (answers: Answers | AiError.AiError, outputTokens?: number) {
  const asked: Array<DecisionModel.ProviderOptions> = []
  const model = yield* DecisionModel.make({
    decide: (options) =>
      Effect.suspend(() => {
        asked.push(options)
        if (AiError.isAiError(answers)) return Effect.fail(answers)
        return Effect.succeed({
          answers,
          usage: { inputTokens: 12, outputTokens },
          id: "r-1",
          modelId: "house-2"
        })
      })
  })
  const provider = EffectAi.fromDecisionModel(model, { name: "house", model: "house-1" })
  const decide = provider.decide ?? assert.fail("it does not decide")
  return { asked, provider, decide }
})

describe("a decision model of effect/ai", () => {
  it.effect("uses the name, model and timeout of the layer's options, also in its errors", () =>
    Effect.gen(function* () {
      const model = DecisionModel.make({ decide: () => Effect.never })
      const named = (options?: EffectAi.DeciderOptions) =>
        Effect.gen(function* () {
          const provider = yield* Provider
          const waiting = yield* Effect.forkChild(Effect.flip(provider.decide!(request([predicate]))))
          yield* TestClock.adjust("3 seconds")
          const error = waiting.pollUnsafe() === undefined ? undefined : yield* Fiber.join(waiting)
          return [provider.name, provider.model, error && [error.provider, error.model, error.reason._tag]]
        }).pipe(
          Effect.provide(
            EffectAi.decider(options).pipe(Layer.provide(Layer.effect(DecisionModel.DecisionModel, model)))
          )
        )
      assert.deepStrictEqual(yield* named({ name: "house", model: "house-1", timeout: "2 seconds" }), [
        "house",
        "house-1",
        ["house", "house-1", "Timeout"]
      ])
      const [name, , error] = yield* named()
      assert.notStrictEqual(name, "house")
      assert.isUndefined(error)
    })
  )

  it.effect("is asked all questions at once, with the conversation, and answers with distributions", () =>
    Effect.gen(function* () {
      const { asked, decide } = yield* deciderOf({
        q0: { _tag: "Probability", probability: 0.9 },
        q1: { _tag: "Classify", label: "printer", probabilities: { billing: 0.2, printer: 0.8 } },
        q2: { _tag: "Rate", rating: 0.75, probabilities: { calm: 0.25, angry: 0.75 } }
      })
      const response = yield* decide(request([predicate, choice, score]))
      assert.deepStrictEqual(response, {
        answers: [
          { _tag: "Predicate", name: "urgent", probability: 0.9 },
          { _tag: "Choice", name: "topic", label: "printer", distribution: { billing: 0.2, printer: 0.8 } },
          { _tag: "Score", name: "anger", value: 7.5, distribution: { calm: 0.25, angry: 0.75 } }
        ],
        usage: { inputTokens: 12 },
        model: "house-2",
        id: "r-1"
      })
      assert.deepStrictEqual(asked, [
        {
          state: {
            messages: [
              { role: "system", text: "Be brief." },
              { role: "user", text: prompt }
            ]
          },
          decisions: {
            q0: { _tag: "Probability", instructions: "Is it urgent?", criteria: undefined },
            q1: {
              _tag: "Classify",
              instructions: "What is it about?",
              criteria: { billing: "Money", printer: null }
            },
            q2: {
              _tag: "Rate",
              instructions: "How angry?",
              criteria: [
                { label: "calm", description: "calm" },
                { label: "angry", description: "Shouts" }
              ]
            }
          }
        }
      ])
    })
  )

  it.effect("may refuse one question of several", () =>
    Effect.gen(function* () {
      const { decide } = yield* deciderOf(
        {
          q0: { _tag: "Refusal" },
          q1: { _tag: "Classify", label: "printer", probabilities: { billing: 0, printer: 1 } }
        },
        3
      )
      const { answers, usage } = yield* decide(request([predicate, choice]))
      assert.deepStrictEqual(usage, { inputTokens: 12, outputTokens: 3 })
      assert.deepStrictEqual(answers[0], { _tag: "Refusal", name: "urgent" })
      assert.strictEqual(answers[1]?._tag, "Choice")
    })
  )

  it.effect("does not get questions with a single label, or without labels", () =>
    Effect.gen(function* () {
      const { asked, decide } = yield* deciderOf({ q0: { _tag: "Probability", probability: 0.1 } })
      const lone: Question = { _tag: "Choice", name: "lone", question: "?", labels: [{ label: "x" }] }
      const level: Question = { _tag: "Score", name: "level", question: "?", levels: [{ label: "x", value: 3 }] }
      const first: Answer = { _tag: "Choice", name: "lone", label: "x", distribution: { x: 1 } }
      const last: Answer = { _tag: "Score", name: "level", value: 3, distribution: { x: 1 } }
      assert.deepStrictEqual(yield* decide(request([lone, level])), { answers: [first, last], usage: {} })
      assert.strictEqual(asked.length, 0)
      const mixed = yield* decide(request([lone, predicate, level]))
      assert.deepStrictEqual(mixed.answers, [first, { _tag: "Predicate", name: "urgent", probability: 0.1 }, last])
      assert.deepStrictEqual(Object.keys(asked[0]?.decisions ?? {}), ["q0"])
      const error = yield* Effect.flip(decide(request([{ ...lone, labels: [] }])))
      assert.strictEqual(error.reason._tag, "Unsupported")
    })
  )

  it.effect("fails if an answer is missing, of another kind, or no distribution, with its usage", () =>
    Effect.gen(function* () {
      const unsound: ReadonlyArray<Answers> = [
        {},
        { q0: { _tag: "Probability", probability: 0.5 } },
        { q0: { _tag: "Classify", label: "printer" } },
        { q0: { _tag: "Classify", label: "canary", probabilities: { billing: 0.5, printer: 0.5 } } },
        { q0: { _tag: "Classify", label: "printer", probabilities: { billing: 0.5, printer: 0.9 } } }
      ]
      for (const answers of unsound) {
        const { decide } = yield* deciderOf(answers)
        const error = yield* Effect.flip(decide(request([choice])))
        assertClean(error)
        assert.deepStrictEqual([error.reason._tag, error.usage], ["InvalidResponse", { inputTokens: 12 }])
      }
    })
  )

  it.effect("fails as the model does, and with Unsupported if text is requested", () =>
    Effect.gen(function* () {
      const limited = AiError.make({
        module: "House",
        method: "decide",
        reason: new AiError.RateLimitError({ retryAfter: Duration.seconds(2) })
      })
      const { decide, provider } = yield* deciderOf(limited)
      const error = yield* Effect.flip(decide(request([predicate])))
      assert.deepStrictEqual([error.reason._tag, error.retryAfter], ["RateLimited", Duration.seconds(2)])
      const text = yield* Effect.flip(provider.complete({ ...request([]), phase: "reason", sampling: {} }))
      assert.strictEqual(text.reason._tag, "Unsupported")
    })
  )

  it.effect("fails if the model takes longer than 60 seconds, or than `timeout`", () =>
    Effect.gen(function* () {
      const model = yield* DecisionModel.make({ decide: () => Effect.never })
      for (const [options, millis] of [
        [{}, 60_000],
        [{ timeout: "2 seconds" }, 2_000]
      ] as const) {
        const { decide } = EffectAi.fromDecisionModel(model, options)
        const fiber = yield* Effect.forkChild(
          Effect.flip(decide?.(request([predicate])) ?? Effect.die("no decisions")),
          {
            startImmediately: true
          }
        )
        yield* TestClock.adjust(millis - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        const { message, reason } = yield* Fiber.join(fiber)
        assert.strictEqual(reason._tag, "Timeout")
        assert.include(message, `within ${millis === 60_000 ? "1m" : "2s"}`)
      }
    })
  )

  it.effect("answers a synapse through its layer", () =>
    Effect.gen(function* () {
      const model = DecisionModel.make({
        decide: () =>
          Effect.succeed({
            answers: { q0: { _tag: "Probability", probability: 0.75 } },
            usage: { inputTokens: 1, outputTokens: 1 }
          })
      })
      const layer = EffectAi.decider().pipe(Layer.provide(Layer.effect(DecisionModel.DecisionModel, model)))
      const isUrgent = Synapse.binary({ question: "Is it urgent?" })
      const answer = yield* Effect.provide(isUrgent("Fire!"), layer)
      assert.strictEqual(answer.decision, true)
      const { model: name } = yield* Effect.provide(Provider, layer)
      assert.strictEqual(name, "unknown")
    })
  )
})
