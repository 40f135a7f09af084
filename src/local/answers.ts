/** Answers closed questions about a passage. */
import * as Effect from "effect/Effect"
import type { Answer, Label, Question } from "../Provider.ts"
import { choose, onScale, strongest } from "./mind/choice.ts"
import { judge } from "./mind/evidence.ts"
import type { Mind, Passage } from "./mind/meaning.ts"
import { hasWords, type Reading } from "./reading.ts"
import { substance } from "./mind/roles.ts"

const largest = (numbers: ReadonlyArray<number>): number => numbers.indexOf(Math.max(...numbers))

/** A name like "aspect:price" says which aspect a question is about. */
const aspectOf = (name: string): string | undefined => /^[^:]+:(.+)$/u.exec(name)?.[1]

const distribution = (labels: ReadonlyArray<Label>, probabilities: ReadonlyArray<number>) =>
  Object.fromEntries(labels.map(({ label }, i) => [label, probabilities[i] ?? 0]))

const withReasons = (reasons: ReadonlyArray<string>) => (reasons.length === 0 ? {} : { reasons })

const refusal = (name: string, message: string): Answer => ({ _tag: "Refusal", name, message })

type Of<Tag extends Question["_tag"]> = Extract<Question, { readonly _tag: Tag }>

/** Log-odds below which a sentence is no reason. Most plain sentences speak a little against severity or anger. */
const leastFor = 0.6
const leastAgainst = 1
const leastAgainstAxis = 2

const predicate = Effect.fnUntraced(function* (mind: Mind, { name, question }: Of<"Predicate">, passage: Passage) {
  const { probability, sentences, share } = yield* judge(mind, question, passage)
  const telling = yield* substance(mind, passage.sentences)
  const isYes = probability >= 0.5
  const sign = isYes ? 1 : -1
  const least = isYes ? leastFor : share > 0.5 ? leastAgainstAxis : leastAgainst
  const weighted = sentences.map(([sentence, logOdds]) => [sentence, sign * logOdds] as const)
  const reasons = strongest(weighted.filter(([sentence, logOdds]) => logOdds >= least && telling.includes(sentence)))
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

const answerFrom = (mind: Mind, question: Question, passage: Passage): Effect.Effect<Answer> => {
  if (question._tag === "Predicate") return predicate(mind, question, passage)
  return question._tag === "Choice" ? choice(mind, question, passage) : score(mind, question, passage)
}

/** Why a text was not read that has no English part. */
export const unreadReason = (languages: string) => ({
  _tag: "Refused" as const,
  category: "language",
  message:
    `not read: ${languages}. This offline extractive model reads only English: translate the text, or provide a layer of ` +
    "cogito/openai or another language model."
})

/** The answer says in its last reason which part of the text it leaves out. */
const saying = (answer: Answer, unread: string | undefined): Answer =>
  unread === undefined || answer._tag === "Refusal"
    ? answer
    : { ...answer, reasons: [...(answer.reasons ?? []), `[Not read: ${unread}]`] }

/**
 * Answers one question from the English part of a text. The answer is a refusal if nothing is English, if there are no words, or if the
 * question has no labels.
 */
export const answer = (mind: Mind, question: Question, { passage, unread }: Reading): Effect.Effect<Answer> => {
  if (hasWords(passage)) {
    return Effect.map(answerFrom(mind, question, passage), (answer) => saying(answer, unread))
  }
  if (unread === undefined) {
    return Effect.succeed({ ...refusal(question.name, "There is no text to judge."), category: "no-words" })
  }
  const { category, message } = unreadReason(unread)
  return Effect.succeed({ ...refusal(question.name, message), category })
}
