/** What a run begins with: an intent and notes, of which it makes a thought. */
import type * as Effect from "effect/Effect"
import { maybe, others, trust } from "../../arguments/forms.ts"
import { refuseSlips } from "../../arguments/slips.ts"
import type * as Step from "../../step/runtime/model.ts"
import type { Thought } from "../../thought/model.ts"
import * as Thoughts from "../../thought/Thought.ts"
import type { Missing, Read, Texts } from "../../thought/types.ts"

/** Notes to begin with, by key: texts, or drafts with a trust and metadata of their own. */
export type Drafts = Readonly<Record<string, string | Thoughts.Draft>>

/**
 * What a run begins with. `notes` are untrusted unless `trust` says otherwise.
 *
 * @category models
 */
export interface Start<N extends Drafts = Drafts> {
  readonly intent: string
  readonly notes?: N
  readonly traceId?: string
  readonly taskId?: string
  readonly trust?: "trusted" | "untrusted"
}

/**
 * A step that can run on a thought with these notes.
 *
 * @category types
 */
export type Startable<S, N> =
  Texts<N> extends Read<Step.In<S>>
    ? S
    : S & { readonly "the thought lacks notes that the step reads": Needed<Missing<Step.In<S>, Texts<N>>> }

/** The keys that are not optional. */
type Needed<N> = { readonly [K in keyof N]-?: {} extends Pick<N, K> ? never : K }[keyof N]

/**
 * The thought with the notes `N` if it has what a step with these reads needs, otherwise one that has.
 *
 * @category types
 */
export type Fitting<In, N> = [N] extends [Read<In>] ? Thought<N> : Thought<In>

/** Makes the thought. Throws if a name is mistyped. */
export const starting = <N extends Drafts>(owner: string, start: Start<N>): Effect.Effect<Thought<Texts<N>>> => {
  refuseSlips(`The start of ${owner}`, startForms, start)
  const { intent, notes, ...rest } = start
  return Thoughts.make(intent, notes, rest)
}

const startForms = { ...others("intent", "notes", "traceId", "taskId"), trust: maybe("", trust) }
