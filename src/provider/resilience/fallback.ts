/** When a provider is in trouble, the next one is asked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import type { Usage } from "../../thought/usage.ts"
import { askOne, inPlaceOf, type LayerOf, layerOf, type Layers } from "./alternatives.ts"
import { by, type Strategy } from "../calls.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import { answerAfter, errorAfter } from "../spent.ts"

/**
 * When the next provider is asked.
 *
 * @category models
 */
export interface FallbackOptions {
  /**
   * After which errors. Default: those with `isRetryable`, and `QuotaExhausted`, `Authentication`, `ContextTooLong` and
   * `Unsupported`; so not after `Refused`, `InvalidRequest` or `BudgetExceeded`.
   */
  readonly when?: (error: ProviderError) => boolean
}

/** What another provider may not share, though the same one would fail again. */
const ofOne: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "QuotaExhausted",
  "Authentication",
  "ContextTooLong",
  "Unsupported"
] as const)

/**
 * A provider that asks others in their order: the next one when the one before has trouble.
 *
 * Its name, model and capabilities are those of the first. Another one is asked with the sampling that it takes, matched
 * anew with what was wished, and the answer says in `provider`, `model` and `sampling` who gave it and what was sent;
 * notes say the same. When all fail, it fails as the last one did. Answers and errors report the tokens of all that were
 * asked. Every failure that is passed over is told by an `AttemptFailed` signal with the tag of the error's reason.
 *
 * A stream goes on with the next provider only while no piece of it was passed on. Closed questions are decided natively
 * by those that can, when the first can; if all of these are down and others are there, they are put in words.
 *
 * Each layer may have resilience of its own, such as `retry`, which then is over before the next provider is asked.
 *
 * **Example** (A second provider, while the first is down)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const down = new Provider.ProviderError({
 *   provider: "first",
 *   model: "a",
 *   reason: { _tag: "Overloaded", message: "out of order" }
 * })
 * const first = Testing.scripted([down], { name: "first" })
 * const second = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }], { name: "second" })
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const answer = await Effect.runPromise(
 *   Effect.provide(isUrgent("Now!"), Provider.fallback([first.layer, second.layer]))
 * )
 * assert.equal(answer.decision, true)
 * assert.equal(second.requests.length, 1)
 * ```
 *
 * @category resilience
 */
export const fallback = taking("Provider.fallback", {
  args: [kinds.arrayOf(kinds.layer)],
  options: 1,
  optional: true,
  known: ["when"]
})(<const L extends Layers>(layers: L, options: FallbackOptions = {}): LayerOf<L> => {
  const { when = (error) => error.isRetryable || ofOne.has(error.reason._tag) } = options
  return layerOf("Provider.fallback", layers, (providers) =>
    inPlaceOf(providers, by(inTurn(providers, when), providers[0].decide !== undefined))
  )
})

const inTurn =
  (providers: ReadonlyArray<Shape>, when: (error: ProviderError) => boolean): Strategy =>
  (way, request) =>
    Effect.gen(function* () {
      const able = providers.filter(way.able)
      let spent: Usage = {}
      for (let attempt = 1; ; attempt++) {
        const provider = able[attempt - 1]
        if (provider === undefined) return yield* Effect.die(new Error("No provider is left."))
        const result = yield* Effect.result(askOne(way, provider, request, attempt === 1))
        const before = spent
        if (Result.isSuccess(result)) {
          return way.changed(result.success, {
            answer: (answer) => answerAfter(answer, before),
            error: (error) => errorAfter(error, before)
          })
        }
        const error = errorAfter(result.failure, before)
        if (attempt === able.length || !when(error)) return yield* error
        spent = error.usage ?? {}
        yield* emit(undefined, { _tag: "AttemptFailed", attempt, error: error.reason._tag, waitMillis: 0 })
      }
    })
