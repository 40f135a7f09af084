/** What a run hands down to its steps: where they are, how they commit, what the last good thought was. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Listeners, type Signal } from "../thought/Signal.ts"
import type { Thought } from "../thought/model.ts"
import { unpublished } from "../thought/Thought.ts"
import { CommitFailed, located } from "./failure.ts"
import { tagOf } from "./tags.ts"
import { stateOf, withState } from "../thought/state.ts"

export interface Run {
  /** The same object everywhere in one run of a pipeline, and in no other; none outside. */
  readonly id: object | undefined
  /** Names of the steps around the running one, outermost first, itself last. */
  readonly path: ReadonlyArray<string>
  /**
   * Stores what is new of a thought, and of those that are stored with it, all or nothing. When the store fails, only
   * `Pipeline.run` sees it: no step can recover from it.
   */
  readonly commit: (thought: Thought<any>) => Effect.Effect<Thought<any>>
  readonly progress: { thought: Thought<any> | undefined }
  /** The thought that the running step was given. */
  readonly given: Thought<any> | undefined
  /** Whether a connector further out may still throw away what is done: nothing is stored before it is settled. */
  readonly speculative: boolean
  /** Whether the conversation will be thrown away, as that of a branch beside others is. */
  readonly beside: boolean
  /** Ids of the thoughts that the run goes through: the same set everywhere in it. */
  readonly thoughts: Set<string>
  /**
   * By id, the thoughts of runs on forks that are stored if what a connector tries survives: of the innermost such connector
   * first, then of those around it.
   */
  readonly waiting: ReadonlyArray<Map<string, Thought<any>>>
  /** Where the run was begun, when that is within another run. */
  readonly around: Run | undefined
}

/** Outside a pipeline a step runs without storing anything. */
export const Run = Context.Reference<Run>("cogito/Run", {
  defaultValue: () => atRoot(undefined, Effect.succeed)
})

/** The run of a pipeline at its root, within another one or outside any. */
export const begin = (commit: Run["commit"], around: Run): Run =>
  changed(atRoot({}, commit), { around: around.id === undefined ? undefined : around })

/**
 * The run of a pipeline on a thought of which a connector around it has still to settle whether it is stored: what it adds
 * waits for that.
 */
export const beginWaiting = (settledBy: Run, around: Run): Run => {
  const { thoughts, waiting } = settledBy
  const wait: Run["commit"] = (thought) =>
    Effect.sync(() => {
      waiting[0]?.set(thought.id, thought)
      return thought
    })
  return changed(begin(wait, around), { speculative: true, thoughts, waiting })
}

const changed = (run: Run, change: Partial<Run>): Run => {
  const { around, beside, commit, given, id, path, progress, speculative, thoughts, waiting } = run
  return { around, beside, commit, given, id, path, progress, speculative, thoughts, waiting, ...change }
}

const atRoot = (id: object | undefined, commit: Run["commit"]): Run => ({
  id,
  path: [],
  commit,
  progress: { thought: undefined },
  given: undefined,
  speculative: false,
  beside: false,
  thoughts: new Set(),
  waiting: [],
  around: undefined
})

/**
 * Runs a step without storing what it does; the connector that tries it commits the thought that survives, and with it what
 * runs on forks have added meanwhile.
 */
export const speculative = <E, R>(
  self: Effect.Effect<Thought<any>, E, R>,
  options: { readonly beside?: boolean } = {}
): Effect.Effect<Thought<any>, E, R> =>
  Effect.flatMap(Run, (run) => {
    const waiting = new Map<string, Thought<any>>()
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
      Effect.map((thought) =>
        waiting.size === 0 ? thought : withState(thought, { left: [...stateOf(thought).left, ...waiting.values()] })
      )
    )
  })

type Detail<S extends Signal> = S extends any ? Omit<S, "thoughtId" | "traceId" | "path" | "millis"> : never

