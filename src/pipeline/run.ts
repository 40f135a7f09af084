import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { CommitFailed } from "../internal/CommitFailed.ts"
import { type Failure, failureOf, traceOf } from "../internal/failure.ts"
import { begin, commit, emit, Run } from "../internal/run.ts"
import { stateOf, withState } from "../internal/thought.ts"
import type { Merge, Missing, Simplify } from "../internal/types.ts"
import { Memory, type MemoryError } from "../Memory.ts"
import * as Step from "../Step.ts"
import * as Thoughts from "../Thought.ts"
import type { Thought } from "../Thought.ts"
import { PipelineError } from "./PipelineError.ts"

/**
 * Runs a step on a thought that has the notes it reads, and gives the thought with the notes it adds.
 *
 * The thought is stored before the first step, and every completed primitive with its note and conversation as one. A
 * failure is wrapped once in a `PipelineError`; interruption stays interruption, and a defect a defect.
 *
 * **Example** (Running a step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Memory, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(answer, yield* Thought.make("compute"))
 *   const loaded = yield* Memory.load(done.id)
 *   return yield* Thought.read(loaded, answer)
 * })
 *
 * assert.equal(await Effect.runPromise(program.pipe(Effect.provide(Testing.memory))), 42)
 * ```
 *
 * @category running
 */
export const run = <In, Out, E, R, N extends In>(
  step: Step.Step<In, Out, E, R>,
  thought: Thought<N>
): Effect.Effect<Thought<Simplify<Merge<N, Out>>>, PipelineError<Unwrapped<E> | MemoryError>, R | Memory> =>
  Effect.gen(function* () {
    const memory = yield* Memory
    const outer = yield* Run
    if (outer.given?.id === thought.id) return yield* refuseInner(outer.path)
    const start = yield* Clock.currentTimeMillis
    const root = begin((current) =>
      Effect.catch(memory.commit(current), (error) => Effect.die(new CommitFailed(error)))
    )
    const body = Effect.gen(function* () {
      const { deferred, left } = stateOf(thought)
      // what waits for a commit belongs to a run further out, which has yet to settle whether it comes to that
      const waits = deferred.length + left.length > 0
      const given = waits ? withState(thought, { deferred: [], left: [] }) : thought
      const begun = yield* commit(given)
      if (begun !== given) yield* emit(begun, { _tag: "ThoughtCreated" })
      return yield* step[Step.TypeId].run(begun) as Effect.Effect<Thought<any>, E, R>
    })
    return yield* body.pipe(
      Effect.provideService(Run, root),
      Effect.catchCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (end) =>
          Effect.failCause(wrap(cause, step.name, root.progress.thought, end - start))
        )
      )
    )
  })

/** Two runs on one thought would each store what the other does not know of. */
const refuseInner = (path: ReadonlyArray<string>): Effect.Effect<never> =>
  Effect.die(
    new Error(
      `The step ${path.join("/")} runs a pipeline on its own thought: make the pipeline a step beside it, or run it on a ` +
        `Thought.fork of the thought.`
    )
  )

/**
 * A step's errors without the `PipelineError` of runs within it, and of those within them: a run wraps once.
 *
 * @category errors
 */
export type Unwrapped<E> = E extends PipelineError<infer C> ? Unwrapped<C> : E

/**
 * The typed failures of a cause as one error that says where each happened; interruptions and defects as they are.
 */
const wrap = <E>(
  cause: Cause.Cause<E>,
  root: string,
  thought: Thought | undefined,
  durationMillis: number
): Cause.Cause<PipelineError<Unwrapped<E> | MemoryError>> => {
  const failures: Array<Failure<Unwrapped<E> | MemoryError>> = []
  const others: Array<Cause.Reason<never>> = []
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") failures.push(unwrapped(failureOf(reason, [root])))
    else if (reason._tag === "Die" && reason.defect instanceof CommitFailed) {
      failures.push({ ...traceOf(reason, [root]), cause: reason.defect.error })
    } else others.push(reason)
  }
  const [first, ...beside] = failures
  if (first === undefined) return Cause.fromReasons(others)
  const error = new PipelineError({ ...first, beside: [...first.beside, ...beside], thought, durationMillis })
  return Cause.fromReasons([Cause.makeFailReason(error), ...others])
}

