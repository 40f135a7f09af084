import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { either, fields, flag, maybe } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import type { Merge, Simplify, Texts } from "../thought/types.ts"
import { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import { refuseWaits } from "../step/runtime/waiting.ts"
import type { Thought } from "../thought/model.ts"
import type { RunError } from "./durable/errors.ts"
import { durableForms, type DurableOptions } from "./durable/options.ts"
import { start } from "./durable/start.ts"
import { execute } from "./run/execute.ts"
import { promised, type PromiseOptions } from "./run/promised.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import { type Drafts, type Fitting, type Start, type Startable, starting } from "./run/starting.ts"
import type { Provided, Services } from "./run/services.ts"
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
  <S extends Step.Any, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options?: { readonly durable?: false }
  ): Effect.Effect<
    Thought<Simplify<Merge<N, Step.Out<S>>>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError>,
    Step.Req<S> | Memory
  >
  <S extends Step.Any, N>(
    step: S,
    thought: Fitting<Step.In<S>, N>,
    options: { readonly durable: true | DurableOptions }
  ): Effect.Effect<
    Thought<Simplify<Merge<N, Step.Out<S>>>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError,
    Step.Req<S> | Memory
  >
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
 * `onSignal` is called for every signal of the run, as by `Signal.listen`. `onUsage` is called once, before the promise settles,
 * with what the model calls of the run have used, also if it fails or is aborted, as by `Provider.onUsage`.
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
  known: ["durable", "layer", "onSignal", "onUsage", "runtime", "signal"],
  rejects: true
})(<S extends Step.Any, const N extends Drafts = {}, L = never, I = never>(
  step: Startable<S, N>,
  start: Start<N>,
  options: PromiseOptions & { readonly durable?: boolean | DurableOptions } & Services<Step.Req<S> | Memory, L, I>
): Promise<Thought<Simplify<Merge<Texts<N>, Step.Out<S>>>>> => {
  const thought = starting("Pipeline.runPromise", start)
  // untyped callers may omit the options
  if ((options as unknown) === undefined || (options.layer === undefined && options.runtime === undefined)) {
    throw new Error("Pipeline.runPromise needs a `layer`, or a `runtime`, that provides what the pipeline needs.")
  }
  const { durable = false, ...how } = options
  // the types accept only services that provide all
  const { layer, runtime } = options as Provided<Step.Req<S> | Memory>
  const program = Effect.flatMap(thought, (begun) => {
    const known = step as Step.Step<any, Step.Out<S>, Step.Err<S>, Step.Req<S>>
    return durable === false ? run(known, begun) : run(known, begun, { durable: durable === true ? {} : durable })
  })
  return runtime === undefined
    ? promised(Effect.provide(program, layer) as Effect.Effect<Thought<any>, unknown>, Effect.runPromiseExit, how)
    : promised(program, runtime.runPromiseExit, how)
})
