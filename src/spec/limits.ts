/** State that limits keep across runs, and across versions of a document. */
import type { CircuitBreaker, CircuitOptions } from "../step/Circuit.ts"
import type { RateLimiter, RateLimitOptions } from "../step/RateLimiter.ts"
import type { WorkerPool, WorkerPoolOptions } from "../step/WorkerPool.ts"

/** Where a step finds its state, by the names of the steps around it; where there is none it has state of its own. */
export interface Limits {
  readonly rateLimiter: (names: ReadonlyArray<string>, options: RateLimitOptions) => RateLimiter | undefined
  readonly circuitBreaker: (names: ReadonlyArray<string>, options: CircuitOptions) => CircuitBreaker | undefined
  readonly workerPool: (names: ReadonlyArray<string>, options: WorkerPoolOptions) => WorkerPool | undefined
}

/** Every step has state of its own. */
export const separate: Limits = {
  rateLimiter: () => undefined,
  circuitBreaker: () => undefined,
  workerPool: () => undefined
}
