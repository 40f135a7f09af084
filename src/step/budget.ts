import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { type Budget, renewed } from "../limits/budget/Budget.ts"
import type { BudgetOptions } from "../limits/budget/limits.ts"
import { carryOver } from "../limits/budget/carriedOver.ts"
import { within } from "../limits/budget/inForce.ts"
import { around, nameOf, type NameOption, piped, wrap, type Wrapped } from "./runtime/make.ts"
import { Run } from "../run/run.ts"
import { TypeId } from "./runtime/model.ts"
import type * as Step from "./runtime/model.ts"
import { takingOver } from "./runtime/takingOver.ts"

const kind = "budget"

type Amounts = Omit<BudgetOptions, "name">

/** A budget for each run, or a shared one. */
type Limit = NameOption &
  ((Amounts & { readonly budget?: never }) | ({ readonly budget: Budget } & { readonly [K in keyof Amounts]?: never }))

/**
 * Limits the model calls, tokens, dollars and time that a step may use.
 *
 * **Details**
 *
 * Limits give each run a budget of its own, with the step's name. A `budget` of `Budget.make` is shared by all runs. A
 * call without room waits or fails as a `ProviderError` with the reason `BudgetExceeded`; see `Budget.make`.
 *
 * `time` starts with the run of the step and ends calls only; `timeout` stops a whole step. Around a `retry` all
 * attempts share the budget; inside it, each attempt has its own. Outer budgets stay in force. Throws if an option is
 * out of range or no limit is given.
 *
 * **Example** (A cheaper step when the budget is used up)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
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
 * const triage = both.pipe(Step.budget({ calls: 1, usd: 0.05 }), Step.recover(cheap, { when: "ProviderError" }))
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
export const budget: {
  (options: Limit): <S extends Step.Any>(self: S) => Wrapped<S, Step.Err<S>, Step.Req<S>>
  <S extends Step.Any>(self: S, options: Limit): Wrapped<S, Step.Err<S>, Step.Req<S>>
} = piped(
  taking("Step.budget", {
    args: [kinds.step],
    options: 1,
    known: {
      name: forms.naming,
      budget: forms.inCode,
      calls: forms.maybe("How many calls.", forms.count(0)),
      tokens: forms.maybe("How many tokens, of input and output together.", forms.count(0)),
      usd: forms.maybe("How many US dollars; the prices of the model must be known.", forms.number(0)),
      time: forms.maybe("How long after the beginning of the run.", forms.duration),
      onShort: forms.maybe(
        "What becomes of a call that others may still make room for.",
        forms.oneOf("wait", "fail"),
        "wait"
      )
    }
  })((self: Step.Any, options: Limit) => {
    const { budget: shared, name: _, ...limits } = options
    const name = nameOf(kind, self, options)
    const source = renewed(`The step ${quoted(name)}`, shared ?? { ...limits, name })
    const settings = shared === undefined ? settingsOf(limits) : { shared: true, budget: shared.name }
    const node = around(self.node, name, kind, settings)
    if (shared !== undefined)
      takingOver(node, (journal, frame) => Effect.flatMap(source, (one) => carryOver(journal, frame, [one])))
    return wrap(self, node, (thought) =>
      Effect.gen(function* () {
        const one = yield* source
        const { frame, journal } = yield* Run
        if (frame !== undefined && journal !== undefined) yield* carryOver(journal, frame.key, [one])
        return yield* within(one)(self[TypeId].run(thought))
      })
    )
  })
)

const settingsOf = ({ time, onShort = "wait", ...limits }: Amounts) => ({
  ...limits,
  ...(time === undefined ? {} : { time: Duration.format(Duration.fromInputUnsafe(time)) }),
  onShort
})
