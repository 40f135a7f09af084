import type { SurveyOptions, SearchOptions, SearchResult, SurveyResult } from "./model/Search.ts"
import type * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { MemoryError } from "./model/error.ts"
import type { Memory } from "./Memory.ts"
import { use } from "./Memory.ts"

/**
 * Finds notes by meaning and by words, best first.
 *
 * It waits up to 5 seconds until what this memory has committed in the scope is embedded, so that it can be found; if that is
 * of more than 16 commits, it waits only for the query's own vector, and `arms.pending` says what it could not see. An empty
 * query finds nothing; any other finds the nearest notes there are, related or not, unless `minSimilarity` bounds them. When
 * the query cannot be embedded for now, the words alone find: `arms.vector` is `unavailable` then. Of notes and of the query
 * the first 100,000 characters are looked at for words. Fails with `EmbedderFailed` when trying again would not help, and
 * with `Query` when an option is out of bounds or has no such name.
 *
 * **Example** (What helped before)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const notes = { a: "The parcel was lost", b: "Refunded the damaged goods" }
 *   yield* memory.commit(yield* Thought.make("triage", notes, { taskId: "ticket 1" }))
 *   const { matches } = yield* Memory.search("refund for damaged goods", { taskId: "ticket 1", limit: 1 })
 *   assert.equal(matches[0]?.note.content, "Refunded the damaged goods")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category accessors
 */
export const search = taking("Memory.search", { args: [kinds.text, kinds.optional(kinds.object)] })(
  (query: string, options?: SearchOptions): Effect.Effect<SearchResult, MemoryError, Memory> =>
    use((memory) => memory.search(query, options))
)

/**
 * Finds tasks by the meaning and the words of their notes, best first, each once.
 *
 * `limit` counts tasks: default 5, at most 100. All tasks are ranked, however many notes one has. Thoughts without a task
 * are left out. An empty query finds nothing, and what fails is as in `search`.
 *
 * @category accessors
 */
export const survey = taking("Memory.survey", { args: [kinds.text, kinds.optional(kinds.object)] })(
  (query: string, options?: SurveyOptions): Effect.Effect<SurveyResult, MemoryError, Memory> =>
    use((memory) => memory.survey(query, options))
)
