/** What a run hands down to its steps: where they are, how they commit, what the last good thought was. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Listeners, type Signal } from "../Signal.ts"
import type { Thought } from "../Thought.ts"
import { unpublished } from "../Thought.ts"

export interface Run {
  /** Names of the steps around the running one, outermost first, itself last. */
  readonly path: ReadonlyArray<string>
  /** Stores what is new of a thought. When the store fails, only `Pipeline.run` sees it: no step can recover from it. */
  readonly commit: (thought: Thought<any>) => Effect.Effect<Thought<any>>
  readonly progress: { thought: Thought<any> | undefined }
  /** Whether the conversation may be thrown away, as that of a branch is. */
  readonly speculative: boolean
}

/** Outside a pipeline a step runs without storing anything. */
export const Run = Context.Reference<Run>("cogito/Run", {
  defaultValue: () => ({ path: [], commit: Effect.succeed, progress: { thought: undefined }, speculative: false })
})

/** The path of the step that failed, on the reasons of a cause. */
export class FailurePath extends Context.Service<FailurePath, ReadonlyArray<string>>()("cogito/FailurePath") {}

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

/** Stores what is new of a thought and remembers it as the last good one. */
export const commit = <N>(thought: Thought<N>): Effect.Effect<Thought<N>> =>
  Effect.gen(function* () {
    const run = yield* Run
    const stored = yield* run.commit(thought)
    run.progress.thought = stored
    return stored as Thought<N>
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
      Effect.catchCause((cause) => Effect.failCause(Cause.annotate(cause, Context.make(FailurePath, path)))),
      Effect.provideService(Run, { path, commit: run.commit, progress: run.progress, speculative: run.speculative }),
      Effect.withSpan(`cogito.${kind}`, { attributes: { "cogito.step": path.join("/"), "cogito.thought": thought.id } })
    )
  })

const describe = (cause: Cause.Cause<unknown>): string => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") {
      const { error } = reason
      return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "Error"
    }
  }
  return Cause.hasInterrupts(cause) ? "Interrupted" : "Defect"
}
