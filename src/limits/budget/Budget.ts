/** Shared limits of what calls may use. */
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
 * A limit that several steps, programs or providers share.
 *
 * With `per`, each effect refers to the thought or the scope in which it runs.
 *
 * @category models
 */
export interface Budget {
  /** For the library only. */
  readonly [BudgetId]: Source
  readonly name: string
  /** What is neither spent nor reserved; never negative. */
  readonly left: Effect.Effect<BudgetAmounts>
  /**
   * What ended calls have used. It exceeds the limit if a provider used more than was reserved.
   *
   * A call without reported usage counts with all that was reserved for it, and so does one that was interrupted. A
   * failed call that generated nothing (refused, not reached, overloaded) counts only as a call.
   */
  readonly spent: Effect.Effect<BudgetAmounts>
  /** What running calls may use at most. */
  readonly reserved: Effect.Effect<Omit<BudgetAmounts, "time">>
  /** Forgets what was spent and restarts the time. Reservations stay. */
  readonly reset: Effect.Effect<void>
  /**
   * Raises the limits by these amounts. An unlimited amount stays unlimited. Invalid amounts are a defect and change
   * nothing.
   */
  readonly add: (more: BudgetLimits) => Effect.Effect<void>
}

export const BudgetId = "~cogito/Budget"

/**
 * Makes a budget that programs (`Provider.withBudget`), layers (`Provider.budget`) and steps (`Step.budget`) can share.
 *
 * **Details**
 *
 * Every call reserves the most that it can use, in all budgets in force, before it is made; afterwards its usage is
 * booked. So no limit is exceeded, however many calls run at a time. Retries, fallbacks and repairs count too. If a
 * provider passes a call on to another one, only the inner call counts.
 *
 * A call without room waits (see `onShort`) or fails with the reason `BudgetExceeded` of `ProviderError`, which is
 * never retried. It also fails so if the time runs out meanwhile, or if a lowered bound cuts its answer off. Each limit
 * that is reached emits a `BudgetCrossed` signal.
 *
 * Throws if no limit is given or an option is out of range.
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

/** The given budget, or a new one with these options for each run. `owner` is named in messages. */
export const renewed = (owner: string, budget: Budget | BudgetOptions): Effect.Effect<Source> => {
  if (isBudget(budget)) return Effect.succeed(budget[BudgetId])
  const open = accountOf(owner, budget)
  return Effect.map(now, (at) => {
    const account = open()
    account.begin(at)
    return () => account
  })
}
