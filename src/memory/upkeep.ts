import type { OptimizedSpace } from "./model/Store.ts"
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
 * Waits until every note that this memory committed or appended before, in any scope, is embedded or has failed. Notes that
 * failed are `pending`. Notes of `importLines` are not waited for: use `embedPending` after an import.
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
 * A note that cannot be embedded keeps no other from it. Fails with `EmbedderFailed` after all were tried when some could
 * not be, or immediately when the embedder is out of order; what was embedded is stored. Fails with `EmbedderMismatch` when
 * another program has changed the memory to another embedder, and with `Query` when the memory is closed.
 *
 * **Example** (Every note has its vector)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   yield* Memory.commit(yield* Thought.make("import", { message: "The parcel was lost" }))
 *   yield* Memory.embedPending
 *   assert.equal(yield* Memory.pending, 0)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category embedding
 */
export const embedPending: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.embedPending)

/**
 * Makes searches among many vectors fast, and returns what it did for the vectors of each embedder, of all scopes.
 *
 * **Details**
 *
 * Without an index (HNSW) searches compare every vector that the filters allow. With one they compare the nearest that it
 * returns, which are nearly always the same. If these are too few, they compare all, so no match is lost. Surveys always
 * compare all, and so do searches whose scope or filters allow less than half of the notes of all scopes.
 *
 * While the index is made, which takes a minute or more, no notes can be embedded. Run it after large imports. Over 2,000
 * dimensions the index has half precision; over 4,000 no index is possible. Fails with `Query` if `"create"` is impossible.
 * With the in-memory store there is nothing to do.
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
  (options?: {
    /**
     * `"auto"` makes an index where a scope has more than 25,000 vectors of 384 dimensions, or fewer longer ones, and drops it
     * elsewhere. `"create"` makes one for every embedder whose vectors are used, `"drop"` drops all. Default `"auto"`.
     */
    readonly index?: "auto" | "create" | "drop"
  }): Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError, Memory> => use((memory) => memory.optimize(options))
)
