/** Runs without a caller. */
import * as Effect from "effect/Effect"
import type * as Step from "../../step/runtime/model.ts"
import { PipelineError } from "../run/PipelineError.ts"
import type { RunError } from "./errors.ts"

/**
 * The end of a run that nobody waits for. That it waits, or that another process has it, is no failure of it; any other error is
 * one.
 */
export const unattended = <A, E, R>(
  step: Step.Any,
  run: Effect.Effect<A, PipelineError<E> | RunError, R>
): Effect.Effect<A | undefined, PipelineError<E | RunError>, R> =>
  Effect.catch(run, (error): Effect.Effect<undefined, PipelineError<E | RunError>> => {
    if (error instanceof PipelineError) return Effect.fail(error)
    if (error._tag === "Suspended" || error._tag === "RunBusy") return Effect.undefined
    return Effect.fail(
      new PipelineError<E | RunError>({ path: [step.name], cause: error, thought: undefined, durationMillis: 0 })
    )
  })
