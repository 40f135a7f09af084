/**
 * What a program should do, worked out without the library: which thought it gives or how it fails, when, what it asks
 * and what it stores, on a clock of its own.
 */
import { inTurn, interpretComposite, interpretPlain } from "./connectors.ts"
import { interpretLeaf } from "./leaves.ts"
import { chain, commit, type Context, done, type Event, inside, type Outcome, tie } from "./outcome.ts"
import { nameOf, type Node, type Program } from "./program.ts"
import type { ModelThought } from "./thought.ts"

/** What happens when nothing interrupts the program and no store fails. */
const run = (program: Program, start: ModelThought): Outcome => {
  const context: Context = {
    at: 0,
    since: 0,
    path: [],
    speculative: false,
    calls: new Map(),
    known: new Map(),
    introspects: false,
    root: start.id,
    appended: []
  }
  return chain(commit({ ...context, path: [nameOf(program.root)] }, start), context, (thought, then) =>
    interpret(program.root, then, thought)
  )
}

/** What a program should do. */
export const predict = (program: Program, start: ModelThought): Outcome => {
  const whole = run(program, start)
  let outcome: Outcome = { ...whole, events: whole.events.toSorted((a, b) => a.at - b.at) }
  const { failingCommit, interruptAt } = program
  const commits = outcome.events.filter((event) => event._tag === "Commit")
  const failing = failingCommit === undefined ? undefined : commits[failingCommit]
  if (failing !== undefined) {
    const failure = {
      path: failing.path,
      cause: "MemoryError",
      durationMillis: failing.at - failing.since,
      before: [],
      beside: []
    }
    outcome = {
      end: { _tag: "Failed", failure, retryable: false, retryAfter: 0 },
      at: failing.at,
      events: outcome.events.slice(0, outcome.events.indexOf(failing))
    }
  }
  if (interruptAt !== undefined && outcome.at >= interruptAt) outcome = interrupted(outcome, interruptAt)
  return outcome.at === Infinity ? interrupted(outcome, Infinity) : outcome
}

/** What is left of an outcome that was interrupted before its end. */
const interrupted = ({ at, events }: Outcome, moment: number): Outcome => ({
  end: { _tag: "Interrupted" },
  at: moment,
  events: [
    ...events.filter((event) => (event.dispatched ?? event.at) < moment),
    ...tie(moment, [at, ...events.map((event) => event.at)]),
    // what was still to be dispatched is dispatched at once
    ...events.flatMap((event): ReadonlyArray<Event> => {
      if (event._tag !== "Waited" || event.at >= moment || event.until < moment) return []
      const { until } = event
      const late = events.some(({ dispatched = 0 }) => dispatched > moment && dispatched <= until)
      return late ? [{ _tag: "Tie", at: moment }] : []
    })
  ]
})

const interpret = (node: Node, outer: Context, thought: ModelThought): Outcome => {
  // chains have no place of their own in paths
  if (node._tag === "AndThen") return inTurn(interpret, node.children, outer, thought)
  if (node._tag === "When") {
    const [first, second] = node.children
    return chain(interpret(first!, outer, thought), outer, (given, then) =>
      node.holds ? interpret(second!, inside(then, `when${node.id}`), given) : done(then, given)
    )
  }
  if (node._tag === "Introspect") return interpret(node.children[0], { ...outer, introspects: true }, thought)
  const context = inside(outer, nameOf(node))
  return node._tag === "Leaf"
    ? interpretLeaf(node, context, thought)
    : "children" in node
      ? interpretComposite(interpret, node, context, thought)
      : interpretPlain(node, context, thought)
}
