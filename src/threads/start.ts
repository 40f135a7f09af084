/** Worker threads of this library. */
import { Worker, type WorkerOptions } from "node:worker_threads"

/**
 * Starts a thread with the program that stands beside the module with this URL. Throws if no thread may be started; a thread
 * whose program is missing, as in a bundle, ends with an error.
 */
export const start = (module: string, program: string, options: Pick<WorkerOptions, "name" | "workerData">): Worker =>
  // the options of this process, such as modules to load first, are not for its threads
  new Worker(new URL(`./${program}.${module.endsWith(".ts") ? "ts" : "js"}`, module), { ...options, execArgv: [] })
