import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { taking } from "../arguments/taking.ts"
import { whole } from "../arguments/checked.ts"

/**
 * How many runs may be active at the same time.
 *
 * @category models
 */
export interface WorkerPoolOptions {
  /** A whole number from 1. */
  readonly workers: number
}

/**
 * A limited number of places for runs, shared by several steps.
 *
 * @category models
 */
export interface WorkerPool {
  /** For the library only. */
  readonly [PoolId]: Places
  /** How many places are in use now. */
  readonly active: Effect.Effect<number>
  /**
   * Changes the number of places while the pool is in use.
   *
   * With more places, the runs that have waited longest begin at once. With fewer, no run is stopped; none begins until
   * enough runs have ended. Invalid options are a defect and change nothing.
   */
  readonly configure: (options: WorkerPoolOptions) => Effect.Effect<void>
}

export const PoolId = "~cogito/WorkerPool"

/**
 * Makes a pool of places that steps can share, and that can be inspected and configured.
 *
 * **Details**
 *
 * Pass it to `Step.workerLimit` as `pool`. There are never more runs at the same time than places. Throws if `workers`
 * is not a whole number from 1.
 *
 * **Example** (Two steps that share three places)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Step, WorkerPool } from "cogito"
 *
 * const pool = WorkerPool.make({ workers: 3 })
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.workerLimit({ pool }))
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.workerLimit({ pool }))
 * const both = Pipeline.sequence("both", [spam, urgent])
 *
 * assert.deepEqual(both.node.writes, ["spam", "urgent"])
 * assert.equal(await Effect.runPromise(pool.active), 0)
 * ```
 *
 * @category constructors
 */
export const make = taking("WorkerPool.make", { options: 0, known: ["workers"] })(
  (options: WorkerPoolOptions): WorkerPool => poolOf("A worker pool", options)
)

/** Makes a pool. `owner` is the step or value named in messages. */
export const poolOf = (owner: string, options: WorkerPoolOptions): WorkerPool => {
  const places = new Places(owner, options)
  return {
    [PoolId]: places,
    active: Effect.sync(() => places.taken),
    configure: (changes) => Effect.suspend(() => places.configure(changes))
  }
}

/**
 * The places and their queue. A free place goes to the run that has waited longest, before any other run can take it.
 * (Effect's semaphore keeps an interrupted waiter in its queue until its fiber has ended.)
 */
class Places {
  readonly #owner: string
  #workers: number
  #taken = 0
  readonly #waiters = new Set<Deferred.Deferred<void>>()

  constructor(owner: string, options: WorkerPoolOptions) {
    this.#owner = owner
    this.#workers = checked(owner, options)
  }

  get workers(): number {
    return this.#workers
  }

  get taken(): number {
    return this.#taken
  }

  configure(options: WorkerPoolOptions): Effect.Effect<void> {
    this.#workers = checked(this.#owner, options)
    return this.#serve
  }

  /** Runs an effect in a place; waits in the queue for one if necessary. */
  hold<A, E, R, E2, R2>(
    self: Effect.Effect<A, E, R>,
    throttled: Effect.Effect<void, E2, R2>
  ): Effect.Effect<A, E | E2, R | R2> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.#acquire(throttled, restore), () => Effect.ensuring(restore(self), this.#release))
    )
  }

  #acquire<E, R>(throttled: Effect.Effect<void, E, R>, restore: Restore): Effect.Effect<void, E, R> {
    return Effect.suspend(() => {
      // the queue is empty while there is a free place
      if (this.#taken < this.#workers) {
        this.#taken += 1
        return Effect.void
      }
      const turn = Deferred.makeUnsafe<void>()
      this.#waiters.add(turn)
      return throttled.pipe(
        Effect.andThen(Deferred.await(turn)),
        restore,
        Effect.onError(() => Effect.suspend(() => (this.#waiters.delete(turn) ? Effect.void : this.#release)))
      )
    })
  }

  readonly #release: Effect.Effect<void> = Effect.suspend(() => {
    this.#taken -= 1
    return this.#serve
  })

  /** Gives free places to the queue, in order. */
  readonly #serve: Effect.Effect<void> = Effect.suspend(() => {
    const served: Array<Deferred.Deferred<void>> = []
    for (const turn of this.#waiters) {
      if (this.#taken >= this.#workers) break
      this.#waiters.delete(turn)
      this.#taken += 1
      served.push(turn)
    }
    return Effect.forEach(served, (turn) => Deferred.succeed(turn, undefined), { discard: true })
  })
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const checked = (owner: string, { workers }: WorkerPoolOptions): number => whole(owner, "workers", 1, workers)
