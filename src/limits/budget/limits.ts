import type * as Duration from "effect/Duration"

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
