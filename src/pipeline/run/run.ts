import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as kinds from "../../arguments/kinds.ts"
import { maybe, others, trust } from "../../arguments/forms.ts"
import { refuseSlips } from "../../arguments/slips.ts"
import { taking } from "../../arguments/taking.ts"
import type { Failure } from "../../run/failure.ts"
import { needed } from "../../arguments/needed.ts"
import { begin, beginWaiting, commit, Run } from "../../run/run.ts"
import { stateOf, withState } from "../../thought/state.ts"
import type { Merge, Missing, Simplify, Texts } from "../../thought/types.ts"
import { collecting, handingUp } from "../../step/runtime/unfinished.ts"
import { settledBy } from "../../run/waiting.ts"
import { Memory } from "../../memory/Memory.ts"
import type { MemoryError } from "../../memory/model/error.ts"
import { AutomaticCompaction, DefaultIntrospection } from "../../primitive/reasoning/options.ts"
import * as Step from "../../step/runtime/model.ts"
import * as Thoughts from "../../thought/Thought.ts"
import type { Thought } from "../../thought/model.ts"
import type { PipelineError } from "./PipelineError.ts"
import { storing } from "./storing.ts"
import { fromWithin, type Unwrapped, wrap } from "./wrap.ts"

/**
 * Runs a step on a thought that has the notes it reads, and returns the thought with the notes it adds.
 *
 * **Details**
 *
 * The thought is stored before the first step. Each completed primitive is stored atomically, with its note and its
 * part of the conversation. A failure is wrapped once in a `PipelineError`. An interruption stays an interruption, and
 * a defect a defect.
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
export const run = taking("Pipeline.run", { args: [kinds.step, kinds.thought] })(
  <In, Out, E, R, N extends In>(
    step: Step.Step<In, Out, E, R>,
    thought: Thought<N>
  ): Effect.Effect<Thought<Simplify<Merge<N, Out>>>, PipelineError<Unwrapped<E> | MemoryError>, R | Memory> =>
    Effect.gen(function* () {
      const memory = yield* needed(Memory)
      const around = yield* Run
      refuseInner(around, thought)
      const start = yield* Clock.currentTimeMillis
      const settling = settledBy(thought, around)
      const root = settling === undefined ? begin(storing(memory), around) : beginWaiting(settling, around)
      const body = Effect.gen(function* () {
        const begun = yield* commit(settling === undefined ? withoutWaiting(thought) : thought)
        return yield* step[Step.TypeId].run(begun) as Effect.Effect<Thought<any>, E, R>
      })
      // the failures of attempts that are cut short from outside
      const unfinished: Array<Failure> = []
      return yield* body.pipe(
        collecting(unfinished),
        handingUp({ [Symbol.iterator]: () => fromWithin(around.path, unfinished)[Symbol.iterator]() }),
        Effect.provideService(Run, root),
        Effect.provideService(DefaultIntrospection, false),
        Effect.provideService(AutomaticCompaction, undefined),
        Effect.catchCause((cause) =>
          Effect.flatMap(Clock.currentTimeMillis, (end) =>
            Effect.failCause(wrap(cause, step, thought, root.progress.thought, end - start))
          )
        )
      )
    })
)

/** Commits that the thought still waits for belong to the run that started it. */
const withoutWaiting = (thought: Thought<any>): Thought<any> => {
  const { deferred, left } = stateOf(thought)
  return deferred.length + left.length === 0 ? thought : withState(thought, { deferred: [], left: [] })
}

/** Throws if a step runs a pipeline on its own thought: neither run would know what the other stores. */
const refuseInner = (around: Run, thought: Thought<any>): void => {
  for (let one: Run | undefined = around; one !== undefined; one = one.around) {
    if (one.given?.id !== thought.id) continue
    throw new Error(
      `The step ${one.path.join("/")} runs a pipeline on its own thought: make the pipeline a step beside it, or run it on ` +
        `a Thought.fork of the thought.`
    )
  }
}

/**
 * Makes a thought, runs a step on it, and returns a promise of the thought with its notes.
 *
 * **Details**
 *
 * `layer` provides the services of the step and the memory. It is built for this run and released after it. To share
 * services between runs, build a `ManagedRuntime` and pass it as `runtime`.
 *
 * Aborting `signal` interrupts the run: model calls are cancelled, and the promise rejects with the signal's reason.
 * The function never throws: the promise rejects, also if an argument is invalid. Errors are real `Error`s, usually a
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
export const runPromise = taking("Pipeline.runPromise", {
  args: [kinds.step, kinds.start],
  options: 2,
  optional: true,
  known: ["layer", "runtime", "signal"],
  rejects: true
})(<In, Out, E, R, const N extends Readonly<Record<string, string | Thoughts.Draft>> = {}>(
  step: Texts<N> extends In
    ? Step.Step<In, Out, E, R>
    : Step.Step<In, Out, E, R> & {
        readonly "the thought lacks notes that the step reads": keyof Missing<In, Texts<N>>
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
): Promise<Thought<Simplify<Merge<Texts<N>, Out>>>> => {
  refuseSlips("The start of Pipeline.runPromise", startForms, start)
  const { intent, notes, ...rest } = start
  // untyped callers may omit the options
  if ((options as unknown) === undefined || (options.layer === undefined && options.runtime === undefined)) {
    throw new Error("Pipeline.runPromise needs a `layer`, or a `runtime`, that provides what the pipeline needs.")
  }
  const { layer, runtime, signal } = options
  const program = Effect.flatMap(Thoughts.make(intent, notes, rest), (thought) =>
    run(step as Step.Step<any, Out, E, R>, thought)
  )
  // a program without a wait would end before the signal is checked
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
})

const startForms = { ...others("intent", "notes", "traceId", "taskId"), trust: maybe("", trust) }
