/** Asks providers that answer closed questions natively. */
import * as Effect from "effect/Effect"
import type { Answer, Question, Task } from "../provider/task.ts"
import type { Message } from "../provider/request.ts"
import { ProviderError, type Reason } from "../provider/ProviderError.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type { Usage } from "../thought/tokens.ts"
import type { Thought } from "../thought/model.ts"
import { unusable } from "./call.ts"
import { observed } from "./observed.ts"
import { Remembering } from "../provider/service.ts"
import { nextRecorded } from "../run/run.ts"
import { type Answered, answeredBy, type Declaration } from "./Declaration.ts"

/** Asks the closed questions as data. The answers are probabilities. */
export const askNatively = <A>(
  provider: ProviderShape,
  declaration: Declaration<A>,
  request: { readonly messages: ReadonlyArray<Message>; readonly task: Task },
  thought: Thought<any> | undefined
): Effect.Effect<Answered<A>, ProviderError> =>
  Effect.gen(function* () {
    const failed = (reason: Reason, usage?: Usage) =>
      new ProviderError({
        provider: provider.name,
        model: provider.model,
        reason,
        ...(usage === undefined ? {} : { usage })
      })
    const fail = (tag: "Unsupported" | "InvalidResponse", message: string, usage?: Usage) =>
      failed({ _tag: tag, message }, usage)
    const { questions } = request.task
    const { fromAnswers } = declaration
    if (provider.decide === undefined || fromAnswers === undefined || questions.length === 0) {
      return yield* fail("Unsupported", `no native decision for ${declaration.kind}: leave out via: "native"`)
    }
    const { decide } = provider
    // what is learned about a provider is forgotten with the process: the answer was asked for in text
    if ((yield* nextRecorded) === "complete") {
      return yield* fail("Unsupported", "the run was begun without native decisions of this provider")
    }
    const asking = Effect.suspend(() => decide(request))
    const live = (yield* Remembering)?.decide(provider, request, asking) ?? asking
    const response = yield* observed(
      provider,
      { kind: "decide", phase: "reason", sampling: {}, messages: request.messages, thought, isTyped: true },
      live
    )
    const answers = new Map<string, Answer>()
    for (const question of questions) {
      const answer = response.answers.find((candidate) => candidate.name === question.name)
      if (answer === undefined || (answer._tag !== "Refusal" && answer._tag !== question._tag)) {
        yield* unusable(response)
        return yield* fail("InvalidResponse", `the question ${question.name} was not answered`, response.usage)
      }
      if (answer._tag === "Refusal") {
        const { category, message = `the question ${question.name} was refused` } = answer
        const reason = { _tag: "Refused", message, ...(category === undefined ? {} : { category }) } as const
        yield* unusable(response)
        return yield* failed(reason, response.usage)
      }
      if (!isSound(question, answer)) {
        yield* unusable(response)
        return yield* fail(
          "InvalidResponse",
          `the answer to ${question.name} is not a valid probability distribution: use via: "text", or another provider`,
          response.usage
        )
      }
      answers.set(question.name, answer)
    }
    return {
      value: fromAnswers(answers, response.probabilitiesFrom ?? "measured"),
      via: "native" as const,
      usage: response.usage,
      model: response.model ?? provider.model,
      sampling: {},
      ...answeredBy(response),
      coercions: []
    }
  })

const inUnit = (value: number) => value >= 0 && value <= 1

/** Whether the probabilities are in [0, 1], sum to 1 (to 0.02), and are about the labels of the question. */
const isSound = (question: Question, answer: Answer): boolean => {
  if (question._tag === "Predicate") return answer._tag === "Predicate" && inUnit(answer.probability)
  const labels = question._tag === "Choice" ? question.labels : question.levels
  if (answer._tag !== "Choice" && answer._tag !== "Score") return false
  const probabilities = labels.map(({ label }) => answer.distribution[label] ?? Number.NaN)
  return (
    probabilities.every(inUnit) &&
    Math.abs(probabilities.reduce((a, b) => a + b, 0) - 1) < 0.02 &&
    (answer._tag === "Score" || labels.some(({ label }) => label === answer.label))
  )
}
