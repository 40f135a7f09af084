import * as Effect from "effect/Effect"
import { whole } from "../arguments/checked.ts"
import { count, maybe, notEmpty, oneOf, others } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type { RunRow, RunStatus, WaitRow } from "../memory/model/Ledger.ts"
import { quoted } from "../text/legible.ts"

const statuses = [
  "pending",
  "running",
  "waiting",
  "interrupted",
  "failed",
  "completed"
] as const satisfies ReadonlyArray<RunStatus>

/** The most that are listed at once. */
const most = 10_000

const upTo = (owner: string, limit: number): number => {
  if (whole(owner, "limit", 1, limit) <= most) return limit
  throw new Error(`${owner} lists at most ${most} at a time, not ${quoted(limit)}.`)
}

/**
 * The durable runs of the scope, the newest first.
 *
 * **Example** (Listing runs)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const answer = Step.make("answer", { schema: Schema.Finite, run: () => 42 })
 *
 * const program = Effect.gen(function*() {
 *   yield* Pipeline.run(answer, yield* Thought.make("compute"), { durable: { id: "run-1" } })
 *   const [run] = yield* Pipeline.runs({ status: "completed" })
 *   assert.equal(run?.id, "run-1")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category durable runs
 */
export const runs = taking("Pipeline.runs", {
  options: 0,
  optional: true,
  known: {
    status: maybe("Only those in this state.", oneOf(...statuses)),
    thoughtId: maybe("Only those that have to do with this thought.", notEmpty),
    limit: maybe("Most runs.", count(1), 100),
    ...others("after")
  }
})(({
  after,
  limit = 100,
  status,
  thoughtId
}: {
  /** Only those in this state. */
  readonly status?: RunStatus
  /** Only those that have to do with this thought. */
  readonly thoughtId?: string
  /** At most this many, from 1 to 10,000. Default 100. */
  readonly limit?: number
  /** The last one of the page before. */
  readonly after?: Pick<RunRow, "id" | "createdMillis">
} = {}): Effect.Effect<ReadonlyArray<RunRow>, MemoryError, Memory> => {
  const query = {
    limit: upTo("Pipeline.runs", limit),
    ...(after === undefined ? {} : { after }),
    ...(status === undefined ? {} : { status: [status] }),
    ...(thoughtId === undefined ? {} : { thoughtId })
  }
  return Effect.flatMap(needed(Memory), ({ ledger }) => ledger.runs(query))
})

/**
 * The questions that runs of the scope wait for, the oldest first.
 *
 * **Details**
 *
 * `runId` lists those of one run; `limit` is the most that are listed, from 1 to 10,000, default 100. A question whose `prompt` is
 * empty was emptied by a redaction: resume its run, which asks it again. If the run fails before it comes to that, the question is no
 * longer listed. Questions of a discarded attempt are listed until the run waits.
 *
 * @category durable runs
 */
export const waiting = taking("Pipeline.waiting", {
  options: 0,
  optional: true,
  known: { runId: maybe("Only those of this run.", notEmpty), limit: maybe("Most questions.", count(1), 100) }
})(({ limit = 100, runId }: { readonly runId?: string; readonly limit?: number } = {}): Effect.Effect<
  ReadonlyArray<WaitRow>,
  MemoryError,
  Memory
> => {
  const query = { limit: upTo("Pipeline.waiting", limit), ...(runId === undefined ? {} : { runId }) }
  return Effect.flatMap(needed(Memory), ({ ledger }) => ledger.waits(query))
})
