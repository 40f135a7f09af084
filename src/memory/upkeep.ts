import type { OptimizeOptions, OptimizedSpace } from "./model/Store.ts"
import type * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import type { MemoryError } from "./model/error.ts"
import type { Memory } from "./Memory.ts"
import { use } from "./Memory.ts"

/**
 * The number of notes in the scope that have no vector yet, so that only their words can be found.
 *
 * @category embedding
 */
export const pending: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.pending)

/**
 * Waits until every note that the memory committed before, in any scope, is embedded or has failed; those that failed are
 * `pending`.
 *
 * **Example** (Nothing left to embed)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("import", { a: "The parcel was lost", b: "Refunded the goods" }))
 *   yield* Memory.flush
 *   assert.equal(yield* Memory.pending, 0)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category embedding
 */
export const flush: Effect.Effect<void, never, Memory> = use((memory) => memory.flush)

/**
 * Embeds the notes of all scopes that have no vector yet, and returns their number.
 *
 * A note that cannot be embedded keeps no other from it. Fails with `EmbedderFailed` after all were tried when some could not
 * be, or at once when the embedder is out of order; what was embedded is stored. Fails with `EmbedderMismatch` when another
 * program has changed the memory to another embedder, and with `Query` when the memory is closed.
 *
 * @category embedding
 */
export const embedPending: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.embedPending)

/**
 * Makes searches among many vectors fast, and returns what it did for the vectors of each embedder, of all scopes.
 *
 * Searches look at every vector that the filters allow until there is an index (HNSW). With one they look at the nearest that
 * it gives, which are nearly always the same; when it gives too few, they look at all again, so there are never fewer matches.
 * Surveys always look at all, and so do searches in a scope, or by filters, that allow less than half of all scopes' notes.
 * Notes cannot be embedded while the index is made, which takes a minute or more; run it after
 * large imports, and now and then. Over 2,000 dimensions the index holds vectors at half their precision, over 4,000 there is
 * none.
 *
 * Fails with `Query` when an index is asked for with `"create"` that cannot be. In plain memory there is nothing to do.
 *
 * **Example** (After an import)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("import", { a: "The parcel was lost", b: "Refunded the goods" }))
 *   yield* Memory.flush
 *   const [space] = yield* Memory.optimize()
 *   assert.deepEqual([space?.vectors, space?.index], [2, "none"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category optimizing
 */
export const optimize = taking("Memory.optimize", { options: 0, optional: true, known: ["index"] })(
  (options?: OptimizeOptions): Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError, Memory> =>
    use((memory) => memory.optimize(options))
)
