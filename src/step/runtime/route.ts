/** Steps that lead to one of several others, or to none, by what something runnable gives for the thought. */
import * as Effect from "effect/Effect"
import type * as Step from "./model.ts"
import type { Thought } from "../../thought/model.ts"
import { emit } from "../../run/run.ts"
import { readsOf } from "./runnable.ts"
import { inTurn, maybe, oneOf } from "./make.ts"
import { TypeId } from "./model.ts"

/**
 * In the bound of a condition's type: what stands there before the condition's type is inferred. A refusal waits for that,
 * or it would refuse conditions with functions in them before they are looked at.
 *
 * @category types
 */
export interface Undecided {
  readonly "~cogito/Undecided": never
}

type Notes = Pick<Step.Node, "reads" | "writes" | "surely" | "updates" | "children">

/** What a step reads and writes that asks `on` and then goes one of the ways; where it `passes`, perhaps none. */
export const routing = (on: Step.Runnable, ways: ReadonlyArray<Step.Any>, passes: boolean): Notes => {
  const children = ways.map(({ node }) => node)
  const taken = passes ? inTurn(children.map(maybe)) : oneOf(children)
  return { ...taken, reads: [...new Set([...readsOf(on), ...taken.reads])], children }
}

/** How a yes/no question leads to one step, or past it. */
export const yesOrNo: Step.Layout = { _tag: "Choice", labels: ["yes"], past: "no" }

/** Runs the step that was chosen, and emits a signal. Without a choice, the thought passes unchanged. */
export const go = <E, R>(
  thought: Thought<any>,
  way: Step.Step<any, any, E, R> | undefined,
  /** How sure a model is of it. */
  confidence?: number
): Effect.Effect<Thought<any>, E, R> =>
  Effect.andThen(
    emit(thought, { _tag: "Routed", route: way?.name, ...(confidence !== undefined && { confidence }) }),
    Effect.suspend(() =>
      way === undefined ? Effect.succeed(thought) : (way[TypeId].run(thought) as Effect.Effect<Thought<any>, E, R>)
    )
  )
