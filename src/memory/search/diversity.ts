/** Maximal marginal relevance: the next match is good and unlike those before it. */
import type { StoreMatch } from "../model/Store.ts"

const likeness = (a: StoreMatch, b: StoreMatch): number =>
  a.vector === undefined || b.vector === undefined
    ? 0
    : a.vector.reduce((sum, value, i) => sum + value * (b.vector?.[i] ?? 0), 0)

/** The matches to show, at most `limit`, in a new order. Matches without a vector count as unlike all others. */
export const diverse = (
  matches: ReadonlyArray<StoreMatch>,
  diversity: number,
  limit: number
): ReadonlyArray<StoreMatch> => {
  // if no match has a score, all are equally good
  const best = matches[0]?.score || 1
  const rest = matches.map((match) => ({ match, nearest: 0 }))
  const chosen: Array<StoreMatch> = []
  while (chosen.length < limit && rest.length > 0) {
    const worth = rest.map(({ match, nearest }) => ((1 - diversity) * match.score) / best - diversity * nearest)
    const [next] = rest.splice(worth.indexOf(Math.max(...worth)), 1)
    if (next === undefined) break
    chosen.push(next.match)
    for (const one of rest) one.nearest = Math.max(one.nearest, likeness(one.match, next.match))
  }
  return chosen
}
