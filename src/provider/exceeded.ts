/** What happens when a limit of a budget is reached: the signal, the span, and the error. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../text/legible.ts"
import { emit, Run } from "../run/run.ts"
import { ProviderError, type Reason } from "./ProviderError.ts"
import type { Account, Demand, Limit, Reservation } from "../limits/budget/reservation.ts"

/** The provider that makes the calls. */
interface Caller {
  readonly name: string
  readonly model: string
}

/** Reports that a limit was reached: a call was refused, was stopped, or used more than it had reserved. */
export const crossed = (account: Account, limit: Limit, how: "refused" | "stopped" | "overrun"): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { given } = yield* Run
    yield* Effect.annotateCurrentSpan({
      "cogito.budget": account.name,
      "cogito.budget.limit": limit,
      "cogito.budget.crossed": how
    })
    yield* emit(given, { _tag: "BudgetCrossed", budget: account.name, limit, how })
  })

const failed = ({ model, name }: Caller, reason: Reason): Effect.Effect<never, ProviderError> =>
  Effect.fail(new ProviderError({ provider: name, model, reason }))

/** Fails because a budget has no room for the call. */
export const refuse = (
  caller: Caller,
  account: Account,
  limit: Limit,
  demand: Demand
): Effect.Effect<never, ProviderError> =>
  Effect.andThen(
    crossed(account, limit, "refused"),
    failed(caller, exceeded(account, limit, shortage(account, limit, demand)))
  )

/** Fails because the time of a budget ended before the call did. */
export const stop = (caller: Caller, account: Account): Effect.Effect<never, ProviderError> =>
  Effect.andThen(
    crossed(account, "time", "stopped"),
    failed(caller, exceeded(account, "time", `allowed ${timeOf(account)}, which ended during the call`))
  )

/**
 * Replaces the error of an answer that a budget cut at the length it had room for: trying the same call again would not
 * help.
 */
export const cutShort = (
  caller: Caller,
  { output, tight }: Pick<Reservation, "output" | "tight">,
  error: ProviderError
): Effect.Effect<never, ProviderError> => {
  const { cause, reason, requestId, usage } = error
  const isCut = reason._tag === "Truncated" && (usage?.outputTokens ?? 0) >= output
  if (tight === undefined || !isCut) return Effect.fail(error)
  const { account, limit } = tight
  const what = `had room for ${output} tokens of the answer, which was cut there: raise ${limit}, or ask for less`
  return Effect.andThen(
    crossed(account, limit, "stopped"),
    Effect.fail(
      new ProviderError({
        provider: caller.name,
        model: caller.model,
        reason: exceeded(account, limit, what),
        ...(usage === undefined ? {} : { usage }),
        ...(requestId === undefined ? {} : { requestId }),
        ...(cause === undefined ? {} : { cause })
      })
    )
  )
}

/** Fails because a budget limits money and the price of the call is unknown. */
export const refuseUnpriced = (caller: Caller, { name }: Account): Effect.Effect<never, ProviderError> =>
  failed(caller, {
    _tag: "InvalidRequest",
    message:
      `the budget ${quoted(name)} limits money, and what this model costs is not known: set ` +
      `capabilities.prices, with their date in asOf; for a free model, set the prices to 0`
  })

/** Fails because a budget limits tokens or money and the length of the answer has no known limit. */
export const refuseBoundless = (caller: Caller, { name }: Account): Effect.Effect<never, ProviderError> =>
  failed(caller, {
    _tag: "InvalidRequest",
    message:
      `the budget ${quoted(name)} limits tokens or money, and this model's answers have no known limit: ` +
      `set capabilities.outputTokens to the longest possible answer`
  })

const exceeded = ({ name }: Account, limit: Limit, what: string): Reason => ({
  _tag: "BudgetExceeded",
  message: `the budget ${quoted(name)} ${what}`,
  budget: name,
  limit
})

const shortage = (account: Account, limit: Limit, { input, least, nanos }: Demand): string => {
  const { limits } = account
  if (limit === "time") return `allowed ${timeOf(account)}, which are over: raise time`
  if (limit === "calls") return `has 0 of ${limits.calls} calls left: raise calls`
  if (limit === "tokens") {
    return (
      `has ${Math.max(0, account.left("tokens"))} of ${limits.tokens} tokens left, and this call may need ` +
      `${input + least}, with ${least} of them for its answer: raise tokens, or send less`
    )
  }
  return (
    `has ${dollars(Math.max(0, account.left("nanos")))} of ${dollars(limits.nanos)} left, and this call may cost ` +
    `${dollars(nanos?.(least) ?? 0)}: raise usd, send less, or take a cheaper model`
  )
}

const timeOf = ({ limits }: Account): string => Duration.format(Duration.millis(limits.millis))

const dollars = (nanos: number): string => `$${Number((nanos / 1e9).toFixed(6))}`
