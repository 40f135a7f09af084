/** What connectors do according to the interpreter. */
import { interpretBeside } from "./beside.ts"
import { call } from "./leaves.ts"
import {
  after,
  chain,
  commit,
  type Context,
  done,
  type Event,
  type Failed,
  failed,
  inside,
  type Later,
  type ModelFailure,
  type Outcome,
  withOthers
} from "./outcome.ts"
import { accepts, builtName, type Composite, isBeside, type Leaf, type Node, type Plain } from "./program.ts"
import * as Thought from "./thought.ts"
import type { ModelThought } from "./thought.ts"
import { type Interpret, unfinished } from "./together.ts"

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

/** The same step, one level down when an earlier one beside it has its name. */
const distinct = (interpret: Interpret, steps: ReadonlyArray<Node>): Interpret => {
  const names = steps.map(builtName)
  return (step, context, thought) => {
    const i = steps.indexOf(step)
    const times = names.slice(0, i + 1).filter((name) => name === names[i]).length
    return interpret(step, times <= 1 ? context : inside(context, `${names[i]}#${times}`), thought)
  }
}

/** Steps without a step in them that ask nothing. */
export const interpretPlain = (node: Plain, context: Context, thought: ModelThought): Outcome => {
  switch (node._tag) {
    case "Truncate": {
      const shorter = Thought.truncate(thought, node)
      return shorter === thought ? done(context, thought) : commit(context, shorter)
    }
    case "Mutate": {
      if (!node.holds) return done(context, thought)
      const before = Thought.current(thought).find(({ key }) => key === "message")!
      const content = `${before.content}+${node.id}`
      return commit(
        context,
        Thought.addNote(thought, { key: "message", content, source: "mutate", step: context.path.join("/") })
      )
    }
    case "Own":
      return commit(context, Thought.restore(thought, thought, { session: node.session }))
    case "Checkpoint":
      return commit(context, Thought.fork(thought, { checkpoint: node.name, session: "keep" }))
    default: {
      const target = thought.checkpoints.get(node.name)
      if (target === undefined) {
        return { end: failed(context, "CheckpointNotFound"), at: context.at, events: [] }
      }
      return commit(context, Thought.restore(thought, target, { checkpoint: node.name, session: node.session }))
    }
  }
}

export type Connector = Exclude<Composite, { readonly _tag: "AndThen" | "When" | "Introspect" }>

export const interpretComposite = (
  interpret: Interpret,
  node: Connector,
  context: Context,
  thought: ModelThought
): Outcome => {
  if (isBeside(node)) return interpretBeside(interpret, node, context, thought)
  switch (node._tag) {
    case "Sequence":
    case "Gen":
      return inTurn(distinct(interpret, node.children), node.children, context, thought)
    case "Inner":
      return inner(interpret, node, context, thought)
    case "Named":
    case "WorkerLimit":
      return interpret(node.children[0], context, thought)
    case "Filter": {
      const [step, otherwise] = node.children
      const way = node.holds ? step : otherwise
      if (way === undefined) return done(context, thought)
      // a step of two ways has the names of the ways around its parts
      if (otherwise === undefined) return interpret(way, context, thought)
      return interpret(way, inside(context, node.holds ? "then" : "otherwise"), thought)
    }
    case "Switch": {
      const way = node.children[node.choice]
      return way === undefined ? done(context, thought) : interpret(way, inside(context, `way${node.choice}`), thought)
    }
    case "Gate":
      if (node.verdict === "fail") return { end: failed(context, "GateClosed", false), at: context.at, events: [] }
      return node.verdict === "skip" ? done(context, thought) : interpret(node.children[0], context, thought)
    case "Retry":
      return attempts(interpret, node.children, context, thought, ({ retryable }, attempt) =>
        attempt > node.times || !(node.always || retryable) ? undefined : 0
      )
    case "Backoff":
      return attempts(interpret, node.children, context, thought, ({ retryable, retryAfter }, attempt) => {
        if (attempt > node.times || !(node.always || retryable) || retryAfter > node.cap) return undefined
        return Math.max(Math.min(node.base * node.factor ** (attempt - 1), node.cap), retryAfter)
      })
    case "Timeout":
      return timeout(interpret, node, context, thought)
    case "Fallback":
      return alternatives(
        node.children.map((step) => (then: Context) => distinct(interpret, node.children)(step, then, thought)),
        context,
        ({ retryable }) => node.always || retryable,
        ({ log }) => accepts(node.accept, log.length)
      )
    case "Recover": {
      const [step, recovery] = node.children
      return alternatives(
        [(then) => interpret(step!, then, thought), (then) => interpret(recovery!, inside(then, "with"), thought)],
        context,
        ({ retryable }) => node.always || retryable
      )
    }
    case "Handle":
      return handle(interpret, node.children, context, thought)
    case "Enrich": {
      const tried = interpret(node.children[0], { ...context, speculative: true }, thought)
      const then = { ...after(context, tried), since: context.since }
      if (tried.end._tag !== "Failed") return chain(tried, context, (given, last) => commit(last, given))
      if (!node.report) return done(then, thought, tried.events)
      const { cause, path } = tried.end.failure
      const content = JSON.stringify({ path, error: cause.split(" ")[0] })
      const note = { key: `report${node.id}`, content, source: "enrich", step: context.path.join("/") }
      return chain(done(then, Thought.addNote(thought, note), tried.events), context, (given, last) =>
        commit(last, given)
      )
    }
    case "RateLimit": {
      const { moment = -Infinity } = context.known.get(node.id) ?? {}
      const free = Math.max(moment, context.at)
      if (free > context.at && node.onExceeded === "fail") {
        return { end: failed(context, "RateLimited", true, free - context.at), at: context.at, events: [] }
      }
      const known: Event = { _tag: "Known", at: free, id: node.id, state: { failures: 0, moment: free + node.per } }
      return chain(done({ at: free }, thought, [known]), context, (given, then) =>
        interpret(node.children[0], then, given)
      )
    }
    case "CircuitBreaker":
      return circuitBreaker(interpret, node, context, thought)
    default: {
      const later: Later = (then, stored) => {
        // it looks back as the pipeline around it says
        const { introspects } = context
        const background = inBackground(interpret, node.children[0], { ...then, introspects }, stored)
        return { ...done(then, stored, background) }
      }
      return commit(context, { ...thought, later: [...thought.later, later] })
    }
  }
}

