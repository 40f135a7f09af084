/**
 * A worker pool limits how many runs of steps are active at the same time.
 *
 * Give it to steps (`Step.workerLimit`).
 */
export { make, type WorkerPool, type WorkerPoolOptions as Options } from "./limits/WorkerPool.ts"
