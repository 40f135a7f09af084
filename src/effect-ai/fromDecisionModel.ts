/** A decision model of `effect/ai` as a provider that decides. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Decision from "effect/ai/Decision"
import { DecisionModel, type DecisionUsage } from "effect/ai/DecisionModel"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { deciding, onlyDecides } from "../provider/decisions.ts"
import {
  type Answer,
  type DecideRequest,
  make,
  Provider,
  type ProviderError,
  type Question,
  type Shape,
  type Usage
} from "../Provider.ts"
import { type Caller, fail, fromAiError, timeoutOf, tooLate } from "./failure.ts"

/**
 * Options of a decider.
 *
 * **Details**
 *
 * - `name`: name of the provider, by default `"effect-ai"`
 * - `model`: name of the model, by default `"unknown"`
 * - `timeout`: total time for a call, by default 60 seconds
 *
 * @category models
 */
export interface DeciderOptions {
  readonly name?: string
  readonly model?: string
  readonly timeout?: Duration.Input
}

const Conversation = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ role: Schema.Literals(["system", "user", "assistant"]), text: Schema.String }))
})

type Decided = Decision.Classify<string> | Decision.Rate<string> | Decision.Probability

const toDecision = (question: Question): Decided => {
  const { question: instructions } = question
  switch (question._tag) {
    case "Predicate":
      return Decision.probability({ instructions })
    case "Choice":
      return Decision.classify({
        instructions,
        criteria: Object.fromEntries(question.labels.map(({ description, label }) => [label, description ?? null]))
      })
    default:
      return Decision.rate({
        instructions,
        criteria: question.levels.map(({ description, label }) => ({ label, description: description ?? label }))
      })
  }
}

const toAnswer = (question: Question, answer: Decision.Answer<Decided>): Answer | undefined => {
  const { name } = question
  if (question._tag === "Predicate") {
    return "probability" in answer ? { _tag: "Predicate", name, probability: answer.probability } : undefined
  }
  if (!("probabilities" in answer)) return undefined
  const distribution = { ...answer.probabilities }
  if (question._tag === "Choice") return { _tag: "Choice", name, label: answer.label, distribution }
  const value = question.levels.reduce((sum, level) => sum + level.value * (distribution[level.label] ?? 0), 0)
  return { _tag: "Score", name, value, distribution }
}

const toUsage = ({ inputTokens, outputTokens }: DecisionUsage): Usage => ({
  ...(inputTokens !== undefined && { inputTokens }),
  ...(outputTokens !== undefined && { outputTokens })
})

/**
 * Makes a provider of a decision model of `effect/ai`. It only decides closed questions, all questions of a request in
 * one call.
 *
 * **Details**
 *
 * - Combine it with a provider of text: any other call fails with `Unsupported`.
 * - A question with a single label is answered without the model. A question without labels fails with `Unsupported`.
 * - A refusal concerns only its question. An answer without a valid distribution fails with `InvalidResponse`.
 *
 * **Example** (A model that is always sure)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { DecisionModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { Provider, Synapse } from "cogito"
 * import { EffectAi } from "cogito/effect-ai"
 *
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.gen(function*() {
 *   const model = yield* DecisionModel.make({
 *     decide: ({ decisions }) =>
 *       Effect.succeed({
 *         answers: Object.fromEntries(Object.keys(decisions).map((key) => [key, { _tag: "Probability", probability: 1 }])),
 *         usage: { inputTokens: 5, outputTokens: undefined }
 *       })
 *   })
 *   return yield* isUrgent("Fire!").pipe(Effect.provideService(Provider.Provider, EffectAi.fromDecisionModel(model)))
 * })
 *
 * assert.equal((await Effect.runPromise(program)).decision, true)
 * ```
 *
 * @category constructors
 */
export const fromDecisionModel = taking("EffectAi.fromDecisionModel", {
  args: [kinds.object],
  options: 1,
  optional: true,
  known: ["model", "name", "timeout"]
})((model: DecisionModel, options: DeciderOptions = {}): Shape => {
  const caller: Caller = { name: options.name ?? "effect-ai", model: options.model ?? "unknown" }
  const timeout = timeoutOf(options.timeout)
  const unsupported = (message: string): ProviderError => fail(caller, { _tag: "Unsupported", message })

  const ask = Effect.fnUntraced(function* ({ messages, task: { questions } }: DecideRequest) {
    // Keyed by position: two questions may have the same name, and a name may be any text.
    const decisions = Object.fromEntries(questions.map((question, index) => [`q${index}`, toDecision(question)]))
    const definition = Decision.make({ input: Conversation, decisions })
    const input = { messages: messages.flatMap(({ role, text }) => (role === "tool" ? [] : [{ role, text }])) }
    const settled = yield* model.decideSettled(definition, { input }).pipe(
      Effect.mapError((error) => fromAiError(error, caller)),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooLate(caller, timeout)) })
    )
    const usage = toUsage(settled.usage)
    const answers: Array<Answer> = []
    for (const [index, question] of questions.entries()) {
      const outcome = settled.outcomes[`q${index}`]
      const isRefused = outcome?._tag === "Failure" && outcome.failure.reason === "Refused"
      const refusal = isRefused ? ({ _tag: "Refusal", name: question.name } as const) : undefined
      const answer = outcome?._tag === "Success" ? toAnswer(question, outcome.success) : refusal
      if (answer === undefined) {
        const message = "the model sent no sound answer to one of the questions: try again"
        return yield* fail(caller, { _tag: "InvalidResponse", message }, usage)
      }
      answers.push(answer)
    }
    const { id, modelId } = settled
    return { answers, usage, ...(modelId && { model: modelId }), ...(id && { id }) }
  })

  return make({
    ...caller,
    capabilities: { temperature: "never" },
    complete: () => Effect.fail(unsupported(onlyDecides)),
    // one call takes all questions; a question with one label is not sent, as the model requires two
    decide: deciding({ ask, mostQuestions: Infinity, mostLabels: Infinity }, unsupported)
  })
})

/**
 * Provides the decision model of `effect/ai` in the context as a provider, as `fromDecisionModel` does.
 *
 * **Example** (Decisions by one model, text by another)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { DecisionModel } from "effect/ai"
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 * import { EffectAi } from "cogito/effect-ai"
 * import { Testing } from "cogito/testing"
 *
 * const usage = { inputTokens: undefined, outputTokens: undefined }
 * const model = DecisionModel.make({ decide: () => Effect.succeed({ answers: {}, usage }) })
 * const decide = EffectAi.decider().pipe(Layer.provide(Layer.effect(DecisionModel.DecisionModel, model)))
 * const both = Provider.combine({ decide, complete: Testing.scripted([]).layer })
 *
 * const provider = await Effect.runPromise(Effect.provide(Provider.Provider, both))
 * assert.equal(provider.name, "scripted")
 * assert.ok(provider.decide)
 * ```
 *
 * @category layers
 */
export const decider = taking("EffectAi.decider", { options: 0, optional: true, known: ["model", "name", "timeout"] })(
  (options: DeciderOptions = {}): Layer.Layer<Provider, never, DecisionModel> =>
    Layer.effect(
      Provider,
      Effect.map(DecisionModel, (model) => fromDecisionModel(model, options))
    )
)
