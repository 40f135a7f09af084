/** A provider that falls back on others. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import type { Usage } from "../../thought/tokens.ts"
import { askOne, inPlaceOf, type LayerOf, layerOf, type Layers } from "./alternatives.ts"
import { by, type Strategy } from "../calls.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import { answerAfter, errorAfter } from "../spent.ts"

/** Errors that would recur with the same provider, but perhaps not with another one. */
const ofOne: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "QuotaExhausted",
  "Authentication",
  "ContextTooLong",
  "Unsupported"
] as const)

/**
 * A provider that tries others in order, each after the one before has failed.
 *
 * **Details**
 *
 * Its name, model and capabilities are those of the first. Each other one gets the wished sampling as far as it
 * supports it; the answer has its `provider`, `model` and `sampling`. If all fail, the last error is the error. Answers
 * and errors report the tokens of all attempts. Each failure followed by another attempt emits an `AttemptFailed`
 * signal.
 *
 * A stream falls back only before its first piece. If the first provider can decide closed questions natively, all that
 * can are tried so; if these fail, the others get the questions as text.
 *
 * The layers may have resilience of their own: a `retry` inside is over before the next provider is tried.
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
})(<const L extends Layers>(
  layers: L,
  options: {
    /**
     * The errors after which the next provider is tried. Default: those with `isRetryable`, and `QuotaExhausted`,
     * `Authentication`, `ContextTooLong` and `Unsupported`; so not `Refused`, `InvalidRequest` or `BudgetExceeded`.
     */
    readonly when?: (error: ProviderError) => boolean
  } = {}
): LayerOf<L> => {
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
