import type * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import { taking } from "../arguments/taking.ts"
import { emit } from "../run/run.ts"
import { around, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import { PoolId, poolOf, type WorkerPool, type WorkerPoolOptions } from "../limits/WorkerPool.ts"

/** Places of its own, or shared ones. */
type Limit = (WorkerPoolOptions & { readonly pool?: never }) | { readonly pool: WorkerPool; readonly workers?: never }

/**
 * Runs a step at most so many times at the same time, over all pipelines that it is in.
 *
 * A run that finds no place waits for one, first come first served, which a `Throttled` signal tells; it can be
 * interrupted while it waits. A place is free again when its run has ended, however it did.
 *
 * All runs of the step share its places, which last as long as the step value. To share them with other steps, or to
 * change their number later, make them with `Pipeline.makeWorkerPool` and pass them as `pool`. Do not put a step of a pool
 * inside another of the same pool: it can wait for ever for the place that it is in itself. Throws when `workers` is no
 * whole number from 1.
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
 * const limited = Pipeline.workerLimit("limited", { step: slow, workers: 2 })
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
export const workerLimit = taking("Pipeline.workerLimit", {
  options: 1,
  known: ["step", "pool", "workers"],
  steps: ["step"]
})(<S extends Step.Any>(name: string, options: Limit & { readonly step: S }): Wrapped<S, Step.Err<S>, Step.Req<S>> => {
  const { step } = options
  const shared = options.pool !== undefined
  const pool = options.pool ?? poolOf(`The step ${quoted(name)}`, options)
  const places = pool[PoolId]
  const settings = { workers: places.workers, ...(shared ? { shared } : {}) }
  const run = step[TypeId].run as (thought: Thought<any>) => Effect.Effect<Thought<any>, Step.Err<S>, Step.Req<S>>
  return wrap(step, around(step.node, name, kind, settings), (thought) =>
    places.hold(run(thought), emit(thought, { _tag: "Throttled", waitMillis: undefined }))
  )
})

const kind = "workerLimit"

/**
 * `Pipeline.workerLimit` around the step that it is piped onto, under the name `workerLimit(<name of the step>)`.
 *
 * **Example** (At most four at the same time)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.workerLimit({ workers: 4 }))
 *
 * assert.equal(spam.name, "workerLimit(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const workerLimiting: {
  (options: Limit): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options: Limit): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped("Step.workerLimit", (self: Step.Any, options: Limit) =>
  workerLimit(pipedName(kind, self), { ...options, step: self })
)
