/** Limits of what calls may use, all together. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import { taking } from "../../arguments/taking.ts"
import { now } from "../now.ts"
import { accountOf, defaultName, limitsOf, perDollar, sourceOf } from "./accounts.ts"
import { place, type Source } from "./inForce.ts"
import type { Totals } from "./reservation.ts"
import type { BudgetAmounts, BudgetLimits, BudgetOptions, SharedBudgetOptions } from "./limits.ts"

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

export const BudgetId = "~cogito/Budget"

/**
 * Makes a budget to share: by `withBudget`, by a provider layer (`budget`), or by steps (`Step.budget`).
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
 * retry repeats and a `Step.recover` can take up. A call under way when the time is over is interrupted and fails so, too,
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
 * import { Budget, Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }), {
 *   usage: { inputTokens: 120, outputTokens: 30 }
 * })
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 * const budget = Budget.make({ name: "triage", calls: 2, tokens: 50_000 })
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
export const make = taking("Budget.make", {
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

export const isBudget = (budget: Budget | BudgetOptions): budget is Budget => hasProperty(budget, BudgetId)

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
