/** What connectors do according to the interpreter. */
import {
  chain,
  commit,
  type Context,
  done,
  type End,
  type Event,
  failed,
  inside,
  type ModelFailure,
  type Outcome,
  after,
  withOthers
} from "./outcome.ts"
import type { Composite, Node, Plain } from "./program.ts"
import * as Thought from "./thought.ts"
import type { ModelThought } from "./thought.ts"
import { type Interpret, together } from "./together.ts"

export const inTurn = (
  interpret: Interpret,
  steps: ReadonlyArray<Node>,
  context: Context,
  thought: ModelThought
): Outcome =>
  steps.reduce(
    (outcome: Outcome, step) => chain(outcome, context, (given, then) => interpret(step, then, given)),
    done(context, thought)
  )

/** Steps without a step in them that ask nothing. */
export const interpretPlain = (node: Plain, context: Context, thought: ModelThought): Outcome => {
  switch (node._tag) {
    case "Truncate": {
      const shorter = Thought.truncate(thought, node)
      return shorter === thought ? done(context, thought) : commit(context, shorter)
    }
    case "Checkpoint":
      return commit(context, Thought.fork(thought, { checkpoint: node.name, session: "keep" }))
    default: {
      const target = thought.checkpoints.get(node.name)
      if (target === undefined) {
        return { end: failed(context, "CheckpointNotFound"), at: context.at, events: [] }
      }
      return commit(context, Thought.fork(target, { checkpoint: node.name, session: node.session }))
    }
  }
}

export const interpretComposite = (
  interpret: Interpret,
  node: Exclude<Composite, { _tag: "AndThen" | "When" }>,
  context: Context,
  thought: ModelThought
): Outcome => {
  const trying = { ...context, speculative: true }
  switch (node._tag) {
    case "Sequence":
      return inTurn(interpret, node.children, context, thought)
    case "Filter": {
      const [step, otherwise] = node.children
      const way = node.holds ? step : otherwise
      if (way === undefined) return done(context, thought)
      // a step of two ways has the names of the ways around its parts
      if (otherwise === undefined) return interpret(way, context, thought)
      return interpret(way, inside(context, node.holds ? "then" : "otherwise"), thought)
    }
    case "Retry": {
      const before: Array<ModelFailure> = []
      const events: Array<Event> = []
      let then = trying
      for (;;) {
        const tried = interpret(node.children[0], then, thought)
        events.push(...tried.events)
        then = { ...trying, ...after(then, tried) }
        const { at, end } = tried
        if (end._tag !== "Failed") {
          return chain({ ...tried, events }, context, (given, last) => commit(last, given))
        }
        if (before.length === node.times || !(node.always || end.retryable)) {
          return { at, events, end: withOthers(end, { before }) }
        }
        before.push(end.failure)
      }
    }
    default: {
      const tried = together(
        interpret,
        node.children,
        trying,
        thought,
        node.concurrency,
        ({ end }) => end._tag === "Done"
      )
      if (tried.ended !== undefined) return { ...tried.ended, events: tried.events }
      if (tried.settledBy !== undefined) {
        return chain({ ...tried.settledBy, events: tried.events }, context, (given, last) => commit(last, given))
      }
      return { at: tried.at, events: tried.events, end: failTogether(tried.outcomes) }
    }
  }
}

/** The failure of the first branch, with those of the others beside it. */
const failTogether = (outcomes: ReadonlyArray<Outcome | undefined>): End => {
  const ends = outcomes.flatMap((outcome) => (outcome?.end._tag === "Failed" ? [outcome.end] : []))
  const [first, ...others] = ends
  return withOthers(first!, { beside: others.map(({ failure }) => failure) })
}
