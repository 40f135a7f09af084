/** Limits of what calls may use, all together. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { hasProperty } from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as kinds from "../../arguments/kinds.ts"
import { need, taking } from "../../arguments/taking.ts"
import { now } from "../now.ts"
import { accountOf, defaultName, limitsOf, perDollar, sourceOf } from "./accounts.ts"
import { InForce, place, type Source, within } from "./inForce.ts"
import { extend, type Provider, transform } from "../../provider/Provider.ts"
import type { DecideRequest } from "../../provider/request.ts"
import type { Totals } from "./reservation.ts"

/**
 * What calls may use, all together. At least one limit is required; an omitted one is unlimited.
 *
 * @category models
 */
export interface BudgetLimits {
  /** How many calls: a whole number from 0. Every call that is made counts, also one that fails. */
  readonly calls?: number
  /** How many tokens, of input and output together: a whole number from 0. */
  readonly tokens?: number
  /** How many US dollars, from 0. Only models whose `capabilities.prices` are known can be called. */
  readonly usd?: number
  /** How long after its first call, or after the beginning of the step that it is of. More than nothing, and finite. */
  readonly time?: Duration.Input
}

/**
 * Limits, and what becomes of calls that they have no room for.
 *
 * @category models
 */
export interface BudgetOptions extends BudgetLimits {
  /** In errors and signals. Default: the name of the step, else `"budget"`. */
  readonly name?: string
  /**
   * Whether a call for which there is no room waits while others under way may still give some back. Default: `"wait"`.
   *
   * A stream is under way until its last piece is taken: whoever makes calls while reading one takes `"fail"`, or room for
   * both.
   */
  readonly onShort?: "wait" | "fail"
}

/**
 * Limits for all calls together, or as much for each thought or scope.
 *
 * @category models
 */
export interface SharedBudgetOptions extends BudgetOptions {
  /**
   * - `"thought"`: as much for each thought together with its forks; calls outside of steps share one
   * - `"scope"`: as much for each scope that `Memory.withScope` names; calls without one share one
   *
   * Default: one budget for all.
   */
  readonly per?: "thought" | "scope"
  /**
   * Of how many thoughts or scopes it knows what they have spent; the one that called least recently is forgotten first, and
   * begins anew if it comes back. A whole number from 1, default 10,000.
   */
  readonly remember?: number
}

/**
 * What is left, spent or reserved. `tokens` and `usd` are infinite where nothing limits what is left.
 *
 * @category models
 */
export interface BudgetAmounts {
  readonly calls: number
  readonly tokens: number
  readonly usd: number
  readonly time: Duration.Duration
}

/**
 * A limit that several steps, programs or providers share. Of a budget per thought or scope, the effects are about the
 * thought or scope where they run.
 *
 * @category models
 */
export interface Budget {
  /** For the library only. */
  readonly [BudgetId]: Source
  readonly name: string
  /** What is neither spent nor reserved, from 0. */
  readonly left: Effect.Effect<BudgetAmounts>
  /**
   * What was used by calls that have ended. Where a provider did not say how much, as much as was reserved; more than the
   * limit when a provider used more than it was given.
   */
  readonly spent: Effect.Effect<BudgetAmounts>
  /** What calls under way may use at most. */
  readonly reserved: Effect.Effect<Omit<BudgetAmounts, "time">>
  /** Forgets what was spent, and lets its time begin anew. What is reserved stays so. */
  readonly reset: Effect.Effect<void>
  /** Raises limits; what has none keeps none. Bad amounts are a defect and change nothing. */
  readonly add: (more: BudgetLimits) => Effect.Effect<void>
}

const BudgetId = "~cogito/Budget"

