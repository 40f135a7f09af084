/**
 * Measures how far sentences support or contradict a statement or question.
 *
 * Two signals are mixed. An *axis* has examples of both sides of a common topic (severity, anger, satisfaction). Its
 * share depends on how near the question is, in meaning, to questions about that axis. The rest goes to the similarity
 * of question and sentence, reversed if one of two similar sentences is negated.
 *
 * The numbers below were set by hand on 30 question–message pairs written for the purpose (25 right); on 16 other
 * pairs, looked at once, all were right. All examples have one author, so expect less on other texts. It does not
 * reason, and misses contradictions without a negation ("down", "up again").
 */
import * as Effect from "effect/Effect"
import { deniesTopic, withoutDenials } from "../language/denial.ts"
import { isClosed } from "../language/closing.ts"
import { pressure } from "../language/pressure.ts"
import { mean, type Mind, type Passage, sigmoid, softmax, topTwo } from "./meaning.ts"

interface Axis {
  readonly asks: ReadonlyArray<string>
  readonly yes: ReadonlyArray<string>
  readonly no: ReadonlyArray<string>
  /** Evidence at which the odds are even. */
  readonly middle: number
}

const furious = [
  "I am furious, this is unacceptable.",
  "This is the worst service ever.",
  "I am very disappointed and frustrated.",
  "I have had enough, you never answer.",
  "This is the third time I ask and nobody replies.",
  "It is terrible and useless."
]
const pleased = [
  "Thank you, everything works perfectly.",
  "I am very happy with your service.",
  "Great work, I love it.",
  "You solved it quickly, I am delighted."
]
const plain = ["Could you tell me where I find the manual?", "Please update my address."]

const severity: Axis = {
  asks: [
    "Should this be escalated to a senior agent?",
    "Should a senior agent take this case?",
    "Should a senior agent take the customer's issue?",
    "Does this need a manager's attention?",
    "Does the message need a quick reaction?",
    "Is this urgent?",
    "Is this critical or a high risk?",
    "How severe is this issue?",
    "What priority does this have?",
    "every sign of urgency",
    "words that show urgency or anger"
  ],
  yes: [
    "I am furious, this is unacceptable.",
    "I will take legal action and call my lawyer.",
    "This is the third time I contact you and nobody answers.",
    "Our production system is down and we are losing money every hour.",
    "Somebody hacked my account and stole our data.",
    "I want my money back now or I will cancel and go to a competitor.",
    "This is an emergency, we need help immediately.",
    "Anyone can see the private data of our customers."
  ],
  no: [
    "Just a quick question, no rush.",
    "There is no hurry at all.",
    "How do I change my profile picture?",
    "Thank you very much for your help.",
    "It would be nice if you could add this feature.",
    "Where can I find my invoice?",
    "Please update my address.",
    "There is a small typo on your page.",
    "Could you explain what this setting does?",
    "My name is Anna and I work for a company.",
    "Please reply to this e-mail address."
  ],
  middle: 0.04
}
const anger: Axis = {
  asks: [
    "Is the customer angry?",
    "Is the customer upset, unhappy or frustrated?",
    "Is the writer dissatisfied?",
    "Does the message sound negative?",
    "How angry is the customer?"
  ],
  yes: furious,
  no: [...pleased, ...plain],
  middle: 0.02
}
const satisfaction: Axis = {
  asks: [
    "Is the customer happy?",
    "Is the customer satisfied with the service?",
    "Is the writer pleased or grateful?",
    "Does the message sound positive?",
    "How satisfied is the customer?"
  ],
  yes: pleased,
  no: [...furious, ...plain],
  middle: 0.1
}

// Questions of the same form about other topics, so that "Does the customer …" alone selects no axis.
const otherAsks = [
  "Does the customer ask for something?",
  "Does the customer want to change or cancel the order?",
  "Does the customer mention a product?",
  "Does the message contain a number?",
  "Is the article about this topic?",
  "Was it paid or delivered?",
  "Is the statement true?",
  "Is the system working?",
  "Is the invoice correct?",
  "Who is the customer?",
  "What is the name of the product?"
]

const axes = [severity, anger, satisfaction]

/** What words show, beside what the encoder finds: a message that only gives thanks is neither pressing nor angry. */
const wordsOn = ({ language }: Mind, axis: Axis, passage: Passage): ReadonlyArray<number> => {
  const { sentences } = passage
  if (axis === satisfaction) return sentences.map(() => 0)
  if (isClosed(passage, language.sentiment)) return sentences.map(() => -strongest)
  return sentences.map((sentence) => (axis === severity ? pressure(sentence) : 0))
}