/** Tells the listeners; what is told is computed only when somebody listens. */
export const emit = (
  thought: Thought<any> | undefined,
  signal: Detail<Signal> | (() => Detail<Signal>)
): Effect.Effect<void> =>
  Effect.flatMap(Listeners, (listeners) => {
    if (listeners.length === 0) return Effect.void
    return Effect.gen(function* () {
      const { path } = yield* Run
      const millis = yield* Clock.currentTimeMillis
      const detail = typeof signal === "function" ? signal() : signal
      const full = { ...detail, thoughtId: thought?.id, traceId: thought?.traceId, path, millis } as Signal
      for (const listener of listeners) listener(full)
    })
  })

/**
 * Stores what is new of a thought, and of those that are stored with it, remembers it as the last good one, and then runs
 * what waited for that. Where a connector further out may still throw the thought away, all of it waits.
 */
export const commit = <N>(thought: Thought<N>): Effect.Effect<Thought<N>> =>
  Effect.gen(function* () {
    const run = yield* Run
    const { deferred, left } = stateOf(thought)
    if (run.speculative || (deferred.length === 0 && left.length === 0)) {
      const stored = yield* run.commit(thought)
      run.progress.thought = stored
      return stored as Thought<N>
    }
    // between the commit and what waited for it nothing may be cut off
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const stored = yield* run.commit(thought)
        const settled = withState(stored, { deferred: [], left: [] })
        run.progress.thought = settled
        const waited = [...stateOf(stored).left, stored].flatMap((one) => {
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
 * The thought with something to run once it is stored; never, when it does not survive. One thing that fails does not keep
 * the others from running.
 */
export const afterCommit = <N, R>(
  thought: Thought<N>,
  effect: (stored: Thought<any>) => Effect.Effect<unknown, never, R>,
  options: { readonly interruptible: boolean }
): Effect.Effect<Thought<N>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const run = (stored: Thought<any>) =>
      // in the run that stores it, where no connector has anything to settle any more
      Effect.flatMap(Run, (storing) =>
        Effect.flatMap(Run, ({ given, path }) =>
          Effect.provideService(effect(stored), Run, changed(storing, { path, given }))
        ).pipe(Effect.provideContext(context))
      )
    return withState(thought, { deferred: [...stateOf(thought).deferred, { run, ...options }] })
  })

/** Runs a step's body one level down: with its path, a span, signals, and its path on whatever fails. */
export const within = <E, R>(
  name: string,
  kind: string,
  thought: Thought<any>,
  body: Effect.Effect<Thought<any>, E, R>
): Effect.Effect<Thought<any>, E, R> =>
  Effect.gen(function* () {
    const run = yield* Run
    if (run.id !== undefined) run.thoughts.add(thought.id)
    const path = [...run.path, name]
    const start = yield* Clock.currentTimeMillis
    const inner = Effect.gen(function* () {
      yield* emit(thought, () => ({ _tag: "StepStarted", kind, unpublished: unpublished(thought).length }))
      const after = yield* body
      const durationMillis = (yield* Clock.currentTimeMillis) - start
      yield* emit(after, { _tag: "StepCompleted", kind, durationMillis, notes: after.length })
      return after
    })
    return yield* inner.pipe(
      // on every end but success, interruption included
      Effect.onError((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (end) =>
          emit(thought, { _tag: "StepFailed", kind, durationMillis: end - start, error: describe(cause) })
        )
      ),
      Effect.catchCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (end) => Effect.failCause(located(cause, path, end - start)))
      ),
      Effect.provideService(Run, changed(run, { path, given: thought })),
      Effect.withSpan(`cogito.${kind}`, { attributes: { "cogito.step": path.join("/"), "cogito.thought": thought.id } })
    )
  })

const describe = (cause: Cause.Cause<unknown>): string => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return tagOf(failure.error)
  const refused = cause.reasons.find((reason) => Cause.isDieReason(reason) && reason.defect instanceof CommitFailed)
  if (refused !== undefined) return "MemoryError"
  return Cause.hasInterrupts(cause) ? "Interrupted" : "Defect"
}
