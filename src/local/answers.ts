/** Answers closed questions about a passage. */
import * as Effect from "effect/Effect"
import type { Answer, Label, Question } from "../Provider.ts"
import { choose, onScale, strongest } from "./choice.ts"
import { judge } from "./evidence.ts"
import type { Mind, Passage } from "./meaning.ts"
import { substance } from "./roles.ts"

const largest = (numbers: ReadonlyArray<number>): number => numbers.indexOf(Math.max(...numbers))

/** A name like "aspect:price" says which aspect a question is about. */
const aspectOf = (name: string): string | undefined => /^[^:]+:(.+)$/u.exec(name)?.[1]

const distribution = (labels: ReadonlyArray<Label>, probabilities: ReadonlyArray<number>) =>
  Object.fromEntries(labels.map(({ label }, i) => [label, probabilities[i] ?? 0]))

const withReasons = (reasons: ReadonlyArray<string>) => (reasons.length === 0 ? {} : { reasons })

const refusal = (name: string, message: string): Answer => ({ _tag: "Refusal", name, message })

type Of<Tag extends Question["_tag"]> = Extract<Question, { readonly _tag: Tag }>

const predicate = Effect.fnUntraced(function* (mind: Mind, { name, question }: Of<"Predicate">, passage: Passage) {
  const { probability, sentences } = yield* judge(mind, question, passage)
  const telling = yield* substance(mind, passage.sentences)
  const sign = probability >= 0.5 ? 1 : -1
  const weighted = sentences.map(([sentence, logOdds]) => [sentence, sign * logOdds] as const)
  const reasons = strongest(weighted.filter(([sentence]) => telling.includes(sentence)))
  const result: Answer = { _tag: "Predicate", name, probability, ...withReasons(reasons) }
  return result
})

const choice = (mind: Mind, { labels, name, question }: Of<"Choice">, passage: Passage): Effect.Effect<Answer> =>
  Effect.map(choose(mind, question, labels, passage, aspectOf(name)), ({ probabilities, reasons }) => {
    const best = largest(probabilities)
    const label = labels[best]?.label
    if (label === undefined) return refusal(name, "There is no label to choose.")
    return {
      _tag: "Choice",
      name,
      label,
      distribution: distribution(labels, probabilities),
      ...withReasons(reasons(best))
    }
  })

const score = (mind: Mind, { levels, name, question }: Of<"Score">, passage: Passage): Effect.Effect<Answer> =>
  Effect.map(onScale(mind, question, levels, passage), ({ probabilities, reasons }) => {
    if (levels.length === 0) return refusal(name, "There is no level to choose.")
    const value = levels.reduce((sum, level, i) => sum + level.value * (probabilities[i] ?? 0), 0)
    const spoken = withReasons(reasons(largest(probabilities)))
    return { _tag: "Score", name, value, distribution: distribution(levels, probabilities), ...spoken }
  })

/** Answers one question. The answer is a refusal if the passage has no sentences or the question has no labels. */
export const answer = (mind: Mind, question: Question, passage: Passage): Effect.Effect<Answer> => {
  if (passage.sentences.length === 0) return Effect.succeed(refusal(question.name, "There is no text to judge."))
  if (question._tag === "Predicate") return predicate(mind, question, passage)
  return question._tag === "Choice" ? choice(mind, question, passage) : score(mind, question, passage)
}
