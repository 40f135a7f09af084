/** How a workflow waits for the questions of its run, and what wakes it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as DurableClock from "effect/workflow/DurableClock"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { Memory } from "../Memory.ts"
import type { Suspended } from "../Pipeline.ts"

/** Most questions of one run. */
export const mostWaits = 10_000

const answered = (frame: string) => DurableDeferred.make(`answered${frame}`)

/** Tells a workflow that the question of this frame is answered. What the answer is, the ledger says. */
export const wake = (
  workflow: Workflow.Any,
  executionId: string,
  frame: string
): Effect.Effect<void, never, WorkflowEngine> =>
  Effect.flatMap(WorkflowEngine, (engine) => {
    const deferred = answered(frame)
    const to = { workflowName: workflow._tag, executionId, deferredName: deferred.name, exit: Exit.void }
    return engine.deferredDone(deferred, to)
  })

/**
 * Suspends the workflow until a question of its run is answered or due. Then the workflow is executed again from its start.
 * Returns at once if one is so already.
 */
export const untilWoken = ({
  runId,
  waits
}: Suspended): Effect.Effect<void, never, Memory | WorkflowEngine | WorkflowInstance> =>
  Effect.gen(function* () {
    const engine = yield* WorkflowEngine
    const instance = yield* WorkflowInstance
    const { ledger } = yield* Memory
    const now = yield* Clock.currentTimeMillis
    const clocks = waits.flatMap(({ dueMillis, frame }) =>
      dueMillis === undefined
        ? []
        : [DurableClock.make({ name: `due${frame}`, duration: Math.max(0, dueMillis - now) })]
    )
    const names = [...waits.map(({ frame }) => answered(frame).name), ...clocks.map(({ deferred }) => deferred.name)]
    // The engine drops a wake that comes between the look into the ledger and the suspension, unless the deferred is awaited.
    // `DurableDeferred.await` would await one alone: of several, the first that is not done suspends the workflow.
    for (const name of names) instance.awaitedDeferreds.set(name, 1)
    yield* Effect.forEach(
      clocks,
      (clock) => engine.scheduleClock(instance.workflow, { executionId: instance.executionId, clock }),
      { discard: true }
    )
    // a memory that cannot be read is dealt with by whoever resumes the run
    const open = yield* Effect.orElseSucceed(ledger.waits({ runId, limit: mostWaits }), () => [])
    const frames = new Set(open.map(({ frame }) => frame))
    const then = yield* Clock.currentTimeMillis
    const isOpen = waits.every(({ dueMillis = Infinity, frame }) => frames.has(frame) && dueMillis > then)
    if (isOpen) return yield* Workflow.suspend(instance)
    // a wake that comes later must not interrupt the run that goes on now
    for (const name of names) instance.awaitedDeferreds.delete(name)
    return undefined
  })
