/**
 * Decides whether a text is positive, negative, neutral, or mixed: both clearly positive and clearly negative in parts.
 *
 * Each clause is compared with examples of the three plain kinds, and a word list contributes. The numbers below were
 * chosen on 28 messages of one to four sentences written for the purpose, all of which come out right. Of 11 others, 10
 * do. Expect less on other texts.
 */
import * as Effect from "effect/Effect"
import { withoutDenials } from "../language/denial.ts"
import { mean, type Mind, type Passage, softmax, topTwo } from "./meaning.ts"

/** The labels that are chosen by sentiment. */
export const labels = ["positive", "negative", "neutral", "mixed"] as const
export type Sentiment = (typeof labels)[number]

const positive = [
  "I love it, great work!",
  "Thank you, everything works perfectly.",
  "I am very happy with your service.",
  "You solved it quickly, I am delighted.",
  "It is beautiful and well made.",
  "The product is excellent."
]
const negative = [
  "I am furious, this is unacceptable.",
  "This is the worst service ever.",
  "I am very disappointed and frustrated.",
  "You never answer, I have had enough.",
  "It is terrible and useless.",
  "It does not work and keeps breaking.",
  "You took my money and I want it back."
]
const neutral = [
  "Where can I find the manual?",
  "Please update my address.",
  "The meeting is on Tuesday.",
  "Which colours do you have?",
  "Could you explain what this setting does?",
  "Here is the number of my order."
]

const temperature = 0.1
const wordWeight = 0.2
const mostMixed = 0.9
const mixedFrom = 0.5
const mixedWeight = 2.2
const leastWeight = 0.05
const leastNear = 0.35

const clausesOf = (sentence: string): ReadonlyArray<string> => {
  const clauses = sentence.split(/,?\s+(?=(?:but|however|although|though|yet)\b)|;\s+/iu)
  return clauses.every((clause) => /\w+\W+\w+/u.test(clause)) ? clauses : [sentence]
}

type Plain = readonly [positive: number, negative: number, neutral: number]

/** Probabilities of the three plain kinds for each text. */
const plainOf = (mind: Mind, given: ReadonlyArray<string>) => {
  // "no problems" is not negative
  const texts = given.map((text) => withoutDenials(text) || text)
  return Effect.map(mind.compare(texts, [...positive, ...negative, ...neutral]), (rows) =>
    rows.map((row, i): Plain => {
      const text = texts[i] ?? ""
      // In a plain question, words like "good" and "kindly" are politeness.
      const words = text.trimEnd().endsWith("?") ? 0 : mind.language.sentiment(text) * wordWeight
      const [p = 0, n = 0, o = 0] = softmax(
        [
          topTwo(row.slice(0, positive.length)) + words,
          topTwo(row.slice(positive.length, positive.length + negative.length)) - words,
          topTwo(row.slice(positive.length + negative.length))
        ],
        temperature
      )
      return [p, n, o]
    })
  )
}

type Clause = readonly [sentence: string, clause: string]

/** The clauses that name the aspect or are near it in meaning. */
const aboutOf = (mind: Mind, clauses: ReadonlyArray<Clause>, aspect: string) =>
  Effect.map(
    mind.compare(
      clauses.map(([, clause]) => clause),
      [aspect]
    ),
    (rows) =>
      clauses.filter(
        ([, clause], i) => clause.toLowerCase().includes(aspect.toLowerCase()) || (rows[i]?.[0] ?? 0) >= leastNear
      )
  )

/** The sentiment about an aspect that no clause mentions. */
const unmentioned: Record<Sentiment, number> = { positive: 0.1, negative: 0.1, neutral: 0.7, mixed: 0.1 }

const plainKinds = [0, 1, 2] as const

/**
 * The distribution over the four kinds, and how much each sentence supports each kind. With an aspect, only clauses
 * about it count; without such clauses, it is neutral.
 */
export const sentimentOf = Effect.fnUntraced(function* (mind: Mind, passage: Passage, aspect?: string) {
  const all = passage.sentences.flatMap((sentence) => clausesOf(sentence).map((clause): Clause => [sentence, clause]))
  const clauses = aspect === undefined ? all : yield* aboutOf(mind, all, aspect)
  const plains = yield* plainOf(mind, [passage.text, ...clauses.map(([, clause]) => clause)])
  const [whole, ...each] = plains
  const counted = aspect === undefined && whole !== undefined ? [whole] : []
  // Clauses with feeling count more than neutral ones.
  const weights = each.map(([, , neutralShare]) => 1 - neutralShare + leastWeight)
  const total = weights.reduce((a, b) => a + b, 0)
  const average = plainKinds.map((i) => {
    const ofClauses = each.reduce((sum, plain, j) => sum + plain[i] * (weights[j] ?? 0), 0) / total
    return mean([ofClauses, ...counted.map((plain) => plain[i])])
  })
  const both = Math.min(Math.max(...each.map(([p]) => p)), Math.max(...each.map(([, n]) => n)))
  const mixed = each.length < 2 ? 0 : Math.min(Math.max(0, both - mixedFrom) * mixedWeight, mostMixed)
  const [positiveShare = 0, negativeShare = 0, neutralShare = 0] = average.map((x) => x * (1 - mixed))
  const distribution: Record<Sentiment, number> =
    each.length === 0 ? unmentioned : { positive: positiveShare, negative: negativeShare, neutral: neutralShare, mixed }
  const sentences = clauses.map(([sentence], i) => {
    const [p = 0, n = 0, o = 0] = each[i] ?? []
    const support: Record<Sentiment, number> = { positive: p, negative: n, neutral: o, mixed: Math.max(p, n) }
    return [sentence, support] as const
  })
  return { distribution, sentences }
})
