/** One provider decides, another answers in text. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { list, maybe, oneOf, others } from "../../arguments/forms.ts"
import { taking } from "../../arguments/taking.ts"
import { extend, Provider } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import { ProviderError } from "../ProviderError.ts"
import { building } from "./alternatives.ts"

/**
 * Combines a provider for closed questions with a provider for all other calls.
 *
 * **Details**
 *
 * The name, model and capabilities are those of `complete`. Answers of `decide` say in `provider` and `model` who gave
 * them. Building the layer fails with `Unsupported` if `decide` has no native decisions. Throws if `order` is empty or
 * names a way twice.
 *
 * **Example** (A decider in front of a model of text)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const decider = Testing.scripted([], {
 *   decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.9 }]
 * })
 * const text = Testing.scripted(["Bonjour"])
 * const both = Provider.combine({ decide: decider.layer, complete: text.layer })
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const answer = await Effect.runPromise(Effect.provide(isUrgent("Now!"), both))
 * assert.equal(answer.confidenceFrom, "measured")
 * assert.equal(text.requests.length, 0)
 * ```
 *
 * @category combinators
 */
export const combine = taking("Provider.combine", {
  options: 0,
  known: { ...others("complete", "decide"), order: maybe("", list("", oneOf("native", "text"))) },
  layers: ["complete", "decide"]
})(<E, R, E2, R2>(options: {
  readonly decide: Layer.Layer<Provider, E, R>
  readonly complete: Layer.Layer<Provider, E2, R2>
  readonly order?: NonNullable<Shape["order"]>
}): Layer.Layer<Provider, E | E2 | ProviderError, Exclude<R | R2, Scope.Scope>> => {
  const { order = ["native", "text"] } = options
  if (order.length === 0 || new Set(order).size !== order.length) {
    throw new Error(`Provider.combine needs an order of "native" and "text" with each at most once, at least one`)
  }
  return Layer.effect(
    Provider,
    Effect.gen(function* () {
      const build = yield* building
      const decider = yield* build(options.decide)
      const text = yield* build(options.complete)
      const { decide, model, name } = decider
      if (decide === undefined) {
        const message = "it does not decide natively: give a provider that does as decide"
        return yield* new ProviderError({ provider: name, model, reason: { _tag: "Unsupported", message } })
      }
      return extend(text, {
        order,
        budgets: (answeredBy) => [
          ...(answeredBy === name ? [] : (text.budgets?.(answeredBy) ?? [])),
          ...(answeredBy === undefined || answeredBy === name ? (decider.budgets?.(answeredBy) ?? []) : [])
        ],
        decide: (request) => Effect.map(decide(request), (response) => ({ provider: name, model, ...response }))
      })
    })
  )
})
