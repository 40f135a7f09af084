/** What connectors do according to the interpreter that run several steps at the same time. */
import { chain, commit, type Context, type End, failed, type Outcome, withOthers } from "./outcome.ts"
import { accepts, type Besides } from "./program.ts"
import * as Thought from "./thought.ts"
import type { ModelThought } from "./thought.ts"
import { type Interpret, together, type Together } from "./together.ts"

export const interpretBeside = (
  interpret: Interpret,
  node: Besides,
  context: Context,
  thought: ModelThought
): Outcome => {
  const trying = { ...context, speculative: true }
  const run = (settles: (outcome: Outcome) => boolean) =>
    together(interpret, node.children, trying, thought, node.concurrency, settles)
  if (node._tag === "Concurrent") return concurrent(node, context, thought, run)
  const tried = run(
    ({ end }) => end._tag === "Done" && (node._tag === "Race" || accepts(node.accept, end.thought.log.length))
  )
  const { at, events, outcomes } = tried
  if (tried.ended !== undefined) return { ...tried.ended, events }
  if (tried.settledBy !== undefined) {
    return chain({ ...tried.settledBy, events }, context, (given, last) => commit(last, given))
  }
  const failures = failuresOf(outcomes)
  if (failures.length === outcomes.length) return { at, events, end: failTogether(outcomes) }
  const beside = failures.map(({ failure }) => failure)
  return { at, events, end: withOthers(failed({ ...context, at }, "NoneAccepted"), { beside }) }
}

const concurrent = (
  node: Extract<Besides, { readonly _tag: "Concurrent" }>,
  context: Context,
  thought: ModelThought,
  run: (settles: (outcome: Outcome) => boolean) => Together
): Outcome => {
  const tried = run(({ end }) => node.minSuccesses === undefined && end._tag === "Failed")
  const { at, events, outcomes } = tried
  if (tried.ended !== undefined) return { ...tried.ended, events }
  if (tried.settledBy !== undefined) return { at, events, end: failTogether(outcomes) }
  const survivors = outcomes.flatMap((outcome, i) =>
    outcome?.end._tag === "Done"
      ? [{ thought: outcome.end.thought, prefix: node.conflicts === "namespace" ? `branch${i}.` : "" }]
      : []
  )
  if (survivors.length < (node.minSuccesses ?? 0)) {
    const failures = failuresOf(outcomes)
    const retryable = failures.some((one) => one.retryable)
    const beside = failures.map(({ failure }) => failure)
    return { at, events, end: withOthers(failed({ ...context, at }, "BranchesFailed", retryable), { beside }) }
  }
  const merged = Thought.merge(thought, survivors)
  const results = outcomes.map((outcome, i) => {
    const name = `branch${i}`
    if (outcome?.end._tag === "Failed") {
      return { name, outcome: "failure", keys: [], error: outcome.end.failure.cause.split(" ")[0] }
    }
    const added = outcome?.end._tag === "Done" ? outcome.end.thought.log.slice(thought.log.length) : []
    const prefix = node.conflicts === "namespace" ? `${name}.` : ""
    return { name, outcome: "success", keys: [...new Set(added.map(({ key }) => `${prefix}${key}`))] }
  })
  const noted = node.report
    ? Thought.addNote(merged, {
        key: `report${node.id}`,
        content: JSON.stringify(results),
        source: "concurrent",
        step: context.path.join("/")
      })
    : merged
  return chain({ at, events, end: { _tag: "Done", thought: noted } }, context, (given, last) => commit(last, given))
}

const failuresOf = (outcomes: ReadonlyArray<Outcome | undefined>) =>
  outcomes.flatMap((outcome) => (outcome?.end._tag === "Failed" ? [outcome.end] : []))

/** The failure of the first branch, with those of the others beside it. */
const failTogether = (outcomes: ReadonlyArray<Outcome | undefined>): End => {
  const [first, ...others] = failuresOf(outcomes)
  return withOthers(first!, { beside: others.map(({ failure }) => failure) })
}
