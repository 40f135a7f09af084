/** Chooses the sentences that represent a passage, unchanged. */
import * as Effect from "effect/Effect"
import { mean, type Mind, type Passage } from "./meaning.ts"
import { substance } from "./roles.ts"

/** Sentences in the order of the text, and how central they are: their mean similarity to the whole, in [0, 1]. */
interface Summary {
  readonly sentences: ReadonlyArray<string>
  readonly centrality: number
}

const most = 3
const focusWeight = 0.3
const repetitionWeight = 0.5

/**
 * Chooses at most three sentences that are not only background. They are near to the passage as a whole, somewhat
 * nearer to `focus`, and unlike each other.
 *
 * Of three to five sentences it chooses two, of fewer one.
 */
export const summarize = Effect.fnUntraced(function* (mind: Mind, passage: Passage, focus: string) {
  const sentences = Array.from(new Set(yield* substance(mind, passage.sentences)))
  const size = sentences.length <= 2 ? 1 : sentences.length <= 5 ? 2 : most
  const pairs = yield* mind.compare(sentences, sentences)
  const targets = yield* mind.compare(sentences, focus === "" ? [passage.text] : [passage.text, focus])
  const central = sentences.map((_, i) => ((targets[i]?.[0] ?? 0) + mean(pairs[i] ?? [])) / 2)
  const worth = central.map((centrality, i) => centrality + focusWeight * (targets[i]?.[1] ?? 0))
  const chosen: Array<number> = []
  while (chosen.length < Math.min(size, sentences.length)) {
    const gain = sentences.map((_, i) => {
      if (chosen.includes(i)) return -Infinity
      const repetition = Math.max(0, ...chosen.map((j) => pairs[i]?.[j] ?? 0))
      return (worth[i] ?? 0) - repetitionWeight * repetition
    })
    chosen.push(gain.indexOf(Math.max(...gain)))
  }
  chosen.sort((a, b) => a - b)
  const summary: Summary = {
    sentences: chosen.flatMap((i) => sentences[i] ?? []),
    centrality: Math.max(0, Math.min(1, mean(chosen.map((i) => central[i] ?? 0))))
  }
  return summary
})
