/** State that limits keep across runs, and across versions of a document. */
import * as Effect from "effect/Effect"
import { type CircuitBreaker, type CircuitOptions, makeCircuitBreaker } from "../step/Circuit.ts"
import { makeRateLimiter, type RateLimiter, type RateLimitOptions } from "../step/RateLimiter.ts"
import { makeWorkerPool, type WorkerPool, type WorkerPoolOptions } from "../step/WorkerPool.ts"

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

/** State by the path of names of its step. */
export interface Kept {
  readonly rateLimiters: ReadonlyMap<string, RateLimiter>
  readonly circuitBreakers: ReadonlyMap<string, CircuitBreaker>
  readonly workerPools: ReadonlyMap<string, WorkerPool>
}

export const none: Kept = { rateLimiters: new Map(), circuitBreakers: new Map(), workerPools: new Map() }

/** What a document says of its limits, in the order in which they are met. */
export interface Said extends Limits {
  readonly rates: Map<string, RateLimitOptions>
  readonly circuits: Map<string, CircuitOptions>
  readonly pools: Map<string, WorkerPoolOptions>
}

/** Limits that only write down what is said of them; the steps have state of their own. */
export const noting = (): Said => {
  const rates = new Map<string, RateLimitOptions>()
  const circuits = new Map<string, CircuitOptions>()
  const pools = new Map<string, WorkerPoolOptions>()
  return {
    rates,
    circuits,
    pools,
    rateLimiter: note(rates),
    circuitBreaker: note(circuits),
    workerPool: note(pools)
  }
}

const note =
  <A>(into: Map<string, A>) =>
  (names: ReadonlyArray<string>, options: A): undefined => {
    into.set(placeOf(into, names), options)
  }

/** Limits that have been kept, met in the same order as when they were noted. */
export const keeping = ({ circuitBreakers, rateLimiters, workerPools }: Kept): Limits => {
  return {
    rateLimiter: find(rateLimiters),
    circuitBreaker: find(circuitBreakers),
    workerPool: find(workerPools)
  }
}

const find = <A>(kept: ReadonlyMap<string, A>) => {
  const met = new Map<string, true>()
  return (names: ReadonlyArray<string>): A | undefined => {
    const place = placeOf(met, names)
    met.set(place, true)
    return kept.get(place)
  }
}

/** The names as a key; steps that have all of them in common are told apart by their order. */
const placeOf = (taken: ReadonlyMap<string, unknown>, names: ReadonlyArray<string>): string => {
  for (let i = 0; ; i++) {
    const place = JSON.stringify([...names, i])
    if (!taken.has(place)) return place
  }
}

/** State for what is said now: what there was already goes on with the new numbers, all else begins anew. */
export const settle = (before: Kept, said: Said): Effect.Effect<Kept> =>
  Effect.gen(function* () {
    const rateLimiters = yield* each(said.rates, before.rateLimiters, makeRateLimiter, (limiter, options) =>
      // a burst that is said no more is again what it is by default
      limiter.configure({ ...options, burst: options.burst ?? Math.max(1, options.limit) })
    )
    const circuitBreakers = yield* each(said.circuits, before.circuitBreakers, makeCircuitBreaker, (breaker, options) =>
      breaker.configure({ ...circuitDefaults, ...options })
    )
    const workerPools = yield* each(said.pools, before.workerPools, makeWorkerPool, (pool, options) =>
      pool.configure(options)
    )
    return { rateLimiters, circuitBreakers, workerPools }
  })

const circuitDefaults: CircuitOptions = { failures: 5, reset: "60 seconds", successes: 1 }

const each = <A, O>(
  said: ReadonlyMap<string, O>,
  before: ReadonlyMap<string, A>,
  make: (options: O) => A,
  configure: (known: A, options: O) => Effect.Effect<void>
): Effect.Effect<ReadonlyMap<string, A>> =>
  Effect.map(
    Effect.forEach(said, ([place, options]) => {
      const known = before.get(place)
      return known === undefined
        ? Effect.sync(() => [place, make(options)] as const)
        : Effect.as(configure(known, options), [place, known] as const)
    }),
    (entries) => new Map(entries)
  )
