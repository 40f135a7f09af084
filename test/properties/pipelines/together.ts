/** Branches beside each other according to the interpreter. */
import { type Context, type Event, inside, type ModelFailure, type Outcome, tie, type Timed } from "./outcome.ts"
import type { Node } from "./program.ts"
import type { ModelThought } from "./thought.ts"

/** What a step does. */
export type Interpret = (node: Node, context: Context, thought: ModelThought) => Outcome

export interface Together extends Timed {
  /** How the branches ended, in order of declaration; nothing of those that did not come to their end. */
  readonly outcomes: ReadonlyArray<Outcome | undefined>
  readonly settledBy: Outcome | undefined
  /** A branch that died or was interrupted, which ends all. */
  readonly ended: Outcome | undefined
  readonly events: ReadonlyArray<Event>
}

/** The branches beside each other, until one of them settles the matter. */
export const together = (
  interpret: Interpret,
  branches: ReadonlyArray<Node>,
  context: Context,
  thought: ModelThought,
  concurrency: number | "unbounded",
  settles: (outcome: Outcome) => boolean
): Together => {
  const slots = Array.from(branches, () => context.at).slice(0, concurrency === "unbounded" ? undefined : concurrency)
  const outcomes: Array<Outcome> = []
  const starts: Array<number> = []
  for (const [i, step] of branches.entries()) {
    const at = Math.min(...slots)
    // a branch that never gets its turn
    const outcome: Outcome =
      at === Infinity
        ? { end: { _tag: "Interrupted" }, at, events: [] }
        : interpret(step, inside({ ...context, at }, `branch${i}`), thought)
    slots[slots.indexOf(at)] = outcome.at
    starts.push(at)
    outcomes.push(outcome)
  }
  const over = (outcome: Outcome) => outcome.end._tag === "Died" || outcome.end._tag === "Interrupted"
  const last = outcomes.filter((outcome) => over(outcome) || settles(outcome))
  const cut = Math.min(...last.map(({ at }) => at))
  const first = last.find(({ at }) => at === cut)
  const at = first === undefined ? Math.max(...outcomes.map((outcome) => outcome.at)) : cut
  const kept = outcomes.map((outcome, i) =>
    outcome === first || (starts[i]! < cut && outcome.at <= cut) ? outcome : undefined
  )
  const events = outcomes.flatMap((outcome, i) =>
    outcome === first
      ? outcome.events
      : [
          ...closed(
            outcome.events.filter((event) => event.at < cut),
            cut
          ),
          ...tie(cut, starts[i]! < cut ? [outcome.at, ...outcome.events.map((event) => event.at)] : [context.at])
        ]
  )
  return {
    at,
    outcomes: kept,
    settledBy: first !== undefined && !over(first) ? first : undefined,
    ended: first !== undefined && over(first) ? first : undefined,
    events: events.toSorted((a, b) => a.at - b.at)
  }
}

/** Attempts of a branch that loses are nobody's from then on; until then a limit may cut them short. */
const closed = (events: ReadonlyArray<Event>, at: number): ReadonlyArray<Event> => {
  const scopes = new Set(events.flatMap((event) => (event._tag === "Passed" ? [event.scope] : [])))
  return [...events, ...Array.from(scopes, (scope): Event => ({ _tag: "Closed", at, scope }))]
}

/** Failures of attempts that have not come to their end. */
export const unfinished = (events: ReadonlyArray<Event>): ReadonlyArray<ModelFailure> => {
  const ended = new Set(events.flatMap((event) => (event._tag === "Closed" ? [event.scope] : [])))
  return events.flatMap((event) => (event._tag === "Passed" && !ended.has(event.scope) ? [event.failure] : []))
}
