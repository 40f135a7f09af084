/** The context that a run gives to its steps: their path, how they commit, and the last stored thought. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import { gatherAside } from "../thought/gathered.ts"
import { IdSource, uuidv7 } from "../thought/ids.ts"
import { deliver, listenersOf } from "../signal/listeners.ts"
import type { Of, Signal, Tag } from "../signal/Signal.ts"
import type { CallKind } from "../memory/model/Ledger.ts"
import type { Thought } from "../thought/model.ts"
import type { Entry, Frame, Journal, Later } from "./journal.ts"
import { merged, stateOf, withState } from "../thought/state.ts"

/** The identity of a run. */
interface RunId {
  /** The id that signals have: that of a durable run, or one that is made for the first signal. */
  readonly text: (millis: number) => string
}

const makeRunId = (known: string | undefined): RunId => {
  let id = known
  return { text: (millis) => (id ??= uuidv7(millis)) }
}

export interface Run {
  /** Identifies one run of a pipeline. Undefined outside of runs. */
  readonly id: RunId | undefined
  /** The names of the surrounding steps, the outermost first, and of the running step last. */
  readonly path: ReadonlyArray<string>
  /**
   * Stores the additions to a thought and to the thoughts stored with it, atomically. If the store fails, only
   * `Pipeline.run` sees the failure: no step can recover from it. `isLast`: whether this is all that is left to do for the
   * running step.
   */
  readonly commit: (thought: Thought<any>, isLast: boolean) => Effect.Effect<Thought<any>>
  readonly progress: { thought: Thought<any> | undefined }
  /** The thought that the running step received. */
  readonly given: Thought<any> | undefined
  /** Whether an outer connector may still discard the results. Nothing is stored before it decides. */
  readonly speculative: boolean
  /** Whether the conversation will be discarded, as in a concurrent branch. */
  readonly beside: boolean
  /** Ids of the thoughts in this run. Shared by the whole run. */
  readonly thoughts: Set<string>
  /**
   * The thoughts of runs on forks, by id, that wait for the end of the running step: then its thought has them, so that they
   * are stored or discarded with it. Those of the running step first, then those of the steps around it.
   */
  readonly waiting: ReadonlyArray<Waiting>
  /** The outer run, if this run began inside another one. */
  readonly around: Run | undefined
  /** What a durable run records, and the running entry into a step. */
  readonly journal: Journal | undefined
  readonly frame: Frame | undefined
  /** Whether code of the caller runs, which may make its calls in any order. */
  readonly free: boolean
  /** The connector that may cut the running step off, so that it cannot wait for an answer. */
  readonly cutBy: { readonly kind: string; readonly name: string } | undefined
}

/** Outside a pipeline a step runs without storing anything. */
export const Run = Context.Reference<Run>("cogito/Run", {
  defaultValue: () => atRoot(undefined, Effect.succeed)
})

/** The root of a run, inside another run or not. */
export const begin = (commit: Run["commit"], around: Run, journal?: Journal): Run =>
  changed(atRoot(makeRunId(journal?.runId), commit), {
    around: around.id === undefined ? undefined : around,
    journal,
    frame: journal?.root
  })

/** A run on a thought that an outer connector may still discard. Its additions wait for the decision. */
export const beginWaiting = ({ thoughts, waiting }: Run, around: Run): Run => {
  const [within = new Map()] = waiting
  return changed(
    begin((thought) => Effect.sync(() => handOver(thought, within)), around),
    { speculative: true, thoughts }
  )
}

/** The newest values of thoughts of runs on forks, by id, in the order in which the runs on them ended. */
export type Waiting = Map<string, Thought<any>>

/**
 * Hands over what there is to store of a thought, and of those that wait with it. The thought that remains has neither these
 * nor effects that wait, so that whatever goes on with it does nothing twice.
 */
const handOver = (thought: Thought<any>, to: Waiting): Thought<any> => {
  for (const one of [...stateOf(thought).left, withState(thought, { left: [] })]) {
    const before = to.get(one.id)
    // the last one also determines the order
    to.delete(one.id)
    to.set(one.id, before === undefined ? one : merged(before, one))
  }
  return withState(thought, { left: [], deferred: [] })
}

/** The thought of a step, with those of runs on forks within it. */
export const withWaiting = (thought: Thought<any>, waiting: Waiting): Thought<any> =>
  waiting.size === 0 ? thought : withState(thought, { left: [...stateOf(thought).left, ...waiting.values()] })

// oxlint-disable-next-line typescript/no-misused-spread -- a run is plain data, and has the name of its reference
export const changed = (run: Run, change: Partial<Run>): Run => ({ ...run, ...change })

