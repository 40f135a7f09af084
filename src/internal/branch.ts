/** Steps that are tried beside each other: nothing is stored until it is known which of them survive. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { Handle, Note } from "../Note.ts"
import type { Thought } from "../Thought.ts"
import { Run } from "./run.ts"
import * as thoughts from "./thought.ts"

/** Runs a step without storing what it does; the caller commits the thought that survives. */
export const speculative = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Run, (run) =>
    Effect.provideService(self, Run, { ...run, commit: Effect.succeed, progress: { thought: undefined } })
  )

interface AddedNote {
  readonly note: Note
  /** What reads it, when it is typed. */
  readonly handle: Handle<any, unknown> | undefined
}

/** The notes that a branch has added to the thought it was given. A branch that gives another thought is a defect. */
export const added = (base: Thought<any>, branch: Thought<any>): ReadonlyArray<AddedNote> => {
  if (branch.id !== base.id) {
    throw new Error("A branch must give the thought that it was given: it may not fork, check out or forget.")
  }
  const { handles, log } = thoughts.stateOf(branch)
  return Array.from(Chunk.drop(log, base.length), (note) => ({
    note,
    handle: Option.getOrUndefined(HashMap.get(handles, note.key))
  }))
}

/**
 * The thought with the notes of its branches, in the order of the branches, numbered anew. Its conversation is the one
 * from before the branches, so all of these notes are unpublished.
 */
export const merge = (base: Thought<any>, branches: ReadonlyArray<Thought<any>>): Thought<any> => {
  let state = thoughts.stateOf(base)
  for (const { handle, note } of branches.flatMap((branch) => added(base, branch))) {
    state = thoughts.addNote(state, Object.freeze({ ...note, seq: Chunk.size(state.log) + 1 }), handle)
  }
  return new thoughts.ThoughtImpl(state)
}
