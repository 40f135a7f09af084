/** What two ranks are worth together, in the store in plain memory. The statements of the databases compute the same. */
import type { StoreQuery } from "../Memory.ts"
import { leastEvidence, mostEvidence } from "./memoryFusion.ts"

/** What is usual in each arm, to tell what stands out. */
export interface Spread {
  readonly mean: number
  readonly deviation: number
  readonly chance: number
  readonly top: number
}

/** A place in an arm: the rank, and the distance or the score by words that it is for. */
export interface Place {
  readonly rank: number
  readonly value: number
}

const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)
const rounded = (value: number) => Math.round(value * 1e9) / 1e9

export const spreadOf = (distances: ReadonlyArray<number>, words: ReadonlyArray<number>): Spread => {
  const count = Math.max(1, distances.length)
  const mean = sum(distances) / count
  return {
    mean: rounded(mean),
    deviation: rounded(Math.sqrt(sum(distances.map((distance) => (distance - mean) ** 2)) / count)),
    chance: Math.sqrt(2 * Math.log(Math.max(2, count))),
    top: words.reduce((top, score) => Math.max(top, score), 0)
  }
}

const near = ({ chance, deviation, mean }: Spread, distance: number) =>
  deviation > 0 ? Math.min(mostEvidence, Math.max(leastEvidence, (mean - distance) / deviation / chance)) : 1

/** With the bonus for what is new. */
export const fused = (
  { fusion, recency }: StoreQuery,
  spread: Spread,
  places: { readonly vector: Place | undefined; readonly lexical: Place | undefined },
  newestMillis: number
): number => {
  const share = (weight: number, place: Place | undefined, evidence: (value: number) => number) =>
    place === undefined ? 0 : (weight * evidence(place.value) ** fusion.evidence) / (fusion.k + place.rank)
  const both =
    share(fusion.vectorWeight, places.vector, (distance) => near(spread, distance)) +
    share(fusion.lexicalWeight, places.lexical, (score) => score / spread.top)
  if (recency === undefined) return both
  const age = Math.max(0, recency.nowMillis - newestMillis)
  return both * (1 + recency.weight * (0.5 ** (age / recency.halfLifeMillis) - 0.5))
}