// How steeply log-odds grow with evidence, and the similarity to a question above which it supports yes.
const axisSlope = 9
const nearSlope = 9
const nearMiddle = 0.27
const gateTemperature = 0.03
const gateMiddle = 0.5
const contradictionFrom = 0.45
// No evidence counts for more than these log-odds: 3 is 95 %, 2 is 88 %.
const strongest = 3
const strongestNear = 2
/** Log-odds against what a text denies by name. */
const leastDenied = 1
const ignoredShare = 0.02
/** What the encoder finds urgent counts less if no word shows it. */
const unsaidWeight = 0.5
/** How much a friendly tone takes from urgent words, in log-odds. */
const mostFriendly = 0.5
const gateWidth = 0.03

const negation = /\b(?:not|no|never|nobody|nothing|none|neither|nor|cannot|without)\b|n['’]t\b/iu
/** Whether a sentence contains a negation, which the encoder hardly notices. */
export const negated = (text: string): boolean => negation.test(text)

const clamp = (logOdds: number, limit: number) => Math.max(-limit, Math.min(limit, logOdds))

/** The share of each axis in a question, in [0, 1]. The rest, up to 1, is the share of plain similarity. */
const sharesOf = (mind: Mind, question: string) =>
  Effect.map(mind.compare([question], [...axes.flatMap((axis) => axis.asks), ...otherAsks]), ([row = []]) => {
    let from = 0
    const nearest = axes.map((axis) => Math.max(...row.slice(from, (from += axis.asks.length))))
    const shares = softmax([...nearest, Math.max(...row.slice(from))], gateTemperature)
    return nearest.map((near, i) => (shares[i] ?? 0) * sigmoid((near - gateMiddle) / gateWidth))
  })

/** A judgement: the probability of yes over the whole passage, and the log-odds of each sentence, in [-3, 3]. */
interface Judgement {
  /** Probability of yes. Near 0.5 if there is little evidence for either side. */
  readonly probability: number
  /** How much of the question is about severity, anger or satisfaction, in [0, 1]. */
  readonly share: number
  readonly sentences: ReadonlyArray<readonly [sentence: string, logOdds: number]>
}

/** The evidence of the whole text and of each sentence. Clauses that deny something bad do not count. */
const axisEvidence = (mind: Mind, axis: Axis, { sentences, text }: Passage) =>
  Effect.map(mind.compare([text, ...sentences].map(withoutDenials), [...axis.yes, ...axis.no]), (rows) => {
    const words = wordsOn(mind, axis, { text, sentences })
    const [highest, lowest] = [Math.max(0, ...words), Math.min(0, ...words)]
    return rows.map((row, i) => {
      const difference = topTwo(row.slice(0, axis.yes.length)) - topTwo(row.slice(axis.yes.length))
      const said = i === 0 ? highest + lowest : (words[i - 1] ?? 0)
      const near = (difference - axis.middle) * axisSlope
      if (axis !== severity) return clamp(near + said, strongest)
      // plain sentences are often near to urgent ones, and urgent words count in a friendly sentence
      const weighed = said > 0 ? Math.max(near, -mostFriendly) : near > 0 ? near * unsaidWeight : near
      return clamp(weighed + said, strongest)
    })
  })

const nearEvidence = (mind: Mind, question: string, texts: ReadonlyArray<string>) =>
  Effect.map(mind.compare(texts, [question]), (rows) =>
    rows.map(([cosine = 0], i) => {
      const logOdds = clamp((cosine - nearMiddle) * nearSlope, strongestNear)
      const text = texts[i] ?? ""
      if (!negated(question) && deniesTopic(text, question)) return -Math.max(leastDenied, logOdds)
      return cosine > contradictionFrom && negated(text) !== negated(question) ? -logOdds : logOdds
    })
  )

/**
 * Judges a question or statement over a passage. The whole text, the mean of the sentences and the strongest sentence
 * count equally.
 */
export const judge = Effect.fnUntraced(function* (mind: Mind, question: string, passage: Passage) {
  const texts = [passage.text, ...passage.sentences]
  const shares = yield* sharesOf(mind, question)
  const share = shares.reduce((a, b) => a + b, 0)
  const parts = [yield* Effect.map(nearEvidence(mind, question, texts), (near) => near.map((x) => (1 - share) * x))]
  for (const [i, axis] of axes.entries()) {
    const weight = shares[i] ?? 0
    if (weight < ignoredShare) continue
    parts.push((yield* axisEvidence(mind, axis, passage)).map((x) => weight * x))
  }
  const [whole = 0, ...each] = texts.map((_, i) => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0))
  const judgement: Judgement = {
    probability: sigmoid((whole + mean(each) + Math.max(...each)) / 3),
    share,
    sentences: passage.sentences.map((sentence, i) => [sentence, each[i] ?? 0] as const)
  }
  return judgement
})
