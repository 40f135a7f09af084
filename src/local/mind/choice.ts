/**
 * Chooses one of several labels for a passage, without training: the label whose description is nearest in meaning.
 *
 * The mix of whole text, best and mean sentence was chosen on 30 messages in five sets of labels written for the purpose.
 * The forms of a label without a description, and how the temperature falls with the number of labels, were chosen on 800
 * queries of BANKING77, by the names of its 77 labels and of 10 of them. Descriptions work best with the words that
 * messages use.
 */
import * as Effect from "effect/Effect"
import type { Label } from "../../Provider.ts"
import { type Emotion, emotionOf, emotionScores } from "./emotions.ts"
import { judge } from "./evidence.ts"
import { closingIn, closingPart, isClosed, wishes } from "../language/closing.ts"
import { mean, type Mind, type Passage, softmax } from "./meaning.ts"
import { substance } from "./roles.ts"
import * as Sentiment from "./sentiment.ts"

/** Probabilities in the order of the labels, and the sentences that support each label. */
export interface Chosen {
  readonly probabilities: ReadonlyArray<number>
  /** One or two sentences that support this label more than the others, the strongest first. */
  readonly reasons: (index: number) => ReadonlyArray<string>
}

/** Among more labels, the best one stands out less by chance, so the same similarities are worth more. */
const temperatureOf = (labels: number): number => 0.05 - 0.0035 * Math.log(labels)

const emotionTemperature = 0.035
const spread = 0.25

/** A label as words: `card_arrival` and `cardArrival` are "card arrival". */
const wordsOf = (label: string): string =>
  label
    .replace(/(?<=\p{L}\p{Ll})(?=\p{Lu}\p{Ll})/gu, " ")
    .split(/[\s_-]+/)
    .map((word) => (/^\p{Lu}{2,}$/u.test(word) ? word : word.toLowerCase()))
    .join(" ")
    .trim()

const formsOf = ({ description, label }: Label): ReadonlyArray<string> => {
  if (description !== undefined && description.trim() !== "") return [description, `${label}: ${description}`]
  const words = wordsOf(label)
  return [`${words}?`, `I need help with ${words}.`, `I have a question about ${words}.`]
}

/** The sentence with the most weight, and the next one if its weight is more than half as much. */
export const strongest = (
  weighted: ReadonlyArray<readonly [sentence: string, weight: number]>
): ReadonlyArray<string> => {
  const sorted = weighted.toSorted((a, b) => b[1] - a[1])
  const [first] = sorted
  const least = Math.max(0, (first?.[1] ?? 0) / 2)
  const speaking = sorted.filter(([, weight], i) => i === 0 || weight > least)
  return Array.from(new Set(speaking.map(([sentence]) => sentence))).slice(0, 2)
}

/** Chooses from one row of similarities per label: first to the whole text, then to each sentence. */
const chosenFrom = (rows: ReadonlyArray<ReadonlyArray<number>>, passage: Passage, temperature: number): Chosen => ({
  probabilities: softmax(
    rows.map(([whole = 0, ...each]) => (whole + Math.max(...each) + mean(each)) / 3),
    temperature
  ),
  reasons: (index) =>
    strongest(
      passage.sentences.map((sentence, i) => {
        const others = rows.filter((_, j) => j !== index).map((row) => row[i + 1] ?? 0)
        return [sentence, (rows[index]?.[i + 1] ?? 0) - mean(others)]
      })
    )
})

const forThanks = /\b(?:feedback|prais\w*|thank\w*|compliments?|kudos|gratitude)\b/iu
const forWishes = /\b(?:feedback|wish\w*|ideas?|suggestions?|feature requests?)\b/iu
const forTheRest = /^(?:others?|misc\w*|general|none|no (?:action|issue|request))\b/iu

/** The labels that are meant for messages that only give thanks or wish for something, by their own words. */
const meantFor = (labels: ReadonlyArray<Label>, pattern: RegExp): ReadonlyArray<boolean> => {
  const are = labels.map(({ description = "", label }) => pattern.test(`${wordsOf(label)} ${description}`))
  return are.includes(true) ? are : labels.map(({ label }) => forTheRest.test(wordsOf(label)))
}

/** How much nearer a label is that is meant for what a message does. */
const meantWeight = 0.4

const nearest = Effect.fnUntraced(function* (mind: Mind, labels: ReadonlyArray<Label>, given: Passage) {
  const closing = closingIn(given, mind.language.sentiment)
  const [isThanks, isWish] = [closing.length > 0, given.sentences.some(wishes)]
  const meant = isThanks || isWish ? meantFor(labels, isThanks ? forThanks : forWishes) : []
  // what the thanks are for is settled
  const thanks = meant.includes(true) ? closing : []
  const passage = thanks.length === 0 ? given : { text: thanks.join(" "), sentences: thanks }
  const said = (text: string) => (thanks.length === 0 ? text : closingPart(text) || text)
  const texts = [passage.text, ...passage.sentences].map(said)
  const rows = yield* Effect.forEach(labels, (label, i) =>
    Effect.map(mind.compare(texts, formsOf(label)), (near) =>
      near.map((row) => mean(row) + (meant[i] === true ? meantWeight : 0))
    )
  )
  return chosenFrom(rows, passage, temperatureOf(labels.length))
})

