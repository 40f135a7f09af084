/** What a runner does with a run: it goes on with it until it has ended, or waits. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { type Memory, MemoryError } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import type { Step } from "../Step.ts"
import { type Causes, encode, type Final, type WorkflowFailure } from "./failure.ts"
import { untilWoken } from "./waking.ts"

/** In milliseconds: the longest wait before a run that another process has is asked for again, and the shortest. */
const longestBusy = 5_000
const shortest = 250
/** How often a memory that does not answer is tried again, and the longest wait in between: two and a half minutes in all. */
const mostOutages = 10
const longestOutage = 30_000

/** Another process has the run. In milliseconds, until it is asked for again. */
const untilFree = ({ leaseUntilMillis }: Pipeline.RunBusy, now: number): number =>
  // the clock of the database says when a lease ends, which may differ from the clock here
  Math.min(Math.max((leaseUntilMillis ?? now) - now + 50, shortest), longestBusy)

/** What has become of the memory, if it is that what has failed, and not the run. */
const troubleOf = (error: Pipeline.PipelineError<unknown> | Final): "lost" | "outage" | undefined => {
  const reason = error._tag === "PipelineError" && error.cause instanceof MemoryError ? error.cause.reason : undefined
  // another process has taken the run from this one, as it does when this one was frozen
  if (reason?._tag === "LeaseLost") return "lost"
  const isOutage = reason?._tag === "Timeout" || (reason?._tag === "Connection" && reason.retryable !== false)
  return isOutage ? "outage" : undefined
}

/** Goes on with the run, and suspends the workflow around it while the run waits. */
export const execute = <E, R>(
  step: Step<any, any, E, R>,
  runId: string,
  options: Pick<Pipeline.DurableOptions, "lease" | "onInterrupted">,
  causes: Causes
): Effect.Effect<void, WorkflowFailure, R | Memory | WorkflowEngine | WorkflowInstance> =>
  Effect.gen(function* () {
    let outages = 0
    for (;;) {
      const outcome = yield* Effect.result(Pipeline.resume(step, runId, options))
      if (Result.isSuccess(outcome)) return undefined
      const error = outcome.failure
      if (error._tag === "Suspended") {
        outages = 0
        yield* untilWoken(error)
      } else if (error._tag === "RunBusy") {
        yield* Effect.sleep(untilFree(error, yield* Clock.currentTimeMillis))
      } else {
        const trouble = troubleOf(error)
        if (trouble === undefined || (trouble === "outage" && outages === mostOutages)) {
          return yield* Effect.fail(encode(error, causes))
        }
        yield* Effect.sleep(trouble === "lost" ? shortest : Math.min(500 * 2 ** outages++, longestOutage))
      }
    }
  })