/** A failure that runs within steps have wrapped already, as if there had been one run only; those around it likewise. */
const unwrapped = <E>(failure: Failure<E>): Failure<Unwrapped<E>> => {
  const { cause, durationMillis, path } = failure
  const before = failure.before.map(unwrapped)
  const beside = failure.beside.map(unwrapped)
  if (!(cause instanceof PipelineError)) {
    // what it is follows from the test, which the checker cannot see through `Unwrapped`
    return { path, cause: cause as Unwrapped<E>, durationMillis, before, beside }
  }
  const inner = below(path)(unwrapped<unknown>(cause))
  return {
    ...inner,
    cause: inner.cause as Unwrapped<E>,
    before: [...before, ...inner.before],
    beside: [...inner.beside, ...beside]
  }
}

/** A failure of an inner run, and those around it, with the way to that run. */
const below =
  (outer: ReadonlyArray<string>) =>
  ({ before, beside, cause, durationMillis, path }: Failure): Failure => ({
    path: [...outer, ...path],
    cause,
    durationMillis,
    before: before.map(below(outer)),
    beside: beside.map(below(outer))
  })

/**
 * Makes a thought, runs a step on it, and gives a promise of the thought with its notes.
 *
 * `layer` provides what the step needs, the memory included; it is built for this run and released after it. To share one
 * between runs, build a `ManagedRuntime` of it and pass that as `runtime`. Aborting `signal` interrupts the run: model
 * calls are cancelled and the promise rejects with the signal's reason. Errors are real `Error`s, most often a
 * `PipelineError`.
 *
 * **Example** (Without knowing Effect)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Pipeline, Step } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })
 * const done = await Pipeline.runPromise(answer, { intent: "compute" }, { layer: Testing.memory })
 *
 * assert.equal(done.get("answer"), 42)
 * ```
 *
 * @category running
 */
export const runPromise = <In, Out, E, R, const N extends Readonly<Record<string, string | Thoughts.Draft>> = {}>(
  step: { readonly [K in keyof N]: string } extends In
    ? Step.Step<In, Out, E, R>
    : Step.Step<In, Out, E, R> & {
        readonly "the thought lacks notes that the step reads": keyof Missing<In, { readonly [K in keyof N]: string }>
      },
  start: {
    readonly intent: string
    readonly notes?: N
    readonly traceId?: string
    readonly taskId?: string
    readonly trust?: "trusted" | "untrusted"
  },
  options: { readonly signal?: AbortSignal } & (
    | { readonly layer: Layer.Layer<NoInfer<R> | Memory, any>; readonly runtime?: never }
    | { readonly runtime: ManagedRuntime.ManagedRuntime<NoInfer<R> | Memory, any>; readonly layer?: never }
  )
): Promise<Thought<Simplify<Merge<{ readonly [K in keyof N]: string }, Out>>>> => {
  const { intent, notes, ...rest } = start
  // where the compiler checks nothing, there may be no options at all
  if ((options as unknown) === undefined || (options.layer === undefined && options.runtime === undefined)) {
    return Promise.reject(
      new Error("Pipeline.runPromise needs a `layer`, or a `runtime`, that provides what the pipeline needs.")
    )
  }
  const { layer, runtime, signal } = options
  const program = Effect.flatMap(Thoughts.make(intent, notes, rest), (thought) =>
    run(step as Step.Step<any, Out, E, R>, thought)
  )
  // a program that never waits would be over before the signal is looked at
  const watched = Effect.suspend(() => (signal?.aborted === true ? Effect.interrupt : program))
  const given = signal === undefined ? undefined : { signal }
  const exit: Promise<Exit.Exit<Thought<any>, unknown>> =
    runtime === undefined
      ? Effect.runPromiseExit(Effect.provide(watched, layer) as Effect.Effect<Thought<any>, unknown>, given)
      : runtime.runPromiseExit(watched, given)
  return exit.then((ended) => {
    if (Exit.isSuccess(ended)) return ended.value
    throw signal?.aborted === true && Cause.hasInterruptsOnly(ended.cause) ? signal.reason : Cause.squash(ended.cause)
  })
}