let scopes = 0

/** Runs a step until it succeeds or nothing says how long to wait for the next attempt. */
const attempts = (
  interpret: Interpret,
  [step]: readonly [Node],
  context: Context,
  thought: ModelThought,
  wait: (end: Failed, attempt: number) => number | undefined
): Outcome => {
  const scope = ++scopes
  const before: Array<ModelFailure> = []
  const events: Array<Event> = []
  let then: Context = { ...context, speculative: true }
  for (;;) {
    const tried = interpret(step, then, thought)
    events.push(...tried.events)
    then = { ...after(then, tried), since: context.since }
    const { at, end } = tried
    const closed: Event = { _tag: "Closed", at, scope }
    if (at === Infinity) return { at, end, events }
    if (end._tag !== "Failed") {
      return chain({ at, end, events: [...events, closed] }, context, (given, last) => commit(last, given))
    }
    const millis = wait(end, before.length + 1)
    if (millis === undefined) return { at, end: withOthers(end, { before }), events: [...events, closed] }
    before.push(end.failure)
    events.push({ _tag: "Passed", at, scope, failure: end.failure })
    then = { ...then, at: at + millis }
  }
}

/** Runs one after the other from the same thought until one is good. */
const alternatives = (
  runs: ReadonlyArray<(context: Context) => Outcome>,
  context: Context,
  onward: (end: Failed) => boolean,
  good: (thought: ModelThought) => boolean = () => true
): Outcome => {
  const scope = ++scopes
  const before: Array<ModelFailure> = []
  const events: Array<Event> = []
  let then: Context = { ...context, speculative: true }
  for (const [i, run] of runs.entries()) {
    const last = i === runs.length - 1
    const tried = run(then)
    events.push(...tried.events)
    then = { ...after(then, tried), since: context.since }
    const { at, end } = tried
    if (at === Infinity) return { at, end, events }
    const closed: Event = { _tag: "Closed", at, scope }
    if (end._tag === "Failed") {
      if (last || !onward(end)) return { at, end: withOthers(end, { before }), events: [...events, closed] }
      before.push(end.failure)
      events.push({ _tag: "Passed", at, scope, failure: end.failure })
    } else if (end._tag !== "Done" || last || good(end.thought)) {
      return chain({ at, end, events: [...events, closed] }, context, (given, settled) => commit(settled, given))
    }
  }
  throw new Error("there are no alternatives")
}

