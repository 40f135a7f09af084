/** Search by meaning, for notes and for tasks. */
import * as Effect from "effect/Effect"
import type { Match, SearchOptions, Shape, Space, Store, TaskMatch } from "../Memory.ts"
import type { Embedding } from "./memoryEmbedding.ts"
import { countUpTo, fail } from "./memoryError.ts"

const maxLimit = 500
const maxTasks = 100
/** Notes of each task. */
const taskNotes = 3

export const makeSearch = (
  store: Store,
  space: Space,
  currentScope: Effect.Effect<string>,
  { vectorsOf }: Pick<Embedding, "vectorsOf">
): Pick<Shape, "search" | "survey"> => {
  /** The nearest notes, and how the search did. */
  const find = Effect.fnUntraced(function* (query: string, options: SearchOptions & { readonly limit: number }) {
    const scope = yield* currentScope
    const { minSimilarity = 0 } = options
    if (!(minSimilarity >= 0 && minSimilarity <= 1)) {
      return yield* fail({ _tag: "Query", message: "A search's minSimilarity is a number from 0 to 1." })
    }
    const pending = yield* store.countPending(scope, space)
    const arms = { vector: pending === 0 ? "ok" : "partial", lexical: "unavailable", pending } as const
    if (query.trim() === "") return { matches: [], arms }
    const [vector = new Float32Array()] = yield* Effect.catch(vectorsOf([query]), (error) =>
      fail(
        {
          _tag: "EmbedderFailed",
          message: `The query could not be embedded: ${error.message}`,
          retryable: error.retryable
        },
        error
      )
    )
    const found = yield* store.nearest(scope, space, vector, {
      // unless sources are asked for by name, what was found before is not found again
      ...(options.sources === undefined ? { excludeSources: ["seek", "survey"] } : {}),
      ...options
    })
    return {
      matches: found.map((match, i): Match => ({ ...match, score: match.similarity, ranks: { vector: i + 1 } })),
      arms
    }
  })

  const search: Shape["search"] = Effect.fnUntraced(function* (query, searchOptions = {}) {
    const limit = yield* countUpTo("A search's limit", maxLimit, searchOptions.limit ?? 10)
    return yield* find(query, { ...searchOptions, limit })
  })

  const survey: Shape["survey"] = Effect.fnUntraced(function* (query, searchOptions = {}) {
    const limit = yield* countUpTo("A survey's limit", maxTasks, searchOptions.limit ?? 5)
    const candidates = Math.min(maxLimit, Math.max(100, 20 * limit))
    const { arms, matches } = yield* find(query, { ...searchOptions, limit: candidates })
    return { tasks: tasksOf(matches).slice(0, limit), arms }
  })

  return { search, survey }
}

/** The notes by task, in the order of each task's best one. */
const tasksOf = (matches: ReadonlyArray<Match>): ReadonlyArray<TaskMatch> => {
  const tasks = new Map<string, TaskMatch>()
  for (const match of matches) {
    const { id, intent, taskId } = match.thought
    if (taskId === undefined) continue
    const known = tasks.get(taskId)
    const { score, similarity } = known ?? match
    // ids grow with the time they were made at
    const newest = known !== undefined && known.thoughtId > id ? known : { thoughtId: id, intent }
    tasks.set(taskId, {
      taskId,
      thoughtId: newest.thoughtId,
      intent: newest.intent,
      score,
      similarity,
      matches: [...(known?.matches ?? []), match].slice(0, taskNotes)
    })
  }
  return [...tasks.values()]
}
