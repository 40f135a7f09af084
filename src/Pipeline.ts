/**
 * Pipelines are steps made of steps, and the way to run them.
 */
export { PipelineError, run, runPromise } from "./pipeline/run.ts"
export { sequence } from "./pipeline/sequence.ts"
