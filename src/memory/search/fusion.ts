/** The ranking that combines the arms of a search: its constants, and the options that change it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreQuery } from "../model/Store.ts"
import type { SurveyOptions } from "../model/Search.ts"
import { fail, type MemoryError } from "../model/error.ts"

/** BM25: how soon further occurrences of a word stop counting, and how much a note's length counts. */
export const k1 = 1.2
export const b = 0.75

/** Of a query's words, the rarest: an OR of hundreds would rank the whole scope. */
export const maxTerms = 16

/** Notes that a survey shows of each task. */
export const taskNotes = 3

/**
 * Reciprocal ranks, each weighted by the evidence of its match: an arm that finds nothing relevant does not displace good
 * matches of the other arm. The values were chosen on the half of our questions that is reserved for that.
 */
const fusion = { k: 60, vectorWeight: 1, lexicalWeight: 4, evidence: 1 }

/** How much a match by meaning can stand out, as a part of how far the best of as many random ones would. */
export const leastEvidence = 0.05
export const mostEvidence = 8

/** What is left of an arm by meaning whose nearest is no nearer than that of vectors in random directions would be. */
export const leastTrust = 0.01

/** A match by words has half of its full evidence if the square of its part of the query's words is this. */
export const halfWords = 0.5

/** The least full score that matches by words are compared with, also if every note has all the words. */
export const leastFull = 1e-6

/** The parts of a hit's score that go to the notes beside it, and of its task's score to the hit. */
const context = { neighbours: 0, task: 0 }

const maxRecency = 0.2

/** Units of each arm that are ranked together, for each match asked for. */
const candidatesEach = 5
const leastCandidates = 50

/** The part of a query that the options alone decide. */
export type Ranking = Pick<StoreQuery, "candidates" | "fusion" | "context" | "recency">

/** Fails if a number is out of range or NaN. */
export const within = (what: string, value: number, from: number, to: number): Effect.Effect<void, MemoryError> =>
  value >= from && value <= to
    ? Effect.void
    : fail({
        _tag: "Query",
        message: `${what} must be a number ${to === Number.MAX_VALUE ? `of ${from} or more` : `from ${from} to ${to}`}.`
      })

/** Rounds tiny numbers to 0 and limits huge ones, so that no product is out of range. */
const bounded = (value: number) => (value < 1e-100 ? 0 : Math.min(value, 1e100))

export const ranking = Effect.fnUntraced(function* (
  options: SurveyOptions,
  limit: number,
  nowMillis: number
): Effect.fn.Return<Ranking, MemoryError> {
  const weights = { ...fusion, ...options.fusion }
  const around = { ...context, ...options.context }
  yield* within("A search's fusion.k", weights.k, 0, Number.MAX_VALUE)
  yield* within("A search's fusion.vectorWeight", weights.vectorWeight, 0, Number.MAX_VALUE)
  yield* within("A search's fusion.lexicalWeight", weights.lexicalWeight, 0, Number.MAX_VALUE)
  yield* within("A search's fusion.evidence", weights.evidence, 0, 4)
  yield* within("A search's context.neighbours", around.neighbours, 0, 1)
  yield* within("A search's context.task", around.task, 0, 1)
  yield* within("A search's minSimilarity", options.minSimilarity ?? 0, 0, 1)
  yield* within("A search's maxDistance", options.maxDistance ?? 0, 0, 2)
  const { halfLife = 0, weight = 0.1 } = options.recency ?? {}
  const halfLifeMillis = Option.match(Duration.fromInput(halfLife), { onNone: () => 0, onSome: Duration.toMillis })
  yield* within("A search's recency.weight", weight, 0, maxRecency)
  if (options.recency !== undefined && !(halfLifeMillis > 0)) {
    return yield* fail({ _tag: "Query", message: "A search's recency.halfLife must be a duration above zero." })
  }
  return {
    candidates: Math.max(leastCandidates, candidatesEach * limit),
    fusion: {
      ...weights,
      k: bounded(weights.k),
      vectorWeight: bounded(weights.vectorWeight),
      lexicalWeight: bounded(weights.lexicalWeight)
    },
    context: around,
    recency: options.recency === undefined ? undefined : { halfLifeMillis, weight, nowMillis }
  }
})
