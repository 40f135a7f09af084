/**
 * Pipelines are steps made of steps, and the way to run them.
 */
export { compact, type CompactOptions } from "./pipeline/compact.ts"
export { introspect } from "./pipeline/introspect.ts"
export type { Failure } from "./internal/failure.ts"
export { PipelineError } from "./pipeline/PipelineError.ts"
export { run, runPromise } from "./pipeline/run.ts"
export { sequence } from "./pipeline/sequence.ts"
export { retry } from "./step/retry.ts"
export { filter } from "./pipeline/filter.ts"
export { switching as switch } from "./pipeline/switch.ts"
export { gate, GateClosed } from "./pipeline/gate.ts"
export { race } from "./pipeline/race.ts"
export { fingerprint } from "./pipeline/fingerprint.ts"
export { outline } from "./pipeline/outline.ts"
export { type Place, steps } from "./pipeline/steps.ts"
export { type OnExceeded, rateLimit } from "./step/rateLimit.ts"
export { makeRateLimiter, RateLimited, type RateLimiter, type RateLimitOptions } from "./step/RateLimiter.ts"
