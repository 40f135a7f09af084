/** BM25 scores of texts. The statements of the databases compute the same. */
import { b, k1, maxTerms } from "../search/fusion.ts"

/** How often each word occurs in a text, and how many words it has. */
export interface Text {
  readonly terms: ReadonlyMap<string, number>
  readonly size: number
}

/** In how many distinct texts each word occurs: copies make no word more common. */
const countOf = (terms: ReadonlyArray<string>, texts: ReadonlyArray<Text>) => {
  const distinct = [...new Set(texts)]
  return new Map(terms.map((term) => [term, distinct.filter((text) => text.terms.has(term)).length]))
}

/** The words of a query to search for: of a long query, the rarest words that occur. */
export const rarest = (query: Text, texts: ReadonlyArray<Text>): ReadonlyArray<string> => {
  const terms = [...query.terms.keys()]
  if (terms.length <= maxTerms) return terms
  return [...countOf(terms, texts)]
    .filter(([, count]) => count > 0)
    .toSorted(([x, m], [y, n]) => m - n || (x < y ? -1 : 1))
    .slice(0, maxTerms)
    .map(([term]) => term)
}

/** Drops the last digits, so that sums in any order are equal. */
export const rounded = (score: number): number => Math.round(score * 1e6) / 1e6

const rarity = (all: number, holding: number) => Math.log(1 + (all - holding + 0.5) / (holding + 0.5))

/** The score of a text of average length that has every word once, including words that no text has. */
export const fullScore = (terms: ReadonlyArray<string>, texts: ReadonlyArray<Text>): number =>
  rounded([...countOf(terms, texts).values()].reduce((sum, holding) => sum + rarity(texts.length, holding), 0))

/** A score for each text; 0 for one that has none of the words. */
export const bm25 = (terms: ReadonlyArray<string>, texts: ReadonlyArray<Text>): ReadonlyArray<number> => {
  const holding = countOf(terms, texts)
  const mean = Math.max(1, texts.reduce((sum, { size }) => sum + size, 0) / Math.max(1, texts.length))
  return texts.map((text) =>
    rounded(
      terms.reduce((score, term) => {
        const times = text.terms.get(term) ?? 0
        const rare = rarity(texts.length, holding.get(term) ?? 0)
        return score + (rare * times * (k1 + 1)) / (times + k1 * (1 - b + (b * text.size) / mean))
      }, 0)
    )
  )
}

/** Texts as if they were one. */
export const together = (texts: ReadonlyArray<Text>): Text => {
  const terms = new Map<string, number>()
  for (const text of texts) for (const [term, times] of text.terms) terms.set(term, (terms.get(term) ?? 0) + times)
  return { terms, size: texts.reduce((sum, { size }) => sum + size, 0) }
}
