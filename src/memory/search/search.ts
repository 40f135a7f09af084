/** Search by meaning and by words, for notes and for tasks. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Arms, Match, SurveyOptions } from "../model/Search.ts"
import type { Found, Space, Store, StoreMatch, StoreQuery } from "../model/Store.ts"
import type { Shape } from "../model/Shape.ts"
import { datesOf } from "./dates.ts"
import { diverse } from "./diversity.ts"
import { countUpTo, fail, type MemoryError } from "../model/error.ts"
import { boundsOf, filterOf, findsResults } from "./filter.ts"
import { ranking, within } from "./fusion.ts"
import type { InUse, Meaning } from "../embedding/meaning.ts"
import { checkOptions } from "./options.ts"
import { deadlineOf, defaultCandidates, reranked } from "./rerank.ts"

const maxLimit = 500
const maxTasks = 100

/** Diverse matches are chosen among this many times as many candidates. */
const diverseAmong = 4

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

/** Makes the functions that search for notes and for tasks. No call embeds anything or waits before its options are checked. */
export const makeSearch = (
  store: Store,
  currentScope: Effect.Effect<string, MemoryError>,
  meaning: Pick<Meaning, "inUse" | "pendingResults" | "settled" | "wantResults">
): Pick<Shape, "search" | "survey"> => {
  /** Runs the query on the store, unless the query is empty, once what the scope has committed is embedded. */
  const find = Effect.fnUntraced(function* <A extends Omit<Found, "matches">>(
    query: string,
    options: SurveyOptions,
    size: Pick<StoreQuery, "limit" | "vectors">,
    run: (scope: string, space: Space | undefined, query: StoreQuery) => Effect.Effect<A, MemoryError>
  ): Effect.fn.Return<readonly [found: A | undefined, arms: Arms], MemoryError> {
    const scope = yield* currentScope
    const filter = yield* filterOf(options)
    const { maxDistance, minSimilarity } = boundsOf(filter)
    if (meaning.inUse() === undefined && (minSimilarity ?? maxDistance) !== undefined) {
      return yield* fail({
        _tag: "Query",
        message:
          "This memory has no embedder, so the similarity of notes is not known: leave out minSimilarity and maxDistance."
      })
    }
    const nowMillis = yield* Clock.currentTimeMillis
    const { dates, meant } = yield* datesOf(query, options.dates ?? {}, nowMillis)
    const rank = { ...(yield* ranking(options, size.limit, nowMillis)), dates }
    const isEmpty = query.trim() === ""
    const withResults = findsResults(filter)
    if (withResults && !isEmpty) yield* meaning.wantResults(scope)
    yield* meaning.settled(scope)
    // a change of embedder may end while the search waits
    const inUse = meaning.inUse()
    const space = inUse?.space
    const vector = isEmpty ? undefined : yield* vectorOf(meant, inUse)
    const found = isEmpty ? undefined : yield* run(scope, space, { ...rank, ...size, text: query, vector, filter })
    const notes = found?.pending ?? (space === undefined ? 0 : yield* store.countPending(scope, space))
    const pending = notes + (withResults ? yield* meaning.pendingResults(scope) : 0)
    const known = pending === 0 ? "ok" : "partial"
    const arms: Arms = {
      vector: space === undefined ? "none" : isEmpty || vector !== undefined ? known : "unavailable",
      lexical: (found?.terms ?? 0) === 0 ? "unavailable" : "ok",
      pending
    }
    return [found, arms]
  })

  const search: Shape["search"] = Effect.fnUntraced(function* (query, options = {}) {
    yield* checkOptions(options)
    const limit = yield* countUpTo("A search's limit", maxLimit, options.limit ?? 10)
    const { diversity = 0, rerank } = options
    yield* within("A search's diversity", diversity, 0, 1)
    const candidates =
      rerank === undefined
        ? limit
        : yield* countUpTo("A rerank's candidates", maxLimit, rerank.candidates ?? Math.max(defaultCandidates, limit))
    if (rerank !== undefined && typeof rerank.score !== "function") {
      return yield* fail({ _tag: "Query", message: "A rerank's rerank.score must be a function." })
    }
    const deadline = rerank === undefined ? undefined : yield* deadlineOf(rerank)
    const wanted = Math.max(limit, candidates)
    const size = { limit: diversity > 0 ? Math.min(maxLimit, diverseAmong * wanted) : wanted, vectors: diversity > 0 }
    const [found, arms] = yield* find(query, options, size, store.search.bind(store))
    const matches = diversity > 0 ? diverse(found?.matches ?? [], diversity, wanted) : (found?.matches ?? [])
    if (rerank === undefined || deadline === undefined) return { matches: matches.slice(0, limit).map(plain), arms }
    const judged = yield* reranked(rerank, deadline, candidates, query, matches)
    return { matches: judged.matches.slice(0, limit).map(plain), arms: { ...arms, rerank: judged.rerank } }
  })

  const survey: Shape["survey"] = Effect.fnUntraced(function* (query, options = {}) {
    yield* checkOptions(options)
    const limit = yield* countUpTo("A survey's limit", maxTasks, options.limit ?? 5)
    const size = { limit, vectors: false }
    const [found, arms] = yield* find(query, options, size, store.survey.bind(store))
    return { tasks: found?.tasks ?? [], arms }
  })

  return { search, survey }
}

const plain = ({ vector: _vector, ...match }: StoreMatch): Match => match
