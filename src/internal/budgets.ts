/** What a step needs of the budgets of providers: it puts them in force, and knows nothing else of providers. */
export { type Budget, type BudgetLimits, type BudgetOptions, renewed } from "../limits/budget/Budget.ts"
export { within } from "../limits/budget/inForce.ts"
