/** What leaves do according to the interpreter: they are called, answer, and look back. */
import {
  chain,
  commit,
  type Context,
  type Later,
  done,
  type End,
  type Event,
  failed,
  type ModelRequest,
  type Outcome
} from "./outcome.ts"
import { asksModel, behaviourOf, callName, type Leaf, probabilityOf } from "./program.ts"
import * as Thought from "./thought.ts"
import type { ModelThought } from "./thought.ts"

/** What a leaf writes, by its answer to a call. */
const contentOf = (leaf: Leaf, call: number): string => {
  const name = callName(leaf, call)
  switch (leaf.does) {
    case "decide":
      return JSON.stringify({ decision: true, confidence: 0.5, confidenceFrom: "stated", reasoning: [name] })
    case "native":
      return JSON.stringify({
        decision: true,
        confidence: probabilityOf(leaf, call),
        confidenceFrom: "measured",
        reasoning: [],
        distribution: { yes: probabilityOf(leaf, call), no: 1 - probabilityOf(leaf, call) }
      })
    case "analyze":
      return JSON.stringify({ topic: name })
    default:
      return name
  }
}

/** A call of a leaf: when it ends, and how when it does not end well. */
export const call = (
  leaf: Leaf,
  context: Context,
  request: ModelRequest | undefined
): { readonly context: Context; readonly event: Event; readonly call: number; readonly wrong: boolean } & {
  readonly end: End | undefined
} => {
  const number = context.calls.get(leaf.id) ?? 0
  const { ends, takes } = behaviourOf(leaf, number)
  const then = {
    ...context,
    at: ends === "never" ? Infinity : context.at + takes,
    calls: new Map([...context.calls, [leaf.id, number + 1]])
  }
  const event: Event = { _tag: "Call", at: context.at, leaf, call: number, request }
  const rest = { context: then, event, call: number, wrong: ends === "wrong" }
  const name = callName(leaf, number)
  const tag = request === undefined ? "Fault" : "ProviderError"
  switch (ends) {
    case "fail":
      return { ...rest, end: failed(then, `${tag} ${name}`) }
    case "fatal":
      return { ...rest, end: failed(then, `${tag} ${name}`, false) }
    case "busy":
      return { ...rest, end: failed(then, `${tag} ${name}`, true, takes) }
    case "die":
      return { ...rest, end: { _tag: "Died", defect: name } }
    case "quit":
      return { ...rest, end: { _tag: "Interrupted" } }
    case "never":
      return { ...rest, end: { _tag: "Interrupted" } }
    default:
      return { ...rest, end: undefined }
  }
}

export const interpretLeaf = (leaf: Leaf, context: Context, thought: ModelThought): Outcome => {
  const step = context.path.join("/")
  if (leaf.does === "once") {
    const later: Later = (then, stored) => {
      const made = call(leaf, then, undefined)
      return { end: made.end ?? { _tag: "Done", thought: stored }, at: made.context.at, events: [made.event] }
    }
    return commit(context, { ...thought, later: [...thought.later, later] })
  }
  if (leaf.does === "append") {
    const made = call(leaf, context, undefined)
    const { at } = made.context
    const note = Thought.noteFrom({
      key: leaf.key,
      content: callName(leaf, made.call),
      source: "user",
      step: ""
    })
    return { end: { _tag: "Done", thought }, at, events: [made.event, { _tag: "Appended", at, note }] }
  }
  if (!asksModel(leaf)) {
    const made = call(leaf, context, undefined)
    const outcome = { at: made.context.at, events: [made.event] }
    if (made.end !== undefined) return { ...outcome, end: made.end }
    if (leaf.does !== "write") return { ...outcome, end: { _tag: "Done", thought } }
    const note = { key: leaf.key, content: contentOf(leaf, made.call), source: "step", step }
    return chain(
      { ...outcome, end: { _tag: "Done", thought: Thought.addNote(thought, note) } },
      context,
      (given, then) => commit(then, given)
    )
  }
  return chain(answer(leaf, context, thought), context, (answered, then) =>
    leaf.introspect === true || (leaf.introspect === "open" && then.introspects)
      ? chain(lookBack(leaf, then, answered), then, (given, last) => commit(last, given))
      : commit(then, answered)
  )
}

/** The answer of a model, after one repair at most. */
const answer = (leaf: Leaf, context: Context, thought: ModelThought): Outcome => {
  const shows = Thought.unpublished(thought)
  const asked = {
    phase: "reason" as const,
    thought: thought.id,
    conversation: thought.session,
    shows,
    current: Thought.current(thought)
  }
  const events: Array<Event> = []
  let then = context
  for (let repairs = 0; ; repairs++) {
    const made = call(leaf, then, { ...asked, repairs })
    then = made.context
    events.push(made.event)
    if (made.end !== undefined) return { end: made.end, at: then.at, events }
    if (!made.wrong || leaf.does === "native") {
      const source = leaf.does === "native" ? "decide" : leaf.does
      const note = { key: leaf.key, content: contentOf(leaf, made.call), source, step: context.path.join("/") }
      const noted = Thought.addNote(thought, note)
      return done(then, leaf.does === "native" ? noted : Thought.converse(noted, shows), events)
    }
    if (repairs === 1) return { end: failed(then, "ResponseError"), at: then.at, events }
  }
}

const lookBack = (leaf: Leaf, context: Context, thought: ModelThought): Outcome => {
  const shows = Thought.unpublished(thought)
  const current = Thought.current(thought)
  const asked = {
    phase: "introspect" as const,
    thought: thought.id,
    conversation: thought.session,
    shows,
    current,
    repairs: 0
  }
  const made = call(leaf, context, asked)
  const outcome = { at: made.context.at, events: [made.event] }
  if (made.end !== undefined) return { ...outcome, end: made.end }
  const note = {
    key: `${leaf.key}_summary`,
    content: callName(leaf, made.call),
    source: `${leaf.does === "native" ? "decide" : leaf.does}-introspection`,
    step: context.path.join("/")
  }
  return { ...outcome, end: { _tag: "Done", thought: Thought.converse(Thought.addNote(thought, note), shows) } }
}
