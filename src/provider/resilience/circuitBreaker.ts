/** A circuit breaker for calls of a provider. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import {
  breakerOf,
  type CircuitBreaker,
  type CircuitOptions,
  enter,
  type Verdict,
  whyOpen
} from "../../limits/CircuitBreaker.ts"
import { type End, type Gate, gated, type Transformation } from "../calls.ts"
import { type Named, perModel } from "./perModel.ts"
import { extend, transform } from "../Provider.ts"
import { ProviderError } from "../ProviderError.ts"

/** Errors caused by the provider, and not by the request or a limit. */
const speakOfProvider: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "Overloaded",
  "Connection",
  "Timeout",
  "Truncated",
  "InvalidResponse"
] as const)

/**
 * Stops calling a provider for a while if it fails again and again.
 *
 * **Details**
 *
 * The circuit works like that of `Step.circuitBreaker`, for calls: while it is open, every call fails immediately as
 * `CircuitOpen`. Errors about the request, the key or a limit do not count, unless `counts` overrides this. A defect
 * counts. A stream counts when its last piece arrives; one that is not read to the end does not count.
 *
 * There is a circuit for each provider and model. It lives as long as this value, however often the layer is built.
 * `breaker` replaces them with one circuit of `CircuitBreaker.make`. Pipe `retry` after it, so that a retry waits until
 * the circuit lets a call pass. Throws if an option is out of range.
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
})((
  options: (
    | (CircuitOptions & { readonly breaker?: never })
    | {
        readonly breaker: CircuitBreaker
        readonly failures?: never
        readonly reset?: never
        readonly successes?: never
      }
  ) & {
    /** Which errors count as failures. Default: `Overloaded`, `Connection`, `Timeout`, `Truncated`, `InvalidResponse`. */
    readonly counts?: (error: ProviderError) => boolean
  } = {}
): Transformation => {
  const { counts = (error) => speakOfProvider.has(error.reason._tag) } = options
  const { breaker } = options
  const of = breaker === undefined ? perModel(() => breakerOf("A circuit breaker", options)) : () => breaker
  return transform((provider) =>
    Effect.succeed(extend(provider, gated(provider, gate(provider, of(provider), counts))))
  )
})

const gate =
  (provider: Named, breaker: CircuitBreaker, counts: (error: ProviderError) => boolean): Gate =>
  () =>
    Effect.gen(function* () {
      const entered = yield* enter(breaker, (state) => emit(undefined, { _tag: "CircuitChanged", state }))
      if ("retryAfter" in entered) return yield* open(provider, entered.retryAfter)
      yield* entered.begun
      return (end) => entered.end(() => verdictOf(end, counts))
    })

const verdictOf = (end: End, counts: (error: ProviderError) => boolean): Verdict => {
  if (end._tag === "Failed") return counts(end.error) ? "failure" : "neither"
  return end._tag === "Answered" ? "success" : end._tag === "Died" ? "failure" : "neither"
}

const open = ({ model, name }: Named, retryAfter: Duration.Duration | undefined): ProviderError =>
  new ProviderError({
    provider: name,
    model,
    reason: {
      _tag: "CircuitOpen",
      message: `not called: ${whyOpen("call", retryAfter)}. Try again later, or fall back on another provider.`,
      ...(retryAfter === undefined ? {} : { retryAfter })
    }
  })
