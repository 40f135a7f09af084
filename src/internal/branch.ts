/** Steps that are tried beside each other: nothing is stored until it is known which of them survive. */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Handle, Note } from "../Note.ts"
import type { Step } from "../Step.ts"
import type { Thought } from "../Thought.ts"
import { FailurePath, Run } from "./run.ts"
import { TypeId } from "./step.ts"
import * as thoughts from "./thought.ts"

/** Runs a step without storing what it does; the caller commits the thought that survives. */
export const speculative = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Run, (run) =>
    Effect.provideService(self, Run, {
      path: run.path,
      commit: Effect.succeed,
      progress: { thought: undefined },
      speculative: true
    })
  )

/** How a branch ended. */
export type Outcome<E> =
  | { readonly _tag: "Success"; readonly name: string; readonly thought: Thought<any> }
  | { readonly _tag: "Failure"; readonly name: string; readonly path: ReadonlyArray<string>; readonly error: E }

/**
 * Runs a step as a branch: speculatively, with a typed failure as one of its ends. Interruption stays interruption, and a
 * defect a defect.
 */
export const attempt = <E, R>(base: Thought<any>, step: Step<any, any, E, R>): Effect.Effect<Outcome<E>, never, R> => {
  const { name } = step
  const run = step[TypeId].run(base) as Effect.Effect<Thought<any>, E, R>
  return speculative(run).pipe(
    Effect.map((thought): Outcome<E> => {
      added(base, thought, name)
      return { _tag: "Success", name, thought }
    }),
    Effect.catchCause((cause) => {
      const failure = cause.reasons.find(Cause.isFailReason)
      if (failure === undefined || Cause.hasDies(cause)) {
        // a defect outweighs a failure beside it
        return Effect.failCause(Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason))))
      }
      const path = Context.getOrUndefined(Cause.reasonAnnotations(failure), FailurePath) ?? [name]
      return Effect.succeed<Outcome<E>>({ _tag: "Failure", name, path, error: failure.error })
    })
  )
}

interface AddedNote {
  readonly note: Note
  /** What reads it, when it is typed. */
  readonly handle: Handle<any, unknown> | undefined
}

/** The notes that a branch has added to the thought it was given. A branch that gives another thought is a defect. */
const added = (base: Thought<any>, branch: Thought<any>, name: string): ReadonlyArray<AddedNote> => {
  if (branch.id !== base.id) {
    throw new Error(
      `The branch ${JSON.stringify(name)} went over to another thought than the one it was given. ` +
        `Use checkpoint, restore and forget before or after the branches, not in one.`
    )
  }
  const state = thoughts.stateOf(branch)
  return Array.from(Chunk.drop(state.log, base.length), (note) => ({
    note,
    handle: thoughts.handleOf(state, note)
  }))
}

/** Keys of the notes that a branch has added, each once. */
export const keysOf = (base: Thought<any>, { name, thought }: Survivor): ReadonlyArray<string> => [
  ...new Set(added(base, thought, name).map(({ note }) => note.key))
]

/** A branch that has come to its end. */
export type Survivor = Extract<Outcome<never>, { readonly _tag: "Success" }>

/**
 * The thought with the notes of its branches, in the order of the branches, numbered anew. Its conversation is the one
 * from before the branches, so all of these notes are unpublished.
 */
export const merge = (base: Thought<any>, branches: ReadonlyArray<Survivor>): Thought<any> => {
  let state = thoughts.stateOf(base)
  for (const { handle, note } of branches.flatMap(({ name, thought }) => added(base, thought, name))) {
    state = thoughts.addNote(state, Object.freeze({ ...note, seq: Chunk.size(state.log) + 1 }), handle)
  }
  return new thoughts.ThoughtImpl(state)
}
