/** Search by meaning and by words, for notes and for tasks. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Arms, Found, Match, Shape, Space, Store, StoreMatch, StoreQuery, SurveyOptions } from "../Memory.ts"
import { diverse } from "./memoryDiversity.ts"
import type { Embedding } from "./memoryEmbedding.ts"
import { countUpTo, fail, type MemoryError } from "./memoryError.ts"
import { filterOf } from "./memoryFilter.ts"
import { ranking, within } from "./memoryFusion.ts"
import { checkOptions } from "./memoryOptions.ts"
import { deadlineOf, defaultCandidates, reranked } from "./memoryRerank.ts"

const maxLimit = 500
const maxTasks = 100

/** Among so many times as many candidates matches are chosen that differ. */
const diverseAmong = 4

export const makeSearch = (
  store: Store,
  space: Space,
  currentScope: Effect.Effect<string>,
  { ofQuery }: Pick<Embedding, "ofQuery">
): Pick<Shape, "search" | "survey"> => {
  /** Nothing when the embedder cannot be had now: then the words alone must do. */
  const vectorOf = (query: string): Effect.Effect<Float32Array | undefined, MemoryError> =>
    Effect.catch(ofQuery(query), (error) =>
      error.retryable
        ? Effect.undefined
        : fail(
            { _tag: "EmbedderFailed", message: `The query could not be embedded: ${error.message}`, retryable: false },
            error
          )
    )

  /** Asks the store, unless there is nothing to look for. */
  const find = Effect.fnUntraced(function* <A extends Omit<Found, "matches">>(
    query: string,
    options: SurveyOptions,
    size: Pick<StoreQuery, "limit" | "vectors">,
    run: (scope: string, query: StoreQuery) => Effect.Effect<A, MemoryError>
  ): Effect.fn.Return<readonly [found: A | undefined, arms: Arms], MemoryError> {
    const filter = yield* filterOf(options)
    const rank = yield* ranking(options, size.limit, yield* Clock.currentTimeMillis)
    const scope = yield* currentScope
    if (query.trim() === "") {
      const pending = yield* store.countPending(scope, space)
      return [undefined, { vector: pending === 0 ? "ok" : "partial", lexical: "unavailable", pending }]
    }
    const vector = yield* vectorOf(query)
    const found = yield* run(scope, { ...rank, ...size, text: query, vector, filter })
    const { pending, terms } = found
    const arms: Arms = {
      vector: vector === undefined ? "unavailable" : pending === 0 ? "ok" : "partial",
      lexical: terms === 0 ? "unavailable" : "ok",
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
    const deadline = rerank === undefined ? undefined : yield* deadlineOf(rerank)
    const wanted = Math.max(limit, candidates)
    const size = { limit: diversity > 0 ? Math.min(maxLimit, diverseAmong * wanted) : wanted, vectors: diversity > 0 }
    const [found, arms] = yield* find(query, options, size, (scope, asked) => store.search(scope, space, asked))
    const matches = diversity > 0 ? diverse(found?.matches ?? [], diversity, wanted) : (found?.matches ?? [])
    if (rerank === undefined || deadline === undefined) return { matches: matches.slice(0, limit).map(plain), arms }
    const again = yield* reranked(rerank, deadline, candidates, query, matches)
    return { matches: again.matches.slice(0, limit).map(plain), arms: { ...arms, rerank: again.rerank } }
  })

  const survey: Shape["survey"] = Effect.fnUntraced(function* (query, options = {}) {
    yield* checkOptions(options)
    const limit = yield* countUpTo("A survey's limit", maxTasks, options.limit ?? 5)
    const size = { limit, vectors: false }
    const [found, arms] = yield* find(query, options, size, (scope, asked) => store.survey(scope, space, asked))
    return { tasks: found?.tasks ?? [], arms }
  })

  return { search, survey }
}

const plain = ({ vector: _vector, ...match }: StoreMatch): Match => match
