import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import { taking } from "../arguments/taking.ts"
import { type Budget, renewed } from "../limits/budget/Budget.ts"
import type { BudgetLimits, BudgetOptions } from "../limits/budget/limits.ts"
import { within } from "../limits/budget/inForce.ts"
import { around, pipedName, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"

/** A budget of its own for each run, or a shared one. */
type Limit =
  | (Omit<BudgetOptions, "name"> & { readonly budget?: never })
  | ({ readonly budget: Budget } & { readonly [K in Exclude<keyof BudgetOptions, "name">]?: never })

/**
 * Runs a step within a budget: as many model calls, tokens, dollars and as much time as it may use.
 *
 * Limits give each run a budget of its own, named as the step; with a `budget` of `Provider.makeBudget`, all runs share that
 * one. A call that the step makes and that there is no room for is not made, and fails as a `ProviderError` with the reason
 * `BudgetExceeded`; what the step does with that is its own, and other work of it goes on. How much room a call needs, when it
 * waits for some, and what it is booked with in the end, `Provider.makeBudget` says.
 *
 * `time` begins with the run of the step, and ends calls only: `timeout` stops a step as a whole. Around a `retry` all attempts
 * share the budget, inside one each has as much. It is in force besides the budgets around it. Throws when an option is out of
 * its range, or none is given.
 *
 * **Example** (Something cheaper when the budget is used up)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const answers = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
 * const model = Testing.scripted([answers, answers])
 *
 * const both = Pipeline.sequence("both", [
 *   Primitive.decide("urgent", { question: "Is this urgent?" }),
 *   Primitive.decide("angry", { question: "Is the customer angry?" })
 * ])
 * const cheap = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const triage = Pipeline.fallback("triage", [Pipeline.budget("dear", { step: both, calls: 1 }), cheap])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(triage, yield* Thought.make("triage", { message: "The server is down!" }))
 *   assert.equal(done.get("urgent").decision, true)
 *   assert.equal(done.get("angry"), undefined)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category connectors
 */
export const budget = taking("Pipeline.budget", {
  options: 1,
  known: ["step", "budget", "calls", "tokens", "usd", "time", "onShort"],
  steps: ["step"]
})(<S extends Step.Any>(name: string, options: Limit & { readonly step: S }): Wrapped<S, Step.Err<S>, Step.Req<S>> => {
  const { budget: shared, step, ...limits } = options
  const source = renewed(`The step ${quoted(name)}`, shared ?? { ...limits, name })
  const run = step[TypeId].run as (thought: Thought<any>) => Effect.Effect<Thought<any>, Step.Err<S>, Step.Req<S>>
  const settings = shared === undefined ? settingsOf(limits) : { shared: true, budget: shared.name }
  return wrap(step, around(step.node, name, kind, settings), (thought) =>
    Effect.flatMap(source, (one) => within(one)(run(thought)))
  )
})

const kind = "budget"

const settingsOf = ({ time, onShort = "wait", ...limits }: BudgetLimits & Pick<BudgetOptions, "onShort">) => ({
  ...limits,
  ...(time === undefined ? {} : { time: Duration.format(Duration.fromInputUnsafe(time)) }),
  onShort
})

/**
 * `Pipeline.budget` around the step that it is piped onto, under the name `budget(<name of the step>)`.
 *
 * **Example** (At most 20,000 tokens and five cents for each run)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.budget({ tokens: 20_000, usd: 0.05 }))
 *
 * assert.equal(spam.name, "budget(spam)")
 * assert.equal(spam.key, "spam")
 * ```
 *
 * @category connectors
 */
export const budgeting: {
  (options: Limit): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options: Limit): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped("Step.budget", (self: Step.Any, options: Limit) => budget(pipedName(kind, self), { ...options, step: self }))
