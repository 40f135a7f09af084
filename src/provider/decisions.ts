/** Closed questions: which of them need no call, are invalid, or take several calls. Makes probabilities sum to 1. */
import * as Effect from "effect/Effect"
import { addUsage } from "../thought/tokens.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { DecideResponse } from "./request.ts"
import type { Shape } from "./Shape.ts"
import { errorAfter } from "./spent.ts"
import type { Answer, Label, Question } from "./task.ts"

/** The labels of a question. Undefined for a question of yes or no. */
export const labelsOf = (question: Question): ReadonlyArray<Label> | undefined =>
  question._tag === "Predicate" ? undefined : question._tag === "Choice" ? question.labels : question.levels

/**
 * The answer with these probabilities, one for each label in order, scaled to sum to 1. Without `chosen`, the most
 * probable label is chosen.
 */
export const answerOf = (
  question: Exclude<Question, { readonly _tag: "Predicate" }>,
  probabilities: ReadonlyArray<number>,
  chosen?: string
): Answer => {
  const { name } = question
  const sum = probabilities.reduce((a, b) => a + b, 0)
  const shares = probabilities.map((probability) => probability / sum)
  const labels = labelsOf(question) ?? []
  const distribution = Object.fromEntries(labels.map(({ label }, i) => [label, shares[i] ?? 0]))
  if (question._tag === "Score") {
    const value = question.levels.reduce((total, level, i) => total + level.value * (shares[i] ?? 0), 0)
    return { _tag: "Score", name, value, distribution }
  }
  const best = labels[shares.indexOf(Math.max(...shares))]?.label ?? ""
  return { _tag: "Choice", name, label: chosen ?? best, distribution }
}

/** The answer to a question with a single label. */
const certain = (question: Question): Answer | undefined =>
  question._tag !== "Predicate" && labelsOf(question)?.length === 1 ? answerOf(question, [1]) : undefined

type Decide = NonNullable<Shape["decide"]>

/**
 * Makes several calls, one after the other, with at most `most` questions each. Questions with a single label are not
 * sent. The usage is that of all calls; a failure includes the usage of the calls before it.
 */
const inParts =
  (most: number, ask: Decide): Decide =>
  (request) =>
    Effect.gen(function* () {
      const known = new Map(request.task.questions.map((question) => [question, certain(question)] as const))
      const open = request.task.questions.filter((question) => known.get(question) === undefined)
      let last: DecideResponse = { answers: [], usage: {} }
      for (let from = 0; from < open.length; from += most) {
        const questions = open.slice(from, from + most)
        const before = last.usage
        const response: DecideResponse = yield* Effect.mapError(
          ask({ ...request, task: { ...request.task, questions } }),
          (error: ProviderError) => errorAfter(error, before)
        )
        questions.forEach((question, i) => known.set(question, response.answers[i]))
        last = { ...response, usage: addUsage(before, response.usage) }
      }
      return { ...last, answers: request.task.questions.flatMap((question) => known.get(question) ?? []) }
    })

/** A way to decide, and the most questions and labels that one call accepts. */
export interface Way {
  readonly ask: Decide
  readonly mostQuestions: number
  readonly mostLabels: number
}

/**
 * Decides closed questions in this way. If a question has no labels or too many, nothing is sent, and the call fails
 * with the error that `unsupported` makes of a message.
 */
export const deciding = (way: Way, unsupported: (message: string) => ProviderError): Decide => {
  const decide = inParts(way.mostQuestions, way.ask)
  return (request) => {
    const wrong = request.task.questions
      .map((question) => labelsOf(question)?.length ?? 1)
      .find((labels) => labels === 0 || labels > way.mostLabels)
    if (wrong === undefined) return decide(request)
    const most = way.mostLabels < Infinity ? `, only 1 to ${way.mostLabels}` : ""
    return Effect.fail(unsupported(`${wrong} labels cannot be decided natively${most}: ask in text`))
  }
}

/** The message of a provider that only decides, for all other calls. */
export const onlyDecides = "it only decides closed questions: combine it with a provider that answers in text"
