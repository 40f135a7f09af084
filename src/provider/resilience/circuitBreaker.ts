/** A provider that has failed too often of late is not called for a while. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import {
  BreakerId,
  breakerOf,
  type CircuitBreaker as Breaker,
  type CircuitOptions,
  type CircuitState,
  type Verdict
} from "../../limits/Circuit.ts"
import { now } from "../../limits/now.ts"
import { type End, type Gate, gated, type Transformation } from "../calls.ts"
import { type Named, PerModel } from "./perModel.ts"
import { extend, transform } from "../Provider.ts"
import { ProviderError } from "../ProviderError.ts"

/**
 * A circuit breaker that several provider layers share: it keeps a circuit for each provider and model.
 *
 * @category models
 */
export interface CircuitBreaker {
  /** For the library only. */
  readonly [CircuitsId]: PerModel<Breaker>
  /** What the next call of this provider and model would find. */
  readonly state: (provider: Named) => Effect.Effect<CircuitState>
  /** Closes all its circuits by hand and forgets the failures. */
  readonly reset: Effect.Effect<void>
}

const CircuitsId = "~cogito/Provider/CircuitBreaker"

/**
 * Makes a circuit breaker to share between provider layers, as `breaker`, or to look at and reset.
 *
 * Throws when an option is out of its range.
 *
 * **Example** (The same circuit for two layers of one model)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const breaker = Provider.makeCircuitBreaker({ failures: 3, reset: "30 seconds" })
 * const one = Testing.scripted([]).layer.pipe(Provider.circuitBreaker({ breaker }))
 * const other = Testing.scripted([]).layer.pipe(Provider.circuitBreaker({ breaker }))
 *
 * assert.notEqual(one, other)
 * assert.equal(await Effect.runPromise(breaker.state({ name: "scripted", model: "script" })), "closed")
 * ```
 *
 * @category resilience
 */
export const makeCircuitBreaker = taking("Provider.makeCircuitBreaker", {
  options: 0,
  optional: true,
  known: ["failures", "reset", "successes"]
})((options: CircuitOptions = {}): CircuitBreaker => {
  const make = () => breakerOf("A circuit breaker", options)
  // bad options are refused now, not at the first call
  make()
  const circuits = new PerModel(make)
  return {
    [CircuitsId]: circuits,
    state: (provider) => Effect.suspend(() => circuits.of(provider).state),
    reset: Effect.suspend(() => Effect.forEach(circuits.all, ({ reset }) => reset, { discard: true }))
  }
})

/**
 * Circuits of the layer's own, or shared ones; which errors count.
 *
 * @category models
 */
export type CircuitBreakerOptions = (
  | (CircuitOptions & { readonly breaker?: never })
  | { readonly breaker: CircuitBreaker; readonly failures?: never; readonly reset?: never; readonly successes?: never }
) & {
  /** Which errors count as failures. Default: `Overloaded`, `Connection`, `Timeout`, `Truncated`, `InvalidResponse`. */
  readonly counts?: (error: ProviderError) => boolean
}

/** What speaks of the provider, and neither of the request nor of how much of it was asked for. */
const speakOfProvider: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "Overloaded",
  "Connection",
  "Timeout",
  "Truncated",
  "InvalidResponse"
] as const)

/**
 * Stops calling a provider for a while when it fails again and again.
 *
 * While the circuit is closed, every call passes. After `failures` failures in a row (default 5) it opens: for the time
 * `reset` (default 60 seconds) every call fails at once as `CircuitOpen`, with `retryAfter`, and nothing is sent. Then it
 * is half-open: one call at a time tries, and the others fail as before. After `successes` such tries (default 1) the
 * circuit closes; one that fails opens it again. Every change is told by a `CircuitChanged` signal.
 *
 * An error that speaks of the request, the key or a limit counts neither as a failure nor as a success, unless `counts`
 * says otherwise; so does an interruption. A defect counts as a failure. A stream ends for the circuit with its last piece,
 * and counts neither way when nobody waits for that.
 *
 * Its circuits, one for each provider and model, last as long as this value, however often a layer with it is built; other
 * layers share them by the same `breaker`. Put `retry` outside, that is after it: a retry waits until the circuit lets a
 * call pass, within its `maxWait`. Throws when an option is out of its range.
 *
 * **Example** (A provider that is down)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 *
 * let calls = 0
 * const down = new Provider.ProviderError({
 *   provider: "house",
 *   model: "down-1",
 *   reason: { _tag: "Overloaded", message: "out of order" }
 * })
 * const model = Provider.layer({
 *   name: "house",
 *   model: "down-1",
 *   complete: () => Effect.suspend(() => (calls++, Effect.fail(down)))
 * }).pipe(Provider.circuitBreaker({ failures: 2 }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.gen(function*() {
 *   for (let i = 0; i < 2; i++) yield* Effect.flip(isUrgent("Now!"))
 *   const error = yield* Effect.flip(isUrgent("Now!"))
 *   assert.ok(error._tag === "ProviderError" && error.reason._tag === "CircuitOpen")
 *   assert.equal(calls, 2)
 * })
 *
 * await Effect.runPromise(Effect.provide(program, model))
 * ```
 *
 * @category resilience
 */
export const circuitBreaker = taking("Provider.circuitBreaker", {
  options: 0,
  optional: true,
  known: ["breaker", "counts", "failures", "reset", "successes"]
})((options: CircuitBreakerOptions = {}): Transformation => {
  const { counts = (error) => speakOfProvider.has(error.reason._tag) } = options
  const circuits = (options.breaker ?? makeCircuitBreaker(options))[CircuitsId]
  return transform((provider) => Effect.succeed(extend(provider, gated(provider, gate(provider, circuits, counts)))))
})

const tell = (state: CircuitState) => emit(undefined, { _tag: "CircuitChanged", state })

const gate =
  (provider: Named, circuits: PerModel<Breaker>, counts: (error: ProviderError) => boolean): Gate =>
  () =>
    Effect.gen(function* () {
      const circuit = circuits.of(provider)[BreakerId]
      const entered = circuit.enter(yield* now)
      if (!("ticket" in entered)) return yield* open(provider, entered.left)
      if (entered.changed) yield* tell("half-open")
      return (end) => {
        let verdict: Verdict = "neither"
        return Effect.ensuring(
          Effect.sync(() => {
            verdict = verdictOf(end, counts)
          }),
          // whatever becomes of `counts`, the place is free again
          Effect.flatMap(now, (at) => {
            const state = circuit.leave(entered.ticket, verdict, at)
            return state === undefined ? Effect.void : tell(state)
          })
        )
      }
    })

const verdictOf = (end: End, counts: (error: ProviderError) => boolean): Verdict => {
  if (end._tag === "Failed") return counts(end.error) ? "failure" : "neither"
  return end._tag === "Answered" ? "success" : end._tag === "Died" ? "failure" : "neither"
}

const open = ({ model, name }: Named, left: number | undefined): ProviderError => {
  const retryAfter = left === undefined ? undefined : Duration.millis(left)
  const why =
    retryAfter === undefined
      ? "another call tries whether it works again"
      : `it failed too often, and the circuit stays open for ${Duration.format(retryAfter)}`
  return new ProviderError({
    provider: name,
    model,
    reason: {
      _tag: "CircuitOpen",
      message: `not called: ${why}. Try again later, or fall back on another provider.`,
      ...(retryAfter === undefined ? {} : { retryAfter })
    }
  })
}
