/** The fused score of a note in the in-memory store. The statements of the databases compute the same. */
import type { StoreQuery } from "../model/Store.ts"
import { covered, leastMeaning, leastNear, leastTrust, taskMeaning } from "../search/fusion.ts"

/** The usual distance, to recognise outliers, and how far the arm by meaning can be trusted. */
export interface Spread {
  readonly mean: number
  readonly deviation: number
  readonly chance: number
  readonly trust: number
}

/** What is known of notes that count as one. */
export interface Evidence {
  readonly distance: number | undefined
  /** The score by words; undefined if neither the note nor one beside it has any. */
  readonly words: number | undefined
  /** What the task's words give to a note without any. */
  readonly taskWords: number
  /** The mean distance of the task's notes. */
  readonly taskDistance: number | undefined
}

const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)
const rounded = (value: number) => Math.round(value * 1e9) / 1e9

const between = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value))

export const meanOf = (distances: ReadonlyArray<number>): number =>
  rounded(sum(distances) / Math.max(1, distances.length))

/** The spread of the distances, given the dimensions of the vectors. */
export const spreadOf = (distances: ReadonlyArray<number>, dimensions: number): Spread => {
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
    trust: between(leastTrust, beyond - 1, 1)
  }
}

/** How far a distance stands out, as a part of how far the best of as many random ones would. */
const outstanding = ({ chance, deviation, mean }: Spread, distance: number) => (mean - distance) / deviation / chance

const near = (spread: Spread, distance: number): number => {
  if (spread.deviation === 0) return 1
  const out = outstanding(spread, distance)
  return (out < leastNear ? leastNear ** 2 / (2 * leastNear - out) : out) ** 2 * spread.trust
}

const taskNear = (spread: Spread, distance: number): number =>
  spread.deviation === 0 ? 0 : taskMeaning * spread.trust * Math.max(0, outstanding(spread, distance))

/** The score, given the best score by words of all notes. */
export const fused = (
  { context, fusion }: StoreQuery,
  spread: Spread,
  best: number,
  { distance, taskDistance, taskWords, words }: Evidence
): number => {
  const task =
    taskDistance === undefined ? 0 : Math.min(1, fusion.vectorWeight) * context.task * taskNear(spread, taskDistance)
  const lexical = fusion.lexicalWeight * ((words ?? taskWords) + task) ** 2
  if (distance === undefined || fusion.vectorWeight === 0) return lexical
  const left = 1 - (1 - leastMeaning) * Math.min(1, best / covered)
  return lexical + fusion.vectorWeight * left * near(spread, distance)
}

/** Whether a note of this moment is of one of the times that the question names. */
export const isDated = ({ dates }: StoreQuery, millis: number): boolean =>
  dates?.periods.some(({ fromMillis, untilMillis }) => millis >= fromMillis && millis < untilMillis) === true

/** The score with the bonus for notes of the times that the question names. */
export const dated = (score: number, { dates }: StoreQuery, isOfThem: boolean): number =>
  dates !== undefined && isOfThem ? score * (1 + dates.weight) : score

/** The score with the bonus for new notes. */
export const aged = (score: number, { recency }: StoreQuery, newestMillis: number): number => {
  if (recency === undefined) return score
  const age = Math.max(0, recency.nowMillis - newestMillis)
  return score * (1 + recency.weight * (0.5 ** (age / recency.halfLifeMillis) - 0.5))
}
