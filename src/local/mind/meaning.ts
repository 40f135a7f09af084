/** Compares texts by meaning, and splits a text into sentences. */
import * as Effect from "effect/Effect"
import type { Vectors } from "./embedder.ts"
import type { Language } from "../language/language.ts"
import { withoutLongWords } from "../language/longWords.ts"

/** A text and its sentences with content. Greetings, sign-offs and signatures count only if there is nothing else. */
export interface Passage {
  readonly text: string
  readonly sentences: ReadonlyArray<string>
}

/** The tools that the parts of the provider share. */
export interface Mind {
  readonly language: Language
  /** The cosine of every text with every target: one row per text, one column per target. */
  readonly compare: (
    texts: ReadonlyArray<string>,
    targets: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<number>>>
}

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

// The encoder takes words in capitals for names, so they are lowercased. Short ones stay, as they may be acronyms.
const quiet = (text: string) => {
  const words = text.match(/\p{L}+/gu) ?? []
  const shouted = words.filter((word) => word === word.toUpperCase() && word !== word.toLowerCase())
  return words.length > 2 && shouted.length * 2 > words.length
    ? text.toLowerCase()
    : text.replace(/(?<![\p{L}\d_-])\p{Lu}{4,}(?![\p{L}\d_-])/gu, (word) => word.toLowerCase())
}

/** Builds the shared tools from the encoder and the text tools. */
export const make = (vectorize: Vectors["soon"], language: Language): Mind => ({
  language,
  compare: (texts, targets) =>
    Effect.gen(function* () {
      const vectors = yield* vectorize([...targets, ...texts.map(quiet)])
      const columns = vectors.slice(0, targets.length)
      const rows = vectors.slice(targets.length)
      return rows.map((row) => columns.map((column) => dot(row, column)))
    })
})

const wordCount = (text: string) => text.match(/[\p{L}\d][\p{L}\d'’.-]*/gu)?.length ?? 0

const greeting = /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b/iu
const closing = /^(?:thanks|thank you|many thanks|best|kind|warm|regards|cheers|sincerely|yours|looking forward)\b/iu

/** A name alone, perhaps with a company, as at the end of a letter. */
const signature =
  /^[-–—\s]*(?:\p{Lu}[\p{L}'’-]*\p{Ll}[\p{L}'’-]*|\p{Lu}\.)(?:,?\s+(?:\p{Lu}[\p{L}'’-]*\p{Ll}[\p{L}'’-]*|\p{Lu}\.)){1,5}$/u

const isContent = (sentence: string) => {
  const words = wordCount(sentence)
  if (signature.test(sentence)) return false
  return words >= 2 && !(greeting.test(sentence) && words <= 4) && !(closing.test(sentence) && words <= 6)
}

/** Reads texts as one passage. */
export const passageOf = (language: Language, texts: ReadonlyArray<string>): Passage => {
  const legible = texts.map(withoutLongWords)
  const all = legible.flatMap(language.sentences).filter((sentence) => /[\p{L}\d]/u.test(sentence))
  const content = all.filter(isContent)
  return { text: legible.join("\n\n"), sentences: content.length > 0 ? content : all }
}

/** Probabilities in proportion to exp(score / temperature); they sum to 1. */
export const softmax = (scores: ReadonlyArray<number>, temperature: number): ReadonlyArray<number> => {
  const max = Math.max(...scores)
  const weights = scores.map((score) => Math.exp((score - max) / temperature))
  const total = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => weight / total)
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

export const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length

/** Mean of the two largest. */
export const topTwo = (numbers: ReadonlyArray<number>): number => mean(numbers.toSorted((a, b) => b - a).slice(0, 2))
