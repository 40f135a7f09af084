import type { Relative, AppendedNote } from "./model/Shape.ts"
import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { type AnyForm, maybe, others, trust } from "../arguments/forms.ts"
import { refuseSlips } from "../arguments/slips.ts"
import { taking } from "../arguments/taking.ts"
import { pendingCommit } from "./commit.ts"
import { withIds } from "./model/again.ts"
import type { MemoryError } from "./model/error.ts"
import type { Note } from "../thought/Note.ts"
import type { Thought } from "../thought/model.ts"
import type { Memory } from "./Memory.ts"
import { use } from "./Memory.ts"

/**
 * Loads a thought by its id, or by its trace id, without types; `Thought.require` regains them.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * @category accessors
 */
export const load = taking("Memory.load", { args: [kinds.traced] })(
  (ref: string | { readonly traceId: string }): Effect.Effect<Thought, MemoryError, Memory> =>
    use((memory) => memory.load(ref))
)

/**
 * Stores everything new in a thought, or nothing, and returns the thought in its stored state.
 *
 * **Details**
 *
 * The run of a pipeline does this by itself. Notes are embedded soon afterwards, in the background; notes that fail are
 * pending. Repeating a commit has no effect.
 *
 * One commit can have 10,000 notes and 64 million characters. The limits in characters: a note 4 million and 100,000 in its
 * metadata, a message of the conversation 16 million, an intent 100,000, a trace id, task id or source 256, a key 200.
 *
 * Fails with `TooLarge` above a limit, before anything is written or embedded; with `ConcurrencyConflict` if the stored thought
 * has changed; with `Query` (code 23505) if another thought of the scope has its trace id; and with `NotFound` if nothing in it
 * is new and the scope does not have it, as it was removed or is stored in another scope.
 *
 * **Example** (A thought to be found later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Memory.commit(yield* Thought.make("triage", { message: "Charged twice" }))
 *   assert.equal((yield* Memory.load(thought.id)).note("message")?.content, "Charged twice")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category accessors
 */
export const commit = taking("Memory.commit", { args: [kinds.thought] })(
  <N>(thought: Thought<N>): Effect.Effect<Thought<N>, MemoryError, Memory> =>
    use((memory) => {
      const committed = memory.commit(thought)
      if (pendingCommit(thought) !== undefined) return committed
      // it may have been removed, or be that of another scope or store
      return Effect.andThen(memory.ancestors(thought.id), committed)
    })
)

/**
 * The thoughts that a thought descends from: forked from each other, the oldest first, its parent last.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * **Example** (The thought that a fork began with)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const first = yield* Memory.commit(yield* Thought.make("plan", { city: "Porto" }))
 *   const second = yield* Memory.commit(yield* Thought.fork(first, {}))
 *   const ancestors = yield* Memory.ancestors(second)
 *   assert.deepEqual(ancestors.map(({ id }) => id), [first.id])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const ancestors = taking("Memory.ancestors", { args: [kinds.traced] })(
  (ref: string | { readonly traceId: string }): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> =>
    use((memory) => memory.ancestors(ref))
)

/**
 * The thoughts whose parent a thought is, in order of creation and then of id, page by page.
 *
 * Thoughts that are added while the pages are read come last or, when their clock is behind, may be passed over; none
 * comes twice. Fails with `NotFound` if the scope has no such thought, and with `Query` if the limit is invalid.
 *
 * **Example** (Page by page)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("try", { message: "Hello" })
 *   const done = yield* Pipeline.run(Primitive.checkpoint("before"), start)
 *   const page = yield* Memory.children(start.id, { limit: 1 })
 *   assert.deepEqual(page.map(({ id }) => id), [done.id])
 *   const last = page.at(-1)
 *   assert.deepEqual(last === undefined ? [] : yield* Memory.children(start.id, { after: last }), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const children = taking("Memory.children", {
  args: [kinds.traced],
  options: 1,
  optional: true,
  known: ["after", "limit"]
})(
  (
    ref: string | { readonly traceId: string },
    options?: {
      /** Most thoughts to give. Default 100, at most 500. */
      readonly limit?: number
      /** The last one of the page before. Default: from the beginning. */
      readonly after?: Pick<Relative, "id" | "created">
    }
  ): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> => use((memory) => memory.children(ref, options))
)

