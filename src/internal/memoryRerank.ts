/** A second look at the best candidates, which must not make anybody wait. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Rerank, StoreMatch } from "../Memory.ts"
import { fail, type MemoryError } from "./memoryError.ts"

export const defaultCandidates = 40

const defaultDeadline = "5 seconds"

/** The matches in the order of their new scores, or as they were when these came too late. */
export const reranked = Effect.fnUntraced(function* (
  { deadline = defaultDeadline, score }: Rerank,
  candidates: number,
  query: string,
  matches: ReadonlyArray<StoreMatch>
): Effect.fn.Return<{ readonly matches: ReadonlyArray<StoreMatch>; readonly rerank: "ok" | "late" }, MemoryError> {
  const seen = matches.slice(0, candidates)
  if (seen.length === 0) return { matches, rerank: "ok" }
  const notes = seen.map(({ note }) => note)
  const scores = yield* Effect.timeoutOption(score(query, notes), deadline)
  if (Option.isNone(scores)) return { matches, rerank: "late" }
  if (scores.value.length !== seen.length || scores.value.some(Number.isNaN)) {
    return yield* fail({ _tag: "Query", message: "A rerank gives one number for each of the notes it is given." })
  }
  const again = seen.map((match, i) => ({ ...match, score: scores.value[i] ?? 0 }))
  return { matches: [...again.toSorted((a, b) => b.score - a.score), ...matches.slice(candidates)], rerank: "ok" }
})
