/** The ranking that combines the arms of a search: its constants, and the options that change it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreQuery } from "../model/Store.ts"
import type { SurveyOptions } from "../model/Search.ts"
import { fail, type MemoryError } from "../model/error.ts"

/** BM25: how soon further occurrences of a word stop counting, and how much a note's length counts. */
export const k1 = 1.2
export const b = 0.6

/** Of a query's words, the rarest: an OR of hundreds would rank the whole scope. */
export const maxTerms = 16

/** Notes that a survey shows of each task. */
export const taskNotes = 3

/** How much each arm counts. */
const fusion = { vectorWeight: 1, lexicalWeight: 1 }

/** The parts of a hit's score that go to the notes beside it, and of its task's score to the notes of the task. */
const context = { neighbours: 0.3, task: 1 }

/** How far beside a hit a note may stand. */
export const neighbourSteps = [-2, -1, 1, 2]

/** How much the mean similarity of a task's notes counts beside the words that the task has. */
export const taskMeaning = 0.8

/** What is left of an arm by meaning whose nearest is no nearer than that of vectors in random directions would be. */
export const leastTrust = 0.01

/** Notes that stand out less than this by meaning get ever less, so that the nearest of them is still first. */
export const leastNear = 0.05

/** The arm by meaning counts less the better the best match by words is, least from this score on. */
export const covered = 1.5
export const leastMeaning = 0.05

/** The least full score that matches by words are compared with, also if every note has all the words. */
export const leastFull = 1e-6

const maxRecency = 0.2

/** How much the score of a note grows, as a part of it, if the note is of a time that the question names. */
export const dateWeight = 1

/** Units of each arm that are ranked together, for each match asked for. */
const candidatesEach = 5
const leastCandidates = 50

/** The part of a query that the options alone decide. */
export type Ranking = Pick<StoreQuery, "candidates" | "fusion" | "context" | "recency">

/** Fails if a number is out of range or NaN, or if the value is no number, in a program without types. */
export const within = (what: string, value: number, from: number, to: number): Effect.Effect<void, MemoryError> =>
  typeof value === "number" && value >= from && value <= to
    ? Effect.void
    : fail({
        _tag: "Query",
        message: `${what} must be a number ${to === Number.MAX_VALUE ? `of ${from} or more` : `from ${from} to ${to}`}.`
      })

/** Rounds tiny numbers to 0 and limits huge ones, so that no product is out of range. */
export const bounded = (value: number) => (value < 1e-100 ? 0 : Math.min(value, 1e100))

export const ranking = Effect.fnUntraced(function* (
  options: SurveyOptions,
  limit: number,
  nowMillis: number
): Effect.fn.Return<Ranking, MemoryError> {
  const { lexicalWeight = fusion.lexicalWeight, vectorWeight = fusion.vectorWeight } = options.fusion ?? {}
  const { neighbours = context.neighbours, task = context.task } = options.context ?? {}
  yield* within("A search's fusion.vectorWeight", vectorWeight, 0, Number.MAX_VALUE)
  yield* within("A search's fusion.lexicalWeight", lexicalWeight, 0, Number.MAX_VALUE)
  yield* within("A search's context.neighbours", neighbours, 0, 1)
  yield* within("A search's context.task", task, 0, 1)
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
    fusion: { vectorWeight: bounded(vectorWeight), lexicalWeight: bounded(lexicalWeight) },
    context: { neighbours, task },
    recency: options.recency === undefined ? undefined : { halfLifeMillis, weight, nowMillis }
  }
})
