import type * as Duration from "effect/Duration"

/**
 * Limits of what calls may use together. At least one limit is required; an omitted one is unlimited.
 *
 * @category models
 */
export interface BudgetLimits {
  /** How many calls: a whole number from 0. Failed calls count. */
  readonly calls?: number
  /**
   * How many tokens, input and output together: a whole number from 0.
   *
   * A call reserves one token for each byte of its messages and its output form, and its longest answer:
   * `sampling.maxTokens`, otherwise the model's longest answer, otherwise 4,096 tokens. Under a limit of tokens or dollars
   * the request carries this bound. It is lowered if less is left, but not below 64. Set `maxTokens` if many calls run
   * concurrently, because each one reserves its longest answer.
   */
  readonly tokens?: number
  /** How many US dollars, from 0. A model without known `capabilities.prices` fails as `InvalidRequest`. */
  readonly usd?: number
  /** How long after the first call, or after the start of the step that has the budget. Positive and finite. */
  readonly time?: Duration.Input
}

/**
 * Limits, and what happens to calls that exceed them.
 *
 * @category models
 */
export interface BudgetOptions extends BudgetLimits {
  /** The name in errors and signals. Default: the name of the step, else `"budget"`. */
  readonly name?: string
  /**
   * Whether a call without room waits while running calls may still release some, or fails at once. Default: `"wait"`.
   *
   * Calls wait first come, first served, with a `Throttled` signal. A call fails once no other call has ended for 10
   * minutes. A stream is running until its last piece is taken. To make calls while reading one, use `"fail"` or leave
   * room for both.
   */
  readonly onShort?: "wait" | "fail"
}

/**
 * Limits for all calls together, or for each thought or scope.
 *
 * @category models
 */
export interface SharedBudgetOptions extends BudgetOptions {
  /**
   * - `"thought"`: a budget for each thought together with its forks; calls outside of steps share one
   * - `"scope"`: a budget for each scope that `Memory.withScope` names; calls without a scope share one
   *
   * Default: one budget for all calls.
   */
  readonly per?: "thought" | "scope"
  /**
   * How many thoughts or scopes keep their account: a whole number from 1. Default: 10,000. The least recently used
   * account is dropped first; if its thought or scope comes back, it starts anew.
   */
  readonly remember?: number
}

/**
 * What is left, spent or reserved. Without a limit, the amount left is infinite.
 *
 * @category models
 */
export interface BudgetAmounts {
  readonly calls: number
  readonly tokens: number
  readonly usd: number
  readonly time: Duration.Duration
}