/** The passage without sentences that only give background, which show no feeling. */
const toldOf = (mind: Mind, passage: Passage): Effect.Effect<Passage> =>
  Effect.map(substance(mind, passage.sentences), (sentences) => ({ ...passage, sentences }))

const byEmotion = Effect.fnUntraced(function* (mind: Mind, emotions: ReadonlyArray<Emotion>, passage: Passage) {
  // of a message that only gives thanks, the thanks are not background
  const told = isClosed(passage, mind.language.sentiment) ? passage : yield* toldOf(mind, passage)
  return chosenFrom(yield* emotionScores(mind, emotions, told), told, emotionTemperature)
})

const bySentiment = Effect.fnUntraced(function* (
  mind: Mind,
  kinds: ReadonlyArray<Sentiment.Sentiment>,
  passage: Passage,
  aspect: string | undefined
) {
  const { distribution, sentences } = yield* Sentiment.sentimentOf(mind, yield* toldOf(mind, passage), aspect)
  const total = kinds.reduce((sum, kind) => sum + distribution[kind], 0)
  const chosen: Chosen = {
    probabilities: kinds.map((kind) => distribution[kind] / total),
    reasons: (index) => {
      const kind = kinds[index] ?? "neutral"
      return strongest(sentences.map(([sentence, support]) => [sentence, support[kind]]))
    }
  }
  return chosen
})

/**
 * A distribution over levels, from lowest to highest.
 *
 * The probability of yes gives the place on the scale. If levels have descriptions, it counts only as far as the
 * question is about severity, anger or satisfaction; similarity to the descriptions decides the rest.
 */
export const onScale = Effect.fnUntraced(function* (
  mind: Mind,
  question: string,
  levels: ReadonlyArray<Label>,
  passage: Passage
) {
  const { probability, sentences, share } = yield* judge(mind, question, passage)
  const described = levels.some(({ description }) => description !== undefined)
  const weight = described ? share : 1
  const near = described ? (yield* nearest(mind, levels, passage)).probabilities : levels.map(() => 1)
  const last = Math.max(1, levels.length - 1)
  const logits = levels.map(
    (_, i) => (-weight * (i / last - probability) ** 2) / (2 * spread ** 2) + (1 - weight) * Math.log(near[i] ?? 1)
  )
  const chosen: Chosen = {
    probabilities: softmax(logits, 1),
    reasons: (index) =>
      strongest(sentences.map(([sentence, logOdds]) => [sentence, index * 2 >= last ? logOdds : -logOdds]))
  }
  return chosen
})

const sentiments: ReadonlySet<string> = new Set<string>(Sentiment.labels)
const isSentiment = (label: string): label is Sentiment.Sentiment => sentiments.has(label)

const scale = [
  ["none", "no"],
  ["very low", "lowest", "trivial"],
  ["low", "minor", "small"],
  ["medium", "moderate", "normal", "average"],
  ["high", "major", "serious", "severe"],
  ["very high", "highest", "urgent"],
  ["critical", "extreme"]
]
const rank = (label: string) => scale.findIndex((words) => words.includes(label))

const namesOf = (labels: ReadonlyArray<Label>): ReadonlyArray<string> =>
  labels.map(({ label }) => label.trim().toLowerCase())

const emotionsAmong = (names: ReadonlyArray<string>): ReadonlyArray<Emotion> => {
  const emotions = names.flatMap((name) => emotionOf(name) ?? [])
  return emotions.length > 1 && emotions.length === names.length ? emotions : []
}

const areSentiments = (names: ReadonlyArray<string>): names is ReadonlyArray<Sentiment.Sentiment> =>
  names.includes("positive") && names.every(isSentiment)

/** Whether labels are two or more words of a scale, such as "low" and "high", without descriptions. */
export const areLevels = (labels: ReadonlyArray<Label>): boolean =>
  labels.length > 1 &&
  namesOf(labels).every((name) => rank(name) >= 0) &&
  labels.every(({ description }) => description === undefined)

/** Whether labels are moods, which every text has. */
export const areMoods = (labels: ReadonlyArray<Label>): boolean => {
  const names = namesOf(labels)
  return areSentiments(names) || emotionsAmong(names).length > 0
}

/**
 * Chooses among labels, by the kind of labels they are.
 *
 * - Labels that are all among positive, negative, neutral and mixed are chosen by sentiment. With an aspect, only what
 *   the passage says about the aspect counts.
 * - Names of emotions are chosen by examples of each emotion.
 * - Two or more words of a scale ("low", "medium", "high") without descriptions are levels.
 * - All other labels are chosen by similarity.
 */
export const choose = (
  mind: Mind,
  question: string,
  labels: ReadonlyArray<Label>,
  passage: Passage,
  aspect?: string
): Effect.Effect<Chosen> => {
  const names = namesOf(labels)
  if (areSentiments(names)) return bySentiment(mind, names, passage, aspect)
  const emotions = emotionsAmong(names)
  if (emotions.length > 0) return byEmotion(mind, emotions, passage)
  if (!areLevels(labels)) return nearest(mind, labels, passage)
  const ranks = names.map(rank)
  const order = ranks.map((_, i) => i).toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0))
  return Effect.map(
    onScale(
      mind,
      question,
      order.flatMap((i) => labels[i] ?? []),
      passage
    ),
    (chosen) => ({
      probabilities: labels.map((_, i) => chosen.probabilities[order.indexOf(i)] ?? 0),
      reasons: (index) => chosen.reasons(order.indexOf(index))
    })
  )
}
