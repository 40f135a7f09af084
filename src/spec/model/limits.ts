/** State that limits keep across runs, and across versions of a document. */
import * as Effect from "effect/Effect"
import * as CircuitBreaker from "../../CircuitBreaker.ts"
import * as RateLimiter from "../../RateLimiter.ts"
import * as WorkerPool from "../../WorkerPool.ts"
import { quote } from "./problems.ts"

/** The rate limit that a document declares. */
type Rate = Omit<RateLimiter.Options, "tokens"> & { readonly limit: number }

/**
 * Finds the shared state of a step by the names of the steps around it and its own, last. Undefined if the step keeps
 * its own state.
 */
export interface Limits {
  readonly rateLimiter: (names: ReadonlyArray<string>, options: Rate) => RateLimiter.RateLimiter | undefined
  readonly circuitBreaker: (
    names: ReadonlyArray<string>,
    options: CircuitBreaker.Options
  ) => CircuitBreaker.CircuitBreaker | undefined
  readonly workerPool: (names: ReadonlyArray<string>, options: WorkerPool.Options) => WorkerPool.WorkerPool | undefined
}

/** A value for a step, with the step's name. */
interface Of<A> {
  readonly name: string
  readonly value: A
}

/** Values by place: the names of the steps around a step, and its own. */
type ByPlace<A> = ReadonlyMap<string, Of<A>>

/** State of one kind of limit: for the steps of the current version, and for removed steps. */
interface Held<A> {
  readonly present: ByPlace<A>
  readonly gone: ByPlace<A>
}

/** State of all kinds of limits. */
export interface Kept {
  readonly rateLimiters: Held<RateLimiter.RateLimiter>
  readonly circuitBreakers: Held<CircuitBreaker.CircuitBreaker>
  readonly workerPools: Held<WorkerPool.WorkerPool>
}

const nothing = { present: new Map<string, never>(), gone: new Map<string, never>() }
export const none: Kept = { rateLimiters: nothing, circuitBreakers: nothing, workerPools: nothing }

/** The number of removed steps whose state is kept, in case they come back. */
const mostGone = 1_000

/** The limits that a document declares. */
export interface Declared extends Limits {
  readonly rates: ByPlace<Rate>
  readonly circuits: ByPlace<CircuitBreaker.Options>
  readonly pools: ByPlace<WorkerPool.Options>
}

/**
 * Limits that only record what the document declares; the steps keep their own state. Throws if two have the same
 * place.
 */
export const noting = (): Declared => {
  const rates = new Map<string, Of<Rate>>()
  const circuits = new Map<string, Of<CircuitBreaker.Options>>()
  const pools = new Map<string, Of<WorkerPool.Options>>()
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
  <A>(into: Map<string, Of<A>>) =>
  (names: ReadonlyArray<string>, value: A): undefined => {
    const place = placeOf(names)
    const name = names.at(-1) ?? ""
    if (into.has(place)) {
      throw new Error(`Another limit of this kind is named ${quote(name)} in the same place: rename one.`)
    }
    into.set(place, { name, value })
  }

/** Limits that use kept state. */
export const keeping = ({ circuitBreakers, rateLimiters, workerPools }: Kept): Limits => ({
  rateLimiter: find(rateLimiters),
  circuitBreaker: find(circuitBreakers),
  workerPool: find(workerPools)
})

const find =
  <A>({ present }: Held<A>) =>
  (names: ReadonlyArray<string>): A | undefined =>
    present.get(placeOf(names))?.value

const placeOf = (names: ReadonlyArray<string>): string => JSON.stringify(names)

/** State for the limits that are declared now: known state continues with the new numbers, other state starts fresh. */
export const settle = (before: Kept, declared: Declared): Effect.Effect<Kept> =>
  Effect.gen(function* () {
    const rateLimiters = yield* each(declared.rates, before.rateLimiters, RateLimiter.make, (limiter, options) =>
      // a burst that is no longer declared returns to its default
      limiter.configure({ ...options, burst: options.burst ?? Math.max(1, options.limit) })
    )
    const circuitBreakers = yield* each(
      declared.circuits,
      before.circuitBreakers,
      CircuitBreaker.make,
      (breaker, options) => breaker.configure({ ...circuitDefaults, ...options })
    )
    const workerPools = yield* each(declared.pools, before.workerPools, WorkerPool.make, (pool, options) =>
      pool.configure(options)
    )
    return { rateLimiters, circuitBreakers, workerPools }
  })

const circuitDefaults: CircuitBreaker.Options = { failures: 5, reset: "60 seconds", successes: 1 }

const each = <A, O>(
  declared: ByPlace<O>,
  before: Held<A>,
  make: (options: O) => A,
  configure: (known: A, options: O) => Effect.Effect<void>
): Effect.Effect<Held<A>> =>
  Effect.gen(function* () {
    const present = new Map<string, Of<A>>()
    const times = countNames(declared)
    for (const [place, { name, value: options }] of declared) {
      const known = (times.get(name) === 1 ? byName(before, name) : undefined) ?? byPlace(before, place)
      if (known !== undefined) yield* configure(known.value, options)
      present.set(place, { name, value: known === undefined ? make(options) : known.value })
    }
    const used = new Set([...present.values()].map(({ value }) => value))
    const gone = [...before.gone, ...before.present].filter(
      ([place, { value }]) => !present.has(place) && !used.has(value)
    )
    return { present, gone: new Map(gone.slice(-mostGone)) }
  })

/** The value for a name that only one step has, wherever the step stood. */
const byName = <A>({ gone, present }: Held<A>, name: string): Of<A> | undefined => {
  for (const all of [present, gone]) {
    const named = [...all.values()].filter((one) => one.name === name)
    if (named.length > 0) return named.length === 1 ? named[0] : undefined
  }
  return undefined
}

const byPlace = <A>({ gone, present }: Held<A>, place: string): Of<A> | undefined =>
  present.get(place) ?? gone.get(place)

const countNames = (declared: ByPlace<unknown>): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const { name } of declared.values()) times.set(name, (times.get(name) ?? 0) + 1)
  return times
}
