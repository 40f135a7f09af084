/**
 * Pipelines are steps made of steps. This module makes and runs them.
 *
 * Connectors that join several steps are here. Connectors around one step are in `Step`.
 */

// -------------------------------------------------------------------------------------------------------- running

export type { Failure } from "./run/failure.ts"
export { FailuresLeftOut } from "./step/runtime/FailuresLeftOut.ts"
export { PipelineError } from "./pipeline/run/PipelineError.ts"
export { run, runPromise } from "./pipeline/run.ts"
export { stream } from "./pipeline/stream.ts"

// --------------------------------------------------------------------------------------------------- durable runs

export { answer } from "./pipeline/answer.ts"
export {
  AlreadyAnswered,
  AnswerTooLate,
  AnswersNotKept,
  OutcomeUnknown,
  PipelineChanged,
  ReplayMismatch,
  RunBusy,
  StepUnknown,
  Suspended
} from "./pipeline/durable/errors.ts"
export type { DurableOptions } from "./pipeline/durable/options.ts"
export { logs } from "./pipeline/logs.ts"
export { rerun, type Rerun } from "./pipeline/rerun.ts"
export { resume } from "./pipeline/resume.ts"
export { resumeAll } from "./pipeline/resumeAll.ts"
export { runs, waiting } from "./pipeline/runs.ts"
export { toFixture } from "./pipeline/toFixture.ts"
export { waitFor } from "./pipeline/waitFor.ts"

// ------------------------------------------------------------------------------------------------- one after another

export { ask, gen } from "./pipeline/gen.ts"
export { sequence } from "./pipeline/sequence.ts"

// ------------------------------------------------------------------------------------------------------- conditions

export { filter } from "./pipeline/filter.ts"
export { gate, GateClosed } from "./pipeline/gate.ts"
export { switching as switch } from "./pipeline/switch.ts"

// --------------------------------------------------------------------------------------------------------- failures

export { fallback } from "./pipeline/fallback.ts"

// -------------------------------------------------------------------------------------------------- at the same time

export { BranchResult } from "./step/runtime/BranchResult.ts"
export { BranchesFailed } from "./step/runtime/BranchesFailed.ts"
export { concurrent } from "./pipeline/concurrent.ts"
export { contest, NoneAccepted } from "./pipeline/contest.ts"
export { race } from "./pipeline/race.ts"
export { scaffold } from "./pipeline/scaffold.ts"
export { Supervisor, supervisor } from "./pipeline/Supervisor.ts"

// ----------------------------------------------------------------------------------------------- effects and values

export { mutate } from "./pipeline/mutate.ts"
export { tap } from "./pipeline/tap.ts"

// --------------------------------------------------------------------------------------- conversation and reflection

export { compact } from "./pipeline/compact.ts"
export { introspect } from "./pipeline/introspect.ts"

// ---------------------------------------------------------------------------------------------------------- drawing

export { fingerprint } from "./pipeline/draw/fingerprint.ts"
export { outline } from "./pipeline/draw/outline.ts"
export { steps } from "./pipeline/draw/steps.ts"
export { toMermaid } from "./pipeline/draw/toMermaid.ts"
