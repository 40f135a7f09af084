import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as kinds from "../arguments/kinds.ts"
import { concurrency, maybe } from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import type { RunError, StepUnknown } from "./durable/errors.ts"
import { checkLease, type DurableOptions, durableForms } from "./durable/options.ts"
import { resumable } from "./durable/resumable.ts"
import type { PipelineError } from "./run/PipelineError.ts"

type Errors = PipelineError<unknown> | RunError | StepUnknown

/**
 * Continues all durable runs whose process has died, that were interrupted, or whose questions are answered or due.
 *
 * **Details**
 *
 * Call it when a program starts, with all its pipelines: a run is matched by the name and fingerprint of its step, or else by the
 * name alone, which fails with `PipelineChanged`. Steps of `Pipeline.scaffold` inside these pipelines count. It returns when all of
 * these runs have ended or wait again. No run fails the others: each has its `exit`. Runs without a step end with
 * `StepUnknown`. Runs that have failed are not resumed; `Pipeline.resume` does that.
 *
 * `concurrency` is the number of runs at a time, default 4. `Pipeline.supervisor({ resume })` calls it again and again.
 *
 * **Example** (At the start of a program)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Exit, Schema } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })
 *
 * const program = Effect.gen(function*() {
 *   yield* Effect.flip(Pipeline.run(amount, yield* Thought.make("pay"), { durable: { id: "pay-1" } }))
 *   yield* Pipeline.answer("pay-1", "amount", 12)
 *   const [resumed] = yield* Pipeline.resumeAll([amount])
 *   assert.ok(resumed?.runId === "pay-1" && Exit.isSuccess(resumed.exit))
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category durable runs
 */
export const resumeAll = taking("Pipeline.resumeAll", {
  args: [kinds.arrayOf(kinds.step)],
  options: 1,
  optional: true,
  known: {
    lease: durableForms.lease,
    onInterrupted: durableForms.onInterrupted,
    concurrency: maybe("How many runs at a time.", concurrency, 4)
  }
})(<S extends Step.Any>(
  steps: ReadonlyArray<S>,
  options: Pick<DurableOptions, "lease" | "onInterrupted"> & { readonly concurrency?: number | "unbounded" } = {}
): Effect.Effect<
  ReadonlyArray<{
    readonly runId: string
    readonly exit: Exit.Exit<Thought, PipelineError<unknown> | RunError | StepUnknown>
  }>,
  MemoryError,
  Step.Req<S> | Memory
> => {
  const { concurrency: most = 4, ...how } = options
  checkLease(how)
  return Effect.flatMap(resumable(steps, how), (found) =>
    Effect.forEach(
      found,
      ({ resumed, runId }) =>
        Effect.map(Effect.exit<Thought, Errors, Step.Req<S> | Memory>(resumed), (exit) => ({ runId, exit })),
      { concurrency: most }
    )
  )
})
