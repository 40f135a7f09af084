/**
 * Finds which of several emotions a text shows, by its similarity to examples of each.
 *
 * The encoder learns too little from names of emotions, and descriptions mislead it ("right now" is near to "no rush").
 */
import * as Effect from "effect/Effect"
import { isClosed } from "../language/closing.ts"
import { isPressing } from "../language/pressure.ts"
import { mean, type Mind, type Passage, topTwo } from "./meaning.ts"
import { sentimentOf } from "./sentiment.ts"

const examples = {
  anger: ["I am furious, this is outrageous.", "How dare you, this is unacceptable!", "You are liars and thieves."],
  frustration: [
    "I have had enough of this.",
    "I tried everything and it still does not work.",
    "This is the third time I ask."
  ],
  worry: [
    "I am afraid that our data is lost.",
    "I am worried about what may happen.",
    "Someone may have access to my account."
  ],
  urgency: [
    "This is an emergency, help immediately!",
    "We need it within the hour.",
    "The deadline is today, please hurry."
  ],
  confusion: ["I do not understand how this works.", "I am confused by the settings.", "It makes no sense to me."],
  disappointment: ["I expected better from you.", "What a disappointment.", "I am sad that I bought it."],
  gratitude: ["Thank you so much for your help.", "I really appreciate it.", "I am very grateful to your team."],
  joy: ["I am so happy, I love it!", "It is wonderful, we are delighted.", "Great news, hooray!"],
  calm: ["Where can I find the manual?", "Please update my address.", "There is no hurry at all."]
}
/** An emotion that has examples. */
export type Emotion = keyof typeof examples

const synonyms: Readonly<Record<string, Emotion>> = {
  angry: "anger",
  frustrated: "frustration",
  annoyance: "frustration",
  annoyed: "frustration",
  worried: "worry",
  anxiety: "worry",
  anxious: "worry",
  fear: "worry",
  urgent: "urgency",
  confused: "confusion",
  disappointed: "disappointment",
  sadness: "disappointment",
  sad: "disappointment",
  grateful: "gratitude",
  thankful: "gratitude",
  happy: "joy",
  happiness: "joy",
  neutral: "calm"
}

const isEmotion = (name: string): name is Emotion => Object.hasOwn(examples, name)

/** The emotion that a label names, or undefined. */
export const emotionOf = (label: string): Emotion | undefined =>
  isEmotion(label) ? label : Object.hasOwn(synonyms, label) ? synonyms[label] : undefined

const kinds: Readonly<Record<Emotion, "positive" | "negative" | "neutral">> = {
  anger: "negative",
  frustration: "negative",
  worry: "negative",
  urgency: "negative",
  confusion: "negative",
  disappointment: "negative",
  gratitude: "positive",
  joy: "positive",
  calm: "neutral"
}

const toneWeight = 0.1
/** What an emotion loses that the words of a message exclude. */
const excluded = 0.2

/** Whether words exclude an emotion: thanks those that are negative, and a message without a sign of urgency that it is urgent. */
const isExcluded = ({ language }: Mind, emotion: Emotion, passage: Passage): boolean =>
  (kinds[emotion] === "negative" && isClosed(passage, language.sentiment)) ||
  (emotion === "urgency" && !passage.sentences.some(isPressing))

/**
 * How near the passage (first) and each of its sentences are to each emotion, one row per emotion. The tone of the
 * passage counts as well. On 14 messages written to choose between a few variants, 13 get the intended emotion.
 */
export const emotionScores = Effect.fnUntraced(function* (
  mind: Mind,
  emotions: ReadonlyArray<Emotion>,
  passage: Passage
) {
  const { distribution } = yield* sentimentOf(mind, passage)
  const texts = [passage.text, ...passage.sentences]
  return yield* Effect.forEach(emotions, (emotion) => {
    const tone =
      (isExcluded(mind, emotion, passage) ? -excluded : 0) +
      toneWeight * (distribution[kinds[emotion]] + (kinds[emotion] === "neutral" ? 0 : distribution.mixed / 2))
    return Effect.map(mind.compare(texts, examples[emotion]), (rows) =>
      rows.map((row) => (topTwo(row) + mean(row)) / 2 + tone)
    )
  })
})
