/** A stored thought as it was at a position. */
import * as Result from "effect/Result"
import type { Position } from "./model/Ledger.ts"
import type { History } from "./model/Store.ts"
import { MemoryError } from "./model/error.ts"
import type { Thought } from "../thought/model.ts"
import { stateOf } from "../thought/state.ts"
import { hydrate } from "./commit.ts"

/** The position of a thought whose value is stored. */
export const positionOf = (thought: Thought<any>): Position => {
  const { session, stored } = stateOf(thought)
  const { nextIndex, usage } = session
  return { thoughtId: thought.id, seq: thought.length, version: stored.version, nextIndex, usage }
}

/** The thought as its store had it at the position, without types and without what was redacted since. Fails if the rows are inconsistent. */
export const asOf = (
  history: History,
  { nextIndex, seq, usage, version }: Position
): Result.Result<Thought, MemoryError> => {
  const { entries, notes, removed, thought } = history
  // what a redaction has taken is gone from every state
  const then = removed.filter((one) => one.version > version && one.entry.text !== "").map(({ entry }) => entry)
  const rebuilt = hydrate({
    thought,
    version,
    notes: notes.slice(0, seq),
    entries: [...entries, ...then].filter(({ index }) => index < nextIndex).toSorted((a, b) => a.index - b.index),
    nextIndex,
    usage
  })
  return Result.mapError(
    rebuilt,
    (why) =>
      new MemoryError({
        reason: { _tag: "Corrupt", message: `The stored thought ${thought.id} cannot be rebuilt: ${why}.` }
      })
  )
}
