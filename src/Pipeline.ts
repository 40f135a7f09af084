/**
 * Pipelines are steps made of steps, and the way to run them.
 */
export { compact, type CompactOptions } from "./pipeline/compact.ts"
export { introspect } from "./pipeline/introspect.ts"
export type { Failure } from "./internal/failure.ts"
export { PipelineError } from "./pipeline/PipelineError.ts"
export { run, runPromise } from "./pipeline/run.ts"
export { sequence } from "./pipeline/sequence.ts"
export { retry, type RetryOptions } from "./step/retry.ts"
export { backoff, type BackoffOptions, type ScheduledOptions } from "./step/backoff.ts"
export { timeout } from "./step/timeout.ts"
export { TimeoutError } from "./step/TimeoutError.ts"
export { type Alternatives, fallback } from "./step/fallback.ts"
export { filter } from "./pipeline/filter.ts"
export { type Ask, ask, gen } from "./pipeline/gen.ts"
export { switching as switch } from "./pipeline/switch.ts"
export { gate, GateClosed } from "./pipeline/gate.ts"
export { race } from "./pipeline/race.ts"
export { fingerprint } from "./pipeline/fingerprint.ts"
export { outline } from "./pipeline/outline.ts"
export { toMermaid } from "./pipeline/toMermaid.ts"
export { type Place, steps } from "./pipeline/steps.ts"
export { type OnExceeded, rateLimit } from "./step/rateLimit.ts"
export { makeRateLimiter, RateLimited, type RateLimiter, type RateLimitOptions } from "./step/RateLimiter.ts"
export { BranchResult } from "./internal/BranchResult.ts"
export { type BranchFailure, BranchesFailed } from "./internal/BranchesFailed.ts"
export { concurrent } from "./pipeline/concurrent.ts"
export { contest, NoneAccepted } from "./pipeline/contest.ts"
export { handle, type Handler } from "./step/handle.ts"
export { recover } from "./step/recover.ts"
export { enrich, type EnrichOptions, FailureReport } from "./step/enrich.ts"
export { tap } from "./pipeline/tap.ts"
export { mutate } from "./pipeline/mutate.ts"
export { scaffold } from "./pipeline/scaffold.ts"
export { Supervisor, supervisor } from "./pipeline/Supervisor.ts"
export { circuitBreaker } from "./step/circuitBreaker.ts"
export {
  type CircuitBreaker,
  CircuitOpen,
  type CircuitOptions,
  type CircuitState,
  makeCircuitBreaker
} from "./step/Circuit.ts"
export { workerLimit } from "./step/workerLimit.ts"
export { makeWorkerPool, type WorkerPool, type WorkerPoolOptions } from "./step/WorkerPool.ts"
