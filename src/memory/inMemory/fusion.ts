/** The fused score of two ranks in the in-memory store. The statements of the databases compute the same. */
import type { StoreQuery } from "../model/Store.ts"
import { halfWords, leastEvidence, leastFull, leastTrust, mostEvidence } from "../search/fusion.ts"

/** The usual values in each arm, to recognise outliers, and how far the arm by meaning can be trusted. */
export interface Spread {
  readonly mean: number
  readonly deviation: number
  readonly chance: number
  readonly trust: number
  readonly full: number
}

/** A place in an arm: the rank, and the distance or the score by words that it is for. */
export interface Place {
  readonly rank: number
  readonly value: number
}

const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)
const rounded = (value: number) => Math.round(value * 1e9) / 1e9

const between = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value))

/** The spread of the distances, given the full score of a match by words and the dimensions of the vectors. */
export const spreadOf = (distances: ReadonlyArray<number>, full: number, dimensions: number): Spread => {
  const count = Math.max(1, distances.length)
  const mean = sum(distances) / count
  const chance = Math.sqrt(2 * Math.log(Math.max(2, count)))
  const nearest = distances.reduce((least, distance) => Math.min(least, distance), mean)
  // how far the nearest stands out, as a part of how far that of as many random directions would
  const beyond = mean > 0 ? ((mean - nearest) / mean) * (Math.sqrt(dimensions) / chance) : 0
  return {
    mean: rounded(mean),
    deviation: rounded(Math.sqrt(sum(distances.map((distance) => (distance - mean) ** 2)) / count)),
    chance,
    trust: between(leastTrust, beyond - 1, 1),
    full: Math.max(full, leastFull)
  }
}

const near = ({ chance, deviation, mean, trust }: Spread, distance: number) =>
  deviation > 0 ? between(leastEvidence, (mean - distance) / deviation / chance, mostEvidence) ** 2 * trust : 1

const worded = ({ full }: Spread, score: number) => (score / full) ** 2 / ((score / full) ** 2 + halfWords)

/** The score of ranks in both arms, with the bonus for new notes. */
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
    share(fusion.lexicalWeight, places.lexical, (score) => worded(spread, score))
  if (recency === undefined) return both
  const age = Math.max(0, recency.nowMillis - newestMillis)
  return both * (1 + recency.weight * (0.5 ** (age / recency.halfLifeMillis) - 0.5))
}
