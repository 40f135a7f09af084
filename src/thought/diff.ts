/** What differs between two thoughts. */
import * as Chunk from "effect/Chunk"
import { dual } from "effect/Function"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type * as Note from "./Note.ts"
import { stateOf } from "./state.ts"
import { current, notes, type Thought } from "./Thought.ts"

/**
 * The differences of two thoughts.
 *
 * @category models
 */
export interface Difference {
  /** Notes that only the first thought sees, in its order. */
  readonly onlyInFirst: ReadonlyArray<Note.Note>
  /** Notes that only the second thought sees, in its order. */
  readonly onlyInSecond: ReadonlyArray<Note.Note>
  /** Number of equal notes at the beginning of both logs. 0 for unrelated thoughts. */
  readonly commonSeq: number
  /**
   * Keys whose newest notes differ in text, or that only one thought has: those of the first, then those of the second.
   */
  readonly keys: ReadonlyArray<string>
}

/**
 * Compares two thoughts: the notes that only one of them sees, where their logs diverge, and the keys with different
 * values.
 *
 * A note counts as absent from a thought that has forgotten it. Conversations are not compared.
 *
 * **Example** (What a fork changed)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const program = Effect.gen(function*() {
 *   const before = yield* Thought.make("write", { topic: "rain", draft: "It rains." })
 *   const after = yield* Thought.append(yield* Thought.fork(before), "draft", "It pours.")
 *   const difference = Thought.diff(before, after)
 *   assert.deepEqual(difference.keys, ["draft"])
 *   assert.deepEqual(difference.onlyInSecond.map(({ content }) => content), ["It pours."])
 *   assert.equal(difference.commonSeq, 2)
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category reads
 */
export const diff: {
  (b: Thought<any>): (a: Thought<any>) => Difference
  (a: Thought<any>, b: Thought<any>): Difference
} = dual(
  2,
  taking("Thought.diff", { args: [kinds.thought, kinds.thought] })((a: Thought<any>, b: Thought<any>): Difference => {
    const [first, second] = [notes(a), notes(b)]
    const log = Chunk.toReadonlyArray(stateOf(b).log)
    const parted = Chunk.toReadonlyArray(stateOf(a).log).findIndex(({ id }, i) => id !== log[i]?.id)
    const keys = new Set([...current(a), ...current(b)].map(({ key }) => key))
    return {
      onlyInFirst: without(first, second),
      onlyInSecond: without(second, first),
      commonSeq: parted === -1 ? a.length : parted,
      keys: [...keys].filter((key) => a.note(key)?.content !== b.note(key)?.content)
    }
  })
)

const without = (all: ReadonlyArray<Note.Note>, others: ReadonlyArray<Note.Note>): ReadonlyArray<Note.Note> => {
  const known = new Set(others.map(({ id }) => id))
  return all.filter(({ id }) => !known.has(id))
}
