import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { emit } from "../run/run.ts"
import { around, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import { PoolId, poolOf, type WorkerPool, type WorkerPoolOptions } from "../limits/WorkerPool.ts"

const kind = "workerLimit"

/** Options of the step's own places, or a shared pool. */
type Limit = NameOption &
  ((WorkerPoolOptions & { readonly pool?: never }) | { readonly pool: WorkerPool; readonly workers?: never })

/**
 * Limits how many runs of a step are active at the same time, over all pipelines that contain it.
 *
 * **Details**
 *
 * A run that finds no free place waits, first come, first served, and emits a `Throttled` signal; it can be interrupted
 * while it waits. A place becomes free when its run ends, whatever the outcome.
 *
 * All runs of the step value share its places. To share places between steps, or to change their number later, make
 * them with `WorkerPool.make` and pass them as `pool`. Do not nest two steps of one pool: the inner one may wait
 * forever for the place that the outer one has. Throws if `workers` is not a whole number from 1.
 *
 * **Example** (Two at a time)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * let running = 0
 * let most = 0
 * const slow = Step.make("slow", {
 *   schema: Schema.Finite,
 *   run: Effect.gen(function*() {
 *     most = Math.max(most, ++running)
 *     yield* Effect.sleep("5 millis")
 *     return --running
 *   })
 * })
 * const limited = slow.pipe(Step.workerLimit({ workers: 2 }))
 *
 * const program = Effect.gen(function*() {
 *   const runs = ["a", "b", "c", "d", "e"].map((intent) =>
 *     Effect.flatMap(Thought.make(intent), (thought) => Pipeline.run(limited, thought))
 *   )
 *   const done = yield* Effect.all(runs, { concurrency: "unbounded" })
 *   assert.equal(done.length, 5)
 *   assert.equal(most, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const workerLimit: {
  (options: Limit): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options: Limit): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped(
  taking("Step.workerLimit", {
    args: [kinds.step],
    options: 1,
    known: { name: forms.naming, pool: forms.inCode, workers: forms.maybe("How many.", forms.count(1)) }
  })((self: Step.Any, options: Limit) => {
    const name = nameOf(kind, self, options)
    const shared = options.pool !== undefined
    const places = (options.pool ?? poolOf(`The step ${quoted(name)}`, options))[PoolId]
    const settings = { workers: places.workers, ...(shared ? { shared } : {}) }
    return wrap(self, around(self.node, name, kind, settings), (thought) =>
      places.hold(self[TypeId].run(thought), emit(thought, { _tag: "Throttled", waitMillis: undefined }))
    )
  })
)
