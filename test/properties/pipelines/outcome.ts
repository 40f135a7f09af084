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
  /** Whether it happens in a run within a step. */
  readonly inner?: boolean
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
    /** A note was added to the thought of the run from outside. */
    | { readonly _tag: "Appended"; readonly note: ModelNote }
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
  /** Whether questions look back that leave it open. */
  readonly introspects: boolean
  /** The thought that the run began with, and the notes that were added to it from outside. */
  readonly root: number
  readonly appended: ReadonlyArray<ModelNote>
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
  const added = events.flatMap((event) => (event._tag === "Appended" ? [event.note] : []))
  const appended = [...context.appended, ...added.filter((note) => !context.appended.includes(note))]
  return { ...context, at, calls, known, appended }
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

/** Stores the thought and what is stored with it, and runs what waited for that, unless it is not settled yet whether it survives. */
export const commit = (context: Context, thought: ModelThought): Outcome => {
  if (context.speculative) return done(context, thought)
  const { at, path, since } = context
  const taken = (one: ModelThought): ModelThought =>
    one.id === context.root
      ? Thought.takeOver(one, context.appended)
      : Thought.carryOver(one, context.root, context.appended)
  const all = Thought.gather(thought).map(taken)
  const own = all.at(-1)!
  const stored = { ...(Thought.pendingOf(own).length === 0 ? own : Thought.committed(own)), later: [], left: [] }
  // of each thought what is longest: others were forked from it before
  const writes = new Map<number, ModelThought>()
  for (const one of all.flatMap(Thought.pendingOf).map(taken)) {
    if ((writes.get(one.id)?.log.length ?? -1) < one.log.length || all.includes(one)) writes.set(one.id, one)
  }
  const commits: ReadonlyArray<Event> =
    writes.size === 0 ? [] : [{ _tag: "Commit", at, since, path, thought: stored, writes: [...writes.values()] }]
  const begun = done(context, stored, commits)
  const later = all.flatMap((one) =>
    one.later.map((run): [Later, ModelThought] => [
      run,
      one === own ? stored : { ...Thought.committed(one), later: [] }
    ])
  )
  if (later.length === 0) return begun
  const ran = later.reduce(
    (outcome: Outcome, [run, one]) => chain(outcome, context, (_, then) => run(then, one)),
    begun
  )
  const end = ran.end._tag === "Done" ? { ...ran.end, thought: stored } : ran.end
  return { ...ran, end, events: [...ran.events, { _tag: "Waited", at, until: ran.at }] }
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
