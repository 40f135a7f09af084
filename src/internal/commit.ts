/** What of a thought the store does not have yet, and a thought made of what the store has. */
import * as Chunk from "effect/Chunk"
import * as Result from "effect/Result"
import type { Commit, StoredThought } from "../Memory.ts"
import * as Session from "../Session.ts"
import type { Thought } from "../Thought.ts"
import * as thoughts from "./thought.ts"

/** Everything past what is stored, or nothing when there is no such thing. */
export const pendingCommit = (thought: Thought<any>): Commit | undefined => {
  const line: Array<thoughts.State> = []
  for (let one: Thought<any> | undefined = thought; one !== undefined;) {
    const state = thoughts.stateOf(one)
    line.push(state)
    one = state.unstoredParent
  }
  return line.reduceRight<Commit | undefined>((parent, state) => pendingOf(state, parent), undefined)
}

/** What of one thought is past what is stored, above what is of its parent. */
const pendingOf = (state: thoughts.State, parent: Commit | undefined): Commit | undefined => {
  const { stored } = state
  const notes = Array.from(Chunk.drop(state.log, stored.seq))
  const before = new Set(Session.entries(stored.session).map((entry) => entry.index))
  const after = Session.entries(state.session)
  const kept = new Set(after.map((entry) => entry.index))
  const entries = after.filter((entry) => !before.has(entry.index))
  const removed = [...before].filter((index) => !kept.has(index))
  const unchanged =
    stored.version > 0 &&
    notes.length === 0 &&
    entries.length === 0 &&
    removed.length === 0 &&
    stored.session.nextIndex === state.session.nextIndex &&
    stored.session.usage === state.session.usage
  if (unchanged) return undefined
  return {
    thought: state.identity,
    version: stored.version,
    notes,
    entries,
    removed,
    nextIndex: state.session.nextIndex,
    usage: state.session.usage,
    parent
  }
}

/** The thought after its commit. */
export const committed = <N>(thought: Thought<N>, version: number): Thought<N> =>
  thoughts.withState(thought, {
    stored: { version, seq: thought.length, session: thought.session },
    unstoredParent: undefined
  })

/** A thought as it was stored, without types. Fails with what is wrong when the rows do not make one. */
export const hydrate = (row: StoredThought): Result.Result<Thought, string> => {
  const { thought } = row
  const session = Session.fromEntries(row.entries, { nextIndex: row.nextIndex, usage: row.usage })
  const parent = thought.parent === undefined ? undefined : Object.freeze({ ...thought.parent })
  let state = thoughts.empty({
    ...thought,
    parent,
    hidden: new Map(thought.hidden),
    checkpoints: new Map(thought.checkpoints)
  })
  for (const note of row.notes) {
    if (note.seq !== Chunk.size(state.log) + 1) {
      return Result.fail(`note ${note.id} has number ${note.seq} where ${Chunk.size(state.log) + 1} is due`)
    }
    state = thoughts.addNote(state, Object.freeze({ ...note, metadata: Object.freeze({ ...note.metadata }) }))
  }
  return Result.succeed(
    new thoughts.ThoughtImpl({
      ...state,
      session,
      stored: { version: row.version, seq: row.notes.length, session }
    })
  )
}
