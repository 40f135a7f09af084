/** How steps end according to the interpreter, when, and what happens in them. */
import type { Leaf } from "./program.ts"
import * as Thought from "./thought.ts"
import type { ModelEntry, ModelNote, ModelThought } from "./thought.ts"

/** An error, by its tag and by what was called when it was raised. */
export interface ModelFailure {
  readonly path: ReadonlyArray<string>
  readonly cause: string
  readonly durationMillis: number
  readonly before: ReadonlyArray<ModelFailure>
  readonly beside: ReadonlyArray<ModelFailure>
}

export type End =
  | { readonly _tag: "Done"; readonly thought: ModelThought }
  | {
      readonly _tag: "Failed"
      readonly failure: ModelFailure
      readonly retryable: boolean
      readonly retryAfter: number
    }
  | { readonly _tag: "Died"; readonly defect: string }
  | { readonly _tag: "Interrupted" }

export type Failed = Extract<End, { readonly _tag: "Failed" }>

export interface Timed {
  /** Virtual milliseconds since the run began. */
  readonly at: number
}

interface Happens extends Timed {
  /** When the background was dispatched that it happens in. */
  readonly dispatched?: number
}

export type Event = Happens &
  (
    | {
        readonly _tag: "Call"
        readonly leaf: Leaf
        /** The number of the leaf's call, from 0. */
        readonly call: number
        /** What the model is sent; nothing when no model is asked. */
        readonly request: ModelRequest | undefined
      }
    | {
        readonly _tag: "Commit"
        /** When the step began that commits. */
        readonly since: number
        readonly path: ReadonlyArray<string>
        readonly thought: ModelThought
        readonly writes: ReadonlyArray<ModelThought>
      }
    /** A failure that was passed over by an attempt, and the end of those attempts. */
    | { readonly _tag: "Passed"; readonly scope: number; readonly failure: ModelFailure }
    | { readonly _tag: "Closed"; readonly scope: number }
    /** What a limiter or a circuit breaker knows from now on. */
    | { readonly _tag: "Known"; readonly id: number; readonly state: Known }
    /** What waited for a commit ran until then. */
    | { readonly _tag: "Waited"; readonly until: number }
    /** A place where two things happen at the same moment, so that what is first is not said. */
    | { readonly _tag: "Tie" }
  )

/** Of a limiter, when its next token is there; of a circuit, how many failures, and since when it is open. */
interface Known {
  readonly failures: number
  readonly moment: number | undefined
}

/** What is run once a thought is stored. */
export type Later = (context: Context, stored: ModelThought) => Outcome

export interface ModelRequest {
  readonly phase: "reason" | "introspect"
  readonly thought: number
  readonly conversation: ReadonlyArray<ModelEntry>
  readonly shows: ReadonlyArray<ModelNote>
  /** All notes that are current at that moment. */
  readonly current: ReadonlyArray<ModelNote>
  readonly repairs: number
}

/** How a step ended, when, and what happened in it, in order of time. */
export interface Outcome {
  readonly end: End
  /** Infinite when it never ends. */
  readonly at: number
  readonly events: ReadonlyArray<Event>
}

export interface Context extends Timed {
  readonly path: ReadonlyArray<string>
  /** When the step began. */
  readonly since: number
  readonly speculative: boolean
  /** How often each leaf was called so far. */
  readonly calls: ReadonlyMap<number, number>
  readonly known: ReadonlyMap<number, Known>
}

export const done = ({ at }: Timed, thought: ModelThought, events: ReadonlyArray<Event> = []): Outcome => ({
  end: { _tag: "Done", thought },
  at,
  events
})

/** The context after something that happened in it. */
export const after = (context: Context, { at, events }: Outcome): Context => {
  const [calls, known] = [new Map(context.calls), new Map(context.known)]
  for (const event of events) {
    if (event._tag === "Call") calls.set(event.leaf.id, event.call + 1)
    if (event._tag === "Known") known.set(event.id, event.state)
  }
  return { ...context, at, calls, known }
}

/** Goes on with the thought that something gave, unless it did not end well. */
export const chain = (
  first: Outcome,
  context: Context,
  next: (thought: ModelThought, context: Context) => Outcome
): Outcome => {
  if (first.end._tag !== "Done" || first.at === Infinity) return first
  const second = next(first.end.thought, after(context, first))
  return { ...second, events: [...first.events, ...second.events] }
}

/** Stores the thought, and runs what waited for that, unless it is not settled yet whether it survives. */
export const commit = (context: Context, thought: ModelThought): Outcome => {
  if (context.speculative) return done(context, thought)
  const { at, path, since } = context
  const commits = [...thought.left, thought].flatMap((one): ReadonlyArray<Event> => {
    const writes = Thought.pendingOf(one)
    if (writes.length === 0) return []
    const stored = { ...Thought.committed(one), later: [], left: [] }
    return [{ _tag: "Commit", at, since, path, thought: stored, writes }]
  })
  const stored = Thought.pendingOf(thought).length === 0 ? thought : Thought.committed(thought)
  const begun = done(context, { ...stored, later: [], left: [] }, commits)
  if (thought.later.length === 0) return begun
  const ran = thought.later.reduce(
    (outcome: Outcome, run) => chain(outcome, context, (given, then) => run(then, given)),
    begun
  )
  return { ...ran, events: [...ran.events, { _tag: "Waited", at, until: ran.at }] }
}

/** A step that fails by itself. */
export const failed = ({ at, path, since }: Context, cause: string, retryable = true, retryAfter = 0): Failed => ({
  _tag: "Failed",
  failure: { path, cause, durationMillis: at - since, before: [], beside: [] },
  retryable,
  retryAfter
})

export const withOthers = (
  end: Failed,
  { before = [], beside = [] }: Partial<Pick<ModelFailure, "before" | "beside">>
): Failed => ({
  ...end,
  failure: {
    ...end.failure,
    before: [...before, ...end.failure.before],
    beside: [...end.failure.beside, ...beside]
  }
})

/** One level down. */
export const inside = (context: Context, name: string): Context => ({
  ...context,
  path: [...context.path, name],
  since: context.at
})

/** The mark of a tie when something is at the moment. */
export const tie = (moment: number, times: ReadonlyArray<number>): ReadonlyArray<Event> =>
  moment !== Infinity && times.includes(moment) ? [{ _tag: "Tie", at: moment }] : []
