/**
 * Pipelines are steps made of steps, and the way to run them.
 */
export { compact, type CompactOptions } from "./pipeline/compact.ts"
export { introspect } from "./pipeline/introspect.ts"
export { PipelineError, run, runPromise } from "./pipeline/run.ts"
export { sequence } from "./pipeline/sequence.ts"
