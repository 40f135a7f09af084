/** Budgets for programs and for provider layers. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as kinds from "../../arguments/kinds.ts"
import { need, taking } from "../../arguments/taking.ts"
import { InForce, within } from "../../limits/budget/inForce.ts"
import { extend, type Provider, transform } from "../Provider.ts"
import type { DecideRequest } from "../request.ts"
import type { BudgetOptions, SharedBudgetOptions } from "../../limits/budget/limits.ts"
import { type Budget, BudgetId, isBudget, make, renewed } from "../../limits/budget/Budget.ts"

/**
 * Runs a program within a budget: all its calls need room there, and in every budget already in force.
 *
 * **Details**
 *
 * Options instead of a budget give every run of the program a new budget, whose time starts with the run. Throws if an
 * option is out of range.
 *
 * **Example** (Not more than one call)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.all([isUrgent("The server is down."), isUrgent("When do you open?")]).pipe(
 *   Provider.withBudget({ calls: 1 }),
 *   Effect.provide(model.layer)
 * )
 *
 * const error = await Effect.runPromise(Effect.flip(program))
 * assert.equal(error.message, `scripted (script): the budget "budget" has 0 of 1 calls left: raise calls`)
 * assert.equal(model.requests.length, 1)
 * ```
 *
 * @category budgets
 */
export const withBudget = taking("Provider.withBudget", { args: [kinds.object] })((
  budget: Budget | BudgetOptions
): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const source = renewed("A budget", budget)
  return (self) => {
    need("Provider.withBudget", kinds.effect, self)
    return Effect.flatMap(source, (one) => within(one)(self))
  }
})

/**
 * Adds a budget to all calls through a provider layer, besides the budgets in force.
 *
 * **Details**
 *
 * Options give the layer its own budget, new each time that the layer is built. With `per: "thought"` or `per: "scope"`
 * there is one for each thought or scope. Throws if an option is out of range.
 *
 * **Example** (So much for each tenant)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const { layer } = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
 * const limited = layer.pipe(Provider.budget({ calls: 1, per: "scope" }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.gen(function*() {
 *   yield* isUrgent("The server is down.").pipe(Memory.withScope("acme"))
 *   yield* isUrgent("When do you open?").pipe(Memory.withScope("globex"))
 *   const error = yield* Effect.flip(isUrgent("Hello?").pipe(Memory.withScope("acme")))
 *   assert.ok(error._tag === "ProviderError" && error.reason._tag === "BudgetExceeded")
 * })
 *
 * await Effect.runPromise(Effect.provide(program, limited))
 * ```
 *
 * @category budgets
 */
export const budget = taking("Provider.budget", {
  options: 0,
  known: [
    "add",
    "calls",
    "left",
    "name",
    "onShort",
    "per",
    "remember",
    "reserved",
    "reset",
    "spent",
    "time",
    "tokens",
    "usd",
    "~cogito/Budget"
  ]
})((
  options: Budget | SharedBudgetOptions
): (<E, R>(self: Layer.Layer<Provider, E, R>) => Layer.Layer<Provider, E, R>) => {
  if (!isBudget(options)) make(options)
  return transform((provider) => {
    // a new budget each time that the layer is built
    const source = (isBudget(options) ? options : make(options))[BudgetId]
    const { decide } = provider
    return Effect.succeed(
      extend(provider, {
        budgets: (answeredBy) => [source, ...(provider.budgets?.(answeredBy) ?? [])],
        complete: (request) => within(source)(provider.complete(request)),
        stream: (request) =>
          Stream.unwrap(
            Effect.map(InForce, (others) =>
              Stream.provideService(provider.stream(request), InForce, [...others, source])
            )
          ),
        ...(decide !== undefined && { decide: (request: DecideRequest) => within(source)(decide(request)) })
      })
    )
  })
})
