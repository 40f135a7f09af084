/** Reranking of the best candidates, within a deadline. If it is late or fails, the search keeps its own order. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Arms, Rerank } from "../model/Search.ts"
import type { StoreMatch } from "../model/Store.ts"
import { fail, type MemoryError } from "../model/error.ts"

export const defaultCandidates = 40

const defaultDeadline = "5 seconds"

interface Reranked {
  readonly matches: ReadonlyArray<StoreMatch>
  readonly rerank: NonNullable<Arms["rerank"]>
}

/** How long to wait for scores. Fails if the deadline is invalid. */
export const deadlineOf = ({ deadline = defaultDeadline }: Rerank): Effect.Effect<Duration.Duration, MemoryError> => {
  const given = Duration.fromInput(deadline)
  return Option.isSome(given) && Duration.toMillis(given.value) > 0
    ? Effect.succeed(given.value)
    : fail({ _tag: "Query", message: "A rerank's deadline must be a duration above zero." })
}

/** The matches in the order of their new scores, or as they were when these did not come, or too late. */
export const reranked = Effect.fnUntraced(function* (
  { score }: Pick<Rerank, "score">,
  deadline: Duration.Duration,
  candidates: number,
  query: string,
  matches: ReadonlyArray<StoreMatch>
): Effect.fn.Return<Reranked, MemoryError> {
  const seen = matches.slice(0, candidates)
  if (seen.length === 0) return { matches, rerank: "ok" }
  const notes = seen.map(({ note }) => note)
  // on a fiber of its own, so that the search does not wait for a function that cannot be interrupted
  const fiber = yield* Effect.forkDetach(
    Effect.suspend(() => score(query, notes)),
    { startImmediately: true }
  )
  const stop = Effect.sync(() => fiber.interruptUnsafe())
  const exit = yield* Effect.timeoutOption(Fiber.await(fiber), deadline).pipe(
    Effect.tap((ended) => (Option.isNone(ended) ? stop : Effect.void)),
    Effect.onInterrupt(() => stop)
  )
  if (Option.isNone(exit)) return { matches, rerank: "late" }
  // a network that is down, or a broken program: the search has an answer all the same
  if (Exit.isFailure(exit.value)) return { matches, rerank: "failed" }
  const scores: unknown = exit.value.value
  if (!Array.isArray(scores) || scores.length !== seen.length || !scores.every(Number.isFinite)) {
    return yield* fail({
      _tag: "Query",
      message: "The function rerank.score must return one finite number for each note."
    })
  }
  const judged = seen.map((match, i) => ({ ...match, score: Number(scores[i]) }))
  return { matches: [...judged.toSorted((a, b) => b.score - a.score), ...matches.slice(candidates)], rerank: "ok" }
})
