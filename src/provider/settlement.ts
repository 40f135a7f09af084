/** Books the usage of calls that have ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Usage } from "../thought/usage.ts"
import { mostNanos, toNanos } from "./bounds.ts"
import { costOf, type Prices } from "./capabilities.ts"
import { crossed } from "./exceeded.ts"
import type { ProviderError, Reason } from "./ProviderError.ts"
import type { Account, Limit, Reservation } from "../limits/budget/reservation.ts"
import { counted } from "./spent.ts"

/** Books the tokens that a provider reports. Counts that are missing are booked as reserved. */
export const charge = (reservation: Reservation, usage: Usage, prices: Prices | undefined): Effect.Effect<void> => {
  const { inputTokens, outputTokens = reservation.output, ...cached } = counted(usage)
  if (inputTokens === undefined) {
    const { input } = reservation
    return book(reservation, input + outputTokens, prices === undefined ? 0 : mostNanos(prices, input, outputTokens))
  }
  const nanos = prices === undefined ? 0 : toNanos(costOf({ ...cached, inputTokens, outputTokens }, prices))
  return book(reservation, inputTokens + outputTokens, nanos)
}

/** Books all that was reserved, as all of it may have been used. */
export const chargeAll = (reservation: Reservation): Effect.Effect<void> =>
  book(reservation, reservation.input + reservation.output, reservation.nanos)

/** Failures of calls that generated nothing, and so cost nothing. */
const free: ReadonlySet<Reason["_tag"]> = new Set([
  "RateLimited",
  "QuotaExhausted",
  "Authentication",
  "InvalidRequest",
  "ContextTooLong",
  "Connection",
  "Overloaded",
  "Unsupported",
  "CircuitOpen",
  "ReplayMismatch"
] as const)

/** Books a call that failed or was interrupted. `hasBegun`: a part of its answer had arrived. */
export const chargeFailure = (
  reservation: Reservation,
  cause: Cause.Cause<ProviderError>,
  prices: Prices | undefined,
  hasBegun: boolean
): Effect.Effect<void> => {
  const [first, ...others] = cause.reasons
  if (first === undefined || !Cause.isFailReason(first) || others.length > 0) return chargeAll(reservation)
  const { reason, usage = {} } = first.error
  if (Object.keys(usage).length > 0) return charge(reservation, usage, prices)
  return free.has(reason._tag) && !hasBegun ? book(reservation, 0, 0) : chargeAll(reservation)
}

/** Settles the reservation, and reports the accounts that this call took over a limit. */
const book = (reservation: Reservation, tokens: number, nanos: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = new Set(reservation.accounts.filter(overrun))
    reservation.settle(tokens, nanos)
    return Effect.forEach(
      reservation.accounts,
      (account) => {
        const limit = overrun(account)
        return limit === undefined || before.has(account) ? Effect.void : crossed(account, limit, "overrun")
      },
      { discard: true }
    )
  })

const overrun = ({ limits, spent }: Account): Limit | undefined => {
  if (spent.tokens > limits.tokens) return "tokens"
  return spent.nanos > limits.nanos ? "usd" : undefined
}
