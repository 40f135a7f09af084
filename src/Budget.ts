/**
 * A budget limits what model calls may use, all together: calls, tokens, dollars and time.
 *
 * Give it to a step (`Step.budget`), to a program (`Provider.withBudget`) or to a provider layer (`Provider.budget`).
 */
export { type Budget, make } from "./limits/budget/Budget.ts"
export type { SharedBudgetOptions as Options } from "./limits/budget/limits.ts"
