import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isPromiseLike } from "effect/Predicate"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { Meter, Meters, type Used } from "./meter.ts"

/**
 * Runs a program, and reports once what its model calls have used: when it succeeds, fails or is interrupted.
 *
 * **Details**
 *
 * Every call of a provider counts: failed ones, those that a layer tried again, repairs, and branches that lost. Answers from
 * a cache or from the ledger of a durable run count nothing. Steps in the background count until the program ends.
 *
 * If the listener throws, or if the promise that it returns rejects, the program ends as it would have without it, and the
 * failure is logged as an error. Nothing waits for that promise.
 *
 * Tokens are those that the provider reports. `usd` comes from `capabilities.prices` of each provider, or from what it says a
 * call cost.
 *
 * **Example** (What a question costs)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const model = Testing.scripted(["no JSON", { decision: true, confidence: 1, reasoning: ["It is."] }], {
 *   usage: { inputTokens: 100, outputTokens: 20 },
 *   capabilities: { prices: { input: 2, output: 10, asOf: "2026-11-26" } }
 * })
 *
 * const program = isUrgent("The server is down").pipe(
 *   Provider.onUsage(({ calls, inputTokens, usd }) => {
 *     assert.deepEqual({ calls, inputTokens, usd }, { calls: 2, inputTokens: 200, usd: 0.0008 })
 *   })
 * )
 *
 * await Effect.runPromise(program.pipe(Effect.provide(model.layer)))
 * ```
 *
 * @category usage
 */
export const onUsage = taking("Provider.onUsage", { args: [kinds.callable] })(
  (listener: (used: Used) => void) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const meter = new Meter()
        return Effect.flatMap(Meters, (meters) => Effect.provideService(self, Meters, [...meters, meter])).pipe(
          Effect.ensuring(reported(listener, meter))
        )
      })
)

/** Calls the listener. What it throws or rejects with is logged. */
const reported = (listener: (used: Used) => unknown, meter: Meter): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    try {
      const result = listener(meter.used)
      if (isPromiseLike(result)) {
        result.then(undefined, (error: unknown) => Effect.runForkWith(context)(failed(error)))
      }
      return Effect.void
    } catch (error) {
      return failed(error)
    }
  })

const failed = (error: unknown): Effect.Effect<void> =>
  Effect.logError("A listener of usage has failed.", Cause.die(error))
