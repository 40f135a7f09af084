/** Notes and questions as people write them, as many as are asked for, with vectors in clusters. */
import { Effect, Schema } from "effect"
import type { Embedder } from "cogito"
import { readFileSync } from "node:fs"
import { Data } from "../retrieval/data.ts"
import { numbers } from "../retrieval/statistics.ts"

const own = Schema.decodeSync(Schema.fromJsonString(Data))(
  readFileSync(new URL("../retrieval/notes.json", import.meta.url), "utf8")
)

/** Every word as often as it stands in our own notes, so that a few are in most texts and most in a few. */
const vocabulary = own.notes.flatMap(({ text }) => text.split(/\s+/))

const words = 26

/** Stands at the start of every note. */
export const everywhere = "reported status"

/** Words drawn at random, always the same for a number, which comes last. */
export const textOf = (i: number): string => {
  const next = numbers(i + 1)
  const drawn = Array.from({ length: words }, () => vocabulary[Math.floor(next() * vocabulary.length)])
  return `${everywhere} ${drawn.join(" ")} ${i}`
}

/** Our own questions, each after some others. */
export const questionOf = (i: number): string => own.questions[(i * 7) % own.questions.length]!.text

/** Of 1,000 notes 1 is of the first kind, 9 of the second, 90 of the third. */
export const kinds = ["0.1 %", "1 %", "10 %", "100 %"] as const

/** Keys that let as many notes through as a kind says: its own, and those of the kinds before it. */
export const keysOf = (kind: number): ReadonlyArray<string> => kinds.slice(0, kind + 1).map((_, i) => `k${i}`)

export const kindOf = (i: number): number => (i % 1000 === 0 ? 0 : i % 100 === 0 ? 1 : i % 10 === 0 ? 2 : 3)

const seedOf = (text: string): number => {
  let seed = 0x811c9dc5
  for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193)
  return seed >>> 0
}

/** An embedder that takes no time: what a text says decides which of 100 centres it is near, and how. */
export const embedderOf = (
  dimensions: number
): Embedder.Shape & { readonly vectorOf: (text: string) => Float32Array } => {
  const next = numbers(1)
  const centres = Array.from({ length: 100 }, () => Array.from({ length: dimensions }, () => next() - 0.5))
  const vectorOf = (text: string): Float32Array => {
    const seed = seedOf(text)
    const noise = numbers(seed)
    const values = centres[seed % 100]!.map((value) => value + 0.5 * (noise() - 0.5))
    const length = Math.hypot(...values)
    return Float32Array.from(values, (value) => value / length)
  }
  return {
    id: "bench",
    dimensions,
    maxTokens: 1000,
    metric: "cosine",
    embedMany: (texts) => Effect.sync(() => texts.map(vectorOf)),
    vectorOf
  }
}
