import type * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { removing } from "./model/again.ts"
import type { MemoryError } from "./model/error.ts"
import type { Note } from "../thought/Note.ts"
import type { Memory } from "./Memory.ts"
import { use } from "./Memory.ts"

/**
 * Deletes a thought with its notes, its conversation and its vectors.
 *
 * **Details**
 *
 * A thought with forks is refused with `HasForks`, unless `materialize` is true. Then the fork that shares most of its notes
 * inherits these, and the other forks become forks of that one. Every fork keeps its notes, with their ids and numbers, and
 * its conversation. Fails with `NotFound` if the scope has no such thought.
 *
 * If the connection ends before the answer, the call is repeated once. The same effect can also be run again: a thought that
 * is gone by then counts as removed.
 *
 * **Example** (Removing a thought that was forked)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const first = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const fork = yield* memory.commit(yield* Thought.fork(first))
 *   const { reason } = yield* Effect.flip(Memory.remove(first.id))
 *   assert.equal(reason._tag === "HasForks" ? reason.forks : 0, 1)
 *   yield* Memory.remove(first.id, { materialize: true })
 *   assert.equal((yield* Memory.load(fork.id)).note("message")?.content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const remove = taking("Memory.remove", {
  args: [kinds.traced],
  options: 1,
  optional: true,
  known: ["materialize"]
})(
  (
    ref: string | { readonly traceId: string },
    options?: {
      /** Whether its forks keep what they share with it; otherwise a thought with forks is not removed. Default false. */
      readonly materialize?: boolean
    }
  ): Effect.Effect<void, MemoryError, Memory> => removing(use((memory) => memory.remove(ref, options)))
)

/**
 * Deletes everything in the current scope and returns the number of deleted thoughts. Other scopes are not affected.
 *
 * **Example** (Forgetting a tenant)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("try", { message: "Hello" })).pipe(Memory.withScope("acme"))
 *   assert.equal(yield* Memory.purge.pipe(Memory.withScope("acme")), 1)
 *   assert.deepEqual(yield* Memory.thoughts().pipe(Memory.withScope("acme")), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const purge: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.purge)

/**
 * Removes the text and metadata of a note and of all notes derived from it, in any thought of the scope. Returns their ids.
 *
 * **Details**
 *
 * A redacted note keeps its id, key and number. No thought shows it, and reading it fails with `NoteNotFound`. Messages that
 * held it, and requests whose answers were derived from it, leave the conversations; other notes that they showed are
 * unpublished again. Its vectors are deleted. A run that still has one of the notes fails with `ConcurrencyConflict` at its
 * commit. A durable run that begins later with an older value goes on without the text. Fails with `NotFound` if the scope has
 * no such note.
 *
 * With `reach: "copies"` derived notes are redacted only if they repeat the text: results of `seek` and `survey`, copies in
 * forks, and summaries of conversations. Answers stay, and may still repeat facts.
 *
 * **Example** (Taking a note back)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("pay", { card: "4111 1111 1111 1111", amount: "12" }))
 *   const [card] = Thought.history(thought, "card")
 *   if (card === undefined) return
 *   yield* Memory.append(thought.id, [{ key: "receipt", content: "Paid with 4111…", derivedFrom: [card.id] }])
 *   assert.equal((yield* Memory.redact(card)).length, 2)
 *   const loaded = yield* Memory.load(thought.id)
 *   assert.equal(loaded.note("card"), undefined)
 *   assert.equal(loaded.note("receipt"), undefined)
 *   assert.equal(loaded.note("amount")?.seq, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const redact = taking("Memory.redact", {
  args: [kinds.identified],
  options: 1,
  optional: true,
  known: ["reach"]
})(
  (
    note: string | Pick<Note, "id">,
    options?: {
      /** `"derived"`: takes everything away that was made from the note, `"copies"` of that only what repeats it. Default `"derived"`. */
      readonly reach?: "derived" | "copies"
    }
  ): Effect.Effect<ReadonlyArray<string>, MemoryError, Memory> => use((memory) => memory.redact(note, options))
)
