/** Starts a new thought from the notes of another. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { piped, taking } from "../arguments/taking.ts"
import * as ids from "./ids.ts"
import type { State, Thought } from "./model.ts"
import * as Session from "./Session.ts"
import * as internal from "./state.ts"
import type { Simplify } from "./types.ts"

/**
 * Options of a fork.
 *
 * @category models
 */
export interface ForkOptions {
  /** Whether the fork continues the conversation, or starts a fresh one, which makes every note unpublished. */
  readonly session?: "keep" | "fresh"
  /** Default: a new UUID. */
  readonly traceId?: string
  /** The name under which the fork and its own forks remember the current thought (`checkpoints`). */
  readonly checkpoint?: string
}

const forkOf = taking("Thought.fork", {
  args: [kinds.thought],
  options: 1,
  optional: true,
  known: {
    ...forms.others("traceId", "checkpoint", "hide"),
    session: forms.maybe("What the fork has of the conversation.", forms.oneOf("keep", "fresh"), "keep")
  }
})(
  (
    self: Thought<any>,
    options: ForkOptions & { readonly hide?: ReadonlyArray<string> } = {}
  ): Effect.Effect<Thought<any>> =>
    Effect.gen(function* () {
      const state = internal.stateOf(self)
      const { id, millis } = yield* ids.next
      const seq = Chunk.size(state.log)
      const forked: State = {
        ...state,
        identity: {
          ...state.identity,
          id,
          traceId: options.traceId ?? (yield* ids.next).id,
          createdMillis: millis,
          parent: Object.freeze({ id: state.identity.id, seq }),
          hidden: new Map([...state.identity.hidden, ...(options.hide ?? []).map((key) => [key, seq] as const)]),
          checkpoints:
            options.checkpoint === undefined
              ? state.identity.checkpoints
              : new Map([
                  ...state.identity.checkpoints,
                  [options.checkpoint, Object.freeze({ id: state.identity.id, seq })]
                ])
        },
        session: options.session === "fresh" ? Session.empty : state.session,
        stored: { version: 0, seq, session: Session.empty },
        unstoredParent: internal.isStored(self)
          ? undefined
          : internal.withState(self, { deferred: [], left: [], leaving: undefined }),
        // effects that wait for the thought to be stored do not belong to the fork
        deferred: [],
        left: [],
        leaving: undefined
      }
      return new internal.ThoughtImpl(forked)
    })
)

/**
 * Starts a new thought from the notes of this one. Both share the existing notes and then develop independently.
 *
 * **Details**
 *
 * The fork has its own id and trace, the same intent and task, and this thought as `parent`. Its numbering continues
 * after the fork point. `session` keeps the conversation (default) or starts a fresh one, which makes every note
 * unpublished.
 *
 * The fork does not see notes under the keys in `hide`. A conversation that is kept may still show them, so start a
 * fresh one if the model must not see them.
 *
 * @category changes
 */
export const fork: {
  <const K extends string>(
    options: ForkOptions & { readonly hide: ReadonlyArray<K> }
  ): <N>(self: Thought<N>) => Effect.Effect<Thought<Simplify<Omit<N, K>>>>
  (options: ForkOptions): <N>(self: Thought<N>) => Effect.Effect<Thought<N>>
  <N>(self: Thought<N>, options?: ForkOptions): Effect.Effect<Thought<N>>
  <N, const K extends string>(
    self: Thought<N>,
    options: ForkOptions & { readonly hide: ReadonlyArray<K> }
  ): Effect.Effect<Thought<Simplify<Omit<N, K>>>>
} = piped(kinds.thought, 2, forkOf)
