/** Finds what the ledger knows and the cluster does not: answers that were given without it, and runs that it was not told of. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as EntityId from "effect/cluster/EntityId"
import { Sharding } from "effect/cluster/Sharding"
import type * as Workflow from "effect/workflow/Workflow"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { Memory, type MemoryError } from "../Memory.ts"
import type { RunRow } from "../memory/model/Ledger.ts"

/** Most runs that are read at a time. */
const page = 500

/** What wakes a workflow, and starts one. */
export interface Watched {
  readonly workflow: Workflow.Any
  readonly pipeline: string
  readonly executionId: (runId: string) => Effect.Effect<string>
  readonly start: (runId: string) => Effect.Effect<unknown, never, WorkflowEngine>
  readonly resume: (executionId: string) => Effect.Effect<void, never, WorkflowEngine>
}

/** The runs of a pipeline that can go on and are not in progress. */
const due = Effect.fnUntraced(function* (
  pipeline: string
): Effect.fn.Return<ReadonlyArray<RunRow>, MemoryError, Memory> {
  const { ledger } = yield* Memory
  const dueMillis = yield* Clock.currentTimeMillis
  const found: Array<RunRow> = []
  let after: RunRow | undefined
  do {
    const rows: ReadonlyArray<RunRow> = yield* ledger.runs({
      dueMillis,
      status: ["pending", "waiting"],
      limit: page,
      after
    })
    // a step in the background has a parent, and is left to supervisors
    found.push(...rows.filter((run) => run.pipeline === pipeline && run.parent === undefined))
    after = rows.length < page ? undefined : rows.at(-1)
  } while (after !== undefined)
  return found
})

/** Whether this runner executes the workflow. One that knows nothing of shards executes all. */
const isHere = (workflow: Workflow.Any, executionId: string): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(Sharding), (sharding) => {
    if (Option.isNone(sharding)) return true
    const id = EntityId.make(executionId)
    const group = Context.get(workflow.annotations, ClusterSchema.ShardGroup)(id)
    return sharding.value.hasShardId(sharding.value.getShardId(id, group))
  })

/** Looks into the ledger again and again, for ever. */
export const watch = (
  { executionId, pipeline, resume, start, workflow }: Watched,
  every: Duration.Input
): Effect.Effect<never, never, Memory | WorkflowEngine> =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(every)
      const runs = yield* Effect.catch(due(pipeline), (error) =>
        Effect.as(Effect.logWarning(`Durable runs cannot be looked for: ${error.message}`), [])
      )
      for (const { id, status } of runs) {
        const own = yield* executionId(id)
        if (!(yield* isHere(workflow, own))) continue
        yield* status === "pending" ? start(id) : resume(own)
      }
    }
  })
