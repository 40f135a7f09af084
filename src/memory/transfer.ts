import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { MemoryError } from "./model/error.ts"
import type { Memory } from "./Memory.ts"
import { use } from "./Memory.ts"

/**
 * The thoughts of the scope as lines of JSON without their line breaks: first one that says the format, then one for each
 * thought with its own notes, its conversation as it is, and its version, after those that it descends from.
 *
 * - `thoughts`: only these and those they descend from
 *
 * Texts come back exactly. Vectors are not exported: they can be made again. What is added meanwhile may be left out, but no
 * thought is there without those it descends from; remove no thoughts meanwhile. Fails with `NotFound` when a thought that
 * was asked for is unknown.
 *
 * **Example** (The lines of a thought)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Stream } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const [first, second] = yield* Stream.runCollect(Memory.exportLines({ thoughts: [thought.id] }))
 *   assert.equal(first, '{"format":"cogito-memory","version":1}')
 *   assert.equal(JSON.parse(second ?? "").notes[0].content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const exportLines = taking("Memory.exportLines", { options: 0, optional: true, known: ["thoughts"] })(
  (options?: {
    /** These thoughts and those they descend from. Default: all of the scope. */
    readonly thoughts?: ReadonlyArray<string | { readonly traceId: string }>
  }): Stream.Stream<string, MemoryError, Memory> =>
    Stream.unwrap(use((memory) => Effect.succeed(memory.exportLines(options))))
)

/**
 * Stores the thoughts of lines that `exportLines` produced, and returns how many were stored and how many existed already.
 *
 * **Details**
 *
 * Each line is stored completely or not at all. A thought that the scope has, in the same or a later state, is not changed,
 * so an interrupted import can be repeated. Empty lines are skipped. The notes have no vectors yet: call `embedPending` to
 * embed them now. Otherwise the memory does so later, in the background.
 *
 * Fails with `InvalidArchive` for a line that cannot be read, with `ArchiveConflict` for a thought that contradicts the scope,
 * both with the line's number, and with `TooLarge` for a note over the size limit. The lines before are stored.
 *
 * **Example** (Into another memory)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Stream } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const lines = yield* Stream.runCollect(Memory.exportLines())
 *   const loaded = yield* Effect.gen(function*() {
 *     assert.deepEqual(yield* Memory.importLines(Stream.fromIterable(lines)), { imported: 1, present: 0 })
 *     return yield* Memory.load(thought.id)
 *   }).pipe(Memory.withScope("other"))
 *   assert.equal(loaded.note("message")?.content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const importLines = taking("Memory.importLines", { args: [kinds.stream] })(
  <E, R>(
    lines: Stream.Stream<string, E, R>
  ): Effect.Effect<{ readonly imported: number; readonly present: number }, MemoryError | E, Memory | R> =>
    use((memory) => memory.importLines(lines))
)
