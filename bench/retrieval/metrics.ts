/** How good a ranking is, by which of its items answer the question. Every figure is in [0, 1], 1 is best. */

export const metrics = ["recall@1", "recall@5", "recall@10", "MRR", "nDCG@10"] as const
export type Metric = (typeof metrics)[number]

/** Places of a ranking that are looked at. */
export const depth = 10

/** What one of the relevant is worth at a place, the first being 0. */
const gain = (place: number): number => 1 / Math.log2(place + 2)

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/**
 * The figures of one ranking, best item first; an item that comes again counts where it came first. Items of equal score
 * are taken in the order in which they were given, as its reader sees them. There must be something relevant.
 *
 * - recall@k: share of the relevant that is among the first k
 * - MRR: 1 divided by the place of the first relevant one, 0 when none is among the first 10
 * - nDCG@10: each relevant one at place p gives 1 / log2(p + 1), divided by the most that could be had
 */
export const measure = (
  ranking: ReadonlyArray<string>,
  relevant: ReadonlySet<string>
): Readonly<Record<Metric, number>> => {
  const hits = [...new Set(ranking)].slice(0, depth).map((id) => relevant.has(id))
  const recall = (k: number) => hits.slice(0, k).filter(Boolean).length / relevant.size
  const ideal = Array.from({ length: Math.min(depth, relevant.size) }, (_, place) => gain(place))
  return {
    "recall@1": recall(1),
    "recall@5": recall(5),
    "recall@10": recall(10),
    MRR: hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0,
    "nDCG@10": sum(hits.map((hit, place) => (hit ? gain(place) : 0))) / sum(ideal)
  }
}
