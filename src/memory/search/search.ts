/** Search by meaning and by words, for notes and for tasks. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Arms, Match, SurveyOptions } from "../model/Search.ts"
import type { Found, Space, Store, StoreMatch, StoreQuery } from "../model/Store.ts"
import type { Shape } from "../model/Shape.ts"
import { diverse } from "./diversity.ts"
import { countUpTo, fail, type MemoryError } from "../model/error.ts"
import { boundsOf, filterOf } from "./filter.ts"
import { ranking, within } from "./fusion.ts"
import type { InUse } from "../embedding/meaning.ts"
import { checkOptions } from "./options.ts"
import { deadlineOf, defaultCandidates, reranked } from "./rerank.ts"

const maxLimit = 500
const maxTasks = 100

/** Diverse matches are chosen among this many times as many candidates. */
const diverseAmong = 4

/** Where a query searches: in a scope, and by meaning in the vectors in use, if there are any. */
export interface Place {
  readonly scope: string
  readonly meaning: InUse | undefined
}

/** The vector of a query; undefined if the embedder is unavailable now, so that only the words search. */
const vectorOf = (query: string, meaning: InUse | undefined): Effect.Effect<Float32Array | undefined, MemoryError> =>
  Effect.catch(meaning?.ofQuery(query) ?? Effect.undefined, (error) =>
    error.retryable
      ? Effect.undefined
      : fail(
          { _tag: "EmbedderFailed", message: `The query could not be embedded: ${error.message}`, retryable: false },
          error
        )
  )

/** Makes the functions that search for notes and for tasks. Each call first looks up its scope and the vectors in use. */
export const makeSearch = (
  store: Store,
  place: Effect.Effect<Place, MemoryError>
): Pick<Shape, "search" | "survey"> => {
  /** Runs the query on the store, unless the query is empty. */
  const find = Effect.fnUntraced(function* <A extends Omit<Found, "matches">>(
    { meaning, scope }: Place,
    query: string,
    options: SurveyOptions,
    size: Pick<StoreQuery, "limit" | "vectors">,
    run: (scope: string, space: Space | undefined, query: StoreQuery) => Effect.Effect<A, MemoryError>
  ): Effect.fn.Return<readonly [found: A | undefined, arms: Arms], MemoryError> {
    const space = meaning?.space
    const filter = yield* filterOf(options)
    const { maxDistance, minSimilarity } = boundsOf(filter)
    if (space === undefined && (minSimilarity ?? maxDistance) !== undefined) {
      return yield* fail({
        _tag: "Query",
        message:
          "This memory has no embedder, so the similarity of notes is not known: leave out minSimilarity and maxDistance."
      })
    }
    const rank = yield* ranking(options, size.limit, yield* Clock.currentTimeMillis)
    if (query.trim() === "") {
      const pending = space === undefined ? 0 : yield* store.countPending(scope, space)
      const vector = space === undefined ? "none" : pending === 0 ? "ok" : "partial"
      return [undefined, { vector, lexical: "unavailable", pending }]
    }
    const vector = yield* vectorOf(query, meaning)
    const found = yield* run(scope, space, { ...rank, ...size, text: query, vector, filter })
    const { pending, terms } = found
    const known = vector === undefined ? "unavailable" : pending === 0 ? "ok" : "partial"
    const arms: Arms = {
      vector: space === undefined ? "none" : known,
      lexical: terms === 0 ? "unavailable" : "ok",
      pending
    }
    return [found, arms]
  })

  const search: Shape["search"] = Effect.fnUntraced(function* (query, options = {}) {
    const at = yield* place
    yield* checkOptions(options)
    const limit = yield* countUpTo("A search's limit", maxLimit, options.limit ?? 10)
    const { diversity = 0, rerank } = options
    yield* within("A search's diversity", diversity, 0, 1)
    const candidates =
      rerank === undefined
        ? limit
        : yield* countUpTo("A rerank's candidates", maxLimit, rerank.candidates ?? Math.max(defaultCandidates, limit))
    const deadline = rerank === undefined ? undefined : yield* deadlineOf(rerank)
    const wanted = Math.max(limit, candidates)
    const size = { limit: diversity > 0 ? Math.min(maxLimit, diverseAmong * wanted) : wanted, vectors: diversity > 0 }
    const [found, arms] = yield* find(at, query, options, size, store.search.bind(store))
    const matches = diversity > 0 ? diverse(found?.matches ?? [], diversity, wanted) : (found?.matches ?? [])
    if (rerank === undefined || deadline === undefined) return { matches: matches.slice(0, limit).map(plain), arms }
    const again = yield* reranked(rerank, deadline, candidates, query, matches)
    return { matches: again.matches.slice(0, limit).map(plain), arms: { ...arms, rerank: again.rerank } }
  })

  const survey: Shape["survey"] = Effect.fnUntraced(function* (query, options = {}) {
    const at = yield* place
    yield* checkOptions(options)
    const limit = yield* countUpTo("A survey's limit", maxTasks, options.limit ?? 5)
    const size = { limit, vectors: false }
    const [found, arms] = yield* find(at, query, options, size, store.survey.bind(store))
    return { tasks: found?.tasks ?? [], arms }
  })

  return { search, survey }
}

const plain = ({ vector: _vector, ...match }: StoreMatch): Match => match