/**
 * A page of the thoughts of the scope, or of one task, ordered by creation and then by id.
 *
 * - `order`: `"oldest"` (default) or `"newest"` first
 * - `limit`: the size of the page
 * - `after`: the last thought of the page before
 *
 * Each thought has the number of its notes as `notes`; those that it shares with other thoughts, or that are hidden, count. No note
 * is read for it.
 *
 * If pages are read with the oldest first, thoughts that are added in the meantime come last; one whose clock is behind may
 * be missed. No thought is listed twice. Fails with `Query` if the limit is invalid.
 *
 * **Example** (The newest thoughts of a task)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("try", { message: "Hello" }, { taskId: "ticket 7" })
 *   yield* Effect.sleep("2 millis") // of two made in the same millisecond either may come first
 *   yield* Pipeline.run(Primitive.checkpoint("before"), start)
 *   const [newest, oldest] = yield* Memory.thoughts({ taskId: "ticket 7", order: "newest" })
 *   assert.equal(newest?.parent?.id, start.id)
 *   assert.equal(oldest?.id, start.id)
 *   assert.equal(oldest?.notes, 1) // the message
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const thoughts = taking("Memory.thoughts", {
  options: 0,
  optional: true,
  known: ["after", "limit", "order", "taskId"]
})(
  (options?: {
    /** Only those of this task. */
    readonly taskId?: string
    /** Which come first, by creation and then by id. Default `"oldest"`. */
    readonly order?: "oldest" | "newest"
    /** Most thoughts to give. Default 100, at most 500. */
    readonly limit?: number
    /** The last one of the page before. Default: from the beginning. */
    readonly after?: Pick<Relative, "id" | "created">
  }): Effect.Effect<ReadonlyArray<Relative & { readonly notes: number }>, MemoryError, Memory> =>
    use((memory) => memory.thoughts(options))
)

/**
 * Adds notes to a stored thought from outside a run, all or none, and returns them as stored, in the given order.
 *
 * **Details**
 *
 * They get the numbers after the thought's last one. Writers that append at the same time wait for each other. The thought
 * gets a new version, so a run that continues with an older value fails with `ConcurrencyConflict`. A note with the id, key
 * and text of a note of the thought is not added again, so a call can be repeated with the same ids. Notes are embedded
 * afterwards; notes that fail are pending.
 *
 * Fails with `NotFound` if the scope has no such thought; with `InvalidText` for an invalid key, or a content, source or
 * metadata that is no text; with `TooLarge` for a note over the size limit; and with `Query` for an id, or one in `derivedFrom`,
 * that is not a UUID, and for an id that belongs to another note (code 23505).
 *
 * **Example** (A note that arrives later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("triage", { message: "Charged twice" }))
 *   const [reply] = yield* Memory.append(thought.id, [{ key: "reply", content: "On the 3rd of May", source: "mail" }])
 *   assert.equal(reply?.seq, 2)
 *   assert.equal((yield* Memory.load(thought.id)).note("reply")?.content, "On the 3rd of May")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const append = taking("Memory.append", { args: [kinds.traced, kinds.arrayOf(kinds.object)] })((
  ref: string | { readonly traceId: string },
  notes: ReadonlyArray<AppendedNote>
): Effect.Effect<ReadonlyArray<Note>, MemoryError, Memory> => {
  for (const note of notes) refuseSlips("A note of Memory.append", appendedForms, note)
  return withIds(notes, (drawn) => use((memory) => memory.append(ref, drawn)))
})

const appendedForms: Readonly<Record<keyof AppendedNote, AnyForm>> = {
  ...others("id", "key", "content", "metadata", "source", "derivedFrom"),
  trust: maybe("", trust)
}