/**
 * Makes a budget to share: by `withBudget`, by a provider layer (`budget`), or by steps (`Pipeline.budget`).
 *
 * Before a call is made, the most that it can use is reserved: one call, a token for each byte of its messages and its
 * form, and the longest answer that is asked for; money after the provider's `capabilities.prices`. All budgets in force
 * have room for it, or it is not made. Afterwards what was used is booked and the rest given back. So what is spent and
 * reserved together never passes a limit, however many calls there are at a time, and retries, fallbacks and repairs count
 * like any other call. The longest answer is `sampling.maxTokens`, else the model's longest, else 4,096 tokens; under a limit of
 * tokens or money it is sent, so that it holds, and lowered when less is left, though not below 64. Give `maxTokens` where
 * many calls are to be made at a time: what they reserve is what they keep from each other.
 *
 * A call without room waits, first come first served, while others under way may give some back (a `Throttled` signal); else,
 * or when none of them has ended for 10 minutes, it fails as a `ProviderError` with the reason `BudgetExceeded`, which no
 * retry repeats and a `Step.fallback` can take up. A call under way when the time is over is interrupted and fails so, too,
 * and so does one whose answer was cut at a lowered bound. With a limit of money, a model without prices fails as
 * `InvalidRequest`. Each time a limit is reached there is a `BudgetCrossed` signal.
 *
 * A failure with usage costs that. Without, one that nothing was generated for (refused, not reached, overloaded) costs
 * its call only; any other, and an interruption, all that was reserved, as it may have been billed. A provider made with
 * `Provider.make` makes the calls that count; one that calls others in turn leaves it to them.
 *
 * Throws when no limit is given or an option is out of its range.
 *
 * **Example** (Two calls, and no third)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }), {
 *   usage: { inputTokens: 120, outputTokens: 30 }
 * })
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const budget = Provider.makeBudget({ name: "triage", calls: 2, tokens: 50_000 })
 *
 * const program = Effect.gen(function*() {
 *   yield* isUrgent("The server is down.")
 *   yield* isUrgent("When do you open?")
 *   const error = yield* Effect.flip(isUrgent("Hello?"))
 *   assert.ok(error._tag === "ProviderError" && error.reason._tag === "BudgetExceeded")
 *   assert.equal(error.reason.limit, "calls")
 *   assert.equal((yield* budget.spent).tokens, 300)
 * })
 *
 * await Effect.runPromise(program.pipe(Provider.withBudget(budget), Effect.provide(model.layer)))
 * ```
 *
 * @category budgets
 */
export const makeBudget = taking("Provider.makeBudget", {
  options: 0,
  known: ["calls", "name", "onShort", "per", "remember", "time", "tokens", "usd"]
})((options: SharedBudgetOptions): Budget => {
  const source = sourceOf("A budget", options)
  const account = Effect.map(place, source)
  return {
    [BudgetId]: source,
    name: options.name ?? defaultName,
    left: Effect.zipWith(account, now, (one, at) => ({
      ...inDollars({ calls: one.left("calls"), tokens: one.left("tokens"), nanos: one.left("nanos") }),
      time: Duration.millis(Math.max(0, one.limits.millis - one.elapsed(at)))
    })),
    spent: Effect.zipWith(account, now, (one, at) => ({
      ...inDollars(one.spent),
      time: Duration.millis(one.elapsed(at))
    })),
    reserved: Effect.map(account, ({ reserved }) => inDollars(reserved)),
    reset: Effect.map(account, (one) => one.reset()),
    add: (more) => Effect.map(account, (one) => one.raise(limitsOf("What is added to a budget", more)))
  }
})

const inDollars = ({ calls, nanos, tokens }: Totals): Omit<BudgetAmounts, "time"> => ({
  calls: Math.max(0, calls),
  tokens: Math.max(0, tokens),
  usd: Math.max(0, nanos) / perDollar
})

const isBudget = (budget: Budget | BudgetOptions): budget is Budget => hasProperty(budget, BudgetId)

/** A budget, or as much of a new one for each run; `owner` is who has it, for messages. */
export const renewed = (owner: string, budget: Budget | BudgetOptions): Effect.Effect<Source> => {
  if (isBudget(budget)) return Effect.succeed(budget[BudgetId])
  const open = accountOf(owner, budget)
  return Effect.map(now, (at) => {
    const account = open()
    account.begin(at)
    return () => account
  })
}

/**
 * Runs a program within a budget, besides those that it is in already: all calls that it makes need room in each of them.
 *
 * Options instead of a budget give every run of the program a budget of its own, whose time begins with the run. Throws when
 * they are out of their range.
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
 * assert.equal(error.message, `scripted (script): the budget "budget" has no call left of 1: raise calls`)
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
 * Puts a budget on all calls that are made through a provider layer, besides those in force where they are made.
 *
 * Options give the layer a budget of its own, which lasts as long as what was built of it; with `per: "thought"` or
 * `per: "scope"` each thought or tenant has as much. Throws when they are out of their range.
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
  if (!isBudget(options)) makeBudget(options)
  return transform((provider) => {
    // a budget of its own for each time that the layer is built
    const source = (isBudget(options) ? options : makeBudget(options))[BudgetId]
    const { decide } = provider
    return Effect.succeed(
      extend(provider, {
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
