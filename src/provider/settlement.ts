/** What a call that has ended is booked with. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Usage } from "../thought/usage.ts"
import { mostNanos, toNanos } from "./bounds.ts"
import { costOf, type Prices } from "./capabilities.ts"
import { crossed } from "./exceeded.ts"
import type { ProviderError, Reason } from "./ProviderError.ts"
import type { Account, Limit, Reservation } from "../limits/budget/reservation.ts"
import { counted } from "./spent.ts"

/** Books the tokens that a provider reports; where it reports none, as many as there could be. */
export const charge = (reservation: Reservation, usage: Usage, prices: Prices | undefined): Effect.Effect<void> => {
  const { inputTokens, outputTokens = reservation.output, ...cached } = counted(usage)
  if (inputTokens === undefined) {
    const { input } = reservation
    return book(reservation, input + outputTokens, prices === undefined ? 0 : mostNanos(prices, input, outputTokens))
  }
  const nanos = prices === undefined ? 0 : toNanos(costOf({ ...cached, inputTokens, outputTokens }, prices))
  return book(reservation, inputTokens + outputTokens, nanos)
}

/** Books all that was reserved: it may have been used, and nobody says how much of it. */
export const chargeAll = (reservation: Reservation): Effect.Effect<void> =>
  book(reservation, reservation.input + reservation.output, reservation.nanos)

/** Failures of calls that nothing was generated for, and so cost nothing. */
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

/** Books a call that failed or was interrupted; `hasBegun` when a part of its answer had come. */
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

/** Settles, once, and tells of accounts in which more was used now than they had. */
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