const timeout = (
  interpret: Interpret,
  node: Extract<Composite, { readonly _tag: "Timeout" }>,
  context: Context,
  thought: ModelThought
): Outcome => {
  const moment = context.at + node.limit
  const tried = interpret(node.children[0], { ...context, speculative: true }, thought)
  if (tried.at < moment) return chain(tried, context, (given, last) => commit(last, given))
  const events = tried.events.filter((event) => event.at < moment)
  const scopesLeft = new Set(events.flatMap((event) => (event._tag === "Passed" ? [event.scope] : [])))
  const then = { ...context, at: moment }
  return {
    at: moment,
    end: withOthers(failed(then, "TimeoutError"), { before: unfinished(events) }),
    events: [
      ...events,
      ...Array.from(scopesLeft, (scope): Event => ({ _tag: "Closed", at: moment, scope })),
      ...(tried.at === moment || tried.events.some((event) => event.at === moment)
        ? [{ _tag: "Tie" as const, at: moment }]
        : [])
    ]
  }
}

/** The handler sees the failure and changes nothing of it. */
const handle = (
  interpret: Interpret,
  [step, handler]: ReadonlyArray<Node>,
  context: Context,
  thought: ModelThought
): Outcome => {
  const tried = interpret(step!, context, thought)
  if (tried.end._tag !== "Failed") return tried
  const made = call(handler as Leaf, after(context, tried), undefined)
  const own = made.end
  return {
    at: made.context.at,
    end: own === undefined || own._tag === "Failed" ? tried.end : own,
    events: [...tried.events, made.event]
  }
}

const circuitBreaker = (
  interpret: Interpret,
  node: Extract<Composite, { readonly _tag: "CircuitBreaker" }>,
  context: Context,
  thought: ModelThought
): Outcome => {
  const { failures, moment } = context.known.get(node.id) ?? { failures: 0, moment: undefined }
  const left = moment === undefined ? 0 : moment + node.reset - context.at
  if (left > 0) return { end: failed(context, "CircuitOpen", true, left), at: context.at, events: [] }
  const tried = interpret(node.children[0], context, thought)
  const { at, end } = tried
  const verdict =
    end._tag === "Done" ? "success" : end._tag === "Died" || (end._tag === "Failed" && end.retryable) ? "failure" : ""
  if (verdict === "" || at === Infinity) return tried
  const count = verdict === "failure" ? failures + 1 : 0
  // one failure opens a circuit again that was tried
  const opens = verdict === "failure" && (moment !== undefined || count >= node.failures)
  const state = { failures: opens ? 0 : count, moment: opens ? at : undefined }
  return { ...tried, events: [...tried.events, { _tag: "Known", at, id: node.id, state }] }
}

/** A run on a fork of the thought, or on one apart, whose failure is the step's own. */
const inner = (
  interpret: Interpret,
  node: Extract<Composite, { readonly _tag: "Inner" }>,
  context: Context,
  thought: ModelThought
): Outcome => {
  const own = node.apart ? Thought.beginWith("Hello") : Thought.branchOff(thought)
  const begin = {
    ...context,
    path: [],
    speculative: context.speculative && !node.apart,
    introspects: false,
    since: context.at
  }
  const ran = chain(commit(begin, own), begin, (given, then) => interpret(node.children[0], then, given))
  const events = ran.events.map((event): Event => {
    if (event._tag === "Passed") return { ...event, failure: under(context.path)(event.failure) }
    return event._tag === "Commit" ? { ...event, inner: true } : event
  })
  if (ran.end._tag === "Failed") {
    const { failure, retryAfter, retryable } = ran.end
    return { at: ran.at, events, end: failed({ ...context, at: ran.at }, failure.cause, retryable, retryAfter) }
  }
  if (ran.end._tag !== "Done") return { ...ran, events }
  const after = begin.speculative ? Thought.withInner(thought, ran.end.thought) : thought
  return { at: ran.at, events, end: { _tag: "Done", thought: after } }
}

/** A failure with the way to the run that it happened in. */
const under =
  (path: ReadonlyArray<string>) =>
  (failure: ModelFailure): ModelFailure => ({
    ...failure,
    path: [...path, ...failure.path],
    before: failure.before.map(under(path)),
    beside: failure.beside.map(under(path))
  })

/** What a step does on a child of its own, from now on. */
const inBackground = (
  interpret: Interpret,
  step: Node,
  context: Context,
  stored: ModelThought
): ReadonlyArray<Event> => {
  const child = Thought.branchOff(stored)
  const begin = { ...context, path: [], speculative: false, since: context.at }
  const outcome = chain(commit(begin, child), begin, (thought, then) => interpret(step, then, thought))
  return outcome.events.map((event) => ({ ...event, dispatched: context.at }))
}