const atRoot = (id: RunId | undefined, commit: Run["commit"]): Run => ({
  id,
  path: [],
  commit,
  progress: { thought: undefined },
  given: undefined,
  speculative: false,
  beside: false,
  thoughts: new Set(),
  waiting: [],
  around: undefined,
  journal: undefined,
  frame: undefined,
  free: false,
  cutBy: undefined
})

/**
 * Runs a step without storing its results. The connector commits the surviving thought, together with the additions of
 * runs on forks.
 */
export const speculative = <E, R>(
  self: Effect.Effect<Thought<any>, E, R>,
  options: { readonly beside?: boolean } = {}
): Effect.Effect<Thought<any>, E, R> =>
  Effect.flatMap(Run, (run) => {
    const waiting: Waiting = new Map()
    return self.pipe(
      Effect.provideService(
        Run,
        changed(run, {
          commit: Effect.succeed,
          progress: { thought: undefined },
          speculative: true,
          beside: run.beside || options.beside === true,
          waiting: [waiting, ...run.waiting]
        })
      ),
      Effect.map((thought) => withWaiting(thought, waiting))
    )
  })

type Detail<S extends Signal> = S extends any ? Omit<S, Exclude<keyof Signal, "_tag">> : never

/** Emits a signal. Its fields are only computed if it has listeners. */
export const emit: {
  (thought: Thought<any> | undefined, signal: Detail<Signal>): Effect.Effect<void>
  <T extends Tag>(
    thought: Thought<any> | undefined,
    tag: T,
    fields: () => Omit<Detail<Of<T>>, "_tag">
  ): Effect.Effect<void>
} = (thought: Thought<any> | undefined, signal: Detail<Signal> | Tag, fields?: () => object): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const _tag = typeof signal === "string" ? signal : signal._tag
    const listeners = listenersOf(fiber, _tag)
    if (listeners.length === 0) return Effect.void
    const { given, id, path } = fiber.getRef(Run)
    const millis = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const about = thought ?? given
    const base = { runId: id?.text(millis), thoughtId: about?.id, traceId: about?.traceId, path, millis }
    const detail = typeof signal === "string" ? fields?.() : signal
    // the fields belong to the tag
    return deliver(fiber, listeners, { ...detail, _tag, ...base } as Signal)
  })

/** Whether a signal with one of these tags has listeners. */
export const isHeard = (fiber: Fiber.Fiber<unknown, unknown>, ...tags: ReadonlyArray<Tag>): boolean =>
  tags.some((tag) => listenersOf(fiber, tag).length > 0)

/** Whether spans go anywhere: the program has a tracer, and tracing is on. Effect's default tracer keeps nothing. */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracerEnabled && cache.tracer !== undefined

/** Runs an effect in a span of the library, if the program has a tracer. The stack is not recorded, as it would only show the library. */
export const traced = <A, E, R>(
  fiber: Fiber.Fiber<unknown, unknown>,
  effect: Effect.Effect<A, E, R>,
  name: string,
  attributes: () => Readonly<Record<string, unknown>>,
  kind: Tracer.SpanKind = "internal"
): Effect.Effect<A, E, R> =>
  isTraced(fiber) ? Effect.withSpan(effect, name, { attributes: attributes(), captureStackTrace: false, kind }) : effect

/**
 * Stores the additions to a thought and to the thoughts stored with it, keeps it as the last stored thought, and then
 * runs the effects that waited for it. If an outer connector may still discard the thought, all of this waits.
 */
export const commit = <N>(thought: Thought<N>): Effect.Effect<Thought<N>> => storing(thought, false)

/** The same as the last thing that the running step does: a durable run that is resumed does not execute the step again. */
export const finish = <N>(thought: Thought<N>): Effect.Effect<Thought<N>> => storing(thought, true)

/** Thoughts that are stored together, a fork before the thought that it is of, as the run on the fork has ended before. */
const inTurn = (thoughts: ReadonlyArray<Thought<any>>): ReadonlyArray<Thought<any>> => {
  const parents = new Map(thoughts.map(({ id, parent }) => [id, parent?.id]))
  const descends = (id: string | undefined, from: string): boolean =>
    id !== undefined && (parents.get(id) === from || descends(parents.get(id), from))
  const ordered: Array<Thought<any>> = []
  for (const one of thoughts) {
    const place = ordered.findIndex(({ id }) => descends(one.id, id))
    ordered.splice(place === -1 ? ordered.length : place, 0, one)
  }
  return ordered
}

