import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as kinds from "../arguments/kinds.ts"
import { either, fields, flag, maybe, others, trust } from "../arguments/forms.ts"
import { refuseSlips } from "../arguments/slips.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import type { Merge, Missing, Simplify, Texts } from "../thought/types.ts"
import { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import { refuseWaits } from "../step/runtime/waiting.ts"
import * as Thoughts from "../thought/Thought.ts"
import type { Thought } from "../thought/model.ts"
import type { RunError } from "./durable/errors.ts"
import { durableForms, type DurableOptions } from "./durable/options.ts"
import { start } from "./durable/start.ts"
import { execute } from "./run/execute.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import { storing } from "./run/storing.ts"
import type { Unwrapped } from "./run/wrap.ts"

/** The options of a run. */
export const runForms = {
  durable: maybe("Whether the run can be resumed.", either("true, false, or options", flag, fields("", durableForms)))
}

/**
 * Runs a step on a thought that has the notes it reads, and returns the thought with the notes it adds.
 *
 * **Details**
 *
 * The thought is stored before the first step. Each completed primitive is stored atomically, with its note and its
 * part of the conversation. A failure is wrapped once in a `PipelineError`. An interruption stays an interruption, and
 * a defect a defect.
 *
 * With `durable` the run survives the end of its process: `Pipeline.resume` goes on with it, and asks and pays nothing again that
 * was finished. Running with the `id` of an earlier run goes on with that run, if it began with the same intent and notes,
 * whatever their ids. It may also fail with `RunBusy`, `PipelineChanged`, `ReplayMismatch` or `OutcomeUnknown`, and ends with
 * `Suspended` if it waits for an answer.
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
export const run: {
  <In, Out, E, R, N extends In>(
    step: Step.Step<In, Out, E, R>,
    thought: Thought<N>,
    options?: { readonly durable?: false }
  ): Effect.Effect<Thought<Simplify<Merge<N, Out>>>, PipelineError<Unwrapped<E> | MemoryError>, R | Memory>
  <In, Out, E, R, N extends In>(
    step: Step.Step<In, Out, E, R>,
    thought: Thought<N>,
    options: { readonly durable: true | DurableOptions }
  ): Effect.Effect<Thought<Simplify<Merge<N, Out>>>, PipelineError<Unwrapped<E> | MemoryError> | RunError, R | Memory>
} = taking("Pipeline.run", { args: [kinds.step, kinds.thought], options: 2, optional: true, known: runForms })(
  (
    step: Step.Any,
    thought: Thought<any>,
    { durable = false }: { readonly durable?: boolean | DurableOptions } = {}
  ): Effect.Effect<Thought<any>, any, any> =>
    durable === false ? plainly(step, thought) : start(step, thought, durable === true ? {} : durable)
)

/** Runs a step without a ledger. */
const plainly = (step: Step.Any, thought: Thought<any>) =>
  Effect.gen(function* () {
    refuseWaits(step)
    const store = storing(yield* needed(Memory))
    return yield* execute(step, thought, { commit: (next) => store(next) })
  })

/**
 * Makes a thought, runs a step on it, and returns a promise of the thought with its notes.
 *
 * **Details**
 *
 * `layer` provides the services of the step and the memory. It is built for this run and released after it. To share
 * services between runs, build a `ManagedRuntime` and pass it as `runtime`.
 *
 * `durable` makes the run durable, as in `Pipeline.run`: with an `id`, the same call again goes on with the run. A run that waits for
 * an answer rejects with `Suspended`.
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
  known: ["durable", "layer", "runtime", "signal"],
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
  options: { readonly signal?: AbortSignal; readonly durable?: boolean | DurableOptions } & (
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
  const { durable = false, layer, runtime, signal } = options
  const how = durable === true ? {} : durable
  const program = Effect.flatMap(Thoughts.make(intent, notes, rest), (thought) => {
    const known = step as Step.Step<any, Out, E, R>
    return how === false ? run(known, thought) : run(known, thought, { durable: how })
  })
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
