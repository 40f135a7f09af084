import type * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import type { RunError } from "./durable/errors.ts"
import { durableForms, type DurableOptions } from "./durable/options.ts"
import { goOn } from "./durable/resume.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import type { Unwrapped } from "./run/wrap.ts"

/**
 * Goes on with a durable run, with the step that it began with.
 *
 * **Details**
 *
 * The run is executed from its start: steps that were finished are passed over, answers that are recorded are taken from the
 * ledger, and only the rest is asked. Nothing that was finished is asked or paid again, and nothing waits for it. A run that
 * has ended returns its thought at once. A run that has failed tries again what it failed with.
 *
 * Fails with `RunBusy` while another process has the run, with `PipelineChanged` if the step is another one, with
 * `ReplayMismatch` if it comes to another request than it did, and with `Suspended` if it still waits.
 *
 * The thought has the types of the step's notes. `Thought.require` gives those of the notes that the run began with.
 *
 * **Example** (Going on after a failure)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Down extends Data.TaggedError("Down") {}
 *
 * let paid = 0
 * let up = false
 * const order = Pipeline.sequence("order", [
 *   Step.make("pay", { schema: Schema.Finite, run: () => ++paid }),
 *   Step.make("ship", { run: Effect.suspend(() => (up ? Effect.void : Effect.fail(new Down()))) })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("order a chair")
 *   yield* Effect.flip(Pipeline.run(order, start, { durable: { id: "order-1" } }))
 *   up = true
 *   yield* Pipeline.resume(order, "order-1")
 *   assert.equal(paid, 1)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category durable runs
 */
export const resume = taking("Pipeline.resume", {
  args: [kinds.step, kinds.text],
  options: 2,
  optional: true,
  known: { lease: durableForms.lease, onInterrupted: durableForms.onInterrupted }
})(
  <S extends Step.Any>(
    step: S,
    runId: string,
    options: Pick<DurableOptions, "lease" | "onInterrupted"> = {}
  ): Effect.Effect<
    Thought<Step.Out<S>>,
    PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError,
    Step.Req<S> | Memory
  > =>
    // the run began with the notes that the step reads
    goOn<Step.Err<S>, Step.Req<S>>(step, runId, options) as Effect.Effect<
      Thought<Step.Out<S>>,
      PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError,
      Step.Req<S> | Memory
    >
)