const storing = <N>(thought: Thought<N>, isLast: boolean): Effect.Effect<Thought<N>> =>
  Effect.withFiber((fiber) => {
    const run = fiber.getRef(Run)
    const { deferred, left } = stateOf(thought)
    if (run.speculative || (deferred.length === 0 && left.length === 0)) {
      return Effect.map(run.commit(thought, isLast), (stored) => {
        run.progress.thought = stored
        return stored as Thought<N>
      })
    }
    // no interruption between the commit and the effects that waited for it
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const stored = yield* run.commit(thought, isLast)
        const settled = withState(stored, { deferred: [], left: [] })
        run.progress.thought = settled
        const waited = inTurn([...stateOf(stored).left, stored]).flatMap((one) => {
          const after = one === stored ? settled : withState(one, { deferred: [] })
          return stateOf(one).deferred.map((each) => ({ ...each, after }))
        })
        const ends = yield* Effect.forEach(waited, ({ after, interruptible, run: effect }) =>
          Effect.exit(interruptible ? restore(effect(after)) : effect(after))
        )
        const reasons = ends.flatMap((end) => (Exit.isFailure(end) ? end.cause.reasons : []))
        return reasons.length === 0 ? (settled as Thought<N>) : yield* Effect.failCause(Cause.fromReasons(reasons))
      })
    )
  })

/**
 * Adds an effect to run once the thought is stored, or never if the thought is discarded. The failure of one such
 * effect does not prevent the others.
 */
export const afterCommit = <N, R>(
  thought: Thought<N>,
  effect: (stored: Thought<any>) => Effect.Effect<unknown, never, R>,
  { later: known, ...options }: { readonly interruptible: boolean; readonly later?: Later }
): Effect.Effect<Thought<N>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const { frame, journal } = Context.get(context, Run)
    const later = known ?? (frame && journal?.later(frame))
    const run = (stored: Thought<any>) =>
      // in the run that stores it, where no connector can discard it any more
      Effect.flatMap(Run, (storing) =>
        Effect.flatMap(Run, ({ given, path }) =>
          Effect.provideService(
            gatherAside(() => effect(stored)),
            Run,
            changed(storing, { path, given, free: true })
          )
        ).pipe(Effect.provideContext(context), later === undefined ? (self) => self : later.run)
      )
    const one = later === undefined ? { run, ...options } : { run, later, ...options }
    return withState(thought, { deferred: [...stateOf(thought).deferred, one] })
  })

/** The outcome of an effect, which a durable run records, or that of an earlier execution of the run. */
export const recorded = <A, E, R>(
  entry: () => Entry<NoInfer<A>, E>,
  live: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const { frame, free, journal, speculative, waiting } = fiber.getRef(Run)
    if (journal === undefined || frame === undefined) return live
    const one = entry()
    if (speculative && one.acts === "effect") {
      // not a copy, which would read now what the entry has when the effect ends
      Object.assign(one, { leaves: () => (waiting[0]?.size ?? 0) > 0 })
    }
    return journal.take(frame, free, one, live)
  })

/** The kind of what an earlier execution has recorded next. */
export const nextRecorded: Effect.Effect<CallKind | undefined> = Effect.map(Run, ({ frame, free, journal }) =>
  frame === undefined || free ? undefined : journal?.peek(frame)
)

/** Runs code of the caller: it may make its calls in any order, and what it does may be done again when a run is resumed. */
export const foreign = <A, E, R>(code: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const run = fiber.getRef(Run)
    const { journal } = run
    if (journal === undefined || run.free) return code
    return Effect.andThen(
      journal.answered,
      gatherAside(() => code)
    ).pipe(
      Effect.provideService(Run, changed(run, { free: true })),
      Effect.provideService(IdSource, journal.foreignIds)
    )
  })

/** Whether the running step was entered by an earlier execution of the run: then it does not wait. */
const isKnown: Effect.Effect<boolean> = Effect.map(
  Run,
  ({ frame, journal }) => frame !== undefined && journal?.isKnown(frame.key) === true
)

/** A limit in front of a step: refused once, it is refused again; passed once, it is not waited for again. */
export const limited = <A, E, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  recorded<A | undefined, E, R>(
    () => ({ kind: "decision", onlyFailures: true }),
    Effect.flatMap(isKnown, (known) => (known ? Effect.undefined : turn))
  )

/** The same of the next entry into a step with this name. */
export const isNextKnown = (name: string): Effect.Effect<boolean> =>
  Effect.map(Run, ({ frame, journal }) => frame !== undefined && journal?.isNextKnown(frame, name) === true)
